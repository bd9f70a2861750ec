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

#[test]
fn tasks_of_different_periods_are_in_time_and_cheap() {
    let (mut late, mut jobs, mut ratios) = ([0, 0], 0, Vec::new());
    for profile in [&DEVICE_TREE, &HASH, &GZIP] {
        for seed in 1..=16 {
            let load = 30 + 15 * seed;
            let scenario = random_set(profile, 1_000 + seed, load);
            let (ours, eas) = (outcome(&scenario, OURS), outcome(&scenario, EAS));
            let ratio = ours.milliwatts() / eas.milliwatts();
            println!(
                "{} {seed}: {} tasks, load {load} %: late {} of {} (eas {}), {:.0} mW, {ratio:.3} of eas, plans {}",
                profile.name,
                scenario.tasks.len(),
                ours.misses(),
                ours.jobs(),
                eas.misses(),
                ours.milliwatts(),
                ours.plans.0
            );
            late[0] += ours.misses();
            late[1] += eas.misses();
            jobs += ours.jobs();
            ratios.push(ratio);
        }
    }
    ratios.sort_by(f64::total_cmp);
    println!("late {late:?} of {jobs}, energy against eas {:.3} .. {:.3} .. {:.3}", ratios[0], ratios[24], ratios[47]);
}
