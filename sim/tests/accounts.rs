//! Who has used how much energy: the accounts of the tasks against what the machine drew.

mod common;

use common::{outcome, periodic, scattered};
use sched::account::{Account, Calibration};
use sched::{CoreType, Picojoules};
use sim::{Outcome, plant::IdlePower};

/// What was charged to all tasks, as a part of what was drawn.
fn charged(outcome: &Outcome) -> f64 {
    let picojoules: u64 = outcome.tasks.iter().map(|task| task.statistics.account.total().get()).sum();
    picojoules as f64 * 1e3 / outcome.energy.total() as f64
}

/// Every way in which a cluster may draw idle power: never, only while it works, and for some time after that.
const IDLE: [IdlePower; 4] =
    [IdlePower::None, IdlePower::Gated, IdlePower::Lingers(2_000_000), IdlePower::Lingers(20_000_000)];

fn add_up(arguments: &str, setup: &str, spread: bool) {
    for idle in IDLE {
        let mut scenario = periodic(arguments);
        scenario.plant.idle = idle;
        let scenario = if spread { scattered(scenario, 1) } else { scenario };
        let part = charged(&outcome(&scenario, setup));
        println!("{arguments} {setup} {idle:?}: {part:.4} of the energy is on the tasks' accounts");
        assert!((0.95..=1.05).contains(&part), "{arguments} {setup} {idle:?}: {part}");
    }
}

#[test]
fn accounts_add_up_to_the_energy_drawn() {
    for class in ["device-tree", "hash", "gzip", "cache-killer"] {
        for arguments in ["n=24", "n=24,of=little", "n=24,of=little,busy=2"] {
            add_up(&format!("{arguments},class={class},time=5s"), "gear/energy", false);
        }
    }
}

#[test]
fn accounts_add_up_under_every_policy_and_clock() {
    for setup in ["pinned", "pull/schedutil", "gear", "gear/powersave", "eas", "walt", "gear/energy/whole"] {
        for arguments in ["n=24,of=little,time=5s", "n=3,duty=5,time=5s"] {
            add_up(arguments, setup, true);
        }
    }
}

/// Linux' prices are wrong for this class of work. A sensor on each rail puts the accounts right, as those of the Odroid XU3 would.
#[test]
fn a_sensor_puts_accounts_by_wrong_prices_right() {
    let mut scenario = periodic("n=24,class=hash,time=5s");
    scenario.plant.idle = IdlePower::Gated;
    let outcome = outcome(&scenario, "eas");
    let mut all = Account::new();
    outcome.tasks.iter().for_each(|task| all.add(&task.statistics.account));
    let part = |picojoules: Picojoules| picojoules.get() as f64 * 1e3 / outcome.energy.total() as f64;
    let mut calibration = Calibration::new();
    let before = part(calibration.apply(&all));
    for core in CoreType::BOTH {
        let index = core.index();
        let drawn = (outcome.energy.work[index] + outcome.energy.idle[index]) / 1_000;
        let measured = Picojoules::new(u64::try_from(drawn).expect("a few joules"));
        let counted = Picojoules::new(all.busy[index].get() + all.idle[index].get());
        (0..16).for_each(|_| calibration.learn(core, measured, counted));
    }
    let after = part(calibration.apply(&all));
    println!("{before:.4} of the energy by the prices of the device tree, {after:.4} with a sensor");
    assert!(!(0.9..=1.1).contains(&before), "the prices are wrong: {before}");
    assert!((0.95..=1.05).contains(&after), "{after}");
}
