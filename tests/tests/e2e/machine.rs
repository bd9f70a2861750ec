//! Boots one machine and keeps what it said.

use std::path::PathBuf;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use qemu::{Clock, Ending, Machine, Start};

use crate::record::Record;

/// Machines that may run at once.
const AT_ONCE: usize = 2;

static RUNNING: Mutex<usize> = Mutex::new(0);
static ENDED: Condvar = Condvar::new();

/// A permit to run one machine.
struct Permit;

impl Permit {
    fn take() -> Permit {
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut running =
            ENDED.wait_while(running, |running| *running >= AT_ONCE).unwrap_or_else(PoisonError::into_inner);
        *running += 1;
        Permit
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        ENDED.notify_one();
    }
}

/// What a machine said, and how it ended.
pub struct Run {
    pub lines: Vec<String>,
    pub ending: Ending,
    pub took: Duration,
}

/// The image of a board, from the environment.
fn image(machine: Machine) -> PathBuf {
    let variable = match machine {
        Machine::VexpressA15 => "GEARSHIFT_IMAGE_VEXPRESS_A15",
        Machine::QemuVirt => "GEARSHIFT_IMAGE_QEMU_VIRT",
    };
    std::env::var_os(variable).map(PathBuf::from).unwrap_or_else(|| {
        panic!("{variable} must name the ELF image of {machine}; `cargo xtask test --ring qemu` builds it and sets it")
    })
}

/// A start with these boot arguments; the clock counts instructions.
pub fn start(machine: Machine, bootargs: &str) -> Start {
    Start { bootargs: bootargs.into(), clock: Clock::Instructions, ..Start::new(machine, image(machine)) }
}

/// Runs a machine to its end and keeps every line; cargo shows them where a test fails.
pub fn run(start: &Start) -> Run {
    let _permit = Permit::take();
    println!("--- {} {:?} {} cores, {:?}: {}", start.machine, start.entry, start.cores, start.clock, start.bootargs);
    let mut lines = Vec::new();
    let outcome = start
        .run(|line| {
            println!("{line}");
            lines.push(line.to_owned());
        })
        .expect("QEMU starts");
    println!("--- {:?} after {:.1} s {}", outcome.ending, outcome.took.as_secs_f32(), outcome.complaints);
    Run { lines, ending: outcome.ending, took: outcome.took }
}

impl Run {
    /// The machine lines with this keyword.
    pub fn records<'a>(&'a self, keyword: &'a str) -> impl Iterator<Item = Record<'a>> {
        self.lines.iter().filter_map(|line| Record::parse(line)).filter(move |record| record.keyword == keyword)
    }

    /// The only line with this keyword.
    pub fn record<'a>(&'a self, keyword: &'a str) -> Record<'a> {
        let mut records = self.records(keyword);
        let record = records.next().unwrap_or_else(|| panic!("a {keyword} line"));
        assert!(records.next().is_none(), "one {keyword} line");
        record
    }

    /// The lines that contain a text.
    pub fn mentions(&self, text: &str) -> usize {
        self.lines.iter().filter(|line| line.contains(text)).count()
    }

    /// Passed and failed of the `DONE` line, which must be the last thing that the programs said.
    pub fn done(&self) -> (u32, u32) {
        let line = self.lines.iter().rfind(|line| line.starts_with("DONE ")).expect("a DONE line");
        let numbers: Vec<u32> = line.split([' ', ',']).filter_map(|word| word.parse().ok()).collect();
        let [passed, failed] = numbers[..] else { panic!("two numbers in {line:?}") };
        (passed, failed)
    }

    /// It ended by itself, with code 0 and nothing failed.
    pub fn expect_well(&self) {
        assert_eq!(self.mentions("PANIC"), 0, "no panic");
        let (_, failed) = self.done();
        assert_eq!(failed, 0, "nothing failed");
        assert_eq!(self.ending, Ending::Exited(0));
    }
}
