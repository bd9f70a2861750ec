//! What the scheduler keeps about one task.

use core::fmt;

use crate::pelt::Load;
use crate::virtual_time::{SLICE, VirtualTime};
use crate::{Capacity, CpuMask, Nanos};

/// The name of a task: opaque here, unique among the tasks that live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TaskId(u32);

impl TaskId {
    /// The task with the given number.
    #[inline]
    #[must_use]
    pub const fn new(raw: u32) -> Self {
        Self(raw)
    }

    /// The number.
    #[inline]
    #[must_use]
    pub const fn raw(self) -> u32 {
        self.0
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// A task's claim to CPU time among the others of its queue; 1024 is the usual one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weight {
    value: u32,
    /// `2^32 / value`, so that virtual time costs a multiplication and no division.
    inverse: u32,
}

/// From nice -20 to nice 19. One step is a factor of 1.25: about 10 % of a CPU between two tasks.
static WEIGHTS: [Weight; 40] = weights();

const fn weights() -> [Weight; 40] {
    let mut weights = [Weight::NORMAL; 40];
    // Fixed point with 16 fractional bits, walked away from nice 0 in both directions.
    let (mut up, mut down) = (1024_u64 << 16, 1024_u64 << 16);
    let mut step = 1;
    while step <= 20 {
        up = up * 5 / 4;
        weights[20 - step] = Weight::rounded(up);
        if step < 20 {
            down = down * 4 / 5;
            weights[20 + step] = Weight::rounded(down);
        }
        step += 1;
    }
    weights
}

impl Weight {
    /// Of a task of nice 0.
    pub const NORMAL: Self = Self::rounded(1024 << 16);

    /// The weight for a nice level; levels outside -20..=19 mean the nearest one inside.
    #[must_use]
    pub fn nice(level: i8) -> Self {
        WEIGHTS[usize::from(level.clamp(-20, 19).abs_diff(-20))]
    }

    /// Of nice 19, the least.
    pub(crate) const LIGHTEST: Self = Self::rounded(15 << 16);

    /// The number, from 15 to about 88 800.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u32 {
        self.value
    }

    /// `2^32 / weight`.
    #[inline]
    pub(crate) const fn inverse(self) -> u32 {
        self.inverse
    }

    const fn rounded(fixed_point: u64) -> Self {
        let value = ((fixed_point + (1 << 15)) >> 16) as u32;
        Self { value, inverse: ((1_u64 << 32) / value as u64) as u32 }
    }
}

/// The scheduler's part of a task block. It travels with the task from queue to queue.
#[derive(Clone, Debug)]
pub struct Entity {
    /// Virtual run time on the present queue.
    pub(crate) vruntime: VirtualTime,
    /// When its slice will be used up, in the same virtual time.
    pub(crate) deadline: VirtualTime,
    /// By how much its deadline is earlier than the end of its slice.
    pub(crate) hastened: u32,
    /// By when its job is to be done, and what is left of the time that is reserved for it until then: see [`Entity::reserve`].
    pub(crate) due: VirtualTime,
    /// When the job began for which that was last granted.
    pub(crate) granted: VirtualTime,
    pub(crate) budget: u32,
    /// How far it was ahead of its queue when it last left one; meaningless while it is on one.
    pub(crate) lead: i32,
    /// Its slice was used up since it was last picked.
    pub(crate) spent: bool,
    pub(crate) weight: Weight,
    /// A slice in its virtual time.
    pub(crate) slice: u32,
    pub(crate) load: Load,
    /// The utilisation at the end of its jobs, averaged; see [`Entity::estimate`].
    pub(crate) estimate: u32,
    /// Since when it waits or sleeps; meaningless while it runs.
    pub(crate) settled: Nanos,
    pub(crate) last_moved: Nanos,
}

impl Entity {
    /// A task that has never run.
    #[must_use]
    pub const fn new(weight: Weight) -> Self {
        Self {
            vruntime: VirtualTime::ZERO,
            deadline: VirtualTime::ZERO,
            hastened: 0,
            due: VirtualTime::ZERO,
            granted: VirtualTime::ZERO,
            budget: 0,
            lead: 0,
            spent: false,
            weight,
            slice: weight.virtual_time(SLICE.as_nanos() as u32),
            load: Load::new(),
            estimate: 0,
            settled: Nanos::ZERO,
            last_moved: Nanos::ZERO,
        }
    }

    /// Its share of a full CPU, lately: `0..=1024`.
    #[inline]
    #[must_use]
    pub const fn utilisation(&self) -> u32 {
        self.load.utilisation()
    }

    /// Its utilisation at `now`, while it sleeps: it fades as it will have faded when the task wakes up.
    #[must_use]
    pub fn utilisation_asleep(&self, now: Nanos) -> u32 {
        let mut load = self.load;
        load.rested(now.since(self.settled), Capacity::FULL);
        load.fold(Capacity::FULL);
        load.utilisation()
    }

    /// The share of time, lately, in which it ran or would have liked to: `0..=1024`.
    #[inline]
    #[must_use]
    pub const fn runnable(&self) -> u32 {
        self.load.runnable()
    }

    /// What it will use once it is awake again: the utilisation that it had when it last went to sleep, averaged, or the present one
    /// if that is more (Linux' `util_est`). For a task with short jobs this is its peak, and above its mean.
    #[inline]
    #[must_use]
    pub fn estimate(&self) -> u32 {
        self.estimate.max(self.load.utilisation())
    }

    /// Learns from the job that ends now (Linux' `util_est_update`, `kernel/sched/fair.c`): up at once, down by a quarter.
    /// A difference below 1 % teaches nothing. Linux learns nothing either from a job that had to wait for its CPU; but of tasks that begin together
    /// the same ones wait each time, and what is expected of them would never fall from its first value.
    #[inline]
    pub(crate) fn learn_estimate(&mut self) {
        const MARGIN: u32 = 1024 / 100;
        let (now, known) = (self.load.utilisation(), self.estimate);
        if now >= known {
            self.estimate = now;
        } else if known - now >= MARGIN {
            self.estimate = known - (known - now) / 4;
        }
    }

    /// The work that it has done, as run time on a CPU of full capacity, as of its CPU's last
    /// [`account`](crate::RunQueue::account).
    #[inline]
    #[must_use]
    pub const fn progress(&self) -> Nanos {
        self.load.work()
    }

    /// When it came to its present CPU.
    #[inline]
    #[must_use]
    pub const fn last_moved(&self) -> Nanos {
        self.last_moved
    }

    /// Gives it another weight. For a task that is on no queue: queues count the weights of those who are.
    pub fn set_weight(&mut self, weight: Weight) {
        self.weight = weight;
        self.slice = weight.virtual_time(SLICE.as_nanos() as u32);
    }

    /// Its weight.
    #[inline]
    #[must_use]
    pub const fn weight(&self) -> Weight {
        self.weight
    }
}

/// Whatever stands for a task in a [`RunQueue`](crate::RunQueue).
pub trait Schedulable {
    /// The scheduler's part of the task.
    fn entity(&self) -> &Entity;
    /// The scheduler's part of the task, to be changed.
    fn entity_mut(&mut self) -> &mut Entity;
    /// The task's name.
    fn id(&self) -> TaskId;
    /// The CPUs that the task may run on.
    fn affinity(&self) -> CpuMask;
}

impl<S: Schedulable + ?Sized> Schedulable for &mut S {
    #[inline]
    fn entity(&self) -> &Entity {
        (**self).entity()
    }

    #[inline]
    fn entity_mut(&mut self) -> &mut Entity {
        (**self).entity_mut()
    }

    #[inline]
    fn id(&self) -> TaskId {
        (**self).id()
    }

    #[inline]
    fn affinity(&self) -> CpuMask {
        (**self).affinity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_go_down_by_a_quarter_a_step() {
        assert_eq!(Weight::nice(0), Weight::NORMAL);
        assert_eq!((Weight::nice(0).get(), Weight::nice(1).get(), Weight::nice(-1).get()), (1024, 819, 1280));
        assert_eq!((Weight::nice(19).get(), Weight::nice(-20).get()), (15, 88_818));
        assert_eq!((Weight::nice(100), Weight::nice(-100)), (Weight::nice(19), Weight::nice(-20)));
        assert_eq!(Weight::LIGHTEST, Weight::nice(19));
        assert!(WEIGHTS.windows(2).all(|pair| pair[0].get() > pair[1].get()));
    }
}
