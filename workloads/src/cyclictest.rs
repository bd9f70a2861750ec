//! How late a timer is: on each core a task that sleeps until fixed times, as `cyclictest` of rt-tests does.
//!
//! Where pace is emulated a core rests outside its window, and that is most of what is measured.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use abi::crew::Crew;
use abi::types::MAX_CPUS;
use abi::{clock, println};

use crate::decimal::Decimal;
use crate::init::Outcome;
use crate::machine::Machine;
use crate::request::Request;
use crate::scene::{Labels, refused};
use crate::spread::Spread;

const DEFAULT_LOOPS: u32 = 200;
const DEFAULT_INTERVAL: u64 = 1_000_000;

static LOOPS: AtomicU32 = AtomicU32::new(0);
static INTERVAL: AtomicU64 = AtomicU64::new(0);
/// Of the big and of the LITTLE cores.
static LATENESS: [Spread; 2] = [const { Spread::new() }; 2];
static BIG: AtomicU32 = AtomicU32::new(0);

/// Runs the benchmark: arguments `loops` and `interval`.
pub fn run(request: &Request<'_>, machine: &Machine) -> Outcome {
    request.expect_only(&["loops", "interval"]);
    match measure(request, machine) {
        Ok(outcome) => outcome,
        Err(error) => refused("cyclictest", error),
    }
}

fn measure(request: &Request<'_>, machine: &Machine) -> abi::Result<Outcome> {
    let loops = request.number("loops", 1..=10_000_000).unwrap_or(DEFAULT_LOOPS);
    let interval = request.duration("interval").unwrap_or(DEFAULT_INTERVAL);
    LOOPS.store(loops, Ordering::Relaxed);
    INTERVAL.store(interval, Ordering::Relaxed);
    BIG.store(machine.0.big, Ordering::Relaxed);
    LATENESS.iter().for_each(Spread::clear);
    let mut crew = Crew::<MAX_CPUS>::new();
    for cpu in machine.online() {
        crew.start(1 << cpu, waiter, cpu)?;
    }
    let unwell = crew.wait()?;
    for (class, spread) in ["big", "little"].into_iter().zip(&LATENESS).filter(|(_, spread)| spread.count() > 0) {
        println!(
            "BENCH name=cyclictest {} class={class} interval_us={} loops={} avg_us={} p99_us={} p999_us={} max_us={}",
            Labels(machine),
            interval / 1_000,
            spread.count(),
            Decimal::microseconds(spread.mean()),
            Decimal::microseconds(spread.quantile(9_900)),
            Decimal::microseconds(spread.quantile(9_990)),
            Decimal::microseconds(spread.most()),
        );
    }
    Ok(if unwell == 0 { Outcome::Passed } else { Outcome::Failed })
}

fn waiter(cpu: usize) {
    let spread = &LATENESS[usize::from(BIG.load(Ordering::Relaxed) >> cpu & 1 == 0)];
    let interval = INTERVAL.load(Ordering::Relaxed);
    let mut next = clock::now() + interval;
    for _ in 0..LOOPS.load(Ordering::Relaxed) {
        clock::sleep_until(next);
        spread.add(clock::now() - next);
        next += interval;
    }
}
