//! What passed and what failed since boot: the numbers of the `DONE` line.

use core::sync::atomic::{AtomicU32, Ordering};

/// Two counts that every task may add to.
#[derive(Debug, Default)]
pub struct Tally {
    passed: AtomicU32,
    failed: AtomicU32,
}

/// The one tally of the system.
pub static TALLY: Tally = Tally::new();

impl Tally {
    /// Nothing ran yet.
    pub const fn new() -> Tally {
        Tally { passed: AtomicU32::new(0), failed: AtomicU32::new(0) }
    }

    /// Counts one thing that did what it should, or did not.
    pub fn count(&self, passed: bool) {
        let counter = if passed { &self.passed } else { &self.failed };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// How many passed.
    pub fn passed(&self) -> u32 {
        self.passed.load(Ordering::Relaxed)
    }

    /// How many failed.
    pub fn failed(&self) -> u32 {
        self.failed.load(Ordering::Relaxed)
    }
}
