//! From rest to full speed: how long after waking up does a busy task run on a big core, and how long until its clock
//! is at the top?
//!
//! Runs with the goal energy, unless a policy was chosen at boot: with goals of speed the clocks never leave the top.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use abi::crew::Crew;
use abi::types::{Goal, Policy};
use abi::{clock, println, system};

use crate::decimal::Decimal;
use crate::init::Outcome;
use crate::load::burn;
use crate::machine::Machine;
use crate::request::Request;
use crate::scene::{Labels, Scene, refused};

const DEFAULT_REST: u64 = 200_000_000;
/// A task that is not at the top after so long stays below it.
const GIVE_UP: u64 = 400_000_000;
/// Units of work between two looks.
const GLANCE: u32 = 20;

/// The clock that is the top, as seen before the rest.
static TOP: AtomicU32 = AtomicU32::new(0);
static BIG: AtomicU32 = AtomicU32::new(0);
static REST: AtomicU64 = AtomicU64::new(0);
/// When it first ran on a big core, and at the top, after waking up; 0: never.
static AT_BIG: AtomicU64 = AtomicU64::new(0);
static AT_TOP: AtomicU64 = AtomicU64::new(0);

/// Runs the benchmark: argument `rest` (the pause before).
pub fn run(request: &Request<'_>, machine: &Machine) -> Outcome {
    request.expect_only(&["rest"]);
    if machine.0.plant == 0 {
        return Outcome::Skipped("no_clocks");
    }
    if machine.big_cpus() == 0 {
        return Outcome::Skipped("no_big_core");
    }
    match measure(request, machine) {
        Ok(outcome) => outcome,
        Err(error) => refused("rampup", error),
    }
}

fn measure(request: &Request<'_>, machine: &Machine) -> abi::Result<Outcome> {
    let booted = machine.rule();
    let rest = request.duration("rest").unwrap_or(DEFAULT_REST);
    REST.store(rest, Ordering::Relaxed);
    BIG.store(machine.0.big, Ordering::Relaxed);
    TOP.store(system::climate()?.cap_khz[0], Ordering::Relaxed);
    for time in [&AT_BIG, &AT_TOP] {
        time.store(0, Ordering::Relaxed);
    }
    if machine.0.policy_chosen == 0 {
        system::set_policy(Policy::Gear, Goal::Energy)?;
    }
    let labels = Machine::read();
    let mut crew = Crew::<1>::new();
    crew.start(machine.0.online, climber, 0)?;
    let scene = Scene::begin()?;
    let unwell = crew.wait()?;
    let drawn = scene.end()?;
    system::set_policy(booted.0, booted.1)?;
    let (big, top) = (AT_BIG.load(Ordering::Acquire), AT_TOP.load(Ordering::Acquire));
    println!(
        "BENCH name=rampup {} rest_ms={} stretch={} to_big_ms={} to_top_ms={} reached={} {drawn}",
        Labels(&labels),
        Decimal::milliseconds(rest),
        machine.slots(),
        Decimal::milliseconds(big),
        Decimal::milliseconds(top),
        if top > 0 { "yes" } else { "no" },
    );
    Ok(if unwell == 0 { Outcome::Passed } else { Outcome::Failed })
}

fn climber(_: usize) {
    // Short jobs first, so that it is known as a small task.
    for _ in 0..8 {
        burn(GLANCE);
        clock::sleep(REST.load(Ordering::Relaxed) / 8);
    }
    let start = clock::now();
    loop {
        burn(GLANCE);
        let elapsed = clock::now() - start;
        let big = BIG.load(Ordering::Relaxed) >> abi::task::current_cpu() & 1 == 1;
        if big {
            // The first one stays.
            let _ = AT_BIG.compare_exchange(0, elapsed, Ordering::Release, Ordering::Relaxed);
        }
        let Ok(climate) = system::climate() else { abi::task::exit(1) };
        if big && climate.clock_khz[0] == TOP.load(Ordering::Relaxed) {
            AT_TOP.store(elapsed, Ordering::Release);
            return;
        }
        if elapsed > GIVE_UP {
            return;
        }
    }
}
