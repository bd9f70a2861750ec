//! Loops that are bounded from above, on the LITTLE cores: does each get its share?
//!
//! The case of Gondois (LKML, February 2026): an endless loop that counts as small fits everywhere, and on Linux eight
//! of them ended as 6, 1, 1 and 0 on four cores. Runs with the goal energy, unless a policy was chosen at boot.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use abi::crew::Crew;
use abi::task::{self, Clamp};
use abi::types::{Goal, Policy};
use abi::{clock, println, system};

use crate::decimal::Decimal;
use crate::init::Outcome;
use crate::load::burn;
use crate::machine::Machine;
use crate::request::Request;
use crate::scene::{Labels, Scene, refused};

const MAX_LOOPS: usize = 32;
const DEFAULT_LOOPS: u32 = 8;
const DEFAULT_MAX: u32 = 100;
const DEFAULT_TIME: u64 = 300_000_000;
/// Units of work between two looks at the clock.
const STRIDE: u32 = 20;
/// How often the clock of the LITTLE cores is looked at.
const LOOKS: u64 = 10;

static END: AtomicU64 = AtomicU64::new(0);
static DONE: [AtomicU32; MAX_LOOPS] = [const { AtomicU32::new(0) }; MAX_LOOPS];

/// Runs the benchmark: arguments `n` (loops), `max` (the bound, of 1024) and `time` (on the machine's clock).
pub fn run(request: &Request<'_>, machine: &Machine) -> Outcome {
    request.expect_only(&["n", "max", "time"]);
    if machine.0.online & !machine.0.big == 0 {
        return Outcome::Skipped("no_little_core");
    }
    match measure(request, machine) {
        Ok(outcome) => outcome,
        Err(error) => refused("uclamp", error),
    }
}

fn measure(request: &Request<'_>, machine: &Machine) -> abi::Result<Outcome> {
    let booted = machine.rule();
    let loops = request.number("n", 1..=MAX_LOOPS as u32).unwrap_or(DEFAULT_LOOPS);
    let max = request.number("max", 0..=Clamp::NONE.max).unwrap_or(DEFAULT_MAX);
    let time = request.duration("time").unwrap_or(DEFAULT_TIME);
    DONE.iter().for_each(|done| done.store(0, Ordering::Relaxed));
    if machine.0.policy_chosen == 0 {
        system::set_policy(Policy::Gear, Goal::Energy)?;
    }
    let labels = Machine::read();
    let begin = clock::now();
    END.store(begin + time, Ordering::Relaxed);
    let scene = Scene::begin()?;
    // They inherit the bound.
    task::current().set_clamp(Clamp { min: 0, max })?;
    let mut crew = Crew::<MAX_LOOPS>::new();
    for index in 0..loops {
        crew.start(machine.0.online & !machine.0.big, bounded, index as usize)?;
    }
    task::current().set_clamp(Clamp::NONE)?;
    let mut little_khz = 0;
    for look in 1..LOOKS {
        clock::sleep_until(begin + time * look / LOOKS);
        little_khz = system::climate()?.clock_khz[1];
    }
    let unwell = crew.wait()?;
    let drawn = scene.end()?;
    system::set_policy(booted.0, booted.1)?;
    let work = || DONE[..loops as usize].iter().map(|done| u64::from(done.load(Ordering::Relaxed)));
    let (least, most) = (work().min().unwrap_or(0), work().max().unwrap_or(0));
    println!(
        "BENCH name=uclamp {} n={loops} max={max} work_units={} least_units={least} most_units={most} most_to_least={} \
         little_khz={little_khz} {drawn}",
        Labels(&labels),
        work().sum::<u64>(),
        Decimal::ratio(most, least.max(1)),
    );
    Ok(if unwell == 0 { Outcome::Passed } else { Outcome::Failed })
}

fn bounded(index: usize) {
    let end = END.load(Ordering::Relaxed);
    while clock::now() < end {
        burn(STRIDE);
        DONE[index].fetch_add(STRIDE, Ordering::Relaxed);
    }
}
