//! Where an arriving task begins in the virtual time of its queue, and what it adds to the CPU's load.

#[cfg(doc)]
use super::Departure;
use super::RunQueue;
use crate::Nanos;
use crate::entity::Entity;

/// How a task comes to the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It has never run.
    New,
    /// It slept, having left this queue or another with [`Departure::Sleeps`].
    Woken,
    /// It is handed over by another CPU, while it ran ([`Departure::Moves`]) or waited
    /// ([`RunQueue::take_where`]).
    Moved,
    /// It ran here and gives way.
    Preempted,
    /// It ran here and wants everybody who waits to run first.
    Yielded,
}

impl<T, const N: usize> RunQueue<T, N> {
    /// Nothing is known of a new task, so it is assumed to take half of what is free here, but no more than a
    /// task of its weight takes now (Linux' `post_init_entity_util_avg`).
    pub(super) fn place_new(&mut self, entity: &mut Entity, now: Nanos) {
        self.settle(now);
        let free = self.capacity.get().saturating_sub(self.load.utilisation()) / 2;
        let share = (self.load.utilisation() * entity.weight.get()).checked_div(self.weight);
        entity.load.assume(share.map_or(free, |share| share.min(free)));
        self.load.attach(&entity.load);
        entity.last_moved = now;
        self.start(entity, 0);
    }

    /// Sleep pays back what a task had run ahead, and then earns credit, but no more than a slice of it.
    pub(super) fn place_woken(&mut self, entity: &mut Entity, now: Nanos) {
        let slept = now.since(entity.settled);
        entity.load.rested(slept, self.capacity);
        self.start(entity, entity.lead.saturating_sub(i32::try_from(slept).unwrap_or(i32::MAX)));
    }

    pub(super) fn place_moved(&mut self, entity: &mut Entity, now: Nanos) {
        self.settle(now);
        self.load.attach(&entity.load);
        entity.last_moved = now;
        self.start(entity, entity.lead);
    }

    fn start(&mut self, entity: &mut Entity, lead: i32) {
        entity.start(self.floor, lead);
        self.weight += entity.weight.get();
    }
}
