//! Clusters that are switched off between jobs, and jobs that are held back so that they can be.

mod common;

use common::{EAS, WHOLE, best_of_linux, outcome, periodic, scattered};
use sched::{CoreType, CpuMask, Nanos};
use sim::{Outcome, Program, Scenario, TaskSpec, plant::IdlePower};

const RESTING: &str = "gear/energy/rest";

/// A cluster's part of the time without power.
fn off(outcome: &Outcome, core: CoreType) -> f64 {
    outcome.off[core.index()].as_nanos() as f64 / 1e9 / outcome.span()
}

/// Tasks of a tenth of an A7 that begin anywhere in their period, on a machine that can switch its clusters off.
fn small(count: u32, class: &str, seed: u64) -> Scenario {
    let mut scenario = periodic(&format!("n={count},of=little,class={class},time=6s"));
    scenario.plant.idle = IdlePower::Sleeps;
    scattered(scenario, seed)
}

/// One job of 4 ms on an A7 at its top, again and again.
fn alone(period: Nanos) -> Outcome {
    let mut scenario = small(1, "leaky-200", 1);
    let speed = scenario.plant.speed(0, CoreType::Little, 12);
    let work = Nanos::new(4_000_000 * speed / 16_384);
    scenario.tasks = vec![TaskSpec {
        affinity: CpuMask::from_bits(0x0f),
        ..TaskSpec::new("alone", Program::periodic(work, period))
    }];
    outcome(&scenario, "pinned")
}

/// A period is the time to come back, a switch, the job, and rest without power.
#[test]
fn a_cluster_is_off_while_that_pays() {
    let long = alone(Nanos::from_millis(16));
    println!("{:.4} of the time off", off(&long, CoreType::Little));
    assert!((off(&long, CoreType::Little) - (16.0 - 0.7 - 4.002) / 16.0).abs() < 1e-3);
    assert!((off(&long, CoreType::Big) - 1.0).abs() < 1e-9 && long.misses() == 0);
    // What is left of 6 ms is less than the 2.5 ms that it takes to pay.
    let short = alone(Nanos::from_millis(6));
    assert!(off(&short, CoreType::Little).abs() < 1e-9 && short.misses() == 0);
}

/// Half of the load of case B. Without a common rest some A7 is always at work.
#[test]
fn jobs_that_begin_together_let_a_cluster_sleep() {
    for (class, due) in [("leaky-200", 0.99), ("leaky-400", 0.98), ("cache-killer", 0.98)] {
        let (mut before, mut after, mut slept) = (0.0, 0.0, 0.0);
        for seed in 1..=6 {
            let scenario = small(12, class, seed);
            let (without, with) = (outcome(&scenario, WHOLE), outcome(&scenario, RESTING));
            let [rest, none] = [&with, &without].map(|outcome| off(outcome, CoreType::Little));
            println!(
                "{class}, seed {seed}: {:.1} mW off {rest:.3}, without {:.1} mW off {none:.3}",
                with.milliwatts(),
                without.milliwatts()
            );
            assert_eq!((with.misses(), without.misses()), (0, 0), "{class}, seed {seed}");
            assert!(with.milliwatts() <= 1.005 * without.milliwatts(), "{class}, seed {seed}");
            assert!(none < 0.01, "{class}, seed {seed}: {none}");
            (before, after, slept) = (before + without.milliwatts(), after + with.milliwatts(), slept + rest / 6.0);
        }
        println!("{class}: {:.4} of the power, off {slept:.3}", after / before);
        assert!(after <= due * before, "{class}: {:.4}", after / before);
        assert!(slept >= 0.08, "{class}: off for {slept:.3} of the time");
    }
}

/// At the full load of case B the A7s leave no room for a rest, and the gain is that of the plan: the A15s are off.
#[test]
fn nobody_is_late_and_nothing_costs_more_at_any_load() {
    for count in [8, 16, 20, 24] {
        for seed in 1..=3 {
            let scenario = small(count, "leaky-200", seed);
            let (without, with) = (outcome(&scenario, WHOLE), outcome(&scenario, RESTING));
            let linux = best_of_linux(&scenario);
            println!(
                "{count}, seed {seed}: {:.0}, without {:.0}, {EAS} {linux:.0}",
                with.milliwatts(),
                without.milliwatts()
            );
            assert_eq!((with.misses(), without.misses()), (0, 0), "{count}, seed {seed}");
            assert!(with.milliwatts() <= 1.005 * without.milliwatts() && with.milliwatts() <= linux);
            assert!(off(&with, CoreType::Big) > 0.999, "{count}, seed {seed}: A15");
        }
    }
}
