//! Heat: busy loops for a given time, with a look at temperature and clocks every so often.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use abi::crew::Crew;
use abi::{clock, println, system};

use crate::decimal::Decimal;
use crate::init::Outcome;
use crate::load::burn;
use crate::machine::Machine;
use crate::request::Request;
use crate::scene::{Labels, Scene, refused};

const MAX_LOOPS: usize = 16;
const DEFAULT_TIME: u64 = 500_000_000;
/// Between two looks, unless that would be more than [`LOOKS`].
const LOOK: u64 = 100_000_000;
const LOOKS: u64 = 60;
/// Units of work between two looks at the clock.
const STRIDE: u32 = 50;

static END: AtomicU64 = AtomicU64::new(0);
static DONE: AtomicU32 = AtomicU32::new(0);

/// Runs the benchmark: arguments `n` (loops) and `time` (on the machine's clock).
pub fn run(request: &Request<'_>, machine: &Machine) -> Outcome {
    request.expect_only(&["n", "time"]);
    if machine.0.plant == 0 {
        return Outcome::Skipped("no_sensors");
    }
    match measure(request, machine) {
        Ok(outcome) => outcome,
        Err(error) => refused("soak", error),
    }
}

fn measure(request: &Request<'_>, machine: &Machine) -> abi::Result<Outcome> {
    let loops = request.number("n", 1..=MAX_LOOPS as u32).unwrap_or(machine.cpus() as u32);
    let time = request.duration("time").unwrap_or(DEFAULT_TIME);
    DONE.store(0, Ordering::Relaxed);
    let begin = clock::now();
    END.store(begin + time, Ordering::Relaxed);
    let scene = Scene::begin()?;
    let mut crew = Crew::<MAX_LOOPS>::new();
    for index in 0..loops {
        crew.start(machine.0.online, stoker, index as usize)?;
    }
    let step = LOOK.max(time / LOOKS);
    let (mut hottest, mut capped) = (i32::MIN, 0);
    let mut at = step;
    while at <= time {
        clock::sleep_until(begin + at);
        let climate = system::climate()?;
        let temperature = climate.temperature_mc;
        hottest = hottest.max(temperature);
        capped += u32::from(climate.pressure != [0; 2] || climate.parked != 0);
        println!(
            "SOAK t_ms={} temperature_mc={temperature} big_khz={} little_khz={} big_cap_khz={} little_cap_khz={} \
             big_pressure={} little_pressure={} parked={:#x}",
            Decimal::milliseconds(at),
            climate.clock_khz[0],
            climate.clock_khz[1],
            climate.cap_khz[0],
            climate.cap_khz[1],
            climate.pressure[0],
            climate.pressure[1],
            climate.parked,
        );
        at += step;
    }
    let unwell = crew.wait()?;
    let drawn = scene.end()?;
    println!(
        "BENCH name=soak {} n={loops} work_units={} hottest_mc={hottest} looks={} under_pressure={capped} {drawn}",
        Labels(machine),
        DONE.load(Ordering::Relaxed),
        time / step,
    );
    Ok(if unwell == 0 { Outcome::Passed } else { Outcome::Failed })
}

fn stoker(_: usize) {
    let end = END.load(Ordering::Relaxed);
    while clock::now() < end {
        burn(STRIDE);
        DONE.fetch_add(STRIDE, Ordering::Relaxed);
    }
}
