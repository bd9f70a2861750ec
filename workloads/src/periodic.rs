//! Periodic tasks, as rt-app makes them: every period each wakes up, does a fixed amount of work and sleeps again.
//!
//! The shape of the report that this project grew from: 24 tasks of 16 ms and 10 %. Where pace is emulated the machine
//! is as many times slower than the chip as it has slots, and so are periods.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use abi::crew::Crew;
use abi::{clock, println};

use crate::decimal::Decimal;
use crate::init::Outcome;
use crate::load::{Load, burn};
use crate::machine::Machine;
use crate::request::Request;
use crate::scene::{Labels, Scene, moves, refused};
use crate::spread::Spread;

const MAX_TASKS: usize = 48;
const DEFAULT_PERIOD: u64 = 16_000_000;
/// Per cent of a big core at its highest clock.
const DEFAULT_DUTY: u32 = 10;
const DEFAULT_JOBS: u32 = 12;

static UNITS: AtomicU32 = AtomicU32::new(0);
static JOBS: AtomicU32 = AtomicU32::new(0);
static PERIOD: AtomicU64 = AtomicU64::new(0);
/// Between the first releases of two tasks.
static SHIFT: AtomicU64 = AtomicU64::new(0);
static BEGIN: AtomicU64 = AtomicU64::new(0);
static DONE: AtomicU32 = AtomicU32::new(0);
static MISSES: AtomicU32 = AtomicU32::new(0);
static MOVES: AtomicU32 = AtomicU32::new(0);
/// From release to end of each job.
static RESPONSE: Spread = Spread::new();

/// Runs the benchmark: arguments `n` (tasks), `period`, `duty` (per cent), `phase` (sync or spread), `jobs` (of each
/// task).
pub fn run(request: &Request<'_>, machine: &Machine) -> Outcome {
    request.expect_only(&["n", "period", "duty", "phase", "jobs"]);
    match measure(request, machine) {
        Ok(outcome) => outcome,
        Err(error) => refused("periodic", error),
    }
}

fn measure(request: &Request<'_>, machine: &Machine) -> abi::Result<Outcome> {
    let tasks = request.number("n", 1..=MAX_TASKS as u32).unwrap_or(3 * machine.cpus() as u32);
    let period = request.duration("period").unwrap_or(DEFAULT_PERIOD);
    let duty = request.number("duty", 1..=100).unwrap_or(DEFAULT_DUTY);
    let jobs = request.number("jobs", 1..=100_000).unwrap_or(DEFAULT_JOBS);
    let phase = request.choice("phase", &["sync", "spread"]).unwrap_or("sync");
    let Some(load) = Load::measure(machine)? else { return Ok(Outcome::Failed) };
    let stretched = period * machine.slots();
    UNITS.store(load.units(period * u64::from(duty) / 100), Ordering::Relaxed);
    JOBS.store(jobs, Ordering::Relaxed);
    PERIOD.store(stretched, Ordering::Relaxed);
    SHIFT.store(if phase == "spread" { stretched / u64::from(tasks) } else { 0 }, Ordering::Relaxed);
    for counter in [&DONE, &MISSES, &MOVES] {
        counter.store(0, Ordering::Relaxed);
    }
    RESPONSE.clear();
    // Late enough for all to have been started.
    BEGIN.store(clock::now() + stretched, Ordering::Relaxed);
    let mut crew = Crew::<MAX_TASKS>::new();
    for task in 0..tasks {
        crew.start(machine.0.online, periodic, task as usize)?;
    }
    clock::sleep_until(BEGIN.load(Ordering::Relaxed));
    let scene = Scene::begin()?;
    let unwell = crew.wait()?;
    let drawn = scene.end()?;
    let (done, misses) = (DONE.load(Ordering::Relaxed), MISSES.load(Ordering::Relaxed));
    let worked = load.nanoseconds(u64::from(done) * u64::from(UNITS.load(Ordering::Relaxed)));
    let span = u64::from(jobs) * period;
    println!(
        "BENCH name=periodic {} n={tasks} period_ms={} stretch={} phase={phase} duty_asked={} duty_achieved={} jobs={done} \
         misses={misses} response_p99_ms={} response_max_ms={} moves={} {drawn}",
        Labels(machine),
        Decimal::milliseconds(period),
        machine.slots(),
        Decimal::ratio(u64::from(tasks * duty), 100),
        Decimal::ratio(worked, span),
        Decimal::milliseconds(RESPONSE.quantile(9_900)),
        Decimal::milliseconds(RESPONSE.most()),
        MOVES.load(Ordering::Relaxed),
    );
    let whole = unwell == 0 && done == tasks * jobs;
    Ok(if whole { Outcome::Passed } else { Outcome::Failed })
}

fn periodic(index: usize) {
    let period = PERIOD.load(Ordering::Relaxed);
    let mut release = BEGIN.load(Ordering::Relaxed) + SHIFT.load(Ordering::Relaxed) * index as u64;
    for _ in 0..JOBS.load(Ordering::Relaxed) {
        clock::sleep_until(release);
        burn(UNITS.load(Ordering::Relaxed));
        let response = clock::now() - release;
        RESPONSE.add(response);
        if response > period {
            MISSES.fetch_add(1, Ordering::Relaxed);
        }
        DONE.fetch_add(1, Ordering::Relaxed);
        release += period;
    }
    MOVES.fetch_add(moves(), Ordering::Relaxed);
}
