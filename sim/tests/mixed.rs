//! Tasks of different periods, which a fair queue would let wait for each other: deadlines and energy at random.

mod common;

use common::{EAS, OURS, outcome};
use sched::{Nanos, Profile};
use sim::random::Random;
use sim::{Plant, Program, Scenario, TaskSpec};
use soc::exynos5422::{DEVICE_TREE, GZIP, HASH};

/// Between 4 and 24 tasks with periods from 8 to 100 ms, which want `load` hundredths of a CPU together, as they come (UUniFast; Bini and Buttazzo,
/// Real-Time Systems 30, 2005), and begin anywhere in their period.
fn random_set(profile: &'static Profile, seed: u64, load: u64) -> Scenario {
    let mut random = Random::new(seed);
    let count = 4 + random.below(21);
    let mut left = load as f64 / 100.0;
    let mut scenario = Scenario::new("mixed periods", Plant::odroid(profile));
    for number in 0..count {
        let others = count - number - 1;
        let next = match others {
            0 => 0.0,
            _ => left * (random.below(1 << 20) as f64 / f64::from(1 << 20)).powf(1.0 / others as f64),
        };
        // No task wants more than a LITTLE CPU has: what it may be asked for is a different question.
        let share = (left - next).clamp(0.005, 0.25);
        left = next;
        let period = 8_000_000 + random.below(92_000_000);
        let work = Nanos::new((share * period as f64) as u64);
        let program = Program::periodic(work, Nanos::new(period));
        let task = TaskSpec { start: random.below(period), ..TaskSpec::new("task", program) };
        scenario = scenario.tasks(1, &task);
    }
    scenario.lasting(Nanos::from_millis(8_000)).warming_up(Nanos::from_millis(3_000))
}

/// What a plan reserves a CPU can hold, whatever the periods: nobody is late, and no set is dearer than with `eas`.
#[test]
fn tasks_of_different_periods_are_in_time_and_cheap() {
    let (mut late_with_eas, mut jobs, mut ratios) = (0, 0, Vec::new());
    for profile in [&DEVICE_TREE, &HASH, &GZIP] {
        for seed in 1..=16 {
            let load = 30 + 15 * seed;
            let scenario = random_set(profile, 1_000 + seed, load);
            let (ours, eas) = (outcome(&scenario, OURS), outcome(&scenario, EAS));
            let ratio = ours.milliwatts() / eas.milliwatts();
            assert_eq!(ours.misses(), 0, "{} {seed}, load {load} %, of {} jobs", profile.name, ours.jobs());
            assert!(ratio <= 1.0, "{} {seed}, load {load} %: {ratio:.3} of eas", profile.name);
            late_with_eas += eas.misses();
            jobs += ours.jobs();
            ratios.push(ratio);
        }
    }
    ratios.sort_by(f64::total_cmp);
    println!(
        "{jobs} jobs, 0 late ({late_with_eas} with eas), energy {:.3} to {:.3} of eas, median {:.3}",
        ratios[0], ratios[47], ratios[24]
    );
}
