//! A plan: at which operating point each cluster runs and where each task is at home, and until when that is right.
//!
//! Linux decides for one task at a time, with one flag for "too much to do, do not try" (`overutilized`). A plan is
//! about all tasks at once, and it says itself what it was made for: see [`Plan::check`]. When that no longer holds, a
//! new one is made; a task that it does not know is placed beside it meanwhile.

use core::fmt;

use heapless::Vec;

use crate::demand::Beat;
use crate::demand::MAX_PLANNED;
use crate::{CoreType, CpuId, CpuMask, Demand, MAX_CPUS, Microwatts, Nanos, Rate, Schedulable, TaskId};

/// Where a task is at home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Home {
    /// The task.
    pub task: TaskId,
    /// The CPU where its jobs begin.
    pub cpu: CpuId,
    /// The share of that CPU's time that is reserved for it, in 1/16384.
    pub share: u32,
    /// Where its jobs go on once they have used `share` of the period there, if one CPU has no room for all of it.
    pub then: Option<CpuId>,
    /// What was reserved for it in all.
    pub reserve: Rate,
    /// It never sleeps.
    pub hungry: bool,
}

/// Time of a CPU that is reserved for a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// When the job began.
    pub begin: Nanos,
    /// When the job, or the part of it that is done there, is to be done.
    pub due: Nanos,
    /// From job to job.
    pub period: Nanos,
    /// How much.
    pub budget: Nanos,
}

/// What no longer holds of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breach {
    /// There is a task that it does not know.
    Stranger(TaskId),
    /// The tasks at home on a CPU want more than was reserved.
    Overload(CpuId),
    /// All together want so much less that a cheaper plan is likely.
    Surplus,
    /// The limits that heat sets are below what it asks for, or no longer below what somebody would use.
    Limits,
    /// Nothing but that it is old.
    Age,
}

impl fmt::Display for Breach {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Stranger(_) => "stranger",
            Self::Overload(_) => "overload",
            Self::Surplus => "surplus",
            Self::Limits => "limits",
            Self::Age => "age",
        })
    }
}

/// How long a plan is good for at most.
pub const LIFETIME: Nanos = Nanos::from_millis(250);

/// A plan. [`Plan::none`] is that of a machine without a planner: everything is placed one by one.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) levels: [Option<u8>; 2],
    pub(crate) homes: Vec<Home, MAX_PLANNED>,
    /// Free time of each CPU in 1/16384.
    pub(crate) headroom: [u32; MAX_CPUS],
    pub(crate) power: Microwatts,
    pub(crate) made: Nanos,
    /// The levels of the plan before, and until when they hold beside its own.
    pub(crate) earlier: [Option<u8>; 2],
    pub(crate) settled: Nanos,
    /// What was reserved for all that sleep at times, and with which slack at least.
    pub(crate) reserve: Rate,
    pub(crate) slack: u32,
    pub(crate) feasible: bool,
    pub(crate) effort: u32,
    pub(crate) hungry: CpuMask,
    /// The highest levels that heat allowed.
    pub(crate) top: [usize; 2],
}

impl Plan {
    /// No plan.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            levels: [None; 2],
            homes: Vec::new(),
            headroom: [0; MAX_CPUS],
            power: Microwatts::ZERO,
            made: Nanos::ZERO,
            earlier: [None; 2],
            settled: Nanos::ZERO,
            reserve: Rate::ZERO,
            slack: 0,
            feasible: false,
            effort: 0,
            hungry: CpuMask::EMPTY,
            top: [0; 2],
        }
    }

    /// The operating point of a cluster, as an index into its levels; `None` if the plan has no use for it.
    #[inline]
    #[must_use]
    pub fn level(&self, core: CoreType) -> Option<usize> {
        self.levels[core.index()].map(usize::from)
    }

    /// The operating point that a cluster needs at `now`: while jobs are under way that began in the homes of the plan before, the faster of
    /// both. A job that is half done where it is no longer planned would else be late.
    #[inline]
    #[must_use]
    pub fn clock(&self, core: CoreType, now: Nanos) -> Option<usize> {
        let earlier = self.earlier[core.index()].filter(|_| !self.is_settled(now));
        self.levels[core.index()].max(earlier).map(usize::from)
    }

    /// Whether all jobs that are under way have begun by this plan.
    #[inline]
    #[must_use]
    pub fn is_settled(&self, now: Nanos) -> bool {
        now >= self.settled
    }

    /// Where a task is at home.
    #[must_use]
    pub fn home(&self, task: TaskId) -> Option<&Home> {
        self.homes.iter().find(|home| home.task == task)
    }

    /// All that are planned.
    #[must_use]
    pub fn homes(&self) -> &[Home] {
        &self.homes
    }

    /// What is reserved on `cpu` for the job that began by `beat`: the task's share of the period, and half of that again for a job that is
    /// longer than was planned. If the job goes on elsewhere this part of it must not wait.
    #[must_use]
    pub fn reservation(&self, task: TaskId, cpu: CpuId, beat: Beat) -> Option<Reservation> {
        let home = self.home(task).filter(|home| self.feasible && !home.hungry)?;
        let urgent = home.cpu == cpu && home.then.is_some();
        if home.cpu != cpu && home.then != Some(cpu) {
            return None;
        }
        let Beat { period, phase } = beat;
        let budget =
            if urgent { period } else { Nanos::new(((u64::from(home.share) * period.as_nanos()) >> 14) * 3 / 2) };
        Some(Reservation { begin: phase, due: if urgent { phase } else { phase + period }, period, budget })
    }

    /// Where a task that waits on `cpu` is to go: home, if it is elsewhere, nothing is left of what was reserved for it and its next job would have time
    /// reserved at home. Whoever was under way when the plan was made would else wait for all for whom this one has reserved time here.
    #[must_use]
    pub fn way_home(&self, task: &impl Schedulable, beat: Option<Beat>, cpu: CpuId) -> Option<CpuId> {
        if !self.feasible || task.entity().budget > 0 || beat.is_none() {
            return None;
        }
        let elsewhere = |home: &&Home| !home.hungry && home.cpu != cpu && home.then != Some(cpu);
        let home = self.home(task.id()).filter(elsewhere)?;
        task.affinity().contains(home.cpu).then_some(home.cpu)
    }

    /// The average power that it leads to, by the price list.
    #[must_use]
    pub fn power(&self) -> Microwatts {
        self.power
    }

    /// Whether every demand finds room. If not, there is too much to do: all run as fast as they may, spread evenly.
    #[must_use]
    pub fn is_feasible(&self) -> bool {
        self.feasible
    }

    /// The CPUs that a task is planned for that never sleeps.
    #[must_use]
    pub fn hungry(&self) -> CpuMask {
        self.hungry
    }

    /// The time of `cpu` that is not reserved, in 1/16384.
    #[must_use]
    pub fn headroom(&self, cpu: CpuId) -> u32 {
        self.headroom[cpu.index()]
    }

    /// How many times the search looked at a CPU for a task: what it cost, in a unit that is the same everywhere.
    #[must_use]
    pub fn effort(&self) -> u32 {
        self.effort
    }

    /// When it was made.
    #[must_use]
    pub fn made(&self) -> Nanos {
        self.made
    }

    /// Whether what the plan assumed still holds at `now`: the tasks are the same, none wants an eighth more than it has
    /// reserved beyond what is free on its CPU, all together no less than three quarters.
    ///
    /// # Errors
    /// The first assumption that does not hold.
    pub fn check(&self, now: Nanos, demands: &[Demand], top: [usize; 2]) -> Result<(), Breach> {
        let exceeds = |core: CoreType| self.level(core).is_some_and(|level| level > top[core.index()]);
        // Who never sleeps, and who has found no room, is planned for the highest levels.
        let insatiable = !self.hungry.is_empty() || !self.feasible;
        let rises = |core: CoreType| insatiable && top[core.index()] > self.top[core.index()];
        if CoreType::BOTH.into_iter().any(|core| exceeds(core) || rises(core)) {
            return Err(Breach::Limits);
        }
        let (mut more, mut total) = ([0_u32; MAX_CPUS], 0);
        for demand in demands.iter().filter(|demand| demand.hungry || demand.work > Rate::ZERO) {
            let home = self.home(demand.task).ok_or(Breach::Stranger(demand.task))?;
            let (now_wanted, planned) = (demand.reserve(self.slack).get(), home.reserve.get().max(1));
            total += if demand.hungry { 0 } else { now_wanted };
            if now_wanted > planned {
                let excess = u64::from(home.share) * u64::from(now_wanted - planned) / u64::from(planned);
                more[home.cpu.index()] += u32::try_from(excess).unwrap_or(u32::MAX / 64).min(u32::MAX / 64);
            }
        }
        let full = |cpu: &usize| more[*cpu] > self.headroom[*cpu].max(Rate::FULL.get() / 64);
        if let Some(cpu) = (0..MAX_CPUS).find(full) {
            return Err(Breach::Overload(CpuId::new(cpu)));
        }
        if total * 4 < self.reserve.get() * 3 {
            return Err(Breach::Surplus);
        }
        if now.saturating_sub(self.made) > LIFETIME { Err(Breach::Age) } else { Ok(()) }
    }
}

impl Default for Plan {
    fn default() -> Self {
        Self::none()
    }
}
