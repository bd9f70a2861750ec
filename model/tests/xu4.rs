//! The image of the real board, unmodified, from U-Boot's hand-over to its last line.
//!
//! `cargo xtask test --ring model` builds the image and says where it is.

#[path = "xu4/climate.rs"]
mod climate;

use std::env;
use std::fs;
use std::time::Duration;

use model::findings::FindingKind;
use model::load::Image;
use model::machine::exynos5422::{self, BootLoader, Entry, Faults, Options};
use model::machine::{Limits, Outcome, Typing};
use model::soc::device::Ending;
use model::soc::pmu;

/// What a run left.
struct Run {
    outcome: Outcome,
    text: String,
    findings: Vec<String>,
    instructions: u64,
}

impl Run {
    /// How many CPU lines say this state.
    fn cpus(&self, state: &str) -> usize {
        let wanted = format!("state={state}");
        self.lines("CPU").iter().filter(|line| line.split(' ').any(|word| word == wanted)).count()
    }

    /// The lines that begin with `keyword`.
    fn lines(&self, keyword: &str) -> Vec<&str> {
        self.text.lines().filter(|line| line.split(' ').next() == Some(keyword)).collect()
    }

    fn assert_well(&self, what: &str) {
        assert_eq!(self.findings, Vec::<String>::new(), "{what}\n{}", self.text);
        let well = matches!(self.outcome, Outcome::Ended(Ending::Exit(0) | Ending::PowerOff));
        assert!(well, "{what}: {:?}\n{}", self.outcome, self.text);
        assert!(self.lines("DONE").iter().any(|line| line.ends_with(" 0 failed")), "{what}\n{}", self.text);
    }
}

/// Long enough for every run but one that never ends, in the host's time.
const PATIENCE: Duration = Duration::from_secs(240);

fn run(bootargs: &str, options: Options) -> Run {
    run_until(Limits { host: PATIENCE, ..Limits::default() }, bootargs, options)
}

fn run_until(limits: Limits, bootargs: &str, options: Options) -> Run {
    let path = env::var_os("GEARSHIFT_IMAGE_ODROID_XU4").expect("`cargo xtask test --ring model` says where it is");
    let image = Image::elf(&fs::read(path).expect("the image can be read")).expect("it is an ELF");
    // A kernel may look at the register that no firmware of this chip sets, in order to say so.
    let options = Options { bootargs: bootargs.into(), allowed: vec![FindingKind::CounterFrequency], ..options };
    let mut machine = exynos5422::machine(&image, &options).expect("it fits");
    let mut bytes = Vec::new();
    let outcome = machine.run(&limits, &mut Typing::nothing(), &mut |more| bytes.extend_from_slice(more));
    let failing = machine.findings.iter().filter(|(finding, _)| !machine.findings.allows(finding.kind));
    Run {
        outcome,
        text: String::from_utf8_lossy(&bytes).into_owned(),
        findings: failing.map(|(finding, _)| finding.to_string()).collect(),
        instructions: machine.instructions(),
    }
}

fn entered(entry: Entry) -> Options {
    Options { entry, ..Options::default() }
}

#[test]
fn eight_cores_come_up_and_pass_the_self_test_in_hyp() {
    let run = run("bench=selftest", entered(Entry::Hyp));
    run.assert_well("hyp");
    assert_eq!(run.cpus("online"), 8, "{}", run.text);
}

#[test]
fn and_in_svc() {
    run("bench=selftest", entered(Entry::Svc)).assert_well("svc");
}

#[test]
fn and_by_go_without_boot_arguments() {
    // Without arguments all benchmarks follow; that they begin is enough here.
    let run = run_until(Limits { model: 400_000_000, host: PATIENCE }, "", entered(Entry::Go));
    assert_eq!(run.findings, Vec::<String>::new(), "{}", run.text);
    assert_eq!(run.cpus("online"), 8, "{}", run.text);
}

#[test]
fn and_by_go_with_arguments() {
    let run = run("bench=selftest policy=pull", entered(Entry::Go));
    run.assert_well("go");
    assert!(run.lines("BOOT")[0].contains(" policy=pull "), "{}", run.text);
}

#[test]
fn and_after_the_boot_loader_of_2012() {
    let options = Options { boot_loader: BootLoader::Vendor2012, ..Options::default() };
    run("bench=looper:n=2,work=2ms", options).assert_well("2012");
}

#[test]
fn whichever_core_is_missing_the_others_run() {
    for core in [0, 1, 2, 3, 5, 6, 7] {
        let faults = Faults { cores: pmu::Faults { missing: 1 << core, silent: 0 }, ..Faults::default() };
        let run = run("bench=looper:n=8,work=2ms", Options { faults, ..Options::default() });
        run.assert_well(&format!("without core {core}"));
        assert_eq!((run.cpus("online"), run.cpus("missing")), (7, 1), "{}", run.text);
    }
}

#[test]
fn a_core_that_gets_power_and_never_arrives_is_named() {
    for core in [1, 6] {
        let faults = Faults { cores: pmu::Faults { missing: 0, silent: 1 << core }, ..Faults::default() };
        let run = run("bench=looper:n=8,work=2ms", Options { faults, ..Options::default() });
        run.assert_well(&format!("core {core} is silent"));
        let named = run.lines("CPU").iter().filter(|line| line.ends_with("state=missing why=not_entered")).count();
        assert_eq!(named, 1, "{}", run.text);
    }
}

#[test]
fn an_interconnect_that_is_closed_to_us_is_opened_by_the_monitor() {
    let faults = Faults { closed_interconnect: true, ..Faults::default() };
    let run = run("bench=looper:n=8,work=2ms", Options { faults, ..Options::default() });
    run.assert_well("closed interconnect");
    assert_eq!(run.cpus("online"), 8, "{}", run.text);
}

#[test]
fn whatever_numbers_the_interrupt_controller_gives_them_they_run() {
    let options = Options { gic_interfaces: [4, 5, 6, 7, 0, 1, 2, 3], ..Options::default() };
    run("bench=looper:n=8,work=2ms", options).assert_well("other numbers");
}

#[test]
fn a_counter_that_never_runs_is_told_and_not_waited_for() {
    let faults = Faults { dead_counter: true, ..Faults::default() };
    let run = run("bench=none", Options { faults, ..Options::default() });
    assert!(!run.text.is_empty(), "the console needs no timer");
    assert_ne!(run.outcome, Outcome::HostLimit);
}

#[test]
fn twice_the_same_bytes() {
    let once = || run("bench=looper:n=8,work=5ms policy=pull", Options::default());
    let (first, second) = (once(), once());
    assert_eq!(first.text, second.text);
    assert_eq!(first.instructions, second.instructions);
}
