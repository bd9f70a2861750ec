//! Deaths of the kernel that only a host can judge: it boots an image for each, and wants it to end with a failing code.

use abi::println;
use abi::system::diagnose;
use abi::types::Diagnosis;
use workloads::tally::TALLY;

/// The words of the argument `die`.
pub const KINDS: [&str; 4] = ["panic", "kernel_fault", "stack_overflow", "panic_in_console"];

/// Asks the kernel for a death; coming back is a failure.
pub fn die(kind: &str) {
    let diagnosis = match kind {
        "panic" => Diagnosis::Panic,
        "kernel_fault" => Diagnosis::KernelFault,
        "stack_overflow" => Diagnosis::KernelStackOverflow,
        _ => Diagnosis::PanicInConsole,
    };
    let result = diagnose(diagnosis, 0);
    println!("TEST death.{kind} … FAIL expected the system to end, saw {result:?}");
    TALLY.count(false);
}
