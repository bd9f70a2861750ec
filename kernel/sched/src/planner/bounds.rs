//! What a cluster takes: for what is packed there, and at least for what might be.

use super::item::Total;
use super::packing::Packing;
use super::{Search, WHOLE};
use crate::energy::MAX_LEVELS;
use crate::{CoreType, IdleCost, Microwatts};

/// All tasks on one cluster at one of its levels.
#[derive(Clone, Copy)]
pub(super) struct Alone {
    /// The time that they take together, and what that costs.
    pub(super) share: u32,
    power: u32,
    /// The least that it costs at this level or a faster one.
    pub(super) least: u32,
}

impl Search<'_> {
    /// The cheapest level from `slowest` up for work that adds up to `total`, and the least that it takes there.
    pub(super) fn least_from(&self, core: CoreType, slowest: usize, total: Total) -> (u32, usize) {
        let bound = |level: usize| {
            let facts = self.energy.cluster(core).level(level);
            let share = total.share(facts.inverse());
            (self.items.unslacked(share, facts.busy) + self.least_idle(core, level, share), level)
        };
        let frugal = usize::from(self.frugal[core.index()][slowest]);
        // Idle power rises with the clock, and so does what is spent on waiting for memory: between the two nothing can be gained.
        if self.energy.idle == IdleCost::Ignored && !total.waits() {
            bound(frugal)
        } else {
            bound(frugal).min(bound(slowest))
        }
    }

    /// All tasks on one cluster, for each of its levels that come into question.
    pub(super) fn alone(&self, core: CoreType, total: Total) -> heapless::Vec<Alone, MAX_LEVELS> {
        let whole = |level: usize| {
            let facts = self.energy.cluster(core).level(level);
            let share = total.share(facts.inverse());
            let idle = if self.energy.idle == IdleCost::Gated { self.least_idle(core, level, share) } else { 0 };
            let power = self.items.unslacked(share, facts.busy) + idle;
            Alone { share, power, least: power }
        };
        let mut alone: heapless::Vec<Alone, MAX_LEVELS> = self.candidates(core).map(whole).collect();
        let mut least = u32::MAX;
        for level in alone.iter_mut().rev() {
            least = least.min(level.power);
            level.least = least;
        }
        alone
    }

    /// What the cluster `first` at this level and the other one at its best would take, if tasks could be cut into any parts: a lower
    /// bound for what is left when as much as possible is packed into the first.
    pub(super) fn divisible(
        &self,
        first: CoreType,
        level: usize,
        total: Total,
        room_in_total: u32,
        alone: &[Alone],
    ) -> u32 {
        let facts = self.energy.cluster(first).level(level);
        let second = first.other();
        let room = WHOLE * self.bins[first.index()].len() as u32;
        let share = total.share(facts.inverse());
        let idle = self.least_idle(first, level, share.min(room));
        let own = self.items.unslacked(share.min(room), facts.busy) + idle;
        if share <= room {
            // Packing may leave a small part to the other cluster.
            return own - own / 16;
        }
        let rest = 1024 - total.portion(facts.speed, room_in_total).unwrap_or_else(|| room / (share >> 10).max(1));
        let part = |whole: u32| ((u64::from(whole) * u64::from(rest)) >> 10) as u32;
        let most = WHOLE * self.bins[second.index()].len() as u32;
        let slowest = alone.partition_point(|alone| part(alone.share) > most);
        let Some(holding) = alone.get(slowest) else { return u32::MAX };
        let idle = if self.energy.idle == IdleCost::Always {
            self.always(second, self.candidates(second).start + slowest)
        } else {
            0
        };
        own + part(holding.least) + idle
    }

    pub(super) fn power(&self, core: CoreType, level: usize, packing: &Packing<'_>) -> u32 {
        if packing.placed.is_empty() && (self.energy.cluster(core).cpus & self.hungry).is_empty() {
            return 0;
        }
        let facts = self.energy.cluster(core).level(level);
        let idle = match self.energy.idle {
            IdleCost::Gated => {
                let fullest = packing.fullest(self.items, core, facts.inverse());
                share_of(facts.idle, (fullest + self.energy.restless).min(WHOLE))
            }
            IdleCost::Ignored | IdleCost::Always => self.always(core, level),
        };
        self.items.unslacked(packing.used, facts.busy) + idle
    }

    /// The idle power that a cluster takes at least, if its CPUs together work for `share`.
    pub(super) fn least_idle(&self, core: CoreType, level: usize, share: u32) -> u32 {
        match self.energy.idle {
            IdleCost::Gated => {
                share_of(self.energy.cluster(core).level(level).idle, self.bins[core.index()].each(share))
            }
            IdleCost::Ignored | IdleCost::Always => self.always(core, level),
        }
    }

    pub(super) fn always(&self, core: CoreType, level: usize) -> u32 {
        match self.energy.idle {
            IdleCost::Always => self.energy.cluster(core).level(level).idle.get(),
            IdleCost::Ignored | IdleCost::Gated => 0,
        }
    }
}

fn share_of(power: Microwatts, share: u32) -> u32 {
    ((u64::from(power.get()) * u64::from(share)) >> 14) as u32
}
