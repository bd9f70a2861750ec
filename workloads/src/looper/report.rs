//! How a race is told: to scripts line by line, to people as a table.

use abi::println;

use super::{Race, Run};
use crate::decimal::Decimal;
use crate::machine::Machine;
use crate::scene::Drawn;

/// The `BENCH` line of a race and the `TASK` line of each of its loops.
pub fn lines(race: &Race, start: u64, runs: &[Run], drawn: &Drawn, machine: &Machine) {
    println!(
        "BENCH name=looper policy={} goal={} n={} work_ms={} pace={} plant={} alone_ms={} makespan_ms={} mean_ms={} bound_ms={} \
         to_alone={} to_bound={} moves={} {drawn}",
        race.policy.name(),
        race.goal.name(),
        race.loops,
        Decimal::milliseconds(race.work),
        machine.pace(),
        machine.plant(),
        Decimal::milliseconds(race.alone),
        Decimal::milliseconds(race.makespan),
        Decimal::milliseconds(race.mean),
        Decimal::milliseconds(race.bound),
        Decimal::ratio(race.makespan, race.alone),
        Decimal::ratio(race.makespan, race.bound),
        race.moves,
    );
    for (index, run) in runs.iter().enumerate() {
        println!(
            "TASK bench=looper policy={} n={} task={index} start_ms={} end_ms={} {}",
            race.policy.name(),
            race.loops,
            Decimal::milliseconds(run.start - start),
            Decimal::milliseconds(run.end - start),
            run.cost,
        );
    }
}

/// The table that compares the policies of one number of loops.
pub fn table<'a>(races: impl Iterator<Item = &'a Race> + Clone, machine: &Machine) {
    let Some(first) = races.clone().next() else { return };
    println!();
    println!(
        "looper: {} loops on {} big and {} LITTLE cores; pace {}, not a performance figure",
        first.loops,
        machine.big_cpus(),
        machine.cpus() - machine.big_cpus(),
        machine.pace(),
    );
    println!(
        "one alone on a {} core: {} ms; no schedule ends before {} ms (fluid bound)",
        machine.kind_of(machine.reference_cpu()),
        Decimal::milliseconds(first.alone),
        Decimal::milliseconds(first.bound),
    );
    println!(
        "  {:<16}{:>12}{:>10}{:>10}{:>12}{:>8}",
        "policy/goal", "last end ms", "x alone", "x bound", "mean ms", "moves"
    );
    for race in races {
        println!(
            "  {:<7}{:<9}{:>12}{:>10}{:>10}{:>12}{:>8}",
            race.policy.name(),
            race.goal.name(),
            Decimal::milliseconds(race.makespan),
            Decimal::ratio(race.makespan, race.alone),
            Decimal::ratio(race.makespan, race.bound),
            Decimal::milliseconds(race.mean),
            race.moves,
        );
    }
    println!();
}
