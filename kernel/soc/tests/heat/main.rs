//! The three heat controllers on the thermal network of the Odroid XU4, without its fan, under eight endless loops.
//!
//! The plant is the same network as the controllers' facts, integrated here on its own in floating point; what differs
//! is said in each test: the air, the fan, the power of the work, the sensors.

mod plant;
mod split;
mod steady;

use plant::{Plant, Run, best_constant, energy};
use sched::{CoreType, CpuMask, HeatKind, MilliCelsius, Nanos, Profile};
use soc::exynos5422::{CACHE_RESIDENT, DEVICE_TREE, HASH};

/// What a run of two times five minutes came to.
struct Outcome {
    peak: f64,
    changes: u32,
    speed: f64,
}

fn soak(kind: HeatKind, profile: &Profile) -> Outcome {
    let truth = energy(profile);
    let mut run = Run::new(kind, &truth, &truth, Plant::new(25.0, 0));
    run.run(3000);
    run.speed = 0.0;
    run.run(3000);
    println!(
        "{:16} {kind:12} peak {:.2} changes {} speed {:.0}",
        profile.name,
        run.peak,
        run.changes,
        run.speed / 3000.0
    );
    Outcome { peak: run.peak, changes: run.changes, speed: run.speed / 3000.0 }
}

#[test]
fn looking_ahead_gets_the_most_out_of_the_limit() {
    for profile in [&DEVICE_TREE, &HASH, &CACHE_RESIDENT] {
        let [step_wise, ipa, ours] =
            [HeatKind::StepWise, HeatKind::Ipa, HeatKind::LookAhead].map(|kind| soak(kind, profile));
        let best = best_constant(&energy(profile), 25.0, 0);
        println!(
            "best {best:.0}: {:.3}, {:.3} of step-wise, {:.3} of ipa",
            ours.speed / best,
            ours.speed / step_wise.speed,
            ours.speed / ipa.speed
        );
        assert!(ours.peak <= 85.5, "{}: {:.2} degrees", profile.name, ours.peak);
        assert!(ours.speed >= 0.97 * best, "{}: {:.0} of {best:.0}", profile.name, ours.speed);
        assert!(ours.speed > step_wise.speed && ours.speed > ipa.speed);
        assert!(ours.changes < ipa.changes, "{}: {} changes, IPA {}", profile.name, ours.changes, ipa.changes);
    }
}

/// Work that draws 1.7 times the power of the price list on the big cores.
#[test]
fn work_that_is_hotter_than_the_price_list_says_is_found_out() {
    let (believed, truth) = (energy(&DEVICE_TREE), energy(&HASH));
    let mut run = Run::new(HeatKind::LookAhead, &believed, &truth, Plant::new(25.0, 0));
    run.run(6000);
    assert!(run.peak <= 85.5, "{:.2} degrees", run.peak);
}

#[test]
fn a_warmer_room_and_a_fan_that_stops_are_followed_without_oscillation() {
    let truth = energy(&HASH);
    let mut run = Run::new(HeatKind::LookAhead, &truth, &truth, Plant::new(25.0, 3));
    run.run(1200);
    let cool = run.levels;
    run.plant.fan = 0;
    run.run(3000);
    run.plant.air = 40.0;
    run.run(3000);
    assert!(run.peak <= 85.5, "{:.2}", run.peak);
    run.changes = 0;
    run.run(600);
    // Two levels in turn: 1.4 s lie between a step and the next one up.
    assert!(run.changes <= 2 * 60 * 10 / 14, "{} changes in a minute", run.changes);
    (run.plant.air, run.plant.fan) = (25.0, 3);
    run.run(1800);
    let lost = (cool[0] + cool[1]).saturating_sub(run.levels[0] + run.levels[1]);
    assert!(lost <= 2, "the caps must come back (field report V37): {:?}, they were {cool:?}", run.levels);
}

fn readings(degrees: [i32; 4]) -> [Option<MilliCelsius>; 4] {
    degrees.map(|degrees| Some(MilliCelsius::from_celsius(degrees)))
}

const KINDS: [HeatKind; 3] = [HeatKind::StepWise, HeatKind::Ipa, HeatKind::LookAhead];

/// Whatever a disturbed line says, the caps are those of an undisturbed run.
#[test]
fn garbage_changes_nothing() {
    let truth = energy(&HASH);
    for kind in KINDS {
        let mut undisturbed = Run::new(kind, &truth, &truth, Plant::new(25.0, 3));
        let mut disturbed = Run::new(kind, &truth, &truth, Plant::new(25.0, 3));
        for poll in 0..600 {
            let honest: [i32; 4] = core::array::from_fn(|core| undisturbed.plant.temperature[core].round() as i32);
            undisturbed.poll_with(&readings(honest));
            let mut garbage = readings(core::array::from_fn(|core| disturbed.plant.temperature[core].round() as i32));
            if poll > 10 && poll % 3 == 0 {
                let nonsense = [255, -60, 0, 126, 115][poll % 5];
                garbage[poll % 4] = Some(MilliCelsius::from_celsius(nonsense));
            }
            disturbed.poll_with(&garbage);
            assert!(!disturbed.caps.expect("polled").critical, "{kind}: poll {poll}");
        }
        // One sensor less now and then may delay a degree by a poll, and no more.
        let difference = (undisturbed.speed - disturbed.speed).abs() / undisturbed.speed;
        assert!(difference < 0.005, "{kind}: {difference}");
    }
}

/// A real rise, even one that begins with a jump, acts in time.
#[test]
fn a_real_rise_is_believed() {
    let truth = energy(&HASH);
    for kind in KINDS {
        let mut run = Run::new(kind, &truth, &truth, Plant::new(25.0, 3));
        run.run(50);
        for degrees in 0..30 {
            run.poll_with(&readings([60 + degrees * 2; 4]));
        }
        let caps = run.caps.expect("polled");
        assert!(caps.critical, "{kind}: 118 degrees are critical");
        assert!(caps.top[0] < truth.cluster(CoreType::Big).top(), "{kind}");
    }
}

/// Neither cluster is allowed more at a higher temperature (field report V36): whatever has been before, if any of the
/// sensors shows more, no cap is higher.
#[test]
fn no_cap_rises_with_any_sensor() {
    let truth = energy(&HASH);
    let mut state = 2_u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for kind in KINDS {
        for _ in 0..200 {
            let mut run = Run::new(kind, &truth, &truth, Plant::new(20.0 + random(30) as f64, random(4) as usize));
            run.run(random(300) as u32 + 10);
            let base: [i32; 4] = core::array::from_fn(|core| run.plant.temperature[core].round() as i32);
            let mut cooler = run.heat.clone();
            let mut hotter = run.heat.clone();
            let raised: [i32; 4] = core::array::from_fn(|core| base[core] + random(3) as i32);
            let activity = run.activity();
            let now = Nanos::from_millis(run.polls * 100 + 100);
            let cool = cooler.poll(now, &readings(base), &activity, &truth);
            let hot = hotter.poll(now, &readings(raised), &activity, &truth);
            assert!(
                hot.top[0] <= cool.top[0] && hot.top[1] <= cool.top[1] && hot.parked.len() >= cool.parked.len(),
                "{kind}: {base:?} gives {cool:?}, {raised:?} gives {hot:?}"
            );
        }
    }
}

/// Neither cluster is allowed more at a higher temperature (field report V36).
#[test]
fn no_cap_rises_with_the_temperature() {
    let truth = energy(&HASH);
    for kind in KINDS {
        let caps_at = |degrees: i32| {
            let mut run = Run::new(kind, &truth, &truth, Plant::new(25.0, 3));
            for step in 0..40 {
                run.poll_with(&readings([(40 + step).min(degrees); 4]));
            }
            run.caps.expect("polled").top
        };
        for degrees in 60..78 {
            let (cooler, hotter) = (caps_at(degrees), caps_at(degrees + 1));
            assert!(
                hotter[0] <= cooler[0] && hotter[1] <= cooler[1],
                "{kind} at {degrees}: {cooler:?}, then {hotter:?}"
            );
        }
    }
}

/// Without a clock to turn down the big cores are parked, long before the critical temperature, and come back (V40,
/// V37).
#[test]
fn without_clocks_the_big_cores_are_parked() {
    let truth = energy(&HASH);
    for kind in [HeatKind::None, HeatKind::StepWise, HeatKind::Ipa, HeatKind::LookAhead] {
        let mut run = Run::new(kind, &truth, &truth, Plant::new(25.0, 0));
        run.scales = false;
        let mut most = 0;
        for _ in 0..3000 {
            run.run(1);
            let caps = run.caps.expect("polled");
            most = most.max(caps.parked.len());
            assert!(!caps.critical, "{kind}");
        }
        assert!(most > 0 && run.peak < 95.0, "{kind}: {most} parked, {:.1} degrees", run.peak);
        (run.plant.fan, run.busy) = (3, [0.1; 2]);
        run.run(300);
        assert_eq!(run.caps.expect("polled").parked, CpuMask::EMPTY, "{kind}: all come back");
    }
}

/// When nothing is known of the temperature, the slowest levels are the only safe ones.
#[test]
fn silent_sensors_mean_caution() {
    let truth = energy(&HASH);
    let mut run = Run::new(HeatKind::LookAhead, &truth, &truth, Plant::new(25.0, 3));
    run.run(20);
    for _ in 0..25 {
        run.poll_with(&[None; 4]);
    }
    assert_eq!(run.levels, [0, 0]);
    run.run(100);
    assert!(run.levels[0] > 10, "and it goes on when they are back: {:?}", run.levels);
}
