//! One CPU's run queue: fair shares by virtual deadline.
//!
//! Each task has a virtual run time, which advances more slowly the greater its weight, and a deadline one
//! slice later. Of those that have not had more than their share, the earliest deadline runs, until its slice is used
//! up and somebody waits whose deadline is no later: EEVDF (Stoica and Abdel-Wahab 1995; Linux `kernel/sched/fair.c`).
//! What a task had run ahead or was owed when it left, its lag, it brings along when it comes back, up to a slice;
//! sleep pays back what it had run ahead, and who owes nothing when he wakes up has a first deadline that is a slice
//! earlier: he is served soon, but gets no more than his share. Where Linux measures that from the mean virtual time,
//! it is measured here from the queue's *floor*: it goes on by everybody's share of the time that is served, Δt / Σ w,
//! by half of that where it is ahead of the mean, and is not behind the start of a slice in service (start-time fair
//! queueing, Goyal, Vin and Cheng 1996). The mean falls when somebody leaves who had run ahead; were arrivals placed by
//! it, or by starts alone, tasks that take turns at sleeping could keep it where it is for ever, and with it whoever
//! waits ahead of it. Of the floor no arrival comes more than a slice before, so it passes everybody who waits: for
//! twice Σ w / w slices and one of each other task at most.
//!
//! Before all these come jobs for which a plan has reserved time, by the time at which they are due
//! ([`Entity::reserve`]): a fair queue would let tasks of different periods wait for each other, and be late, long
//! before a CPU is full; by due times (EDF) they are in time as long as the CPU is not full (Liu and Layland 1973). A
//! plan fills no CPU, so the others still have their turn; while jobs take more than was planned that is up to half as
//! much again, until the plan is found to hold no more.
//!
//! The queue is owned by its CPU: no method is meant for another one. Where a task stands:
//!
//! ```text
//!            enqueue(New|Woken|Moved)              pick
//!   elsewhere ──────────────────────────▶ waiting ──────▶ running ──▶ leave(Sleeps|Moves|Exits): elsewhere
//!                                   ▲  └─▶ take_where: elsewhere │
//!                                   └────────────────────────────┘
//!                              enqueue(Preempted|Yielded), or with the next pick: give_way
//! ```

use crate::balance::Balance;
use crate::entity::{Entity, Schedulable};
use crate::pelt::Load;
use crate::virtual_time::{RANGE, VirtualTime};
use crate::waiting::Waiting;
use crate::{Capacity, Nanos};

mod arrival;
mod departure;

pub use crate::virtual_time::SLICE;
pub use arrival::Arrival;
pub use departure::Departure;

/// By what part of the running task's slice an arrival's deadline must be the earlier one to interrupt it: a
/// millisecond of a usual one.
const PREEMPTION_MARGIN: u32 = 3;

/// The tasks that wait for one CPU, and the CPU's load. `T` stands for a task, `N` is the most that may wait.
///
/// The order of the fields is kept: all but the heap lie within reach of a load of two words.
#[derive(Debug)]
#[repr(C)]
pub struct RunQueue<T, const N: usize> {
    /// Virtual time of the queue: what arrivals start from. Never goes back.
    floor: VirtualTime,
    /// Until when the floor has gone on.
    counted: Nanos,
    /// The latest deadline that was queued since the queue was last empty.
    horizon: VirtualTime,
    /// The weights and the mean virtual time of those who wait and of the running task.
    balance: Balance,
    /// The sum of what they each will use, as last noted: an upper hint for the load that is to come.
    estimate: u32,
    capacity: Capacity,
    load: Load,
    /// Until when the running task has been charged.
    charged: Nanos,
    /// Until when the CPU's load is known.
    settled: Nanos,
    /// Since when the running task has it, and for how long tasks have it on average, in nanoseconds.
    begun: Nanos,
    stint: u32,
    running: bool,
    waiting: Waiting<T, N>,
}

impl<T, const N: usize> RunQueue<T, N> {
    /// An empty queue of an idle CPU.
    #[must_use]
    pub const fn new(capacity: Capacity) -> Self {
        Self {
            floor: VirtualTime::ZERO,
            counted: Nanos::ZERO,
            horizon: VirtualTime::ZERO,
            balance: Balance::new(),
            estimate: 0,
            capacity,
            load: Load::new(),
            charged: Nanos::ZERO,
            settled: Nanos::ZERO,
            begun: Nanos::ZERO,
            stint: 0,
            running: false,
            waiting: Waiting::new(),
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

    /// The tasks that wait, in no order.
    pub fn waiting(&self) -> impl Iterator<Item = &T> {
        self.waiting.iter()
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
        self.balance.weight()
    }

    /// What the waiting tasks and the running one use when they are awake, together: see [`Entity::estimate`]. Not
    /// bounded by 1024.
    #[inline]
    #[must_use]
    pub fn estimate(&self) -> u32 {
        self.estimate
    }

    /// The share of time in which somebody ran or waited here, `0..=1024`.
    #[inline]
    #[must_use]
    pub fn runnable(&self) -> u32 {
        self.load.runnable()
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
        running.budget = running.budget.saturating_sub(elapsed);
        running.load.ran(elapsed, self.capacity);
        let advanced = running.charge(elapsed);
        self.balance.advance(running.weight, advanced);
        if self.waiting.is_empty() {
            // Nobody shares with it, so its time is the queue's time: who comes next owes it nothing.
            self.advance_floor(now);
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

    /// Whether the running task should give way, as of the last [`RunQueue::account`] and arrival: to a job that is due
    /// earlier; if none has time reserved, at the end of its slice to a task whose deadline is no later, and before
    /// that to one whose deadline is clearly earlier.
    #[inline]
    #[must_use]
    pub fn should_preempt(&self, running: &Entity) -> bool {
        if let Some(due) = self.waiting.due() {
            return running.budget == 0 || due.is_before(running.due);
        }
        running.budget == 0
            && self.waiting.earliest().is_some_and(|earliest| {
                let margin = running.slice / PREEMPTION_MARGIN;
                running.spent && !running.deadline.is_before(earliest)
                    || earliest.plus(margin).is_before(running.deadline)
            })
    }
}

impl<T: Schedulable, const N: usize> RunQueue<T, N> {
    /// For how long a task runs here until it sleeps, yields or its turn ends, on average: a waiting one waits for
    /// about this times the number of those before it.
    #[inline]
    #[must_use]
    pub fn stint(&self) -> Nanos {
        Nanos::new(u64::from(self.stint))
    }

    /// Charges the running task up to `now` and brings its load signals and the CPU's up to date: for the tick.
    pub fn account(&mut self, running: &mut Entity, now: Nanos) {
        self.charge(running, now);
        running.load.fold(self.capacity);
        self.settle(now);
        self.load.fold(self.capacity);
        self.advance_floor(now);
        self.waiting.promote(&self.balance);
    }

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
            Arrival::Yielded => self.charge_and_postpone(entity, now),
        }
        self.note_waiting(entity, now);
        assert!(self.waiting.push(task, &self.balance).is_ok(), "a run queue must have room for every task");
    }

    /// Queues the running task, which gives way, and takes the one that is to run now: in one step what
    /// [`RunQueue::enqueue`] ([`Arrival::Yielded`] or [`Arrival::Preempted`]) and [`RunQueue::pick`] do in two. The
    /// answer is the same task if it is still the first.
    #[inline]
    pub fn give_way(&mut self, mut task: T, now: Nanos, yields: bool) -> T {
        let entity = task.entity_mut();
        if yields {
            self.charge_and_postpone(entity, now);
        } else {
            self.charge(entity, now);
        }
        self.note_waiting(entity, now);
        let mut next = self.waiting.exchange(task, &self.balance);
        self.begin(next.entity_mut(), now);
        next
    }

    /// Takes the task that is to run now, if any waits. With none the CPU is idle from `now` on.
    ///
    /// The task that ran before must have left or have been queued again. Inlined, because every block passes here.
    #[inline(always)]
    pub fn pick(&mut self, now: Nanos) -> Option<T> {
        let mut task = self.waiting.pop(&self.balance);
        if task.is_some() != self.running {
            self.settle(now);
            self.running = task.is_some();
            self.counted = now;
        }
        if let Some(task) = &mut task {
            self.begin(task.entity_mut(), now);
        }
        task
    }

    #[inline(always)]
    fn begin(&mut self, entity: &mut Entity, now: Nanos) {
        // One in eight, by shifts: this runs at every switch.
        self.stint = self.stint - (self.stint >> 3) + (self.charged.since(self.begun) >> 3);
        self.begun = now;
        self.charged = now;
        entity.load.waited(now.since(entity.settled), self.capacity);
        entity.spent = false;
        let start = entity.deadline.plus(entity.slice.wrapping_neg());
        if self.floor.is_before(start) && self.balance.is_eligible(start) {
            self.floor = start;
        }
        self.balance.follow(entity.vruntime);
    }

    #[inline(always)]
    fn charge_and_postpone(&mut self, entity: &mut Entity, now: Nanos) {
        self.charge(entity, now);
        if !self.waiting.is_empty() {
            // Deadlines of tasks that have left since count for no more than a queue's virtual time may span.
            self.horizon = self.horizon.min(self.floor.plus(RANGE));
            let given = entity.postpone_to(self.horizon);
            self.balance.advance(entity.weight, given);
        }
    }

    /// Books that a task waits from now on.
    #[inline]
    fn note_waiting(&mut self, entity: &mut Entity, now: Nanos) {
        entity.settled = now;
        self.horizon = if self.waiting.is_empty() { entity.deadline } else { self.horizon.max(entity.deadline) };
    }
}

#[cfg(test)]
mod tests;
