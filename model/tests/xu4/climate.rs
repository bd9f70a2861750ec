//! Clocks, voltages and temperatures of the board, in working order and not.

use crate::board::{Run, broken, number, run, value};
use model::machine::Outcome;
use model::machine::exynos5422::{BootLoader, Fault, Options};
use model::soc::device::Ending;

/// The capacities of an A7 and of an A15 by the CPU lines.
fn capacities(run: &Run) -> (f64, f64) {
    let of = |class: &str| {
        let line = run.lines("CPU").into_iter().find(|line| value(line, "class") == class);
        number(line.unwrap_or_else(|| panic!("a CPU of class {class}")), "capacity")
    };
    (of("little"), of("big"))
}

/// What the two clusters run at after the start, in MHz.
fn megahertz(run: &Run) -> (u32, u32) {
    let of = |class: &str| {
        let is_it = |line: &&str| line.contains("highest_khz") && value(line, "class") == class;
        number(run.lines("CLOCK").into_iter().find(is_it).expect("a line for each cluster"), "khz") as u32 / 1000
    };
    (of("big"), of("little"))
}

/// The lines that tell of something that failed.
fn failures(run: &Run) -> Vec<String> {
    let failed =
        |line: &&str| line.contains("state=failed") || line.contains("state=silent") || line.contains("not_believed");
    run.text.lines().filter(failed).map(str::to_owned).collect()
}

/// Of eight loops against one alone on an A15 at 2 GHz; the looper races its policies in this order:
/// - pinned, 62 / 28: who begins on an A7 ends there;
/// - pull, 1 + 34 / 62: the A15s take over what the A7s have not done when they are done;
/// - gear for the makespan, 8 / (4 + 4 · 28 / 62): all end together.
const MAKESPANS: [(&str, f64); 3] = [("pinned", 2.214), ("pull", 1.548), ("gear", 1.378)];

/// Eight loops end when the arithmetic of two speeds says, within 3 %.
#[test]
fn the_looper_ends_when_it_should() {
    let run = run("bench=looper:n=8,work=60ms", Options::default());
    run.assert_well("race");
    let races = run.lines("BENCH");
    assert_eq!(races.len(), MAKESPANS.len(), "{}", run.text);
    for (race, (policy, expected)) in races.into_iter().zip(MAKESPANS) {
        let to_alone = number(race, "to_alone");
        assert_eq!(value(race, "policy"), policy);
        assert!((to_alone / expected - 1.0).abs() < 0.03, "{policy}: {to_alone}, expected {expected}");
    }
    assert_eq!((megahertz(&run), capacities(&run), failures(&run)), ((2000, 1400), (462.0, 1024.0), vec![]));
}

#[test]
fn the_boot_loader_of_2012_leaves_less_voltage_and_it_works_too() {
    let run = run("bench=none", Options { boot_loader: BootLoader::Vendor2012, ..Options::default() });
    run.assert_well("2012");
    assert_eq!((megahertz(&run), failures(&run)), ((2000, 1400), vec![]));
}

/// Three polls, each a tenth of a second after the other, must agree before a temperature is believed and acted on.
const BELIEVED: f64 = 300.0;

fn believed(run: &Run) -> Vec<&str> {
    run.lines("SOAK").into_iter().filter(|line| number(line, "t_ms") > BELIEVED).collect()
}

/// From rest to an A15 at 2 GHz: 16 ms until it is certain that the job has no end, a tick until that is seen, and what
/// the clock takes.
#[test]
fn a_climber_is_at_the_top_within_twenty_milliseconds() {
    for rest in ["100ms", "203ms", "500ms"] {
        let run = run(&format!("bench=rampup:rest={rest}"), Options::default());
        run.assert_well(rest);
        let bench = run.lines("BENCH")[0];
        assert_eq!((value(bench, "reached"), value(bench, "goal")), ("yes", "energy"));
        let top = number(bench, "to_top_ms");
        assert!((8.0..18.5).contains(&top), "after {rest} of rest: {top} ms");
    }
}

/// A chip that is as hot as it may be is held back, and the policy is told.
#[test]
fn a_hot_chip_gets_slower() {
    let hot = Options { initial_celsius: Some(86.0), ..Options::default() };
    let run = run("pressure=instant bench=soak:n=1,time=600ms", hot);
    run.assert_well("hot");
    let soak = believed(&run);
    assert!(soak.iter().all(|line| number(line, "temperature_mc") >= 84_000.0), "{soak:?}");
    let last = soak.last().expect("it looks at least once");
    assert!(number(last, "big_khz") < 1_500_000.0 && number(last, "big_pressure") > 200.0, "{last}");
    assert!(number(last, "big_khz") <= number(last, "big_cap_khz"), "{last}");
    assert_eq!(failures(&run), Vec::<String>::new());
}

#[test]
fn a_cool_chip_warms_up_and_runs_at_the_top() {
    let run = run("bench=soak:n=1,time=500ms", Options::default());
    run.assert_well("cool");
    let soak = believed(&run);
    assert!(
        soak.len() >= 2
            && soak.iter().all(|line| number(line, "big_khz") == 2_000_000.0 && number(line, "big_pressure") == 0.0)
    );
    // 31 °C at the start, and a core above 2 W within a moment.
    let hottest = number(run.lines("BENCH")[0], "hottest_mc");
    assert!((33_000.0..40_000.0).contains(&hottest), "{hottest}");
}

#[test]
fn without_a_pmic_everything_runs_as_the_boot_loader_left_it() {
    let run = run("bench=looper:n=8,work=2ms policy=pull", broken(Fault::Pmic));
    run.assert_well("deaf");
    assert_eq!((megahertz(&run), capacities(&run)), ((800, 800), (661.0, 1024.0)), "one clock for all");
    let told = failures(&run);
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told.iter().all(|line| value(line, "why") == "no_answer"), "{told:?}");
}

#[test]
fn a_pmic_that_refuses_leaves_what_its_voltages_allow() {
    let run = run("bench=looper:n=8,work=2ms policy=pull", broken(Fault::Voltage));
    run.assert_well("refusing");
    assert_eq!(megahertz(&run), (1900, 800), "U-Boot's 1.3 V, and 1.025 V that are known to do for 800 MHz");
    let told = failures(&run);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told.iter().all(|line| value(line, "why") == "voltage_refused"), "{told:?}");
}

#[test]
fn a_pll_that_does_not_lock_holds_its_cluster_alone() {
    for (clusters, expected) in [(&[0][..], (800, 1400)), (&[1], (2000, 800)), (&[0, 1], (800, 800))] {
        let faults = clusters.iter().map(|cluster| Fault::Pll(*cluster)).collect();
        let run = run("bench=looper:n=8,work=2ms policy=pull", Options { faults, ..Options::default() });
        run.assert_well("unlocked");
        assert_eq!(megahertz(&run), expected);
        let told = failures(&run);
        assert_eq!(told.len(), clusters.len(), "{told:?}");
        assert!(told.iter().all(|line| value(line, "why") == "pll_unlocked"), "{told:?}");
    }
}

/// Sensors that say what cannot be: no clock above the lowest is allowed, and the system goes on.
#[test]
fn sensors_that_lie_are_not_believed() {
    let run = run("governor=powersave bench=soak:n=1,time=2500ms", broken(Fault::Sensors(-40)));
    run.assert_well("lying");
    assert_eq!(failures(&run).len(), 1, "{}", run.text);
    let last = *run.lines("SOAK").last().expect("it looks");
    assert_eq!((number(last, "big_cap_khz"), number(last, "little_cap_khz")), (200_000.0, 200_000.0), "{last}");
}

#[test]
fn a_silent_sensor_is_named_and_the_others_do() {
    let run = run("bench=soak:n=1,time=1200ms governor=powersave", broken(Fault::Sensor(2)));
    run.assert_well("silent");
    assert_eq!(failures(&run), ["HEAT sensor=2 state=silent"]);
    assert!(number(believed(&run)[0], "temperature_mc") > 28_000.0);
}

/// The boot loader raises clocks before voltages, and finds the chip as we leave it.
#[test]
fn a_reset_finds_the_clocks_that_the_boot_loader_left() {
    let run = run("bench=cyclictest:loops=5 governor=powersave after=reboot", Options::default());
    assert_eq!((&run.outcome, &run.findings), (&Outcome::Ended(Ending::Reset), &vec![]), "{}", run.text);
    assert_eq!(run.khz, [800_000; 2]);
}

#[test]
fn clocks_are_kept_where_that_is_asked_for() {
    let run = run("clocks=keep bench=looper:n=8,work=2ms policy=pull", Options::default());
    run.assert_well("kept");
    assert_eq!((megahertz(&run), capacities(&run), failures(&run)), ((800, 800), (661.0, 1024.0), vec![]));
}
