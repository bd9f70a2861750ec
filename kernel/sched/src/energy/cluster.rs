//! The price list of one cluster.

use heapless::Vec;

use super::{Point, Profile};
use crate::{CoreType, CpuMask, Machine, Microwatts, Opp, Rate};

/// The most operating points of a cluster (the Exynos5422 has 19 for its Cortex-A15).
pub const MAX_LEVELS: usize = 20;

/// An operating point of a cluster with its price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Frequency and voltage.
    pub opp: Opp,
    /// Work per time of one CPU.
    pub speed: Rate,
    /// What one CPU takes while it works, beyond `idle`.
    pub busy: Microwatts,
    /// What the cluster takes while it is clocked.
    pub idle: Microwatts,
    /// `busy` for each unit of work, in 1/256 µW per 1/16384 of a full CPU.
    cost: u32,
    /// What share of a CPU's time here a full CPU's work takes, in 1/1024.
    inverse: u32,
}

impl Level {
    const fn new(opp: Opp, point: Point, idle: Microwatts) -> Self {
        let speed = if point.speed.get() == 0 { 1 } else { point.speed.get() };
        let cost = ((point.busy.get() as u64) << 8) / speed as u64;
        let inverse = (Rate::FULL.get() << 10) / speed;
        Self { opp, speed: Rate::new(speed), busy: point.busy, idle, cost: cost as u32, inverse }
    }

    /// The average power that work at this rate takes here, idle power not counted.
    #[inline]
    #[must_use]
    pub const fn power(&self, work: Rate) -> u32 {
        ((self.cost as u64 * work.get() as u64) >> 8) as u32
    }

    /// The share of one CPU's time that work at this rate takes here, in 1/16384; more than that if it is too slow.
    #[inline]
    #[must_use]
    pub const fn share(&self, work: Rate) -> u32 {
        ((work.get() as u64 * self.inverse as u64) >> 10) as u32
    }

    /// The factor of [`Level::share`], in 1/1024.
    #[inline]
    #[must_use]
    pub const fn inverse(&self) -> u32 {
        self.inverse
    }

    /// Energy for each unit of work, for comparisons: microwatts at the rate 1/16384, in 1/256.
    #[inline]
    #[must_use]
    pub const fn cost(&self) -> u32 {
        self.cost
    }
}

/// The CPUs that share a clock and a supply.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// Their kind.
    pub core: CoreType,
    /// Those that are present; empty if there is no such cluster.
    pub cpus: CpuMask,
    levels: Vec<Level, MAX_LEVELS>,
    stall: u32,
    /// A bit for each level.
    efficient: u32,
}

impl Cluster {
    pub(super) fn new(machine: &Machine, core: CoreType, cpus: CpuMask, profile: &Profile, full: Rate) -> Self {
        let kind = cpus.first().map(|cpu| machine.cpus[cpu.index()].kind);
        let opps = kind.map_or(&[][..], |kind| kind.opps);
        let idle = profile.idle(core).iter().copied().chain(core::iter::repeat(Microwatts::ZERO));
        let scaled = |point: &Point| Point { speed: rescaled(point.speed, full), busy: point.busy };
        let points = profile.points(core).iter().map(scaled);
        let levels = opps.iter().zip(points).zip(idle).map(|((&opp, point), idle)| Level::new(opp, point, idle));
        let levels: Vec<Level, MAX_LEVELS> = levels.take(MAX_LEVELS).collect();
        let (stall, efficient) = (stall_of(&levels), efficient(&levels));
        Self { core, cpus, levels, stall, efficient }
    }

    /// The part of the time at the top that no clock shortens, in 1/1024, by these figures; 0 if speed is proportional
    /// to the clock.
    #[inline]
    #[must_use]
    pub fn stall(&self) -> u32 {
        self.stall
    }

    /// The operating points, slowest first.
    #[inline]
    #[must_use]
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// One operating point; beyond the last one, the last one.
    ///
    /// # Panics
    /// If the cluster is not there.
    #[inline]
    #[must_use]
    pub fn level(&self, index: usize) -> &Level {
        &self.levels[index.min(self.levels.len() - 1)]
    }

    /// The index of the fastest operating point.
    #[inline]
    #[must_use]
    pub fn top(&self) -> usize {
        self.levels.len().saturating_sub(1)
    }

    /// The slowest level that reaches `speed`, or the top.
    #[must_use]
    pub fn reaching(&self, speed: Rate) -> usize {
        self.levels.iter().position(|level| level.speed >= speed).unwrap_or(self.top())
    }

    /// Whether no faster level does the same work for as little: the contrary of Linux' `EM_PERF_STATE_INEFFICIENT`.
    #[inline]
    #[must_use]
    pub fn is_efficient(&self, index: usize) -> bool {
        self.efficient >> index.min(self.top()) & 1 == 1
    }

    /// The slowest level from `index` up, and not above `most`, that no faster one undercuts.
    #[must_use]
    pub fn efficient_from(&self, index: usize, most: usize) -> usize {
        let last = most.min(self.top());
        (index..last).find(|&index| self.is_efficient(index)).unwrap_or(last)
    }

    /// The level of least energy for each unit of work when `active` CPUs share the idle power: to go slower costs
    /// more, if the cluster is switched off when it has nothing to do (the critical speed of Jejurikar and Gupta, DAC
    /// 2004).
    #[must_use]
    pub fn critical(&self, active: u32) -> usize {
        let active = active.max(1);
        let cost = |level: &Level| {
            let power = u64::from(level.busy.get()) * u64::from(active) + u64::from(level.idle.get());
            (power << 8) / (u64::from(level.speed.get()) * u64::from(active))
        };
        let best = self.levels.iter().enumerate().min_by_key(|(_, level)| cost(level));
        best.map_or(0, |(index, _)| index)
    }
}

/// The levels that no faster one undercuts or equals, in the integers of `kernel/power/energy_model.c` since 6.9: their
/// rounding spares some that are as dear as the next.
fn efficient(levels: &[Level]) -> u32 {
    let Some(top) = levels.last() else { return 0 };
    let (capacity, most) = (u64::from(top.speed.capacity().get()), u64::from(top.opp.frequency.get()));
    let cost = |level: &Level| {
        let performance = capacity * u64::from(level.opp.frequency.get()) / most.max(1);
        u64::from(level.busy.get()) * 10 / performance.max(1)
    };
    let (mut efficient, mut least) = (0, u64::MAX);
    for (index, level) in levels.iter().enumerate().rev() {
        if cost(level) < least {
            (efficient, least) = (efficient | 1 << index, cost(level));
        }
    }
    efficient
}

/// Time for each unit of work is a / f + b; b from the first and the last level, as a share of the last one's time.
fn stall_of(levels: &[Level]) -> u32 {
    let (Some(slow), Some(fast)) = (levels.first(), levels.last()) else { return 0 };
    let (low, high) = (u64::from(slow.opp.frequency.get()), u64::from(fast.opp.frequency.get()));
    if low == high {
        return 0;
    }
    // f / speed = a + b · f.
    let cycles = |level: &Level, clock: u64| (clock << 14) / u64::from(level.speed.get());
    let (at_low, at_high) = (cycles(slow, low), cycles(fast, high));
    let stalled = at_high.saturating_sub(at_low) * high / (high - low);
    u32::try_from(stalled * 1024 / at_high.max(1)).unwrap_or(0).min(1024)
}

const fn rescaled(speed: Rate, full: Rate) -> Rate {
    Rate::new((speed.get() * Rate::FULL.get() + full.get() / 2) / full.get())
}
