//! The measured price lists against each other: no second source of the figures is at hand, but all classes of work ran
//! on one chip.

use sched::{Point, Profile};
use soc::exynos5422::{CACHE_KILLER, CACHE_RESIDENT, ENCRYPT, GZIP, HASH};

const CLASSES: [&Profile; 5] = [&HASH, &ENCRYPT, &GZIP, &CACHE_RESIDENT, &CACHE_KILLER];

/// How far the ratio of two lists at an operating point is from what lies between its neighbours, at most; voltage and
/// frequency, which both lists share, fall out of it.
fn bend(ones: &[f64], others: &[f64]) -> f64 {
    let ratios: Vec<f64> = ones.iter().zip(others).map(|(one, other)| one / other).collect();
    let bends = ratios.windows(3).map(|window| (2.0 * window[1] / (window[0] + window[2]) - 1.0).abs());
    bends.fold(0.0, f64::max)
}

/// Each list bends by at most `most` against the one that is most like it.
fn smooth(classes: &[&Profile], what: &str, figure: fn(&Point) -> u32, most: f64) {
    type Side = fn(&Profile) -> &'static [Point];
    let sides: [(&str, Side); 2] = [("big", |profile| profile.big), ("LITTLE", |profile| profile.little)];
    for (side, points) in sides {
        let figures =
            |profile: &Profile| -> Vec<f64> { points(profile).iter().map(|at| f64::from(figure(at))).collect() };
        for class in classes {
            let others = classes.iter().filter(|other| other.name != class.name);
            let least = others.map(|other| bend(&figures(class), &figures(other))).fold(f64::MAX, f64::min);
            println!("{what} of {} on {side}: {least:.4}", class.name);
            assert!(least <= most, "{what} of {} on {side} bends by {least:.4}: a figure is mistyped", class.name);
        }
    }
}

/// The lists bend by 0.3 to 1.9 %; one figure that is wrong by 5 % bends its list by as much against every other one.
#[test]
fn powers_of_all_classes_go_together() {
    smooth(&CLASSES, "power", |point| point.busy.get(), 0.02);
}

/// 0.1 to 0.6 %; where memory sets the pace, as in the last class, speeds have a rhythm of their own.
#[test]
fn speeds_of_all_classes_but_the_one_that_waits_for_memory_go_together() {
    smooth(&CLASSES[..4], "speed", |point| point.speed.get(), 0.006);
}
