//! What the kernel learns from the instructions that the cores count.

use std::collections::BTreeMap;

use model::machine::exynos5422::Options;

use crate::board::{number, run, value};

/// By kind of loop: the speed on a LITTLE core against a big one, from loops that stay where they are.
fn true_ratios() -> BTreeMap<String, f64> {
    let run = run("bench=mixed:n=8,work=20ms policy=pinned", Options::default());
    run.assert_well("pinned");
    let mut times: BTreeMap<String, [Vec<f64>; 2]> = BTreeMap::new();
    for task in run.lines("TASK") {
        let [big, little] = times.entry(value(task, "kind").to_owned()).or_default();
        match (number(task, "big_ms"), number(task, "little_ms")) {
            (time, 0.0) => big.push(time),
            (0.0, time) => little.push(time),
            both => panic!("a pinned task was on both: {both:?}"),
        }
    }
    let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
    times.into_iter().map(|(kind, [big, little])| (kind, mean(&big) / mean(&little))).collect()
}

#[test]
fn every_task_learns_its_own_speed_on_little_cores() {
    let truth = true_ratios();
    assert_eq!(truth.len(), 2, "{truth:?}");
    let run = run("bench=mixed:n=8,work=60ms policy=gear goal=makespan", Options::default());
    run.assert_well("rotating");
    let tasks = run.lines("TASK");
    assert_eq!(tasks.len(), 8);
    for task in tasks {
        let (kind, learnt) = (value(task, "kind"), number(task, "little_ratio"));
        let wanted = truth[kind];
        assert!((learnt / wanted - 1.0).abs() < 0.1, "{kind}: {learnt} was learnt, {wanted:.3} is true");
        assert!(number(task, "executed_insn") > 1e7 && number(task, "cycles") > 1e7, "{task}");
    }
}
