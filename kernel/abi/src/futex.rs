//! Sleeping on a word of memory: the base of every other way to wait.

use core::sync::atomic::{AtomicU32, Ordering};

use crate::call::Call;
use crate::error::{Error, Result};
use crate::trap::{address, trap};

/// Sleeps while `word` holds `expected`. Returns when woken, or with [`Error::Changed`] at once when it held something
/// else.
#[inline]
pub fn wait(word: &AtomicU32, expected: u32) -> Result<()> {
    Error::decode(trap(Call::FutexWait, address(word), expected, 0, 0).0).map(|_| ())
}

/// Wakes at most `count` tasks that sleep on `word`. Returns how many.
#[inline]
pub fn wake(word: &AtomicU32, count: u32) -> Result<u32> {
    Error::decode(trap(Call::FutexWake, address(word), count, 0, 0).0)
}

/// Sleeping on a raw address; for tests of the kernel's checks.
pub fn wait_raw(at: u32, expected: u32) -> Result<()> {
    Error::decode(trap(Call::FutexWait, at, expected, 0, 0).0).map(|_| ())
}

/// A door that opens once: everyone waits until it does.
#[derive(Debug, Default)]
pub struct Gate(AtomicU32);

impl Gate {
    /// A closed gate.
    pub const fn new() -> Gate {
        Gate(AtomicU32::new(0))
    }

    /// Sleeps until the gate is open.
    pub fn wait(&self) {
        while self.0.load(Ordering::Acquire) == 0 {
            // Woken, or it changed under us: either way the word is looked at again.
            let _ = wait(&self.0, 0);
        }
    }

    /// Opens the gate for everyone.
    pub fn open(&self) {
        self.0.store(1, Ordering::Release);
        // A wake-up of a valid word cannot fail.
        let _ = wake(&self.0, u32::MAX);
    }

    /// Closes it again for the next round; nobody may be waiting.
    pub fn close(&self) {
        self.0.store(0, Ordering::Release);
    }
}

/// A count that tasks take from and give to, sleeping while it is zero.
#[derive(Debug, Default)]
pub struct Semaphore(AtomicU32);

impl Semaphore {
    /// A semaphore with this many permits.
    pub const fn new(permits: u32) -> Semaphore {
        Semaphore(AtomicU32::new(permits))
    }

    /// Takes a permit, sleeping until there is one.
    pub fn take(&self) {
        loop {
            let permits = self.0.load(Ordering::Relaxed);
            if permits == 0 {
                // As in `Gate::wait`.
                let _ = wait(&self.0, 0);
            } else if self.0.compare_exchange_weak(permits, permits - 1, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                return;
            }
        }
    }

    /// Gives a permit back and wakes one task that waits for it.
    pub fn give(&self) {
        self.0.fetch_add(1, Ordering::Release);
        // As in `Gate::open`.
        let _ = wake(&self.0, 1);
    }
}
