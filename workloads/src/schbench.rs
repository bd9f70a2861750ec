//! Wake-ups under load, as `schbench` makes them: a messenger wakes workers, each does a little work and waits again.
//! Reported is how long a worker took from being woken to running, and how long its request took.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use abi::crew::Crew;
use abi::futex::Semaphore;
use abi::{clock, println};

use crate::decimal::Decimal;
use crate::init::Outcome;
use crate::load::{Load, burn};
use crate::machine::Machine;
use crate::request::Request;
use crate::scene::{Labels, Scene, refused};
use crate::spread::Spread;

const MAX_WORKERS: usize = 16;
const DEFAULT_REQUESTS: u32 = 40;
/// The work of a request in nanoseconds.
const WORK: u64 = 100_000;

static WAKES: [Semaphore; MAX_WORKERS] = [const { Semaphore::new(0) }; MAX_WORKERS];
static SENT: [AtomicU64; MAX_WORKERS] = [const { AtomicU64::new(0) }; MAX_WORKERS];
/// Requests that have been answered.
static ANSWERS: Semaphore = Semaphore::new(0);
static REQUESTS: AtomicU32 = AtomicU32::new(0);
static WORKERS: AtomicU32 = AtomicU32::new(0);
static UNITS: AtomicU32 = AtomicU32::new(0);
static WAKING: Spread = Spread::new();
static SERVING: Spread = Spread::new();

/// Runs the benchmark: arguments `n` (workers) and `requests` (of each).
pub fn run(request: &Request<'_>, machine: &Machine) -> Outcome {
    request.expect_only(&["n", "requests"]);
    match measure(request, machine) {
        Ok(outcome) => outcome,
        Err(error) => refused("schbench", error),
    }
}

fn measure(request: &Request<'_>, machine: &Machine) -> abi::Result<Outcome> {
    let workers = request.number("n", 1..=MAX_WORKERS as u32).unwrap_or(machine.cpus() as u32);
    let requests = request.number("requests", 1..=1_000_000).unwrap_or(DEFAULT_REQUESTS);
    let Some(load) = Load::measure(machine)? else { return Ok(Outcome::Failed) };
    UNITS.store(load.units(WORK), Ordering::Relaxed);
    REQUESTS.store(requests, Ordering::Relaxed);
    WORKERS.store(workers, Ordering::Relaxed);
    WAKING.clear();
    SERVING.clear();
    let scene = Scene::begin()?;
    let mut crew = Crew::<{ MAX_WORKERS + 1 }>::new();
    for index in 0..workers {
        crew.start(machine.0.online, worker, index as usize)?;
    }
    crew.start(machine.0.online, messenger, 0)?;
    let unwell = crew.wait()?;
    let drawn = scene.end()?;
    let served = u64::from(SERVING.count());
    println!(
        "BENCH name=schbench {} n={workers} requests={served} wake_p50_us={} wake_p99_us={} wake_p999_us={} wake_max_us={} \
         request_p50_us={} request_p99_us={} requests_per_s={} {drawn}",
        Labels(machine),
        Decimal::microseconds(WAKING.quantile(5_000)),
        Decimal::microseconds(WAKING.quantile(9_900)),
        Decimal::microseconds(WAKING.quantile(9_990)),
        Decimal::microseconds(WAKING.most()),
        Decimal::microseconds(SERVING.quantile(5_000)),
        Decimal::microseconds(SERVING.quantile(9_900)),
        served * 1_000_000_000 / drawn.elapsed.max(1),
    );
    Ok(if unwell == 0 && served == u64::from(workers * requests) { Outcome::Passed } else { Outcome::Failed })
}

/// Wakes all workers, waits until all have answered, and so on.
fn messenger(_: usize) {
    let workers = WORKERS.load(Ordering::Relaxed);
    for _ in 0..REQUESTS.load(Ordering::Relaxed) {
        for (wake, sent) in WAKES.iter().zip(&SENT).take(workers as usize) {
            sent.store(clock::now(), Ordering::Release);
            wake.give();
        }
        (0..workers).for_each(|_| ANSWERS.take());
    }
}

fn worker(index: usize) {
    for _ in 0..REQUESTS.load(Ordering::Relaxed) {
        WAKES[index].take();
        let sent = SENT[index].load(Ordering::Acquire);
        WAKING.add(clock::now() - sent);
        burn(UNITS.load(Ordering::Relaxed));
        SERVING.add(clock::now() - sent);
        ANSWERS.give();
    }
}
