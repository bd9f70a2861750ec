//! Clocks, heat and energy, closed into a loop by the virtual plant.

use std::time::Duration;

use qemu::{Machine, Start};

use crate::machine::{Run, run, start};
use crate::record::Record;

const LIMIT: Duration = Duration::from_secs(300);

fn boot(machine: Machine, bootargs: &str) -> Run {
    let run = run(&Start { limit: LIMIT, ..start(machine, bootargs) });
    run.expect_well();
    run
}

fn bench<'a>(run: &'a Run, name: &str) -> Record<'a> {
    run.records("BENCH").find(|bench| bench.text("name") == name).unwrap_or_else(|| panic!("a line of {name}"))
}

#[test]
fn what_is_virtual_says_so() {
    let on = boot(Machine::VexpressA15, "bench=soak:time=100ms");
    let line = on.record("BOOT");
    assert_eq!(
        (line.text("plant"), line.text("governor"), line.text("pressure")),
        ("virtual", "planner", "periodic:250")
    );
    assert_eq!(bench(&on, "soak").text("plant"), "virtual");
    let off = boot(Machine::VexpressA15, "pace=off bench=soak+rampup");
    assert_eq!(off.record("BOOT").text("plant"), "none");
    assert_eq!(bench(&off, "soak").text("why"), "no_sensors");
    assert_eq!(bench(&off, "rampup").text("why"), "no_clocks");
}

#[test]
fn unknown_words_are_named() {
    let run = boot(Machine::VexpressA15, "pressure=250ms governor=fast heat=hot bench=none");
    assert_eq!(run.mentions("the default is used"), 3);
    assert_eq!(run.record("BOOT").text("pressure"), "periodic:250");
}

/// In air of 81 °C the chip cannot run at the top for long. The look-ahead stays below the limit of 85 °C; the policy
/// is told.
#[test]
fn heat_turns_the_clocks_down_in_time() {
    let run = boot(Machine::VexpressA15, "ambient=81 bench=soak:time=3000ms");
    let samples: Vec<_> = run.records("SOAK").collect();
    let clock = |sample: &Record| -> u32 { sample.number("big_khz") };
    let pressure = |sample: &Record| -> u32 { sample.number("big_pressure") };
    let (first, last) = (&samples[0], &samples[samples.len() - 1]);
    assert_eq!((clock(first), pressure(first)), (2_000_000, 0));
    assert!(clock(last) < 1_900_000 && pressure(last) > 100, "{last:?}");
    assert!(samples.iter().all(|sample| clock(sample) <= sample.number("big_cap_khz")));
    let hottest: i32 = bench(&run, "soak").number("hottest_mc");
    assert!((83_000..=85_500).contains(&hottest), "{hottest}");
    let free = boot(Machine::VexpressA15, "ambient=25 bench=soak:time=3000ms");
    let work = |run: &Run| -> f64 { bench(run, "soak").number("work_units") };
    assert!(work(&run) < 0.97 * work(&free), "a slower clock does less work");
    assert!(work(&run) > 0.7 * work(&free), "and not much less than heat demands");
}

#[test]
fn pressure_takes_the_form_that_was_chosen() {
    let pressure = |kind: &str| -> Vec<u32> {
        let run =
            boot(Machine::VexpressA15, &format!("ambient=76 heat=step-wise pressure={kind} bench=soak:time=700ms"));
        run.records("SOAK").map(|sample| sample.number("big_pressure")).collect()
    };
    let (none, instant, slow) = (pressure("none"), pressure("instant"), pressure("periodic:500"));
    assert!(none.iter().all(|value| *value == 0), "{none:?}");
    assert!(instant.iter().zip(&slow).all(|(instant, slow)| slow <= instant), "{instant:?} {slow:?}");
    assert!(slow.iter().any(|value| *value > 0) && slow.iter().sum::<u32>() < instant.iter().sum(), "{slow:?}");
}

#[test]
fn the_plan_needs_less_than_the_peers_and_speed_more() {
    let power = |policy: &str| -> f64 {
        let run = boot(Machine::VexpressA15, &format!("{policy} bench=periodic:n=12,jobs=25"));
        let line = bench(&run, "periodic");
        assert_eq!(line.text("duty_achieved"), line.text("duty_asked"));
        line.number("power_mw")
    };
    let (plan, peer, speed) = (power("policy=gear goal=energy"), power("policy=eas"), power("policy=gear goal=mean"));
    assert!(plan < peer && peer < speed, "plan {plan} mW, eas {peer} mW, as fast as possible {speed} mW");
}

/// While every core is busy, what the tasks are charged is what the clusters draw.
#[test]
fn the_accounts_of_the_tasks_add_up_to_what_was_drawn() {
    for machine in Machine::ALL {
        let bootargs = format!("policy=gear goal=makespan bench=looper:n={},work=100ms", machine.cores());
        let run = boot(machine, &bootargs);
        let drawn: f64 = bench(&run, "looper").number("energy_mj");
        let charged: f64 = run.records("TASK").map(|task| task.number::<f64>("energy_mj")).sum();
        assert!((charged / drawn - 1.0).abs() < 0.05, "{machine}: {charged} mJ charged, {drawn} mJ drawn");
        assert!(run.records("TASK").all(|task| task.number::<f64>("energy_mj") > 0.0));
    }
}

#[test]
fn a_climber_is_at_the_top_soon() {
    let top = |policy: &str| -> f64 { bench(&boot(Machine::VexpressA15, policy), "rampup").number("to_top_ms") };
    let (ours, peer) = (top("bench=rampup"), top("policy=eas bench=rampup"));
    assert!(ours <= 20.0, "{ours} ms");
    assert!(peer > 3.0 * ours, "ours {ours} ms, eas {peer} ms");
}

/// Thirteen tasks of 10 % on two cores of each kind: three and a half on a LITTLE core are cheaper than four beside
/// three.
#[test]
fn tasks_that_are_cut_in_two_need_less_and_are_in_time() {
    let measured = |split: &str| -> (f64, u32, u32) {
        let arguments = format!("policy=gear goal=energy split={split} bench=periodic:n=13,jobs=90");
        let run = boot(Machine::VexpressA15, &arguments);
        let line = bench(&run, "periodic");
        (line.number("energy_mj"), line.number("misses"), line.number("moves"))
    };
    let (cut, whole) = (measured("on"), measured("off"));
    assert_eq!((cut.1, whole.1), (0, 0), "{cut:?} {whole:?}");
    // The learning at the start is the same for both.
    assert!(cut.0 < 0.99 * whole.0, "{cut:?} {whole:?}");
    assert!(cut.2 > whole.2 + 60, "they move: {cut:?} {whole:?}");
}

/// Eight endless loops on the LITTLE cores that count as small: they spread evenly, and their clock is for what they
/// may use.
#[test]
fn bounded_loops_do_not_pile_up() {
    let line = |arguments: &str| -> (f64, u32) {
        let run = boot(Machine::QemuVirt, &format!("bench=uclamp:time=200ms{arguments}"));
        let bench = bench(&run, "uclamp");
        assert_eq!(bench.text("goal"), "energy");
        (bench.number("most_to_least"), bench.number("little_khz"))
    };
    let (bounded, free) = (line(",max=100"), line(",max=1024"));
    assert!(bounded.0 <= 1.1 && free.0 <= 1.1, "{bounded:?} {free:?}");
    assert!(bounded.1 <= 800_000 && free.1 == 1_400_000, "{bounded:?} {free:?}");
}

#[test]
fn a_pair_that_overlaps_runs_side_by_side() {
    for machine in Machine::ALL {
        let run = boot(machine, "bench=pair");
        let free = run.records("BENCH").find(|bench| bench.text("place") == "free").expect("its line");
        let to_different: f64 = free.number("to_different");
        assert!(to_different <= 1.02, "{machine}: {to_different}");
    }
}

#[test]
fn every_workload_runs_everywhere() {
    const NAMES: [&str; 10] =
        ["mixed", "periodic", "chain", "schbench", "cyclictest", "dhrystone", "aobench", "soak", "rampup", "uclamp"];
    let asked = format!("bench={}", NAMES.join("+"));
    let mut pictures = Vec::new();
    for machine in Machine::ALL {
        let run = boot(machine, &asked);
        assert_eq!(run.done(), (NAMES.len() as u32, 0));
        for name in NAMES {
            assert_eq!(bench(&run, name).text("pace"), "emulated");
        }
        pictures.push(bench(&run, "aobench").text("brightness").to_owned());
    }
    assert_eq!(pictures[0], pictures[1], "who draws does not change the picture");
}
