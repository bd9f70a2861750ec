//! Sleeping on a word of user memory.

use abi::types::MAX_TASKS;
use abi::{Error, Result};
use heapless::Vec;
use sched::{Departure, Nanos};
use spin::{Mutex, MutexGuard};

use crate::cpu::Cpu;
use crate::kernel::Kernel;
use crate::task::TaskRef;

/// Words are spread over this many queues, a power of two.
const BUCKETS: usize = 16;

struct Waiter {
    address: u32,
    task: TaskRef,
}

type Bucket = Vec<Waiter, MAX_TASKS>;

/// The wait queues. Each lock is a leaf; it orders the check of the word against wake-ups.
pub struct Futexes {
    buckets: [Mutex<Bucket>; BUCKETS],
}

impl Futexes {
    /// Nobody waits.
    pub const fn new() -> Futexes {
        Futexes { buckets: [const { Mutex::new(Vec::new()) }; BUCKETS] }
    }

    /// Takes the task that has slept longest on a word.
    #[inline]
    fn take(&self, address: u32) -> Option<TaskRef> {
        let mut bucket = self.bucket(address);
        let place = bucket.iter().position(|waiter| waiter.address == address)?;
        // Most often only one task waits, and nobody has to close up behind it.
        let waiter = if place + 1 == bucket.len() { bucket.swap_remove(place) } else { bucket.remove(place) };
        Some(waiter.task)
    }

    #[inline]
    fn bucket(&self, address: u32) -> MutexGuard<'_, Bucket> {
        self.buckets[(address >> 2) as usize % BUCKETS].lock()
    }
}

impl Default for Futexes {
    fn default() -> Self {
        Futexes::new()
    }
}

impl Kernel {
    /// Puts the running task to sleep if the word still holds `expected`. Its result is success, given by the waker.
    pub(crate) fn futex_wait(
        &'static self,
        cpu: &mut Cpu,
        address: u32,
        expected: u32,
        now: Nanos,
    ) -> Result<Option<u32>> {
        let mut bucket = self.futexes.bucket(address);
        if arch::user::load_word(address).map_err(|_| Error::BadAddress)? != expected {
            return Err(Error::Changed);
        }
        let task = cpu.give_up(now, Departure::Sleeps);
        task.context.set_result(0);
        if bucket.push(Waiter { address, task }).is_err() {
            unreachable!("there is a place for every task");
        }
        Ok(None)
    }

    /// Wakes the tasks that have slept longest on a word, at most `count`.
    pub(crate) fn futex_wake(&'static self, cpu: &mut Cpu, address: u32, count: u32, now: Nanos) -> Result<u32> {
        arch::user::load_word(address).map_err(|_| Error::BadAddress)?;
        let mut woken = 0;
        // One by one, so that no lock is held over a wake-up.
        while woken < count
            && let Some(task) = self.futexes.take(address)
        {
            self.wake(cpu, task, now);
            woken += 1;
        }
        Ok(woken)
    }
}
