//! The looper of the first seed: 28 s on a big CPU, 62 s on a LITTLE one.

use sched::CpuId;
use sched::trace::Event;
use sim::bound::{Job, makespan};
use sim::{Outcome, Scenario, Setup, bench, run};

const TOP: [usize; 2] = [18, 12];

fn made(text: &str) -> Scenario {
    bench::parse(text).expect("known").expect("right")
}

fn outcome(scenario: &Scenario, setup: &str) -> Outcome {
    let outcome = run(scenario, &Setup::parse(setup).expect("it is a setup"));
    assert_eq!(outcome.counts.refused, 0);
    outcome
}

fn bound(scenario: &Scenario) -> f64 {
    let jobs: Vec<Job> = scenario.tasks.iter().map(|task| Job { work: 28.0, class: task.class }).collect();
    makespan(&scenario.plant, &jobs, TOP)
}

#[test]
fn eight_pinned_loops_repeat_the_seed() {
    let ends = outcome(&made("looper"), "pinned").completions();
    assert!(ends[..4].iter().all(|end| (27.9..28.4).contains(end)), "{ends:?}");
    assert!(ends[4..].iter().all(|end| (61.8..62.4).contains(end)), "{ends:?}");
}

#[test]
fn the_mean_of_eight_loops_is_small() {
    let outcome = outcome(&made("looper"), "gear");
    assert!((outcome.makespan() - 43.35).abs() <= 0.5, "{}", outcome.makespan());
    assert!(outcome.mean_completion() <= 36.0, "{}", outcome.mean_completion());
}

/// An A15 that has nothing left to do takes the loop of an A7 at once; by tick and balancing interval it would be milliseconds.
#[test]
fn a_fast_core_does_not_wait_for_work() {
    let setup = Setup { record: true, ..Setup::parse("gear").expect("it is a setup") };
    let events = run(&made("looper"), &setup).record.events;
    let big = |cpu: CpuId| cpu.index() >= 4;
    let exits = events.iter().filter(|(_, cpu, event)| big(*cpu) && matches!(event, Event::Exit { .. }));
    let pulls: Vec<u64> = exits
        .filter_map(|(time, cpu, _)| {
            let mut after = events.iter().skip_while(|(begin, ..)| begin < time);
            let next = after.find(|(_, other, event)| other == cpu && matches!(event, Event::Switch { .. }))?;
            Some(next.0 - time)
        })
        .collect();
    println!("{pulls:?} ns from the end of one loop to the next");
    assert!(pulls.len() == 4 && pulls.iter().all(|pull| *pull < 100_000), "{pulls:?}");
}

#[test]
fn rotation_keeps_to_the_fluid_bound() {
    for count in 5..=24 {
        let scenario = made(&format!("looper:n={count}"));
        let (makespan, bound) = (outcome(&scenario, "gear/makespan").makespan(), bound(&scenario));
        println!("n={count}: {makespan:.3} s, {:.4} x bound", makespan / bound);
        assert!(makespan <= 1.01 * bound, "n={count}: {makespan} against {bound}");
    }
}

#[test]
fn sixteen_loops_end_together() {
    let ends = outcome(&made("looper:n=16"), "gear/makespan").completions();
    let (first, last) = (ends[0], ends[ends.len() - 1]);
    assert!(last - first <= 0.01 * last, "{first} to {last}");
}

#[test]
fn mixed_loops_end_with_the_ratio_weighted_optimum() {
    for other in ["cache-killer", "cache-resident", "gzip"] {
        let scenario = made(&format!("mixed:other={other}"));
        let (makespan, bound) = (outcome(&scenario, "gear/makespan").makespan(), bound(&scenario));
        println!("hash and {other}: {makespan:.3} s, {:.4} x bound", makespan / bound);
        assert!(makespan <= 1.01 * bound, "{other}: {makespan} against {bound}");
    }
}
