//! How a test is run and told: each in a task of its own, one line each.

use core::fmt;

use abi::println;
use abi::task::{End, spawn};
use workloads::tally::TALLY;

/// What a passed test has to tell.
#[derive(Clone, Copy, Debug)]
pub enum Detail {
    /// Nothing.
    Plain,
    /// A time that it measured, in nanoseconds.
    Time(u64),
    /// That it could not run here, and why. Counted neither as passed nor as failed.
    Skipped(&'static str),
}

/// Why a test failed.
#[derive(Clone, Copy, Debug)]
pub enum Failure {
    /// A number was not the right one.
    Wrong { what: &'static str, expected: u64, saw: u64 },
    /// A number was above its limit.
    TooMuch { what: &'static str, limit: u64, saw: u64 },
    /// Something was not so.
    Untrue { what: &'static str },
    /// A system call was refused that should not have been.
    Refused(abi::Error),
    /// A system call was not refused, or for another reason.
    NotRefused { what: &'static str, expected: abi::Error, saw: Option<abi::Error> },
    /// A task ended otherwise than it should.
    Ended { expected: End, saw: End },
}

/// How a test ended.
pub type Verdict = Result<Detail, Failure>;

/// A test with its name.
pub struct Case {
    name: &'static str,
    run: fn() -> Verdict,
}

/// A line of the list of tests.
pub const fn case(name: &'static str, run: fn() -> Verdict) -> Case {
    Case { name, run }
}

impl From<abi::Error> for Failure {
    fn from(error: abi::Error) -> Failure {
        Failure::Refused(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Wrong { what, expected, saw } => write!(formatter, "expected {what} {expected}, saw {saw}"),
            Failure::TooMuch { what, limit, saw } => write!(formatter, "expected {what} at most {limit}, saw {saw}"),
            Failure::Untrue { what } => write!(formatter, "expected {what}, saw otherwise"),
            Failure::Refused(error) => write!(formatter, "expected no refusal, saw {error:?}"),
            Failure::NotRefused { what, expected, saw: Some(saw) } => {
                write!(formatter, "expected {what} to be {expected:?}, saw {saw:?}")
            }
            Failure::NotRefused { what, expected, saw: None } => {
                write!(formatter, "expected {what} to be {expected:?}, saw success")
            }
            Failure::Ended { expected, saw } => write!(formatter, "expected an end as {expected:?}, saw {saw:?}"),
        }
    }
}

/// Two numbers are equal.
pub fn expect_equal(what: &'static str, expected: impl Into<u64>, saw: impl Into<u64>) -> Result<(), Failure> {
    let (expected, saw) = (expected.into(), saw.into());
    if expected == saw { Ok(()) } else { Err(Failure::Wrong { what, expected, saw }) }
}

/// A number keeps to its limit.
pub fn expect_at_most(what: &'static str, limit: u64, saw: u64) -> Result<(), Failure> {
    if saw <= limit { Ok(()) } else { Err(Failure::TooMuch { what, limit, saw }) }
}

/// Something is so.
pub fn expect(what: &'static str, so: bool) -> Result<(), Failure> {
    if so { Ok(()) } else { Err(Failure::Untrue { what }) }
}

/// A system call is refused, for this reason.
pub fn expect_refused<T>(what: &'static str, expected: abi::Error, saw: abi::Result<T>) -> Result<(), Failure> {
    match saw.err() {
        Some(error) if error == expected => Ok(()),
        saw => Err(Failure::NotRefused { what, expected, saw }),
    }
}

/// A task ends like this.
pub fn expect_end(expected: End, saw: End) -> Result<(), Failure> {
    if expected == saw { Ok(()) } else { Err(Failure::Ended { expected, saw }) }
}

/// Runs the tests whose names begin with `prefix`, one after the other.
pub fn run(cases: &'static [Case], prefix: &str) {
    for (index, case) in cases.iter().enumerate().filter(|(_, case)| case.name.starts_with(prefix)) {
        let end = spawn(run_case, index).and_then(|task| task.join());
        // A test that came to its end has told so itself.
        if end != Ok(End::Exited(0)) {
            println!("TEST {} … FAIL expected it to end by itself, saw {end:?}", case.name);
            TALLY.count(false);
        }
    }
}

/// The task of one test.
fn run_case(index: usize) {
    let case = &crate::CASES[index];
    let verdict = (case.run)();
    match verdict {
        Ok(Detail::Plain) => println!("TEST {} … ok", case.name),
        Ok(Detail::Time(nanoseconds)) => println!("TEST {} … ok {nanoseconds} ns", case.name),
        Ok(Detail::Skipped(why)) => return println!("TEST {} … skipped why={why}", case.name),
        Err(failure) => println!("TEST {} … FAIL {failure}", case.name),
    }
    TALLY.count(verdict.is_ok());
}
