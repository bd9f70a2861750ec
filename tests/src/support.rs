//! What several tests need.

use core::hint::black_box;
use core::sync::atomic::AtomicU32;

use abi::clock;
use abi::crew::Crew;
use abi::futex;
use abi::task::Entry;
use abi::types::MAX_CPUS;
use workloads::machine::Machine;
use workloads::micro::counter;

use crate::harness::{Failure, expect_equal};

/// Length of the kernel's tick, in nanoseconds.
pub const TICK: u64 = 1_000_000;

/// Starts one task on each online CPU, its number as argument, and waits until all have ended well.
pub fn on_each_cpu(entry: Entry) -> Result<(), Failure> {
    let mut crew = Crew::<MAX_CPUS>::new();
    for cpu in Machine::read().online() {
        crew.start(1 << cpu, entry, cpu)?;
    }
    expect_equal("tasks that ended badly", 0u64, crew.wait()? as u64)
}

/// Whether time is exact: one instruction a nanosecond, and one CPU at a time. Elsewhere a busy host may stop a CPU for
/// long.
pub fn time_is_exact(machine: &Machine) -> bool {
    machine.paced() && counter::counts_instructions()
}

/// The longest time that a bound and woken task may have to wait for its CPU, in nanoseconds: a tick, its window in the
/// next one and some room, where time is exact; what a busy host needs elsewhere.
pub fn patience(machine: &Machine) -> u64 {
    if time_is_exact(machine) { 3 * TICK } else { 1000 * TICK }
}

/// Keeps the CPU busy for about this many rounds of a few instructions.
pub fn busy(rounds: u32) {
    for round in 0..rounds {
        black_box(round);
    }
}

/// Looks every other tick whether something has become so, for at most this many nanoseconds.
pub fn becomes(limit: u64, so: impl Fn() -> bool) -> bool {
    let deadline = clock::now() + limit;
    while !so() {
        if clock::now() > deadline {
            return so();
        }
        clock::sleep(2 * TICK);
    }
    true
}

/// Wakes `count` tasks that sleep on `word`, or are about to. False when that takes longer than two seconds, or wakes
/// too many.
pub fn wake_all_of(word: &AtomicU32, count: u32) -> Result<bool, Failure> {
    let mut woken = 0;
    for _ in 0..1000 {
        woken += futex::wake(word, count - woken)?;
        if woken >= count {
            break;
        }
        clock::sleep(2 * TICK);
    }
    Ok(woken == count)
}

/// A small generator of pseudo-random numbers (Marsaglia, "Xorshift RNGs", J. Stat. Software 8(14), 2003).
pub struct Random(u32);

impl Random {
    /// A generator with its own sequence for each seed.
    pub const fn new(seed: u32) -> Random {
        Random(seed.wrapping_mul(2_654_435_761) | 1)
    }

    /// A number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 % bound
    }
}
