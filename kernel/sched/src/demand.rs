//! What a task wants, as the planner sees it.

use crate::{CpuMask, Nanos, Rate, TaskId};

/// The most tasks that a plan knows by name. Of more than these the greatest demands are planned, the rest is placed
/// one by one as it wakes.
pub const MAX_PLANNED: usize = 64;

/// A task's jobs begin at `phase` and every `period` before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    /// Between two jobs.
    pub period: Nanos,
    /// The beginning of one of them.
    pub phase: Nanos,
}

impl Beat {
    /// The first beginning after `now`.
    #[must_use]
    pub fn next(&self, now: Nanos) -> Nanos {
        let (period, since) = (self.period.as_nanos().max(1), now.saturating_sub(self.phase).as_nanos());
        self.phase + Nanos::new((since / period + 1) * period)
    }

    /// Whether jobs begin together with those of `other`: periods that do not drift apart within a second or so, and beginnings no further apart
    /// than a thirty-second of a period.
    #[must_use]
    pub fn is_in_step_with(&self, other: &Self) -> bool {
        let period = self.period.as_nanos();
        let apart = self.phase.as_nanos().abs_diff(other.phase.as_nanos()) % period.max(1);
        period.abs_diff(other.period.as_nanos()) <= period / 1024 && apart.min(period - apart) <= period / 32
    }
}

/// What one task wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// The task.
    pub task: TaskId,
    /// Where it may run.
    pub affinity: CpuMask,
    /// Work per time: work per job divided by the period. For a task that never sleeps what it would like at most.
    pub work: Rate,
    /// Its speed on a LITTLE core against a big one, in 1/1024 of what the price list says of the two; 0 if it is not known, and then
    /// the list is taken as it is. See [`Speeds::correction`](crate::signals::Speeds::correction).
    pub ratio: u32,
    /// By kind of core, the part of its time at the top that does not shrink with the clock, in 1/1024: memory stalls. Only what exceeds
    /// the stalls that the price list itself shows counts. See [`Speeds::stall`](crate::signals::Speeds::stall).
    pub stall: [u32; 2],
    /// What is to be reserved beyond `work`, in 1/1024 of it: for jobs that differ from each other.
    pub slack: u32,
    /// The speed that is due to it while it runs, if the machine has a CPU of that speed; zero for most tasks.
    pub least: Rate,
    /// When its jobs begin, if that is known.
    pub beat: Option<Beat>,
    /// It never sleeps: it takes what it gets, and as much as it can get.
    pub hungry: bool,
}

impl Demand {
    /// A task that does this much work per time in equal jobs.
    #[must_use]
    pub const fn steady(task: TaskId, work: Rate) -> Self {
        Self {
            task,
            affinity: CpuMask::ALL,
            work,
            ratio: 0,
            stall: [0; 2],
            slack: 0,
            least: Rate::ZERO,
            beat: None,
            hungry: false,
        }
    }

    /// A task that never sleeps.
    #[must_use]
    pub const fn hungry(task: TaskId) -> Self {
        Self { hungry: true, ..Self::steady(task, Rate::FULL) }
    }

    /// What is to be reserved for it: its work and its own slack, or `slack` in 1/1024 if that is more.
    #[inline]
    #[must_use]
    pub const fn reserve(&self, slack: u32) -> Rate {
        let slack = if self.slack > slack { self.slack } else { slack };
        Rate::new(self.work.get() + ((self.work.get() * slack) >> 10))
    }

    /// The same with jobs that begin at known times.
    #[must_use]
    pub const fn every(self, period: Nanos, phase: Nanos) -> Self {
        Self { beat: Some(Beat { period, phase }), ..self }
    }
}
