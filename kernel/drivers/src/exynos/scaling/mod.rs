//! Clock and voltage of both clusters, changed together and in the right order.
//!
//! ```text
//!   up:    interconnect's voltage, where the two would be too far apart ▶ cluster's voltage ▶ read back, ramp ▶ clock
//!   down:  clock ▶ voltage
//! ```
//!
//! A change of voltage takes most of a millisecond of bus time, so all of it is a state machine: [`Scaling::step`] does
//! the next short thing that leads from what is to what is wanted, and never waits for the bus. At every moment between
//! two steps the clocks are slow enough for the voltages, so nothing depends on when the next step comes, or on whether
//! it comes.
//!
//! What fails is frozen: a clock stays what it is, a supply stays where it is and the clocks go no higher than it
//! allows. It is told once, by [`Scaling::trouble`], and never tried again: a regulator that lost a byte may have
//! another one's voltage by now.

mod domain;

use core::ops::RangeInclusive;

use self::domain::{Domain, Supply};
use super::clock::{ClockManagement, Cluster, Speed};
use super::s2mps11::{Pmic, PmicError, Rail};
use crate::words::{Mapped, Words};

/// An operating point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The clock.
    pub speed: Speed,
    /// The least voltage for it, in microvolts.
    pub microvolts: u32,
}

/// Something that failed and is left alone from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// What.
    pub part: Part,
    /// Why, in one word.
    pub why: &'static str,
}

/// What can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The clock of a cluster.
    Clock(Cluster),
    /// The supply of a cluster.
    Supply(Cluster),
    /// The supply of the interconnect.
    Interconnect,
}

/// How long to wait for the PMIC again when it is late, in nanoseconds.
const LATE: u64 = 50_000;
/// The rail of the interconnect among [`Scaling::supplies`]; those of the clusters come before it.
const INTERCONNECT: usize = 2;
/// The cluster whose supply is coupled with the interconnect's.
const COUPLED: usize = 0;

/// The rails of a board.
#[derive(Clone, Copy, Debug)]
pub struct Rails {
    /// Of the Cortex-A15s, the Cortex-A7s and the interconnect.
    pub rails: [Rail; 3],
    /// How far the first and the last may be apart, in microvolts.
    pub spread: u32,
}

/// Both clusters; everywhere the Cortex-A15s come first.
#[derive(Debug)]
pub struct Scaling<W = Mapped> {
    clocks: ClockManagement<W>,
    pmic: Pmic<W>,
    domains: [Domain; 2],
    supplies: [Supply; 3],
    spread: u32,
    /// The supply that the PMIC is busy with.
    pending: Option<usize>,
    troubles: [Option<Trouble>; 5],
}

impl<W: Words> Scaling<W> {
    /// Clusters with these operating points, slowest first, as the boot loader left them.
    ///
    /// # Panics
    ///
    /// If there are none.
    #[must_use]
    pub fn new(clocks: ClockManagement<W>, pmic: Pmic<W>, points: [&'static [Point]; 2], rails: &Rails) -> Self {
        assert!(points.iter().all(|points| !points.is_empty()), "a cluster has operating points");
        let domain = |cluster, points| Domain::new(cluster, points, clocks.kilohertz(cluster));
        let domains = [domain(Cluster::A15, points[0]), domain(Cluster::A7, points[1])];
        let supplies = rails.rails.map(Supply::new);
        Self { clocks, pmic, domains, supplies, spread: rails.spread, pending: None, troubles: [None; 5] }
    }

    /// Leaves everything as it is, for good.
    pub fn keep(&mut self) {
        self.domains.iter_mut().for_each(|domain| domain.frozen = true);
        self.supplies.iter_mut().for_each(|supply| supply.frozen = true);
    }

    /// Makes the PMIC's bus ready.
    pub fn begin(&mut self) {
        self.pmic.reset();
    }

    /// The operating point that each cluster runs at, or the highest one that it is not slower than.
    #[must_use]
    pub fn levels(&self) -> [usize; 2] {
        self.domains.each_ref().map(|domain| domain.level)
    }

    /// The operating points that each cluster can be brought to.
    #[must_use]
    pub fn ranges(&self) -> [RangeInclusive<usize>; 2] {
        [0, 1].map(|index| {
            let domain = &self.domains[index];
            if domain.frozen { domain.level..=domain.level } else { 0..=self.ceiling(index) }
        })
    }

    /// What has failed since this was last asked; one at a time.
    pub fn trouble(&mut self) -> Option<Trouble> {
        self.troubles.iter_mut().find_map(Option::take)
    }

    /// Does the next thing that brings the clusters to the levels that are wanted, as far as they can be brought there.
    /// Takes the time of one PLL lock at most, 68 µs, unless something fails. Returns when to do the next one, and
    /// [`None`] when nothing is left to do. `now` is a clock in nanoseconds.
    pub fn step(&mut self, wanted: [usize; 2], now: impl Fn() -> u64) -> Option<u64> {
        if let Some(supply) = self.pending
            && let Some(result) = self.pmic.ended(now())
        {
            self.pending = None;
            self.supplied(supply, result);
        }
        let ranges = self.ranges();
        let targets = [0, 1].map(|index| wanted[index].clamp(*ranges[index].start(), *ranges[index].end()));
        if (0..2).any(|index| self.change_clock(index, targets[index], &now)) {
            return Some(now());
        }
        let busy = self.pending.is_some()
            || (0..3).any(|supply| self.ask(supply, now()))
            || (0..2).any(|index| self.raise(index, targets[index], now()))
            || (0..2).any(|index| self.relax(index, now()));
        let (now, due) = (now(), self.pmic.due());
        busy.then_some(if due > now { due } else { now + LATE })
    }

    /// Sets the clock of a cluster if its voltage allows it by now. Whether something was done.
    fn change_clock(&mut self, index: usize, target: usize, now: &impl Fn() -> u64) -> bool {
        let domain = &mut self.domains[index];
        let supply = &self.supplies[index];
        let suffices =
            target <= domain.allowed(supply) && (target > domain.level || supply.reaches(domain.need(target)));
        let waits_for_more = !suffices && !supply.frozen;
        if target == domain.level || domain.frozen || waits_for_more {
            return false;
        }
        match self.clocks.set(domain.cluster, &domain.points[target].speed, now) {
            Ok(()) => domain.level = target,
            Err(error) => {
                domain.frozen = true;
                domain.level = domain.level_of(self.clocks.kilohertz(domain.cluster));
                let part = Part::Clock(domain.cluster);
                self.note(Trouble { part, why: error.word() });
            }
        }
        true
    }

    /// Begins to read a voltage that nobody knows yet.
    fn ask(&mut self, supply: usize, now: u64) -> bool {
        let Supply { rail, microvolts, frozen } = self.supplies[supply];
        if microvolts.is_some() || frozen {
            return false;
        }
        self.pmic.begin_read(&rail, now);
        self.pending = Some(supply);
        true
    }

    /// Begins to raise a voltage for a target.
    fn raise(&mut self, index: usize, target: usize, now: u64) -> bool {
        let domain = &self.domains[index];
        let need = domain.need(target);
        if target == domain.level || self.supplies[index].reaches(need) {
            return false;
        }
        let beside = need.saturating_sub(self.spread);
        if index == COUPLED && !self.supplies[INTERCONNECT].reaches(beside) {
            return self.change(INTERCONNECT, beside, now);
        }
        self.change(index, need, now)
    }

    /// Begins to lower the voltage of a cluster to what its clock needs.
    fn relax(&mut self, index: usize, now: u64) -> bool {
        let domain = &self.domains[index];
        let beside = match self.supplies[INTERCONNECT].microvolts {
            Some(microvolts) if index == COUPLED => microvolts.saturating_sub(self.spread),
            _ => 0,
        };
        let least = domain.need(domain.level).max(beside);
        let supply = &self.supplies[index];
        supply.microvolts.is_some_and(|microvolts| microvolts > least) && self.change(index, least, now)
    }

    /// Begins to change a supply. Until that has ended the lower one of the two voltages counts.
    fn change(&mut self, supply: usize, to: u32, now: u64) -> bool {
        let Supply { rail, microvolts: Some(from), frozen: false } = self.supplies[supply] else { return false };
        let Some(setting) = rail.setting(to).filter(|setting| setting.microvolts() != from) else { return false };
        self.pmic.begin_change(from, setting, now);
        self.supplies[supply].microvolts = Some(from.min(setting.microvolts()));
        self.pending = Some(supply);
        true
    }

    /// The PMIC has done something, or not.
    fn supplied(&mut self, supply: usize, result: Result<u32, PmicError>) {
        match result {
            Ok(microvolts) => {
                self.supplies[supply].microvolts = Some(microvolts);
                if let Some(domain) = self.domains.get_mut(supply) {
                    domain.proven.1.get_or_insert(microvolts);
                }
            }
            Err(error) => {
                self.supplies[supply].frozen = true;
                let part = self.domains.get(supply).map_or(Part::Interconnect, |domain| Part::Supply(domain.cluster));
                self.note(Trouble { part, why: error.word() });
            }
        }
    }

    /// The highest level that a cluster can reach with what its supply can still give.
    fn ceiling(&self, index: usize) -> usize {
        let (domain, supply) = (&self.domains[index], &self.supplies[index]);
        let now = domain.allowed(supply);
        if supply.frozen || supply.microvolts.is_none() {
            return now;
        }
        let within = |microvolts: u32| supply.rail.setting(microvolts).is_some();
        let beside = |microvolts: u32| index != COUPLED || self.interconnect_follows(microvolts);
        let reachable = |point: &Point| within(point.microvolts) && beside(point.microvolts);
        domain.points.iter().rposition(reachable).map_or(now, |level| level.max(now))
    }

    /// Whether the interconnect's voltage can be brought close enough to this one.
    fn interconnect_follows(&self, microvolts: u32) -> bool {
        let supply = &self.supplies[INTERCONNECT];
        let beside = microvolts.saturating_sub(self.spread);
        supply.reaches(beside) || supply.microvolts.is_some() && !supply.frozen && supply.rail.setting(beside).is_some()
    }

    fn note(&mut self, trouble: Trouble) {
        // Each part fails once, and there are as many places.
        if let Some(place) = self.troubles.iter_mut().find(|place| place.is_none()) {
            *place = Some(trouble);
        }
    }
}

#[cfg(test)]
mod tests;
