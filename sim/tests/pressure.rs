//! Thermal pressure: what the policy is told of lost capacity, and where that changes what it does.

use sched::{CoreType, Nanos};
use sim::heat::{Disturbance, Surroundings};
use sim::{Outcome, Setup, bench, run};

/// In the order of their delay.
const KINDS: [&str; 6] = ["instant", "pelt", "125ms", "250ms", "500ms", "none"];
const LOOPS: &str = "dhrystone:threads=4,work=4s";
const JOBS: &str = "aobench:tiles=128,n=4";

/// The A15 are held at 600 MHz, where they are slower than an A7; with `millis` they are let go and held again in turn.
fn squeezed(request: &str, millis: Option<u64>, setup: &str) -> Outcome {
    let mut scenario = bench::parse(request).expect("known").expect("right");
    scenario.heat = Some(Surroundings { ambient: 10.0, fan: Some(3), ..Surroundings::default() });
    let cap = |turn: u64| Disturbance::Cap(CoreType::Big, if turn.is_multiple_of(2) { 4 } else { usize::MAX });
    let at = |turn: u64| Nanos::from_millis(50 + turn * millis.unwrap_or(0));
    scenario.disturbances = (0..if millis.is_some() { 40 } else { 1 }).map(|turn| (at(turn), cap(turn))).collect();
    let outcome = run(&scenario, &Setup::parse(setup).expect("it is a setup"));
    println!("{request}, {millis:?}, {setup}: {:.3} s, {} moves", outcome.makespan(), outcome.counts.moves);
    assert_eq!(outcome.counts.refused, 0);
    outcome
}

/// Each kind of pressure.
fn by_kind(request: &str, millis: Option<u64>, policy: &str) -> [Outcome; 6] {
    KINDS.map(|kind| squeezed(request, millis, &format!("{policy}/heat:none/pressure:{kind}")))
}

/// Four loops on eight CPUs. Who does not hear of the cap stays where the work is slow; who does moves to the A7 and back, and the
/// sooner it hears the more it gains. The average over 500 ms is so late that nothing is left to gain.
#[test]
fn pressure_moves_tasks_where_the_order_of_the_clusters_changes() {
    for policy in ["eas", "gear/mean", "gear/makespan"] {
        let outcomes = by_kind(LOOPS, Some(1_000), policy);
        let [instant, pelt, short, middle, long, none] = outcomes.each_ref().map(Outcome::makespan);
        assert!(
            instant < pelt && pelt < short && short < middle && middle < long,
            "{policy}: in the order of their delay"
        );
        assert!((0.99..1.01).contains(&(long / none)), "{policy}");
        assert!(instant < 0.9 * none, "{policy}");
        assert!(outcomes[0].counts.moves > outcomes[5].counts.moves + 10, "{policy}");
    }
}

/// A cap that comes and goes faster than the average forgets is followed by `instant`, and not by half a second.
#[test]
fn a_long_average_does_not_follow_a_short_cap() {
    for policy in ["eas", "gear/mean", "gear/makespan"] {
        let [instant, .., slow, _] = by_kind(LOOPS, Some(150), policy);
        assert!(slow.counts.moves < instant.counts.moves / 2, "{policy}");
    }
}

/// Gear hears what the peer hears, and goes by it no worse; its planner knows the caps themselves, however pressure is averaged.
#[test]
fn gear_makes_of_it_what_the_peer_does() {
    for (request, millis) in [(LOOPS, None), (LOOPS, Some(1_000)), (LOOPS, Some(150)), (JOBS, None), (JOBS, Some(300))]
    {
        let peer = by_kind(request, millis, "eas").map(|outcome| outcome.makespan());
        let best = peer.into_iter().fold(f64::INFINITY, f64::min);
        for goal in ["mean", "makespan", "energy"] {
            let gear = by_kind(request, millis, &format!("gear/{goal}")).map(|outcome| outcome.makespan());
            let instant = gear[0];
            assert!(instant <= 1.02 * best, "{request}, {millis:?}, {goal}: {instant} against {best}");
            for ((kind, gear), peer) in KINDS.iter().zip(gear).zip(peer) {
                assert!(gear <= 1.02 * peer, "{request}, {millis:?}, {goal}, {kind}: {gear} against {peer}");
            }
        }
    }
}

/// At 600 MHz an A15 has 307 of 1024, an A7 has 377: a cap that stays moves each loop once, and none goes back.
#[test]
fn a_cap_that_stays_moves_everybody_once() {
    for goal in ["mean", "makespan", "energy"] {
        let outcome = squeezed(LOOPS, None, &format!("gear/{goal}/heat:none/pressure:instant"));
        assert!((4..=8).contains(&outcome.counts.moves), "{goal}: {} moves", outcome.counts.moves);
    }
}
