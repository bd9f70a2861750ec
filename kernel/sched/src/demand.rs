//! What a task wants, as the planner sees it.

use crate::{CpuMask, Rate, TaskId};

/// The most tasks that a plan knows by name. Of more than these the greatest demands are planned, the rest is placed
/// one by one as it wakes.
pub const MAX_PLANNED: usize = 64;

/// The speed of a LITTLE core at its top against a big one's at its top, in 1/1024, as long as nothing was measured:
/// between the 0.37 of the device tree and the 0.45 of a shell loop.
pub const PRIOR_RATIO: u32 = 430;

/// What one task wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// The task.
    pub task: TaskId,
    /// Where it may run.
    pub affinity: CpuMask,
    /// Work per time: work per job divided by the period. For a task that never sleeps what it would like at most.
    pub work: Rate,
    /// Its speed on a LITTLE core at the top in 1/1024 of that on a big one at the top; 0 if it is not known, and then that of
    /// the price list counts.
    pub ratio: u32,
    /// The part of its time on a big core at the top that does not shrink with the clock, in 1/1024: memory stalls.
    pub stall: u32,
    /// What is to be reserved beyond `work`, in 1/1024 of it: for jobs that differ from each other.
    pub slack: u32,
    /// It never sleeps: it takes what it gets, and as much as it can get.
    pub hungry: bool,
}

impl Demand {
    /// A task that does this much work per time in equal jobs.
    #[must_use]
    pub const fn steady(task: TaskId, work: Rate) -> Self {
        Self { task, affinity: CpuMask::ALL, work, ratio: 0, stall: 0, slack: 0, hungry: false }
    }

    /// A task that never sleeps.
    #[must_use]
    pub const fn hungry(task: TaskId) -> Self {
        Self { hungry: true, ..Self::steady(task, Rate::FULL) }
    }
}
