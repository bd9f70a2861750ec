use sched::{CpuId, CpuMask, Nanos};

use super::*;
use crate::{Plant, TaskSpec};

/// Tasks that need so many tenths of a millisecond of the fastest CPU every 16 ms.
fn periodic(tenths: &[u64]) -> Scenario {
    let scenario = Scenario::new("unequal", Plant::odroid(&soc::exynos5422::HASH));
    let add = |scenario: Scenario, &tenths: &u64| {
        let program = Program::periodic(Nanos::from_micros(100 * tenths), Nanos::from_millis(16));
        scenario.tasks(1, &TaskSpec::new("task", program))
    };
    tenths.iter().fold(scenario, add).lasting(Nanos::from_millis(4_000))
}

#[test]
fn few_unequal_tasks_have_an_exact_optimum() {
    let scenario = periodic(&[80, 40, 24, 12, 8]);
    let works = [0.5, 0.25, 0.15, 0.075, 0.05];
    let best = exhaustive(&scenario.plant, 0, &works, SLACK).expect("they fit").milliwatts;
    let bounds = Bounds::of(&scenario);
    assert!((bounds.exact.expect("it is tried") / best - 1.0).abs() < 1e-9, "{bounds:?}, {best}");
    assert!(bounds.floor.expect("they fit") < best);
    let comparison = compare(&scenario, &["gear/energy/whole".to_owned()], false).expect("it is a setup");
    let (text, milliwatts) = (table(&comparison), comparison.rows[0].1.milliwatts());
    assert!(text.contains("/ exact") && text.contains("best of all partitions"), "{text}");
    assert!(milliwatts > 0.99 * best, "no policy beats it: {milliwatts} of {best}");
}

#[test]
fn many_unequal_or_bound_tasks_have_none() {
    assert_eq!(Bounds::of(&periodic(&[8, 9, 10, 11, 12, 13, 14, 15, 16])).exact, None, "too many to try");
    let mut bound = periodic(&[80, 40]);
    bound.tasks[0].affinity = CpuMask::of(CpuId::new(0));
    assert_eq!(Bounds::of(&bound).exact, None, "some of the partitions that are tried are forbidden");
}
