//! The looper of the first seed: 28 s on a big CPU, 62 s on a LITTLE one.

use sched::{CapacityTable, CpuMask, Goal, Nanos, PolicyKind, fluid_bound};
use sim::{Outcome, Plant, Program, Scenario, Setup, TaskSpec, run};

const WORK: Nanos = Nanos::from_millis(28_000);

fn loops(count: usize, kind: PolicyKind, goal: Goal) -> Outcome {
    let plant = Plant::odroid(&soc::exynos5422::LOOPER);
    let scenario = Scenario::new("looper", plant).tasks(count, &TaskSpec::new("loop", Program::looper(WORK)));
    run(&scenario, &Setup::new(kind, goal))
}

#[test]
fn eight_pinned_loops_repeat_the_seed() {
    let outcome = loops(8, PolicyKind::Pinned, Goal::Mean);
    let ends = outcome.completions();
    println!("{ends:?}");
    assert!(ends[..4].iter().all(|end| (27.9..28.4).contains(end)), "{ends:?}");
    assert!(ends[4..].iter().all(|end| (61.8..62.4).contains(end)), "{ends:?}");
}

#[test]
fn the_mean_of_eight_loops_is_small() {
    let outcome = loops(8, PolicyKind::Gear, Goal::Mean);
    println!("{} {} {:?}", outcome.makespan(), outcome.mean_completion(), outcome.counts);
    assert!((outcome.makespan() - 43.35).abs() <= 0.5, "{}", outcome.makespan());
    assert!(outcome.mean_completion() <= 36.0, "{}", outcome.mean_completion());
}

#[test]
fn rotation_keeps_to_the_fluid_bound() {
    let capacities = CapacityTable::new(&soc::exynos5422::MACHINE, CpuMask::ALL);
    let _ = capacities;
    for count in 5..=24 {
        let outcome = loops(count, PolicyKind::Gear, Goal::Makespan);
        let mut left = count as f64;
        let speeds = [1.0, 1.0, 1.0, 1.0, 28.0 / 62.0, 28.0 / 62.0, 28.0 / 62.0, 28.0 / 62.0];
        let mut bound: f64 = 0.0;
        let mut sum = 0.0;
        for (k, speed) in speeds.iter().enumerate().take(count) {
            sum += speed;
            bound = bound.max(28.0 * (k + 1) as f64 / sum);
        }
        if count > 8 {
            left *= 28.0 / sum;
            bound = bound.max(left);
        }
        let ends = outcome.completions();
        println!(
            "{count} {:.3} / {bound:.3} = {:.4} moves {} first {:.2}",
            outcome.makespan(),
            outcome.makespan() / bound,
            outcome.counts.moves,
            ends[0]
        );
    }
    let _ = fluid_bound;
}
