//! What is learnt about one task beyond its load: period and work per job, the speed that it has on each kind of core, limits that
//! somebody has set, and whether it overruns what is known of it.
//!
//! Load tracking answers "how busy lately" and lags by its half-life; for planning it is both too late and too much, as a
//! short job's utilisation at its end is above its mean (16 % at 1.6 ms of 16 ms). Counting jobs has neither fault: a
//! task that has woken up regularly for eight times is expected to do so again, and what its jobs took is known to
//! the nanosecond. Where there is no rhythm, load tracking stands in.

mod line;
mod period;
mod speeds;

pub use period::{Rhythm, Waker};
pub use speeds::Speeds;

use crate::{Cluster, CoreType, CpuMask, Demand, Entity, Kilohertz, Nanos, Rate, TaskId};
use period::Job;

/// A task that has not slept for so long is taken for one that never does.
pub const HUNGRY_AFTER: Nanos = Nanos::from_millis(48);

/// How long a job may exceed what is known of it until the task is credited with a quarter, a half, three quarters and all
/// of a full CPU. Load tracking would need 170 ms for the same on the Exynos5422 from rest; Android's early detection acts after
/// 9.5 ms.
const RAMP: [(Nanos, u32); 4] = [
    (Nanos::from_millis(2), 256),
    (Nanos::from_millis(4), 512),
    (Nanos::from_millis(8), 768),
    (Nanos::from_millis(16), 1024),
];

/// Bounds for the utilisation that a task is taken for (Linux' `uclamp`), `0..=1024`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clamp {
    /// At least this much speed is due to it while it runs.
    pub min: u32,
    /// No more than this.
    pub max: u32,
}

impl Clamp {
    /// No bounds.
    pub const NONE: Self = Self { min: 0, max: 1024 };

    /// The utilisation that counts instead of `utilisation`.
    #[inline]
    #[must_use]
    pub fn apply(self, utilisation: u32) -> u32 {
        utilisation.min(self.max).max(self.min.min(self.max))
    }

    /// The bounds of a CPU where tasks with both bounds run: the greater of each, as any of them may need it.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self { min: self.min.max(other.min), max: self.max.max(other.max) }
    }
}

impl Default for Clamp {
    fn default() -> Self {
        Self::NONE
    }
}

/// What the price list says of a CPU at the clock in force.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// The clock.
    pub frequency: Kilohertz,
    /// The speed at that clock.
    pub speed: Rate,
    /// The fastest clock of this kind of core.
    pub top_frequency: Kilohertz,
    /// The speed there.
    pub top_speed: Rate,
    /// The part of the time there that no clock shortens, in 1/1024: see [`Cluster::stall`].
    pub stall: u32,
}

impl Listed {
    /// Of nothing.
    pub const NONE: Self = Self::fixed(Rate::ZERO);

    /// Of a CPU whose clock is not known and does not change.
    #[must_use]
    pub const fn fixed(speed: Rate) -> Self {
        let unknown = Kilohertz::new(0);
        Self { frequency: unknown, speed, top_frequency: unknown, top_speed: speed, stall: 0 }
    }

    /// Of a CPU of `cluster` at one of its levels.
    ///
    /// # Panics
    /// If the cluster is not there.
    #[must_use]
    pub fn at(cluster: &Cluster, level: usize) -> Self {
        let (now, top) = (cluster.level(level), cluster.level(cluster.top()));
        Self {
            frequency: now.opp.frequency,
            speed: now.speed,
            top_frequency: top.opp.frequency,
            top_speed: top.speed,
            stall: cluster.stall(),
        }
    }
}

/// A stretch of running, as the mechanism measures it when a task stops running or its clock changes.
#[derive(Clone, Copy, Debug)]
pub struct Stint {
    /// On which kind of core.
    pub core: CoreType,
    /// What the price list gives for it there.
    pub listed: Listed,
    /// For how long.
    pub busy: Nanos,
    /// Clock cycles counted (PMU `CPU_CYCLES`); 0 without a counter.
    pub cycles: u64,
    /// Instructions counted (PMU `INST_RETIRED`); 0 without a counter.
    pub instructions: u64,
}

impl Stint {
    /// Its work by the price list, in nanoseconds of a full CPU.
    fn priced(&self) -> u64 {
        (self.busy.as_nanos() * u64::from(self.listed.speed.get())) >> 14
    }
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Signals {
    /// Limits that somebody has set.
    pub clamp: Clamp,
    rhythm: Rhythm,
    speeds: Speeds,
    /// Since when it has wanted to run; [`None`] while it sleeps.
    awake: Option<Nanos>,
    /// What this job has done, and the time that this took.
    done: Job,
    busy: Nanos,
    /// All instructions that it has ever run.
    instructions: u64,
}

impl Signals {
    /// Of a task that has never run.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            clamp: Clamp::NONE,
            rhythm: Rhythm::new(),
            speeds: Speeds::new(),
            awake: None,
            done: Job::NONE,
            busy: Nanos::ZERO,
            instructions: 0,
        }
    }

    /// It became ready: a job begins.
    pub fn woke(&mut self, now: Nanos, by: Waker) {
        self.rhythm.begins(now, by);
        self.awake = Some(now);
        (self.done, self.busy) = (Job::NONE, Nanos::ZERO);
    }

    /// It has run for a while.
    pub fn ran(&mut self, stint: &Stint) {
        self.busy += stint.busy;
        self.done.priced += stint.priced();
        self.done.instructions += stint.instructions;
        self.instructions += stint.instructions;
        self.speeds.observe(stint);
    }

    /// It goes to sleep: the job is done.
    pub fn slept(&mut self) {
        if self.awake.take().is_some() {
            self.rhythm.ends(self.done, self.speeds.worth());
        }
    }

    /// All that it has done, as run time on a full CPU, by its own instructions; [`None`] until it has run on a big core and so shown
    /// what these take there.
    #[must_use]
    pub fn progress(&self) -> Option<Nanos> {
        if self.instructions == 0 { None } else { self.speeds.work(self.instructions).map(Nanos::new) }
    }

    /// What is known of its jobs.
    #[must_use]
    pub fn rhythm(&self) -> &Rhythm {
        &self.rhythm
    }

    /// What is known of its speeds.
    #[must_use]
    pub fn speeds(&self) -> &Speeds {
        &self.speeds
    }

    /// Whether it runs without ever sleeping.
    #[must_use]
    pub fn is_hungry(&self, now: Nanos) -> bool {
        let long = self.rhythm.longest_job().as_nanos() * 2;
        self.awake.is_some_and(|since| now.saturating_sub(since) >= HUNGRY_AFTER) && self.rhythm.work(self.done) > long
    }

    /// The utilisation that it must be credited with because its present job takes longer than any that is known; 0 while
    /// it does not. `running` is how long it has been running since the last [`Signals::ran`], at `speed`.
    #[must_use]
    pub fn floor(&self, running: Nanos, speed: Rate) -> u32 {
        let done = self.rhythm.work(self.done) + ((running.as_nanos() * u64::from(speed.get())) >> 14);
        let known = self.rhythm.longest_job().as_nanos();
        let expected = known + known / 4;
        if done <= expected {
            return 0;
        }
        let busy = self.busy + running;
        // The share of the time that went into the excess; `done` is not zero here.
        let part = ((done - expected) << 16) / done;
        let excess = Nanos::new((busy.as_nanos() * part) >> 16);
        RAMP.iter().rev().find(|(after, _)| excess >= *after).map_or(0, |(_, floor)| self.clamp.apply(*floor))
    }

    /// What the planner is to reserve.
    #[must_use]
    pub fn demand(&self, task: TaskId, entity: &Entity, affinity: CpuMask, now: Nanos) -> Demand {
        let hungry = self.is_hungry(now) && self.clamp.max >= 1024;
        // Without a rhythm nobody knows what it would do on a CPU of its own: time that it waits counts as if it would run. Else tasks that
        // share a slow CPU would look as if that were enough.
        let by_load = Rate::of(self.clamp.apply(entity.estimate().max(entity.runnable())));
        let steady = self.rhythm.work_rate().map(|work| (work, self.rhythm.spread()));
        let steady = steady.filter(|_| !self.is_hungry(now));
        let (work, slack) = steady.unwrap_or((by_load, 0));
        let work = work.min(Rate::of(self.clamp.max));
        let (ratio, stall) = (self.speeds.correction(), CoreType::BOTH.map(|core| self.speeds.stall(core)));
        let least = Rate::of(self.clamp.min.min(self.clamp.max));
        Demand { task, affinity, work, ratio, stall, slack, least, beat: steady.and(self.rhythm.beat()), hungry }
    }
}

impl Default for Signals {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests;
