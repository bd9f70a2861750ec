//! What several test files need.
#![allow(dead_code, reason = "each test file uses some of it")]

use sched::{CoreType, CpuMask, Nanos};
use sim::bound::exact_equal;
use sim::random::Random;
use sim::{Outcome, Scenario, Setup, Step, bench, run};

/// Our policy with all it can do, and without cutting tasks in two.
pub const OURS: &str = "gear/energy";
pub const WHOLE: &str = "gear/energy/whole";
pub const EAS: &str = "eas";

/// Where `eas` may begin: spread as fork balancing does it, all on LITTLE CPUs, all on big ones. It looks no further than one move, so where it
/// ends depends on where it began.
pub const STARTS: [CpuMask; 3] = [CpuMask::ALL, CpuMask::from_bits(0x0f), CpuMask::from_bits(0xf0)];

/// Periodic tasks, measured after two seconds.
pub fn periodic(arguments: &str) -> Scenario {
    let made = bench::parse(&format!("periodic:{arguments}"));
    made.expect("known").expect("right").warming_up(Nanos::from_millis(2_000))
}

/// The tasks begin anywhere in the first 16 ms.
pub fn scattered(mut scenario: Scenario, seed: u64) -> Scenario {
    let mut random = Random::new(seed);
    scenario.tasks.iter_mut().for_each(|task| task.start = random.below(16_000_000));
    scenario
}

pub fn outcome(scenario: &Scenario, setup: &str) -> Outcome {
    let outcome = run(scenario, &Setup::parse(setup).expect("it is a setup"));
    assert_eq!(outcome.counts.refused, 0);
    outcome
}

/// The power that `eas` takes from its best start.
pub fn best_of_linux(scenario: &Scenario) -> f64 {
    let from = |start| outcome(&scenario.clone().born_on(start), EAS).milliwatts();
    STARTS.map(from).into_iter().fold(f64::MAX, f64::min)
}

/// The best partition of whole tasks with 5 % of slack.
pub fn exact(scenario: &Scenario) -> f64 {
    let Step::Run(work) = scenario.tasks[0].program.steps()[0] else { panic!("it runs") };
    exact_equal(&scenario.plant, 0, scenario.tasks.len(), work.as_nanos() as f64 / 16e6, 0.05)
        .expect("it fits")
        .milliwatts
}

/// From rest to the fastest core at its top: a task begins to run for good at one second and a little.
pub fn ramp_milliseconds(setup: &str) -> f64 {
    const BEGINS: u64 = 1_000_000_000;
    let scenario = bench::parse("rampup").expect("known").expect("right");
    let outcome = run(&scenario, &Setup { record: true, ..Setup::parse(setup).expect("it is a setup") });
    let big = || outcome.record.levels.iter().filter(|(_, core, _)| *core == CoreType::Big);
    let at_rest = big().rfind(|(time, ..)| *time <= BEGINS).map_or(18, |(.., level)| *level);
    let top = big().find(|(time, _, level)| *time > BEGINS && *level == 18);
    let clock = if at_rest == 18 { BEGINS } else { top.expect("it gets there").0 };
    let on_big = outcome.record.events.iter().find(|(time, cpu, event)| {
        *time >= BEGINS && cpu.index() >= 4 && matches!(event, sched::trace::Event::Switch { .. })
    });
    (clock.max(on_big.expect("it gets there").0) - BEGINS) as f64 / 1e6
}
