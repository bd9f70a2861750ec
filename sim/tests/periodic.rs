//! 24 tasks, 16 ms, 10 %: what the policies draw on every price list.

use sched::{CpuMask, Goal, GovernorKind, Nanos, PolicyKind};
use sim::bound::{energy_floor, exact_equal};
use sim::{Scenario, Setup, bench, run};

fn scenario(of: &str, class: &str) -> Scenario {
    let text = format!("periodic:n=24,of={of},class={class},time=12s");
    bench::parse(&text).expect("known").expect("right").warming_up(Nanos::from_millis(2_000))
}

#[test]
fn table() {
    for of in ["big", "little"] {
        for class in ["device-tree", "hash", "encrypt", "gzip", "cache-resident", "cache-killer"] {
            let scenario = scenario(of, class);
            let plant = &scenario.plant;
            let sim::Step::Run(work) = scenario.tasks[0].program.steps()[0] else { panic!("it runs") };
            let share = work.as_nanos() as f64 / 16e6;
            let exact = exact_equal(plant, 0, 24, share, 0.05).map_or(0.0, |best| best.milliwatts);
            let floor = energy_floor(plant, 0, share * 24.0).unwrap_or(0.0);
            print!("{of:6} {class:12} floor {floor:6.0} exact {exact:6.0} |");
            let eas = Setup::new(PolicyKind::Eas, Goal::Energy).governed(GovernorKind::Schedutil);
            let eas = Setup { belief: Some(&soc::exynos5422::DEVICE_TREE), ..eas };
            let gear = Setup::new(PolicyKind::Gear, Goal::Energy).governed(GovernorKind::Planner);
            let pull = Setup::new(PolicyKind::Pull, Goal::Mean).governed(GovernorKind::Schedutil);
            let mut bigs = scenario.clone();
            bigs.tasks.iter_mut().for_each(|task| task.affinity = CpuMask::from_bits(0xf0));
            for (name, scenario, setup) in [("big", &bigs, pull.clone()), ("pull", &scenario, pull), ("eas", &scenario, eas), ("gear", &scenario, gear.clone()), ("split", &scenario, Setup { split: true, ..gear })] {
                let outcome = run(scenario, &setup);
                print!(" {name} {:6.0} miss {} moves {} clocks {:?} plans {:?} |", outcome.milliwatts(), outcome.misses(), outcome.counts.moves, outcome.counts.clock_changes, outcome.plans.0);
            }
            println!();
        }
    }
}
