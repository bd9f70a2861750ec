//! The benchmark that this kernel exists for: equal integer loops on unequal cores.
//!
//! First one loop runs alone on the fastest core; then, for each policy, `n` loops are started in quick succession by
//! one task that then sleeps, free to run anywhere. The report compares the end of the last loop with the time of the
//! loop alone and with the fluid bound ([`fluid_bound`]): the seed's shell loops on a phone-class chip ended at 2.21
//! times, the bound for as many loops as cores is 1.378 times.

mod report;
mod work;

use abi::crew::Crew;
use abi::types::{Goal, Policy};
use abi::{clock, println, system};

use crate::bound::fluid_bound;
use crate::init::Outcome;
use crate::machine::Machine;
use crate::request::Request;
use crate::scene::Scene;
use work::{MAX_LOOPS, Run};

/// Work of one loop unless told otherwise: this long on the fastest core alone.
const DEFAULT_WORK: u64 = 100_000_000;

/// The shortest run that the rate of the loop is taken from: some fifty ticks, as a run ends at any point of its last
/// one.
const CALIBRATION: u64 = 50_000_000;

/// The policies that race each other when none was chosen at boot.
const RACERS: [(Policy, Goal); 3] =
    [(Policy::Pinned, Goal::Mean), (Policy::Pull, Goal::Mean), (Policy::Gear, Goal::Makespan)];

/// How one policy did.
#[derive(Clone, Copy, Debug)]
struct Race {
    policy: Policy,
    goal: Goal,
    loops: usize,
    /// Asked work of one loop, in nanoseconds on the fastest core alone.
    work: u64,
    /// Measured time of one loop alone on the fastest core, in nanoseconds.
    alone: u64,
    /// The fluid bound, in nanoseconds.
    bound: u64,
    /// From the first start to the last end, in nanoseconds.
    makespan: u64,
    /// Mean over the loops of the time from the first start to its end, in nanoseconds.
    mean: u64,
    moves: u32,
}

/// Runs the benchmark: arguments `n` (loops; default: as many as CPUs, then twice as many) and `work` (of one loop).
pub fn run(request: &Request<'_>, machine: &Machine) -> Outcome {
    request.expect_only(&["n", "work"]);
    let work = request.duration("work").unwrap_or(DEFAULT_WORK);
    let wanted = request.number("n", 1..=MAX_LOOPS as u32).map(|n| n as usize);
    let (units, alone) = match measure_alone(work, machine) {
        Ok(measured) => measured,
        Err(error) => return failed(error),
    };
    let sizes = wanted.map_or([machine.cpus(), 2 * machine.cpus()], |n| [n, 0]);
    for loops in sizes.into_iter().filter(|&loops| loops > 0) {
        if let Err(error) = race_policies(loops, work, units, alone, machine) {
            return failed(error);
        }
    }
    Outcome::Passed
}

fn failed(error: abi::Error) -> Outcome {
    println!("looper: a system call was refused ({error:?})");
    Outcome::Failed
}

/// Finds how many units make up `work`, and how long they take alone on the fastest core.
fn measure_alone(work: u64, machine: &Machine) -> abi::Result<(u32, u64)> {
    let mut units = 64;
    let mut elapsed = run_alone(units, machine)?;
    while elapsed < CALIBRATION * machine.slots() {
        units *= 2;
        elapsed = run_alone(units, machine)?;
    }
    let wanted = u64::from(units) * work / (elapsed / machine.slots());
    let units = wanted.clamp(1, u64::from(u32::MAX)) as u32;
    Ok((units, run_alone(units, machine)?))
}

/// The time of one loop alone on the reference CPU, in nanoseconds.
fn run_alone(units: u32, machine: &Machine) -> abi::Result<u64> {
    work::prepare(units, machine.0.big);
    let mut crew = Crew::<1>::new();
    crew.start(1 << machine.reference_cpu(), work::looper, 0)?;
    crew.wait()?;
    let run = work::result(0);
    Ok(run.end - run.start)
}

/// Lets each policy run `loops` loops, and reports.
fn race_policies(loops: usize, work: u64, units: u32, alone: u64, machine: &Machine) -> abi::Result<()> {
    let booted = machine.rule();
    let only_booted = [booted];
    let rules = if machine.0.policy_chosen != 0 { &only_booted[..] } else { &RACERS[..] };
    let bound = fluid_bound(alone, loops, &machine.capacities());
    let mut races = [None; RACERS.len()];
    for (place, &(policy, goal)) in races.iter_mut().zip(rules) {
        system::set_policy(policy, goal)?;
        let empty = Race { policy, goal, loops, work, alone, bound, makespan: 0, mean: 0, moves: 0 };
        *place = Some(race(empty, units, machine)?);
    }
    system::set_policy(booted.0, booted.1)?;
    report::table(races.iter().flatten(), machine);
    Ok(())
}

/// Runs the loops of one race and prints its machine lines.
fn race(race: Race, units: u32, machine: &Machine) -> abi::Result<Race> {
    work::prepare(units, machine.0.big);
    let mut crew = Crew::<MAX_LOOPS>::new();
    let scene = Scene::begin()?;
    let start = clock::now();
    for index in 0..race.loops {
        crew.start(machine.0.online, work::looper, index)?;
    }
    crew.wait()?;
    let drawn = scene.end()?;
    let mut runs = [Run::default(); MAX_LOOPS];
    let runs = &mut runs[..race.loops];
    for (index, run) in runs.iter_mut().enumerate() {
        *run = work::result(index);
    }
    let ends = || runs.iter().map(|run| run.end - start);
    let race = Race {
        makespan: ends().max().unwrap_or(0),
        mean: ends().sum::<u64>() / race.loops as u64,
        moves: runs.iter().map(|run| run.cost.moves).sum(),
        ..race
    };
    report::lines(&race, start, runs, &drawn, machine);
    Ok(race)
}
