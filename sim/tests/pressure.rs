//! Thermal pressure: what the policy is told of lost capacity, and where that changes what it does.

use sched::{CoreType, Nanos};
use sim::heat::{Disturbance, Surroundings};
use sim::{Outcome, Setup, bench, run};

/// Four loops on eight CPUs, policy `eas`; the A15 are held at 600 MHz, where they are slower than an A7, and let go, in turn.
fn squeezed(millis: u64, kind: &str) -> Outcome {
    let mut scenario = bench::parse("dhrystone:threads=4,work=4s").expect("known").expect("right");
    scenario.heat = Some(Surroundings { ambient: 10.0, fan: Some(3), ..Surroundings::default() });
    let cap = |turn: u64| Disturbance::Cap(CoreType::Big, if turn.is_multiple_of(2) { 4 } else { usize::MAX });
    scenario.disturbances = (0..40).map(|turn| (Nanos::from_millis(50 + turn * millis), cap(turn))).collect();
    run(&scenario, &Setup::parse(&format!("eas/heat:none/pressure:{kind}")).expect("it is a setup"))
}

/// Who does not hear of the cap stays where the work is slow; who does moves to the A7 and back, and the sooner it hears the
/// more it gains. The average over 500 ms halves the loss again and again and never sees enough of it.
#[test]
fn pressure_moves_tasks_where_the_order_of_the_clusters_changes() {
    let kinds = ["instant", "pelt", "125ms", "250ms", "500ms", "none"];
    let outcomes = kinds.map(|kind| squeezed(1_000, kind));
    for (kind, outcome) in kinds.iter().zip(&outcomes) {
        println!("{kind}: {:.3} s, {} moves", outcome.makespan(), outcome.counts.moves);
        assert_eq!(outcome.counts.refused, 0);
    }
    assert!(outcomes.windows(2).all(|pair| pair[0].makespan() <= pair[1].makespan()), "in the order of their delay");
    let [instant, .., none] = &outcomes;
    assert!(instant.makespan() < 0.9 * none.makespan());
    assert!(instant.counts.moves > none.counts.moves + 10);
}

/// A cap that comes and goes faster than the average forgets is followed by `instant`, and not by half a second.
#[test]
fn a_long_average_does_not_follow_a_short_cap() {
    let [instant, slow] = ["instant", "500ms"].map(|kind| squeezed(150, kind));
    println!("instant {} moves, 500 ms {} moves", instant.counts.moves, slow.counts.moves);
    assert!(slow.counts.moves < instant.counts.moves / 2);
}
