//! How a task leaves its queue, and what of the CPU's load it takes along.

use super::RunQueue;
use crate::Nanos;
use crate::entity::{Entity, Schedulable};

/// Why the running task leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// To sleep: it may come back, and its part of the CPU's load fades slowly.
    Sleeps,
    /// To another CPU: its part of the CPU's load goes with it.
    Moves,
    /// For ever.
    Exits,
}

impl<T: Schedulable, const N: usize> RunQueue<T, N> {
    /// Charges the running task one last time: it does not belong to this CPU any more. [`RunQueue::pick`] follows.
    pub fn leave(&mut self, running: &mut Entity, now: Nanos, how: Departure) {
        self.charge(running, now);
        let counted = running.estimate;
        if how == Departure::Sleeps {
            running.learn_estimate();
        } else {
            self.detach(running, now);
        }
        self.forget(running, counted, now);
    }

    /// Takes a waiting task to hand it over to another CPU: of those that `wanted` accepts, the one that came
    /// first, as least of it is still in the caches.
    pub fn take_where(&mut self, now: Nanos, wanted: impl Fn(&T) -> bool) -> Option<T> {
        let mut task = self.waiting.take_oldest(wanted)?;
        let entity = task.entity_mut();
        entity.load.waited(now.since(entity.settled), self.capacity);
        self.detach(entity, now);
        self.forget(entity, entity.estimate, now);
        Some(task)
    }

    /// Takes its part of the CPU's load away with a task that does not come back, both brought up to date first: what
    /// is added elsewhere is what goes here.
    fn detach(&mut self, entity: &mut Entity, now: Nanos) {
        entity.load.fold(self.capacity);
        self.settle(now);
        self.load.detach(&entity.load);
    }

    /// Strikes a task off the books, in which it stood with the estimate `counted`, and notes the lag that it brings
    /// along when it comes back.
    fn forget(&mut self, entity: &mut Entity, counted: u32, now: Nanos) {
        self.advance_floor(now);
        self.balance.leave(entity.weight, entity.vruntime);
        self.estimate -= counted;
        entity.settled = now;
        entity.lead = entity.vruntime.ahead_of(self.floor);
    }
}
