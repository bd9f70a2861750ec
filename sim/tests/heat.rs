//! Eight loops at a limit of 85 °C, without a fan.

use sched::{Goal, GovernorKind, HeatKind, Nanos, PolicyKind};
use sim::heat::Surroundings;
use sim::plant::IdlePower;
use sim::{Outcome, Scenario, Setup, bench, run};

fn soak(class: &str) -> Scenario {
    let text = format!("soak:n=8,class={class},time=600s");
    let mut scenario = bench::parse(&text).expect("known").expect("right").warming_up(Nanos::from_millis(300_000));
    scenario.heat = Some(Surroundings::default());
    scenario.plant.idle = IdlePower::Lingers(20_000_000);
    scenario
}

fn with(scenario: &Scenario, heat: HeatKind) -> Outcome {
    let setup = Setup::new(PolicyKind::Pull, Goal::Mean).governed(GovernorKind::Performance);
    run(scenario, &Setup { heat, ..setup })
}

#[test]
fn table() {
    for class in ["hash", "device-tree", "cache-resident"] {
        let scenario = soak(class);
        for heat in [HeatKind::None, HeatKind::StepWise, HeatKind::Ipa, HeatKind::LookAhead] {
            let outcome = with(&scenario, heat);
            println!("{class} {heat} work/s {:.0} hottest {:.2} clocks {:?} critical {}", outcome.throughput(), outcome.hottest, outcome.counts.clock_changes, outcome.critical);
        }
    }
}
