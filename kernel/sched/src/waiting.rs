//! Those who wait for a CPU: first those for whom time is reserved, by the time at which their jobs are due; of the
//! others the eligible ones by deadline, the rest by the time at which they become eligible.

use crate::balance::Balance;
use crate::demand::MAX_PLANNED;
use crate::heap::Heap;
use crate::virtual_time::VirtualTime;
use crate::{Entity, Schedulable};

/// Two heaps in place of the tree that Linux has (by deadline, each node with the least virtual time below it): a task
/// moves from one to the other at most once for each time that it waits, so a switch stays O(log n).
#[derive(Debug)]
pub(crate) struct Waiting<T, const N: usize> {
    timely: Heap<T, MAX_PLANNED>,
    eligible: Heap<T, N>,
    ahead: Heap<T, N>,
    arrivals: u32,
}

impl<T, const N: usize> Waiting<T, N> {
    pub(crate) const fn new() -> Self {
        Self { timely: Heap::new(), eligible: Heap::new(), ahead: Heap::new(), arrivals: 0 }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.timely.len() + self.eligible.len() + self.ahead.len()
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.timely.is_empty() && self.eligible.is_empty() && self.ahead.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.eligible.iter().chain(self.ahead.iter())
    }

    /// The earliest deadline of those that are known to be eligible.
    #[inline]
    pub(crate) fn earliest(&self) -> Option<VirtualTime> {
        self.eligible.earliest()
    }

    /// When the first job is due of those for whom time is reserved.
    #[inline]
    pub(crate) fn due(&self) -> Option<VirtualTime> {
        self.timely.earliest()
    }

    #[inline]
    fn number(&mut self) -> u32 {
        self.arrivals = self.arrivals.wrapping_add(1);
        self.arrivals
    }
}

impl<T: Schedulable, const N: usize> Waiting<T, N> {
    /// Adds a task, or gives it back if there is no room.
    pub(crate) fn push(&mut self, task: T, balance: &Balance) -> Result<(), T> {
        if self.len() >= N {
            return Err(task);
        }
        let number = self.number();
        let &Entity { vruntime, deadline, budget, .. } = task.entity();
        if budget > 0 && self.timely.len() < MAX_PLANNED {
            self.push_timely(task, number)
        } else if balance.is_eligible(vruntime) {
            self.eligible.push(deadline, number, task)
        } else {
            self.ahead.push(vruntime, number, task)
        }
    }

    /// Those whose time has come join the eligible ones.
    #[inline(always)]
    pub(crate) fn promote(&mut self, balance: &Balance) {
        // Most often nobody is ahead, and a switch passes here.
        if !self.ahead.is_empty() {
            self.promote_ahead(balance);
        }
    }

    #[inline(never)]
    fn promote_ahead(&mut self, balance: &Balance) {
        while self.ahead.earliest().is_some_and(|vruntime| balance.is_eligible(vruntime)) {
            let Some((number, task)) = self.ahead.pop() else { return };
            let deadline = task.entity().deadline;
            // All that wait are no more than N, so each heap has room for them.
            let _ = self.eligible.push(deadline, number, task);
        }
    }

    /// Takes the eligible task of earliest deadline. By the definition of the mean somebody always is eligible.
    #[inline]
    pub(crate) fn pop(&mut self, balance: &Balance) -> Option<T> {
        if !self.timely.is_empty() {
            return self.pop_timely();
        }
        if self.eligible.is_empty() && self.ahead.len() == 1 {
            // Eligible or not, there is no other.
            return self.ahead.pop().map(|(_, task)| task);
        }
        self.promote(balance);
        self.eligible.pop().or_else(|| self.ahead.pop()).map(|(_, task)| task)
    }

    /// Adds a task and takes the one that is to run.
    #[inline]
    pub(crate) fn exchange(&mut self, task: T, balance: &Balance) -> T {
        let &Entity { vruntime, deadline, budget, .. } = task.entity();
        if budget > 0 || !self.timely.is_empty() {
            return self.exchange_timely(task, balance);
        }
        let number = self.number();
        let is_eligible = balance.is_eligible(vruntime);
        if !is_eligible
            && self.eligible.is_empty()
            && let Some(only) = self.ahead.only(|only| balance.is_eligible(only))
        {
            // Two that take turns: each finds the other's place.
            return only.replace(vruntime, number, task);
        }
        self.promote(balance);
        if is_eligible {
            return self.eligible.exchange(deadline, number, task);
        }
        match self.eligible.pop() {
            Some((_, next)) => {
                // There was room for the one that left.
                let _ = self.ahead.push(vruntime, number, task);
                next
            }
            None => task,
        }
    }

    // Apart, so that those who have nothing to do with it do not pay for it.

    #[inline(never)]
    fn push_timely(&mut self, task: T, number: u32) -> Result<(), T> {
        self.timely.push(task.entity().due, number, task)
    }

    #[inline(never)]
    fn pop_timely(&mut self) -> Option<T> {
        self.timely.pop().map(|(_, task)| task)
    }

    #[inline(never)]
    fn exchange_timely(&mut self, task: T, balance: &Balance) -> T {
        let &Entity { due, budget, .. } = task.entity();
        if budget > 0 && self.timely.len() < MAX_PLANNED {
            let number = self.number();
            return self.timely.exchange(due, number, task);
        }
        match self.pop_timely() {
            Some(next) => {
                // There was room for the one that left.
                let _ = self.push(task, balance);
                next
            }
            None => task,
        }
    }

    /// Takes the task that came first of those that `wanted` accepts, rather one for which nothing is reserved here.
    pub(crate) fn take_oldest(&mut self, wanted: impl Fn(&T) -> bool) -> Option<T> {
        let oldest = |heap: &Heap<T, N>| heap.oldest(self.arrivals, &wanted);
        let (eligible, ahead) = (oldest(&self.eligible), oldest(&self.ahead));
        let from_ahead = ahead.map(|found| found.0) > eligible.map(|found| found.0);
        let (heap, found) = if from_ahead { (&mut self.ahead, ahead) } else { (&mut self.eligible, eligible) };
        if let Some((_, index)) = found {
            return Some(heap.take(index).1);
        }
        let (_, index) = self.timely.oldest(self.arrivals, &wanted)?;
        Some(self.timely.take(index).1)
    }
}
