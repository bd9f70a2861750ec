//! Who has used how much energy: the accounts of the tasks against what the machine drew.

mod common;

use common::{outcome, periodic};
use sim::{Outcome, plant::IdlePower};

/// What was charged to all tasks, as a part of what was drawn.
fn charged(outcome: &Outcome) -> f64 {
    let picojoules: u64 = outcome.tasks.iter().map(|task| task.statistics.account.total().get()).sum();
    picojoules as f64 * 1e3 / outcome.energy.total() as f64
}

#[test]
fn accounts_add_up_to_the_energy_drawn() {
    for class in ["device-tree", "hash", "gzip", "cache-killer"] {
        for arguments in ["n=24", "n=24,of=little", "n=24,of=little,busy=2"] {
            let mut scenario = periodic(&format!("{arguments},class={class},time=5s"));
            // A cluster takes its idle power while one of its CPUs works: that is shared by those who work then.
            scenario.plant.idle = IdlePower::Gated;
            let part = charged(&outcome(&scenario, "gear/energy"));
            println!("{class} {arguments}: {part:.4} of the energy is on the tasks' accounts");
            assert!((0.95..=1.05).contains(&part), "{class} {arguments}: {part}");
        }
    }
}
