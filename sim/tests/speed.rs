//! Pairs, ramps and messages.

mod common;

use sim::{Outcome, Setup, bench, run};

fn outcome(text: &str, setup: &str) -> Outcome {
    let scenario = bench::parse(text).expect("known").expect("right");
    let outcome = run(&scenario, &Setup { record: true, ..Setup::parse(setup).expect("it is a setup") });
    assert_eq!(outcome.counts.refused, 0);
    outcome
}

/// The third seed: a scheduler that is free to choose must not be slower than a person who pins the pair to two cores.
#[test]
fn a_free_pair_is_as_fast_as_one_on_two_cores() {
    for policy in ["gear", "gear/energy"] {
        let free = outcome("pair:requests=500", policy).makespan();
        let different = outcome("pair:requests=500,place=different", policy).makespan();
        let same = outcome("pair:requests=500,place=same", policy).makespan();
        println!("{policy}: free {free:.3} s, different {different:.3} s, same {same:.3} s");
        assert!(free <= 1.02 * different && different < 0.7 * same, "{policy}: {free} {different} {same}");
    }
}

#[test]
fn from_rest_to_the_fastest_core_and_clock_within_20_ms() {
    let milliseconds = common::ramp_milliseconds("gear/energy");
    println!("{milliseconds:.1} ms from rest to 2 GHz");
    assert!(milliseconds <= 20.0, "{milliseconds} ms");
}

#[test]
fn hackbench_is_not_slower_than_with_eas() {
    let eas = outcome("hackbench:groups=1,loops=100", "eas").makespan();
    for policy in ["gear", "gear/energy"] {
        let ours = outcome("hackbench:groups=1,loops=100", policy).makespan();
        println!("{policy}: {ours:.4} s, eas {eas:.4} s");
        assert!(ours <= eas, "{policy}: {ours} against {eas}");
    }
}
