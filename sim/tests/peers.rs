//! The peers do what their originals do: the ends of loops as worked out by hand, 28 s on a big CPU and 62 s on a LITTLE one.

mod common;

use common::outcome;
use sim::{Outcome, bench};

fn loops(count: u32, setup: &str) -> Outcome {
    outcome(&bench::parse(&format!("looper:n={count}")).expect("known").expect("right"), setup)
}

/// Migration on idle from an even start: as each big CPU falls idle it takes over a loop of a LITTLE one; for eight 28 + 0.548·28 s. For 16 that
/// alone would be 79.78 s, with two each; that busy CPUs are evened out by their capacity before makes it 2.37 s less.
/// `(count, last, mean, moves)`
#[test]
fn eas_pulls_when_idle_and_does_not_rotate() {
    for (count, last, mean, moves) in [(8, 43.35, 35.68, 4), (16, 77.41, 73.22, 12)] {
        let outcome = loops(count, "eas");
        let (makespan, middle) = (outcome.makespan(), outcome.mean_completion());
        println!("{count}: {makespan:.3} s, mean {middle:.3} s, {} moves", outcome.counts.moves);
        assert!((makespan / last - 1.0).abs() < 0.002, "{count}: {makespan} s, expected {last}");
        assert!((middle / mean - 1.0).abs() < 0.002, "{count}: {middle} s, expected {mean}");
        assert_eq!(outcome.counts.moves, moves, "{count}");
    }
}

/// Rotation every 16 ms, 50 us a move: 38.70 s for eight loops. With fewer than CPUs there is none.
#[test]
fn walt_rotates_from_eight_loops_on() {
    let eight = loops(8, "walt");
    println!("8: {:.3} s, {} moves", eight.makespan(), eight.counts.moves);
    assert!((eight.makespan() / 38.70 - 1.0).abs() < 0.002, "{} s", eight.makespan());
    let seven = loops(7, "walt");
    println!("7: {:.3} s, {} moves", seven.makespan(), seven.counts.moves);
    assert!((seven.makespan() / 43.35 - 1.0).abs() < 0.002, "{} s", seven.makespan());
}
