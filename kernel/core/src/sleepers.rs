//! Tasks that sleep until a time: one heap a CPU, owned like its run queue.

use core::cmp::Ordering;

use abi::types::MAX_TASKS;
use heapless::binary_heap::{BinaryHeap, Min};
use sched::Nanos;

use crate::task::TaskRef;

/// Later than any time that a clock of nanoseconds reaches.
pub const NEVER: Nanos = Nanos::new(u64::MAX);

struct Sleeper {
    wake_at: Nanos,
    /// Tasks with the same time wake in the order in which they went to sleep.
    turn: u32,
    task: TaskRef,
}

impl Sleeper {
    fn key(&self) -> (Nanos, u32) {
        (self.wake_at, self.turn)
    }
}

impl PartialEq for Sleeper {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Sleeper {}

impl PartialOrd for Sleeper {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Sleeper {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// The sleepers of one CPU.
pub struct Sleepers {
    heap: BinaryHeap<Sleeper, Min, MAX_TASKS>,
    turn: u32,
}

impl Sleepers {
    /// Nobody sleeps.
    pub const fn new() -> Sleepers {
        Sleepers { heap: BinaryHeap::new(), turn: 0 }
    }

    /// Puts a task to sleep.
    pub fn insert(&mut self, wake_at: Nanos, task: TaskRef) {
        self.turn = self.turn.wrapping_add(1);
        if self.heap.push(Sleeper { wake_at, turn: self.turn, task }).is_err() {
            unreachable!("there is a place for every task");
        }
    }

    /// When the first one wants to wake; [`NEVER`] when nobody sleeps.
    #[inline]
    pub fn next(&self) -> Nanos {
        self.heap.peek().map_or(NEVER, |sleeper| sleeper.wake_at)
    }

    /// Takes one whose time has come.
    pub fn pop_due(&mut self, now: Nanos) -> Option<TaskRef> {
        if self.next() > now {
            return None;
        }
        self.heap.pop().map(|sleeper| sleeper.task)
    }
}

impl Default for Sleepers {
    fn default() -> Self {
        Sleepers::new()
    }
}
