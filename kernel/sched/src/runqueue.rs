//! One CPU's run queue: fair shares by virtual deadline.
//!
//! Each task has a virtual run time, which advances more slowly the greater its weight, and a deadline one
//! slice later. The earliest deadline runs, until its slice is used up and somebody waits whose deadline is
//! no later. This is the deadline half of EEVDF (Stoica and Abdel-Wahab 1995; Linux `kernel/sched/fair.c`);
//! in place of its eligibility test, arrivals are placed at the queue's *floor*, the start of the slice in
//! service (start-time fair queueing, Goyal, Vin and Cheng 1996), so that nobody can claim the past.
//!
//! The queue is owned by its CPU: no method is meant for another one. Where a task stands:
//!
//! ```text
//!            enqueue(New|Woken|Moved)              pick
//!   elsewhere ──────────────────────────▶ waiting ──────▶ running ──▶ leave(Sleeps|Moves|Exits): elsewhere
//!                                  ▲  └─ take_where: elsewhere │
//!                                  └──── enqueue(Preempted|Yielded)
//! ```

use crate::entity::{Entity, Schedulable};
use crate::heap::Heap;
use crate::pelt::Load;
use crate::{Capacity, Nanos};

/// How long a task runs before an equal one that waits gets its turn. Linux' base slice for eight CPUs is
/// 2.8 ms; here it is a whole number of ticks.
pub const SLICE: Nanos = Nanos::from_millis(3);
const SLICE_NS: u32 = SLICE.as_nanos() as u32;

/// By how much virtual time an arrival's deadline must be the earlier one to interrupt a slice.
const PREEMPTION_MARGIN: u64 = 1_000_000;

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

/// The tasks that wait for one CPU, and the CPU's load. `T` stands for a task, `N` is the most that may wait.
#[derive(Debug)]
pub struct RunQueue<T, const N: usize> {
    waiting: Heap<T, N>,
    /// Virtual time of the queue: what arrivals start from. Never goes back.
    floor: u64,
    /// The latest deadline that was queued since the queue was last empty.
    horizon: u64,
    /// The sum of the weights of those who wait and of the running task.
    weight: u32,
    capacity: Capacity,
    load: Load,
    /// Until when the running task has been charged.
    charged: Nanos,
    /// Until when the CPU's load is known.
    settled: Nanos,
    running: bool,
}

impl<T, const N: usize> RunQueue<T, N> {
    /// An empty queue of an idle CPU.
    #[must_use]
    pub const fn new(capacity: Capacity) -> Self {
        Self {
            waiting: Heap::new(),
            floor: 0,
            horizon: 0,
            weight: 0,
            capacity,
            load: Load::new(),
            charged: Nanos::ZERO,
            settled: Nanos::ZERO,
            running: false,
        }
    }

    /// Tells the queue how fast its CPU is, from the next charge on.
    pub fn set_capacity(&mut self, capacity: Capacity) {
        self.capacity = capacity;
    }

    /// How many tasks wait; the running one is not among them.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether nobody waits.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The CPU's utilisation, `0..=1024` in terms of a full CPU: what it ran, also for tasks that sleep now.
    #[inline]
    #[must_use]
    pub fn utilisation(&self) -> u32 {
        self.load.utilisation()
    }

    /// The sum of the weights of the waiting tasks and the running one.
    #[inline]
    #[must_use]
    pub fn weight(&self) -> u32 {
        self.weight
    }

    /// Charges the running task up to `now` and brings its load signals and the CPU's up to date: for the tick.
    pub fn account(&mut self, running: &mut Entity, now: Nanos) {
        self.charge(running, now);
        running.load.fold(self.capacity);
        self.settle(now);
        self.load.fold(self.capacity);
    }

    /// Takes in the rest of an idle CPU, so that [`RunQueue::utilisation`] is fresh.
    pub fn idle(&mut self, now: Nanos) {
        if !self.running {
            self.settle(now);
        }
    }

    /// Charges the running task for the time since the last charge.
    #[inline]
    fn charge(&mut self, running: &mut Entity, now: Nanos) {
        let elapsed = now.since(self.charged);
        self.charged = now;
        running.load.ran(elapsed, self.capacity);
        running.vruntime += running.weight.virtual_time(elapsed);
        if running.vruntime >= running.deadline {
            running.spent = true;
            running.renew_deadline();
        }
        if self.waiting.is_empty() {
            // Nobody shares with it, so its time is the queue's time: who comes next owes it nothing.
            self.floor = self.floor.max(running.vruntime);
        }
    }

    /// Notes how the CPU has spent the time since this was last done.
    #[inline]
    fn settle(&mut self, now: Nanos) {
        let elapsed = now.since(self.settled);
        self.settled = now;
        if self.running {
            self.load.ran(elapsed, self.capacity);
        } else {
            self.load.rested(elapsed, self.capacity);
        }
    }

    /// Whether the running task should give way, as of the last [`RunQueue::account`] and arrival.
    #[inline]
    #[must_use]
    pub fn should_preempt(&self, running: &Entity) -> bool {
        self.waiting.earliest().is_some_and(|earliest| {
            running.spent && earliest <= running.deadline || earliest + PREEMPTION_MARGIN < running.deadline
        })
    }
}

impl<T: Schedulable, const N: usize> RunQueue<T, N> {
    /// Adds a task.
    ///
    /// [`Arrival::Preempted`] and [`Arrival::Yielded`] charge the task up to `now` first; it must have been
    /// the running one. After a yield it stands behind everybody who waits, so equal tasks alternate strictly.
    ///
    /// # Panics
    /// If `N` tasks wait already: `N` must be at least the number of tasks that can exist.
    pub fn enqueue(&mut self, mut task: T, now: Nanos, how: Arrival) {
        let entity = task.entity_mut();
        match how {
            Arrival::New => self.place_new(entity, now),
            Arrival::Woken => self.place_woken(entity, now),
            Arrival::Moved => self.place_moved(entity, now),
            Arrival::Preempted => self.charge(entity, now),
            Arrival::Yielded => {
                self.charge(entity, now);
                if !self.waiting.is_empty() {
                    entity.postpone_to(self.horizon);
                }
            }
        }
        entity.settled = now;
        let deadline = entity.deadline;
        self.horizon = if self.waiting.is_empty() { deadline } else { self.horizon.max(deadline) };
        assert!(self.waiting.push(deadline, task).is_ok(), "a run queue must have room for every task");
    }

    /// Takes the task that is to run now, if any waits. With none the CPU is idle from `now` on.
    ///
    /// The task that ran before must have left or have been queued again.
    #[inline]
    pub fn pick(&mut self, now: Nanos) -> Option<T> {
        let mut task = self.waiting.pop();
        if task.is_some() != self.running {
            self.settle(now);
            self.running = task.is_some();
        }
        self.charged = now;
        if let Some(task) = &mut task {
            let entity = task.entity_mut();
            entity.load.waited(now.since(entity.settled), self.capacity);
            entity.spent = false;
            self.floor = self.floor.max(entity.vruntime);
        }
        task
    }

    /// Charges the running task one last time: it does not belong to this CPU any more. [`RunQueue::pick`] follows.
    pub fn leave(&mut self, running: &mut Entity, now: Nanos, how: Departure) {
        self.charge(running, now);
        if how != Departure::Sleeps {
            self.detach(running, now);
        }
        self.forget(running, now);
    }

    /// Takes a waiting task to hand it over to another CPU: of those that `wanted` accepts, the one that came
    /// first, as least of it is still in the caches.
    pub fn take_where(&mut self, now: Nanos, wanted: impl Fn(&T) -> bool) -> Option<T> {
        let mut task = self.waiting.take_oldest(wanted)?;
        let entity = task.entity_mut();
        entity.load.waited(now.since(entity.settled), self.capacity);
        self.detach(entity, now);
        self.forget(entity, now);
        Some(task)
    }

    fn detach(&mut self, entity: &mut Entity, now: Nanos) {
        entity.load.fold(self.capacity);
        self.settle(now);
        self.load.detach(&entity.load);
    }

    fn forget(&mut self, entity: &mut Entity, now: Nanos) {
        self.weight -= entity.weight.get();
        entity.settled = now;
        entity.lead = entity.lead_over(self.floor);
    }

    /// Nothing is known of a new task, so it is assumed to take half of what is free here, but no more than a
    /// task of its weight takes now (Linux' `post_init_entity_util_avg`).
    fn place_new(&mut self, entity: &mut Entity, now: Nanos) {
        self.settle(now);
        let free = self.capacity.get().saturating_sub(self.load.utilisation()) / 2;
        let share = (self.load.utilisation() * entity.weight.get()).checked_div(self.weight);
        entity.load.assume(share.map_or(free, |share| share.min(free)));
        self.load.attach(&entity.load);
        entity.last_moved = now;
        self.start_at(entity, 0);
    }

    /// Sleep pays back what a task had run ahead, and then earns credit, but no more than a slice of it.
    fn place_woken(&mut self, entity: &mut Entity, now: Nanos) {
        let slept = now.since(entity.settled);
        entity.load.rested(slept, self.capacity);
        let lead = i64::from(entity.lead) - i64::from(slept);
        self.start_at(entity, lead);
    }

    fn place_moved(&mut self, entity: &mut Entity, now: Nanos) {
        self.settle(now);
        self.load.attach(&entity.load);
        entity.last_moved = now;
        self.start_at(entity, i64::from(entity.lead));
    }

    /// Lets a task begin `lead` from the floor, at most one slice to either side.
    fn start_at(&mut self, entity: &mut Entity, lead: i64) {
        let slice = entity.slice();
        let lead = lead.clamp(-slice.cast_signed(), slice.cast_signed());
        entity.vruntime = self.floor.saturating_add_signed(lead);
        entity.deadline = entity.vruntime + slice;
        self.weight += entity.weight.get();
    }
}

/// The virtual-time side of an entity.
impl Entity {
    /// A slice in this task's virtual time.
    #[inline]
    fn slice(&self) -> u64 {
        self.weight.virtual_time(SLICE_NS)
    }

    fn renew_deadline(&mut self) {
        // From the old deadline, not from now: a late tick must not shift the rhythm of the queue.
        let next = self.deadline + self.slice();
        self.deadline = if next > self.vruntime { next } else { self.vruntime + self.slice() };
    }

    fn postpone_to(&mut self, horizon: u64) {
        self.deadline = self.deadline.max(horizon);
        self.vruntime = self.vruntime.max(self.deadline.saturating_sub(self.slice()));
    }
    fn lead_over(&self, floor: u64) -> i32 {
        let lead = self.vruntime.wrapping_sub(floor).cast_signed();
        lead.clamp(i32::MIN.into(), i32::MAX.into()) as i32
    }
}

#[cfg(test)]
mod tests;
