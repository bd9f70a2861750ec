//! The tasks to be packed, with their sizes on both kinds of core.

use core::ops::Sub;

use heapless::Vec;

use super::Limits;
use crate::demand::MAX_PLANNED;
use crate::{CoreType, CpuMask, Demand, Energy, Microwatts, Rate};

/// One task that sleeps at times.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub demand: Demand,
    /// By kind of core: the part of its time, slack included, that shrinks with the clock, at the rate of a full CPU ...
    elastic: [u32; 2],
    /// ... and the part that does not, as a share of a CPU's time.
    fixed: [u32; 2],
}

impl Item {
    fn new(energy: &Energy, demand: &Demand, slack: u32) -> Self {
        let work = demand.work.get();
        let need = work + ((work * slack.max(demand.slack)) >> 10);
        let ratio = if demand.ratio == 0 { energy.ratio() } else { demand.ratio };
        let on_little = (u64::from(need) * u64::from(energy.ratio()) / u64::from(ratio.max(1))) as u32;
        let (mut elastic, mut fixed) = ([need, on_little], [0; 2]);
        if demand.stall > 0 {
            for core in CoreType::BOTH {
                let size = &mut elastic[core.index()];
                let stalled = (*size * demand.stall) >> 10;
                *size -= stalled;
                let cluster = energy.cluster(core);
                let top = cluster.levels().last();
                fixed[core.index()] = top.map_or(0, |level| level.share(Rate::new(stalled)));
            }
        }
        Self { demand: *demand, elastic, fixed }
    }

    /// The share of a CPU's time that it needs at the level with this factor.
    #[inline]
    pub fn share(&self, core: CoreType, inverse: u32) -> u32 {
        ((u64::from(self.elastic[core.index()]) * u64::from(inverse)) >> 10) as u32 + self.fixed[core.index()]
    }
}

/// A set of items by their position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ItemSet(u64);

impl ItemSet {
    pub const EMPTY: Self = Self(0);

    pub const fn first_n(count: usize) -> Self {
        Self(if count >= 64 { u64::MAX } else { (1 << count) - 1 })
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub const fn insert(&mut self, index: usize) {
        self.0 |= 1 << index;
    }

    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut left = self.0;
        core::iter::from_fn(move || {
            let index = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (index < 64).then_some(index)
        })
    }
}

impl Sub for ItemSet {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// The sizes of several items on one kind of core, added up.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Total {
    elastic: u32,
    fixed: u32,
    greatest_elastic: u32,
    greatest_fixed: u32,
}

impl Total {
    /// The time that all need together.
    pub fn share(&self, inverse: u32) -> u32 {
        let share = ((u64::from(self.elastic) * u64::from(inverse)) >> 10) + u64::from(self.fixed);
        u32::try_from(share).unwrap_or(u32::MAX)
    }

    /// No item needs more than this.
    pub fn greatest(&self, inverse: u32) -> u32 {
        ((u64::from(self.greatest_elastic) * u64::from(inverse)) >> 10) as u32 + self.greatest_fixed
    }
}

/// All tasks to be planned: those that sleep at times, greatest first, and those that never do.
pub(super) struct Items {
    steady: Vec<Item, MAX_PLANNED>,
    hungry: Vec<Demand, MAX_PLANNED>,
    slack: u32,
}

impl Items {
    pub fn new(energy: &Energy, demands: &[Demand], limits: &Limits) -> Self {
        let mut items = Self { steady: Vec::new(), hungry: Vec::new(), slack: 0 };
        for demand in demands.iter().filter(|demand| !demand.affinity.is_empty()) {
            if demand.hungry {
                // More than the machine can hold find their place when they wake.
                let _ = items.hungry.push(*demand);
            } else if demand.work > Rate::ZERO {
                items.slack = items.slack.max(limits.slack.max(demand.slack));
                items.insert(Item::new(energy, demand, limits.slack));
            }
        }
        items
    }

    /// Keeps the order; when there is no room, the smallest is left out.
    fn insert(&mut self, item: Item) {
        let before = |other: &Item| other.demand.work >= item.demand.work;
        let position = self.steady.iter().rposition(before).map_or(0, |index| index + 1);
        if self.steady.is_full() {
            if position == MAX_PLANNED {
                return;
            }
            self.steady.pop();
        }
        self.steady.insert(position, item).unwrap_or_default();
    }

    pub fn get(&self, index: usize) -> &Item {
        &self.steady[index]
    }

    pub fn all(&self) -> ItemSet {
        ItemSet::first_n(self.steady.len())
    }

    pub fn hungry(&self) -> &[Demand] {
        &self.hungry
    }

    /// The demand of all that sleep at times.
    pub fn work(&self) -> Rate {
        Rate::new(self.steady.iter().map(|item| item.demand.work.get()).sum())
    }

    pub fn total(&self, core: CoreType, set: ItemSet) -> Total {
        let mut total = Total::default();
        for index in set.iter() {
            let item = &self.steady[index];
            let (elastic, fixed) = (item.elastic[core.index()], item.fixed[core.index()]);
            total.elastic += elastic;
            total.fixed += fixed;
            total.greatest_elastic = total.greatest_elastic.max(elastic);
            total.greatest_fixed = total.greatest_fixed.max(fixed);
        }
        total
    }

    /// The power that `share` of a CPU's time costs once the slack, which is not used on average, is taken out of it.
    pub fn unslacked(&self, share: u32, busy: Microwatts) -> u32 {
        let power = (u64::from(busy.get()) * u64::from(share)) >> 14;
        u32::try_from(power * 1024 / u64::from(1024 + self.slack)).unwrap_or(u32::MAX / 4)
    }

    /// Whether an item may use a CPU.
    #[inline]
    pub fn allows(&self, index: usize, cpus: CpuMask) -> CpuMask {
        self.steady[index].demand.affinity & cpus
    }
}
