//! The first task: runs what the boot arguments name, then ends the system or asks at the console.

use abi::task::{End, Entry, exit, spawn};
use abi::types::MAX_BOOT_ARGUMENTS;
use abi::{println, system};

use crate::machine::Machine;
use crate::request::{Request, requests};
use crate::tally::TALLY;
use crate::{
    aobench, chain, cyclictest, dhrystone, hackbench, looper, micro, mixed, order, pair, periodic, pingpong, rampup,
    schbench, shell, soak, uclamp,
};

/// How a benchmark ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It ran, and what it checks was right.
    Passed,
    /// Something it checks was wrong; it said what.
    Failed,
    /// It could not run here, for this reason (one word, for the key `why`).
    Skipped(&'static str),
}

/// What runs on its own when nothing else is asked for, in this order.
const EVERY: &[&str] = &[
    "looper",
    "mixed",
    "periodic",
    "pair",
    "pingpong",
    "chain",
    "hackbench",
    "schbench",
    "cyclictest",
    "rampup",
    "dhrystone",
    "aobench",
    "soak",
    "uclamp",
    "micro",
];

/// The name of the self-test among the benchmarks; not part of `all`.
const SELF_TEST: &str = "selftest";

/// The first task of an image without a self-test.
pub fn init(_argument: usize) {
    run(None)
}

/// The program behind `bench=selftest`, where the image has it. It counts its tests in [`crate::tally::TALLY`]
/// by itself; its argument is the number of its request ([`request_of`]).
pub type Programs = Option<Entry>;

/// The first task of an image. Ends the system, with exit code 0 when nothing failed and 1 otherwise, unless
/// `after=shell`.
pub fn run(self_test: Programs) -> ! {
    run_ordered(self_test);
    let (passed, failed) = (TALLY.passed(), TALLY.failed());
    println!("DONE {passed} passed, {failed} failed");
    if Machine::read().0.shell != 0 {
        shell::run(self_test);
    }
    system::shutdown(u32::from(failed > 0))
}

/// Runs what is asked for.
pub fn run_ordered(self_test: Programs) {
    let mut buffer = [0; MAX_BOOT_ARGUMENTS];
    for (index, request) in requests(order::current(&mut buffer), EVERY).enumerate() {
        let well = match request.name {
            SELF_TEST => match self_test {
                Some(program) => run_in_task(program, index),
                None => {
                    println!("BENCH name={SELF_TEST} skipped why=not_in_this_image");
                    true
                }
            },
            name if EVERY.contains(&name) => run_in_task(run_request, index),
            name => {
                println!("bench={name}: unknown, expected all, none, {SELF_TEST} or some of {EVERY:?}");
                false
            }
        };
        if !well {
            TALLY.count(false);
        }
    }
}

/// Runs a program to its end in a task of its own, so that its fault is not ours. False when it did not end by itself.
fn run_in_task(program: Entry, argument: usize) -> bool {
    match spawn(program, argument).and_then(|task| task.join()) {
        Ok(End::Exited(_)) => true,
        Ok(End::Killed(kind)) => {
            println!("bench: killed ({kind:?})");
            false
        }
        Err(error) => {
            println!("bench: could not be started or waited for ({error:?})");
            false
        }
    }
}

/// The request of this number, read anew: a task is started with one word only.
pub fn request_of(index: usize, buffer: &mut [u8; MAX_BOOT_ARGUMENTS]) -> Option<Request<'_>> {
    requests(order::current(buffer), EVERY).nth(index)
}

/// The task of one benchmark.
fn run_request(index: usize) {
    let mut buffer = [0; MAX_BOOT_ARGUMENTS];
    let Some(request) = request_of(index, &mut buffer) else { exit(1) };
    match run_benchmark(&request) {
        Outcome::Passed => TALLY.count(true),
        Outcome::Failed => TALLY.count(false),
        Outcome::Skipped(why) => println!("BENCH name={} skipped why={why}", request.name),
    }
}

fn run_benchmark(request: &Request<'_>) -> Outcome {
    let machine = Machine::read();
    match request.name {
        "looper" => looper::run(request, &machine),
        "pingpong" => pingpong::run(request, &machine),
        "hackbench" => hackbench::run(request, &machine),
        "mixed" => mixed::run(request, &machine),
        "periodic" => periodic::run(request, &machine),
        "pair" => pair::run(request, &machine),
        "chain" => chain::run(request, &machine),
        "schbench" => schbench::run(request, &machine),
        "cyclictest" => cyclictest::run(request, &machine),
        "rampup" => rampup::run(request, &machine),
        "dhrystone" => dhrystone::run(request, &machine),
        "aobench" => aobench::run(request, &machine),
        "soak" => soak::run(request, &machine),
        "uclamp" => uclamp::run(request, &machine),
        "micro" => micro::run(request, &machine),
        _ => Outcome::Skipped("unknown"),
    }
}
