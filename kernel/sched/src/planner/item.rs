//! The tasks to be packed, with their sizes on both kinds of core.

use core::ops::{Add, AddAssign, Sub};

use heapless::Vec;

use super::Limits;
use super::packing::Bins;
use crate::demand::MAX_PLANNED;
use crate::{Beat, CoreType, CpuId, CpuMask, Demand, Energy, Microwatts, Plan, Rate};

/// One task that sleeps at times. Kept small: dozens of them lie on the stack while a plan is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// By kind of core: the part of its time, slack included, that shrinks with the clock, at the rate of a full CPU ...
    elastic: [u32; 2],
    /// ... and the part that does not, as a share of a CPU's time.
    fixed: [u32; 2],
    /// The places in each cluster's bins where it may go.
    places: [u8; 2],
    /// The position of its demand.
    demand: u16,
    /// Where the plan before has it.
    old: Option<CpuId>,
}

/// No task is larger than this, so that a product with [`Level::inverse`](crate::Level::inverse) fits a word. It is more than any CPU holds.
const LARGEST: u32 = 200_000;

impl Item {
    fn new(energy: &Energy, demand: &Demand, need: u32, bins: &[Bins; 2]) -> Self {
        let on_little = match demand.ratio {
            0 => need,
            ratio => ((u64::from(need) << 10) / u64::from(ratio)) as u32,
        };
        let (mut elastic, mut fixed) = ([need, on_little].map(|size| size.min(LARGEST)), [0; 2]);
        if demand.stall != [0; 2] {
            for core in CoreType::BOTH {
                let size = &mut elastic[core.index()];
                let listed = energy.cluster(core).stall();
                let beyond = (demand.stall[core.index()].saturating_sub(listed) << 10) / (1024 - listed.min(1023));
                let stalled = (*size * beyond.min(1024)) >> 10;
                *size -= stalled;
                let cluster = energy.cluster(core);
                let top = cluster.levels().last();
                fixed[core.index()] = top.map_or(0, |level| level.share(Rate::new(stalled)));
            }
        }
        let mut places = CoreType::BOTH.map(|core| bins[core.index()].places(demand.affinity));
        // Who is due more speed than one kind of core has goes to the other, if it may.
        let reaches =
            |core: CoreType| energy.cluster(core).levels().last().is_some_and(|top| top.speed >= demand.least);
        let fast = CoreType::BOTH.map(|core| if reaches(core) { places[core.index()] } else { 0 });
        if fast != [0, 0] {
            places = fast;
        }
        Self { elastic, fixed, places, demand: 0, old: None }
    }

    #[inline]
    pub fn places(&self, core: CoreType) -> u8 {
        self.places[core.index()]
    }

    /// The share of a CPU's time that it needs at the level with this factor.
    #[inline]
    pub fn share(&self, core: CoreType, inverse: u32) -> u32 {
        ((self.elastic[core.index()] * inverse) >> 10) + self.fixed[core.index()]
    }

    /// The same on the fastest core at its top.
    #[inline]
    fn size(&self) -> u32 {
        self.elastic[0] + self.fixed[0]
    }

    /// Where the plan before has it.
    pub fn old(&self) -> Option<CpuId> {
        self.old
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

    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    pub const fn contains(self, index: usize) -> bool {
        self.0 >> index & 1 == 1
    }

    pub const fn insert(&mut self, index: usize) {
        self.0 |= 1 << index;
    }

    pub const fn remove(&mut self, index: usize) {
        self.0 &= !(1 << index);
    }

    pub const fn first(self) -> Option<usize> {
        if self.0 == 0 { None } else { Some(self.0.trailing_zeros() as usize) }
    }

    pub const fn last(self) -> Option<usize> {
        if self.0 == 0 { None } else { Some(63 - self.0.leading_zeros() as usize) }
    }

    /// Lowest first. Word by word: the target has no instructions for 64 bits.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let (mut word, mut high, mut base) = (self.0 as u32, (self.0 >> 32) as u32, 0);
        core::iter::from_fn(move || {
            if word == 0 {
                (word, high, base) = (high, 0, 32);
                if word == 0 {
                    return None;
                }
            }
            let index = word.trailing_zeros() as usize;
            word &= word - 1;
            Some(base + index)
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
}

impl Total {
    /// Whether some of the time does not shrink with the clock.
    pub fn waits(&self) -> bool {
        self.fixed > 0
    }

    /// The time that all need together.
    #[inline]
    pub fn share(&self, inverse: u32) -> u32 {
        let share = ((u64::from(self.elastic) * u64::from(inverse)) >> 10) + u64::from(self.fixed);
        u32::try_from(share).unwrap_or(u32::MAX)
    }
}

impl Total {
    /// How often the room of a cluster goes into all work at the speed of a full CPU, in 1/1024: what [`Total::portion`] is made of
    /// without a division for each level.
    pub fn room_in_total(&self, room: u32) -> u32 {
        (room << 10) / self.elastic.max(1)
    }

    /// The part of all work that a cluster has room for at this speed, in 1/1024; [`None`] if not all of it goes by the speed.
    #[inline]
    pub fn portion(&self, speed: Rate, room_in_total: u32) -> Option<u32> {
        let portion = (u64::from(room_in_total) * u64::from(speed.get())) >> 14;
        (self.fixed == 0).then_some(u32::try_from(portion).unwrap_or(1024).min(1024))
    }
}

impl Add for Total {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { elastic: self.elastic + other.elastic, fixed: self.fixed + other.fixed }
    }
}

impl Sub for Total {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { elastic: self.elastic - other.elastic, fixed: self.fixed - other.fixed }
    }
}

impl AddAssign<(&Item, CoreType)> for Total {
    #[inline]
    fn add_assign(&mut self, (item, core): (&Item, CoreType)) {
        self.elastic += item.elastic[core.index()];
        self.fixed += item.fixed[core.index()];
    }
}

/// The tasks that sleep at times, greatest first.
pub(super) struct Items<'a> {
    demands: &'a [Demand],
    steady: Vec<Item, MAX_PLANNED>,
    /// The factor that takes the slack out of a time, in 1/1024.
    unslacked: u32,
    /// What is reserved for all.
    reserve: Rate,
    /// When the jobs of all begin, if they begin together.
    beat: Option<Beat>,
}

impl<'a> Items<'a> {
    pub const fn new(demands: &'a [Demand]) -> Self {
        Self { demands, steady: Vec::new(), unslacked: 1024, reserve: Rate::ZERO, beat: None }
    }

    /// In a step of its own, so that they are made where they stay.
    pub fn fill(&mut self, energy: &Energy, limits: &Limits, bins: &[Bins; 2], before: &Plan) {
        let (mut work, mut needed) = (0_u64, 0_u64);
        let mut in_step = true;
        let mut found = 0;
        for (position, demand) in (0_u16..).zip(self.demands) {
            if demand.hungry || demand.work == Rate::ZERO || demand.affinity.is_empty() {
                continue;
            }
            in_step &= demand.beat.is_some_and(|own| own.is_in_step_with(self.beat.get_or_insert(own)));
            let need = demand.reserve(limits.slack).get();
            work += u64::from(demand.work.get());
            needed += u64::from(need);
            // Plans keep tasks in nearly the order of the demands: the next one is usually near the last.
            let homes = before.homes().iter().enumerate();
            let near = homes.clone().skip(found).chain(homes.take(found)).find(|(_, home)| home.task == demand.task);
            found = near.map_or(found, |(position, _)| position);
            let old = near.map(|(_, home)| home.cpu);
            self.insert(Item { demand: position, old, ..Item::new(energy, demand, need, bins) });
        }
        // Greatest first; equal ones in the order of the demands, so that the same demands give the same plan.
        self.steady.sort_unstable_by_key(|item| (core::cmp::Reverse(item.size()), item.demand));
        self.reserve = u32::try_from(needed).map_or(Rate::FULL, Rate::new);
        self.beat = self.beat.filter(|_| in_step);
        let factor = ((work << 10) + needed / 2).checked_div(needed);
        self.unslacked = factor.and_then(|factor| u32::try_from(factor).ok()).unwrap_or(1024);
    }

    /// When there is no room, the smallest is left out.
    fn insert(&mut self, item: Item) {
        let Err(item) = self.steady.push(item) else { return };
        let smallest = (0..self.steady.len()).min_by_key(|index| self.steady[*index].size());
        if let Some(index) = smallest.filter(|index| self.steady[*index].size() < item.size()) {
            self.steady[index] = item;
        }
    }

    pub fn len(&self) -> usize {
        self.steady.len()
    }

    #[inline]
    pub fn get(&self, index: usize) -> &Item {
        &self.steady[index]
    }

    /// When the jobs of all begin, if they begin together.
    pub fn beat(&self) -> Option<Beat> {
        self.beat
    }

    /// What an item stands for.
    pub fn demand(&self, index: usize) -> &'a Demand {
        &self.demands[usize::from(self.steady[index].demand)]
    }

    pub fn all(&self) -> ItemSet {
        ItemSet::first_n(self.steady.len())
    }

    /// What is reserved for all that sleep at times.
    pub fn reserve(&self) -> Rate {
        self.reserve
    }

    /// The sizes of all on one kind of core.
    pub fn total(&self, core: CoreType) -> Total {
        let mut total = Total::default();
        self.steady.iter().for_each(|item| total += (item, core));
        total
    }

    /// The power that `share` of a CPU's time costs once the slack, which is not used on average, is taken out of it.
    #[inline]
    pub fn unslacked(&self, share: u32, busy: Microwatts) -> u32 {
        let power = (u64::from(busy.get()) * u64::from(share)) >> 14;
        u32::try_from((power * u64::from(self.unslacked)) >> 10).unwrap_or(u32::MAX / 4)
    }

    /// As many tasks of each size as in `little`, but rather those that are at home on a LITTLE CPU already: which of several
    /// equal tasks goes where makes no difference to anything but the caches. Sizes within a thirty-second count as equal.
    pub fn regroup(&self, little: ItemSet, little_cpus: CpuMask) -> ItemSet {
        let mut result = ItemSet::EMPTY;
        let mut start = 0;
        while start < self.steady.len() {
            let first = self.demand(start);
            let alike = |index: &usize| {
                let demand = self.demand(*index);
                let equal = demand.affinity == first.affinity && demand.least == first.least;
                let alike = |one: u32, other: u32| one.abs_diff(other) * 32 <= one.max(other);
                let as_large = alike(self.steady[*index].size(), self.steady[start].size());
                equal && as_large && alike(demand.work.get(), first.work.get())
            };
            let end = start + (start..self.steady.len()).take_while(alike).count();
            let mut left = (start..end).filter(|index| little.contains(*index)).count();
            let at_home = |index: usize| self.steady[index].old.map(|cpu| little_cpus.contains(cpu));
            for wanted in [Some(true), None, Some(false)] {
                for index in (start..end).filter(|index| at_home(*index) == wanted).take(left) {
                    result.insert(index);
                    left -= 1;
                }
            }
            start = end;
        }
        result
    }

    /// Those of `cpus` that an item may use.
    #[inline]
    pub fn allows(&self, index: usize, cpus: CpuMask) -> CpuMask {
        self.demand(index).affinity & cpus
    }
}
