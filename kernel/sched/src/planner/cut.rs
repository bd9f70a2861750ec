//! Tasks that are cut in two: part of each period on one CPU, the rest on another of the same cluster.
//!
//! Tasks come in whole numbers, so CPUs that hold two and a half of them run as if they held three. Whoever finds no room in one piece
//! is given the gaps of two CPUs; if that does not work out, all are dealt out by McNaughton's rule: what does not fit at the end of
//! one CPU goes on at the start of the next. The part that comes first in time must end before the second can begin, so it must be
//! urgent where it runs ([`Plan::weigh`]), and a CPU has one such part at most. All jobs must begin together: then a part that comes
//! second finds its CPU at work on jobs that end when its own does, and whatever the order in which they are done, all are done in time. With
//! beginnings anywhere in the period a full CPU cannot promise that.

use super::item::ItemSet;
use super::{Free, Search, WHOLE, free_time};
use crate::plan::Home;
use crate::{CoreType, CpuId, CpuMask, Plan};

/// A smaller part is not worth a move, in the unit of shares: a quarter of a millisecond of 16.
const LEAST_PART: u32 = WHOLE / 64;

/// Deals `set` out over the CPUs of a cluster; false if that does not work out.
pub(super) fn deal(plan: &mut Plan, search: &mut Search<'_>, core: CoreType, level: usize, set: ItemSet) -> bool {
    let cpus = search.cpus(core);
    let inverse = search.energy.cluster(core).level(level).inverse();
    let start = plan.homes.len();
    let free = free_time(cpus, CpuMask::EMPTY);
    let mut board = Board { search, core, inverse, cpus, free, starts: CpuMask::EMPTY };
    if !board.by_gaps(plan, set) {
        plan.homes.truncate(start);
        (board.free, board.starts) = (free, CpuMask::EMPTY);
        if !board.in_a_row(plan, set) {
            return false;
        }
    }
    for cpu in cpus.iter() {
        plan.headroom[cpu.index()] = board.free[cpu.index()];
    }
    true
}

struct Board<'a, 'b> {
    search: &'a mut Search<'b>,
    core: CoreType,
    inverse: u32,
    cpus: CpuMask,
    free: Free,
    /// CPUs that have a part already that comes first in time.
    starts: CpuMask,
}

impl Board<'_, '_> {
    /// Whole tasks first, at home where they can be; then each of the others into two gaps.
    fn by_gaps(&mut self, plan: &mut Plan, set: ItemSet) -> bool {
        let mut left = ItemSet::EMPTY;
        for index in self.whole_first(set) {
            if !self.place(plan, index) {
                left.insert(index);
            }
        }
        left.iter().all(|index| {
            let most_free = |among: CpuMask, free: &Free| among.iter().max_by_key(|cpu| free[cpu.index()]);
            let Some(first) = most_free(self.cpus & !self.starts, &self.free) else { return false };
            let Some(then) = most_free(self.cpus.without(first), &self.free) else { return false };
            let (here, there) = (self.free[first.index()], self.free[then.index()]);
            let size = self.size(index).min(here + there);
            if size < self.least(index) {
                return false;
            }
            // So that both CPUs keep the same part of what was free.
            let part = (u64::from(size) * u64::from(here) / u64::from(here + there)) as u32;
            self.halve(plan, index, (first, part.min(here).max(size - there.min(size))), (then, size))
        })
    }

    /// Those that do not divide whole, the others one after the other.
    fn in_a_row(&mut self, plan: &mut Plan, set: ItemSet) -> bool {
        let mut row = self.cpus.iter();
        let Some(mut last) = row.next() else { return set.is_empty() };
        for index in self.whole_first(set) {
            if !self.divides(index) {
                if !self.place(plan, index) {
                    return false;
                }
                continue;
            }
            loop {
                let (size, end) = (self.size(index), self.free[last.index()]);
                if size <= end {
                    self.settle(plan, index, last, size);
                    break;
                }
                let Some(next) = row.next() else { return false };
                let cuts = end >= LEAST_PART && self.halve(plan, index, (next, size - end), (last, size));
                last = next;
                if cuts {
                    break;
                }
            }
        }
        true
    }

    /// Those that do not divide come first.
    fn whole_first(&self, set: ItemSet) -> impl Iterator<Item = usize> + use<> {
        let mut whole = ItemSet::EMPTY;
        set.iter().filter(|index| !self.divides(*index)).for_each(|index| whole.insert(index));
        whole.iter().chain((set - whole).iter())
    }

    fn divides(&self, index: usize) -> bool {
        self.search.items.allows(index, self.cpus) == self.cpus
    }

    fn size(&self, index: usize) -> u32 {
        self.search.items.get(index).share(self.core, self.inverse)
    }

    /// What it needs if it goes without slack of its own, where those beside it have theirs: else a few microseconds that a move makes its jobs
    /// longer would decide how many tasks are cut.
    fn least(&self, index: usize) -> u32 {
        let size = self.size(index);
        size - (u64::from(size) * u64::from(self.search.limits.slack) / u64::from(1024 + self.search.limits.slack))
            as u32
    }

    /// In one piece: where it is, or on the first CPU that has room.
    fn place(&mut self, plan: &mut Plan, index: usize) -> bool {
        let (size, allowed) = (self.size(index), self.search.items.allows(index, self.cpus));
        self.search.effort += 1;
        let old = self.search.items.get(index).old().filter(|cpu| allowed.contains(*cpu));
        let mut candidates = old.into_iter().chain(allowed.iter());
        let Some(cpu) = candidates.find(|cpu| self.free[cpu.index()] >= size) else { return false };
        self.settle(plan, index, cpu, size);
        true
    }

    fn settle(&mut self, plan: &mut Plan, index: usize, cpu: CpuId, size: u32) {
        self.free[cpu.index()] -= size;
        let demand = self.search.items.demand(index);
        let reserve = demand.reserve(plan.slack);
        let home = Home { task: demand.task, cpu, share: size, then: None, reserve, hungry: false };
        let _ = plan.homes.push(home);
    }

    /// In two pieces of `size` together; false if one of them would be too small or too large.
    fn halve(
        &mut self,
        plan: &mut Plan,
        index: usize,
        (first, part): (CpuId, u32),
        (then, size): (CpuId, u32),
    ) -> bool {
        let rest = size.saturating_sub(part);
        let fits = part <= self.free[first.index()] && rest <= self.free[then.index()];
        if !self.divides(index) || !fits || part.min(rest) < LEAST_PART || self.starts.contains(first) {
            return false;
        }
        self.starts.insert(first);
        self.free[first.index()] -= part;
        self.free[then.index()] -= rest;
        let demand = self.search.items.demand(index);
        let reserve = demand.reserve(plan.slack);
        let home = Home { task: demand.task, cpu: first, share: part, then: Some(then), reserve, hungry: false };
        plan.homes.push(home).is_ok()
    }
}
