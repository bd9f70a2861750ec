//! Pairs, ramps and messages.

mod common;

use sched::trace::Event;
use sim::{Outcome, Setup, bench, run};

fn outcome(text: &str, setup: &str) -> Outcome {
    let scenario = bench::parse(text).expect("known").expect("right");
    let outcome = run(&scenario, &Setup { ..Setup::parse(setup).expect("it is a setup") });
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

/// Two tasks that never work at the same time belong on one core. With the goal energy the plan has their homes apart, as each could need more
/// than half of a CPU, and its clocks are slower.
#[test]
fn those_who_take_turns_share_a_core() {
    let round = |text: &str, policy: &str| outcome(text, policy).makespan() / 2_000.0 * 1e6;
    let [free, same, different] =
        ["free", "same", "different"].map(|place| round(&format!("pingpong:place={place},rounds=2000"), "gear"));
    let (planned, eas) = (round("pingpong:rounds=2000", "gear/energy"), round("pingpong:rounds=2000", "eas"));
    println!(
        "a round takes {free:.2} us, same core {same:.2}, different {different:.2}, planned {planned:.2}, eas {eas:.2}"
    );
    assert!(free <= 1.01 * same && same < different, "{free} {same} {different}");
    assert!(planned <= 1.2 * same && planned <= eas, "{planned} {eas}");
}

/// In the long run a plan has them on a LITTLE core at the fastest clock at which work costs least: 500 MHz, where `eas` has two at 1 GHz.
#[test]
fn those_who_take_turns_share_a_planned_core_for_good() {
    const ROUNDS: f64 = 100_000.0;
    let [ours, linux] = ["gear/energy", "eas"].map(|policy| {
        let scenario = bench::parse(&format!("pingpong:rounds={ROUNDS}")).expect("known").expect("right");
        run(&scenario, &Setup { record: true, ..Setup::parse(policy).expect("it is a setup") })
    });
    let wakes = ours.record.events.iter().filter_map(|(_, by, event)| match event {
        Event::Wake { cpu, .. } => Some(cpu == by),
        _ => None,
    });
    let (all, here) = wakes.fold((0, 0), |(all, here), stays| (all + 1, here + u32::from(stays)));
    let [time, energy] = [|run: &Outcome| run.makespan() / ROUNDS * 1e6, |run: &Outcome| run.joules() / ROUNDS * 1e6];
    println!("{here} of {all} wake-ups stay; a round takes {:.2} us, eas {:.2}", time(&ours), time(&linux));
    println!("{:.3} uJ a round, eas {:.3}", energy(&ours), energy(&linux));
    assert!(here * 1_000 >= all * 999, "{here} of {all}");
    assert!(energy(&ours) <= 1.01 * energy(&linux) && time(&ours) <= 1.1 * time(&linux));
}

#[test]
fn from_rest_to_the_fastest_core_and_clock_within_20_ms() {
    let milliseconds = common::ramp_milliseconds("gear/energy");
    println!("{milliseconds:.1} ms from rest to 2 GHz");
    assert!(milliseconds <= 20.0, "{milliseconds} ms");
}

/// Runs that differ by a few messages differ by 2 % in the time for one, so it is the mean of many that counts.
#[test]
fn hackbench_is_not_slower_than_with_eas() {
    for (groups, loops, runs) in [(1, 40, 16), (2, 20, 8), (4, 10, 8), (4, 50, 4), (10, 4, 4)] {
        for size in [100, 4_096] {
            let mean = |setup| {
                let times = (loops..loops + runs).map(|loops| {
                    let request = format!("hackbench:groups={groups},loops={loops},size={size}");
                    outcome(&request, setup).makespan() / f64::from(loops)
                });
                times.sum::<f64>() / f64::from(runs)
            };
            let eas = mean("eas");
            for policy in ["gear", "gear/energy"] {
                let ratio = mean(policy) / eas;
                println!("{groups} groups, {size} bytes, {policy}: {ratio:.3} of the time with eas");
                assert!(ratio <= 1.0, "{groups} groups, {size} bytes, {policy}: {ratio}");
            }
        }
    }
}
