//! Where an arriving task begins in the virtual time of its queue, how that goes on, and what it adds to the CPU's
//! load.

#[cfg(doc)]
use super::Departure;
use super::RunQueue;
use crate::Nanos;
use crate::entity::Entity;
use crate::virtual_time::{LONGEST_CHARGE, shared};

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
        let share = (self.load.utilisation() * entity.weight.get()).checked_div(self.balance.weight());
        entity.load.assume(share.map_or(free, |share| share.min(free)));
        entity.estimate = entity.load.utilisation();
        self.load.attach(&entity.load);
        entity.last_moved = now;
        self.start(entity, 0, now);
    }

    /// Sleep pays back what a task had run ahead: at the rate of those who are awake here, as their time is the
    /// queue's. What it sleeps beyond that makes its first deadline earlier, by a usual slice at most, so that who
    /// sleeps much is served soon; but it is owed nothing for it, as nobody gets a share of the time in which he wants
    /// none.
    pub(super) fn place_woken(&mut self, entity: &mut Entity, now: Nanos) {
        let slept = now.since(entity.settled);
        entity.load.rested(slept, self.capacity);
        let repaid = shared(slept, self.balance.weight() + entity.weight.get()).0;
        let debt = entity.lead.max(0).cast_unsigned();
        self.start(entity, entity.lead - repaid.min(debt).cast_signed(), now);
        if repaid >= debt {
            entity.hasten();
        }
    }

    pub(super) fn place_moved(&mut self, entity: &mut Entity, now: Nanos) {
        self.settle(now);
        self.load.attach(&entity.load);
        entity.last_moved = now;
        self.start(entity, entity.lead, now);
    }

    /// Lets the floor go on by everybody's share of the time that went by: on every tick, and before the weights
    /// change. However often others come behind it and leave again, it so passes whoever waits.
    #[inline]
    pub(super) fn advance_floor(&mut self, now: Nanos) {
        let served = now.since(self.counted);
        self.counted = now;
        if self.running && served > 0 && self.balance.weight() > 0 {
            let (advance, left) = shared(served.min(LONGEST_CHARGE), self.balance.weight());
            let runs_ahead = self.balance.is_before(self.floor);
            self.floor = self.floor.plus(if runs_ahead { advance / 2 } else { advance });
            self.counted = Nanos::new(now.as_nanos() - u64::from(left));
        }
    }

    fn start(&mut self, entity: &mut Entity, lead: i32, now: Nanos) {
        self.advance_floor(now);
        entity.start(self.floor, lead);
        self.balance.join(entity.weight, entity.vruntime);
        self.estimate += entity.estimate;
    }
}
