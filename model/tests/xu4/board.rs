//! A run of the real board's image, and what it left.

use std::env;
use std::fs;
use std::time::Duration;

use model::load::Image;
use model::machine::exynos5422::{self, Entry, Fault, Options};
use model::machine::{Limits, Outcome, Soc, Typing};
use model::soc::device::Ending;

/// What a run left.
pub struct Run {
    pub outcome: Outcome,
    /// All that was printed.
    pub text: String,
    pub findings: Vec<String>,
    pub instructions: u64,
    /// What A15s and A7s ran at in the end.
    pub khz: [u32; 2],
}

impl Run {
    /// How many CPU lines say this state.
    pub fn cpus(&self, state: &str) -> usize {
        let wanted = format!("state={state}");
        self.lines("CPU").iter().filter(|line| line.split(' ').any(|word| word == wanted)).count()
    }

    /// The lines that begin with `keyword`.
    pub fn lines(&self, keyword: &str) -> Vec<&str> {
        self.text.lines().filter(|line| line.split(' ').next() == Some(keyword)).collect()
    }

    /// Nothing was found, and all that was asked for was done.
    pub fn assert_well(&self, what: &str) {
        assert_eq!(self.findings, Vec::<String>::new(), "{what}\n{}", self.text);
        let well = matches!(self.outcome, Outcome::Ended(Ending::Exit(0) | Ending::PowerOff));
        assert!(well, "{what}: {:?}\n{}", self.outcome, self.text);
        assert!(self.lines("DONE").iter().any(|line| line.ends_with(" 0 failed")), "{what}\n{}", self.text);
    }

    /// The self-test ran: no test failed, and those that were not skipped passed.
    pub fn assert_self_test(&self, what: &str) {
        self.assert_well(what);
        let tests = self.lines("TEST");
        let silent = tests.iter().filter(|line| !line.contains("… ok") && !line.contains("… skipped"));
        assert_eq!(silent.count(), 0, "{what}\n{}", self.text);
        assert!(tests.len() >= LEAST_TESTS, "{what}: {} tests", tests.len());
    }
}

/// The self-test has at least as many tests.
const LEAST_TESTS: usize = 47;
/// Long enough for every run but one that never ends, in the host's time.
const PATIENCE: Duration = Duration::from_secs(240);

/// Runs the image until it ends.
pub fn run(bootargs: &str, options: Options) -> Run {
    run_until(Limits { host: PATIENCE, ..Limits::default() }, bootargs, options)
}

/// Runs the image, for at most `nanoseconds` of model time.
pub fn run_for(nanoseconds: u64, bootargs: &str, options: Options) -> Run {
    run_until(Limits { model: nanoseconds, host: PATIENCE }, bootargs, options)
}

fn run_until(limits: Limits, bootargs: &str, options: Options) -> Run {
    let path = env::var_os("GEARSHIFT_IMAGE_ODROID_XU4").expect("`cargo xtask test --ring model` says where it is");
    let image = Image::elf(&fs::read(path).expect("the image can be read")).expect("it is an ELF");
    // A board ends at its prompt unless told otherwise, and here nobody sits there.
    let options = Options { bootargs: format!("after=halt {bootargs}"), ..options };
    let mut machine = exynos5422::machine(&image, &options).expect("it fits");
    let mut bytes = Vec::new();
    let outcome = machine.run(&limits, &mut Typing::nothing(), &mut |more| bytes.extend_from_slice(more));
    Run {
        outcome,
        text: String::from_utf8_lossy(&bytes).into_owned(),
        findings: machine.findings.iter().map(|(finding, _)| finding.to_string()).collect(),
        instructions: machine.instructions(),
        khz: [0, 4].map(|core| machine.bus.platform.khz(core)),
    }
}

/// A board whose kernel is entered like this.
pub fn entered(entry: Entry) -> Options {
    Options { entry, ..Options::default() }
}

/// A board on which this is broken.
pub fn broken(fault: Fault) -> Options {
    Options { faults: [fault].into_iter().collect(), ..Options::default() }
}

/// The value of a key in a machine line.
pub fn value<'a>(line: &'a str, key: &str) -> &'a str {
    let found = line.split(' ').find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
    found.unwrap_or_else(|| panic!("{key}= in {line}"))
}

/// The same as a number.
pub fn number(line: &str, key: &str) -> f64 {
    value(line, key).parse().unwrap_or_else(|_| panic!("a number for {key} in {line}"))
}
