use sched::{CpuMask, Profile};
use soc::exynos5422::{CACHE_KILLER, DEVICE_TREE, GZIP, HASH, LOOPER};

use super::*;

const TOP: [usize; 2] = [18, 12];

fn plant(profile: &'static Profile) -> Plant {
    Plant::odroid(profile)
}

fn near(value: f64, expected: f64) {
    assert!((value / expected - 1.0).abs() < 0.004, "{value} for {expected}");
}

/// The table of the looper, worked out by hand from 28 s and 62 s.
#[test]
fn equal_jobs_have_the_fluid_bound() {
    let loops = |count: usize| vec![Job { work: 28.0, class: 0 }; count];
    let expected = [(1, 28.0), (4, 28.0), (5, 31.45), (6, 34.26), (7, 36.60), (8, 38.58), (9, 43.40), (16, 77.16)];
    for (count, seconds) in expected {
        near(makespan(&plant(&LOOPER), &loops(count), TOP), seconds);
    }
    let mut little = plant(&LOOPER);
    little.present = CpuMask::first_n(4);
    near(makespan(&little, &loops(4), TOP), 62.0);
}

/// 4 + 4 jobs of two classes, each 28 s on a big core: the optimum knows that one class gains more by it.
#[test]
fn mixed_jobs_have_the_ratio_weighted_optimum() {
    for (other, seconds) in [(&CACHE_KILLER, 34.9), (&GZIP, 39.3)] {
        let mut plant = plant(&HASH);
        let class = plant.class(other);
        let jobs: Vec<_> = (0..8).map(|job| Job { work: 28.0, class: if job < 4 { 0 } else { class } }).collect();
        near(makespan(&plant, &jobs, TOP), seconds);
    }
}

/// 24 tasks, 16 ms, 10 % of an A15 (A) or of an A7 (B) at its top, on the device tree's numbers.
#[test]
fn steady_loads_have_the_hull_as_floor() {
    let plant = plant(&DEVICE_TREE);
    near(energy_floor(&plant, 0, 2.4).expect("it fits"), 1092.2);
    near(energy_floor(&plant, 0, 2.4 * 0.3685).expect("it fits"), 326.0);
    assert_eq!(energy_floor(&plant, 0, 5.6), None, "more than all CPUs together");
}

#[test]
fn equal_tasks_have_an_exact_optimum() {
    let plant = plant(&DEVICE_TREE);
    let best = exact_equal(&plant, 0, 24, 0.1, 0.05).expect("it fits");
    near(best.milliwatts, 1243.8);
    assert_eq!(best.big_tasks, 12);
    near(exact_equal(&plant, 0, 24, 0.1, 0.0).expect("it fits").milliwatts, 1134.5);
    near(exact_equal(&plant, 0, 24, 0.0368, 0.05).expect("it fits").milliwatts, 349.6);
    assert_eq!(exact_equal(&plant, 0, 24, 0.3, 0.05), None);
}

#[test]
fn trying_everything_agrees_with_counting() {
    let plant = plant(&HASH);
    for (count, work) in [(5, 0.3), (8, 0.2), (9, 0.1)] {
        let counted = exact_equal(&plant, 0, count, work, 0.05).expect("it fits");
        let tried = exhaustive(&plant, 0, &vec![work; count], 0.05).expect("it fits");
        near(tried.milliwatts, counted.milliwatts);
    }
    let uneven = exhaustive(&plant, 0, &[0.9, 0.3, 0.05, 0.05], 0.05).expect("it fits");
    assert_eq!(uneven.big_tasks, 1, "only the large one needs a big core");
}
