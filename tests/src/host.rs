//! Programs that only a host can judge: it boots an image for each and looks at what comes out, or that nothing does
//! any more.

use core::fmt::Write;
use core::sync::atomic::{AtomicU32, Ordering};

use abi::console::{self, Line};
use abi::println;
use abi::system::diagnose;
use abi::types::Diagnosis;
use workloads::tally::TALLY;

use crate::support::on_each_cpu;

/// The words of the argument `die`.
pub const DEATHS: [&str; 4] = ["panic", "kernel_fault", "stack_overflow", "panic_in_console"];

/// Lines that each CPU says in [`talk`].
static LINES: AtomicU32 = AtomicU32::new(0);

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

/// All CPUs say so many lines at once; the host sees whether each line is whole.
pub fn talk(lines: u32) {
    fn speaker(cpu: usize) {
        for number in 0..LINES.load(Ordering::Relaxed) {
            println!("TALK cpu={cpu} number={number} text=the_quick_brown_fox_jumps_over_the_lazy_dog end={cpu}");
        }
    }
    LINES.store(lines, Ordering::Relaxed);
    TALLY.count(on_each_cpu(speaker).is_ok());
}

/// Says again so many lines that are typed, each as it was; empty ones do not count.
pub fn listen(lines: u32) {
    let mut line = Line::new();
    let mut heard = 0;
    while heard < lines {
        let mut bytes = [0; 16];
        let Ok(length) = console::read(&mut bytes) else { return TALLY.count(false) };
        for &byte in &bytes[..length] {
            if byte == b'\n' || byte == b'\r' {
                if !line.as_str().is_empty() {
                    println!("HEARD {}", line.as_str());
                    heard += 1;
                }
                line = Line::new();
            } else {
                // A line that is too long is cut, and the host will see that.
                let _ = line.write_char(byte as char);
            }
        }
    }
    TALLY.count(true);
}
