//! Sleeping on a word of user memory.

use abi::{Error, Result};
use sched::{Departure, Nanos};
use spin::{Mutex, MutexGuard};

use crate::cpu::Cpu;
use crate::kernel::Kernel;
use crate::task::{TaskRef, Wait};
use crate::waitqueue::WaitQueue;

/// Words are spread over this many queues, a power of two.
const BUCKETS: usize = 16;

/// The wait queues. Each lock is a leaf; it orders the check of the word against wake-ups.
pub struct Futexes {
    buckets: [Mutex<WaitQueue>; BUCKETS],
}

impl Futexes {
    /// Nobody waits.
    pub const fn new() -> Futexes {
        Futexes { buckets: [const { Mutex::new(WaitQueue::new()) }; BUCKETS] }
    }

    /// Takes the task that has slept longest on a word.
    #[inline]
    fn take(&self, address: u32) -> Option<TaskRef> {
        self.bucket(address).take_where(|task| task.wait == Wait::Word(address))
    }

    #[inline]
    fn bucket(&self, address: u32) -> MutexGuard<'_, WaitQueue> {
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
        task.wait = Wait::Word(address);
        bucket.push(task);
        Ok(None)
    }

    /// Wakes the tasks that have slept longest on a word, at most `count`.
    #[inline(never)]
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
