//! The planner: the cheapest pair of operating points at which all tasks find room, and which task goes where.
//!
//! The cost of a plan separates: what a cluster takes depends on its own operating point and on the work that it is given. So
//! for one cluster after the other, at each of its points, as many tasks are packed into it as it holds (first fit,
//! greatest first), and for the rest the cheapest point of the other cluster is sought that holds them. A lower bound
//! that needs no packing skips nearly all pairs. For equal tasks the result is the exact optimum among plans that keep
//! each task on one CPU: at given points the cheaper cluster is to be filled, and first fit fills it with equal tasks.
//! With unequal ones it is within the loss of first-fit packing.
//!
//! Plans that leave a cluster empty, and so off, are among the candidates like any other. With [`IdleCost::Gated`] a cluster pays
//! for its idle power only while it works, and then the search settles at or above the critical speed by itself, as
//! below it the longer time costs more than the lower voltage saves.
//!
//! Tasks that never sleep ("hungry") are given the fastest CPUs, one each, at the highest point, before the others are
//! packed around them: one busy CPU is no reason to stop thinking about the rest.

mod item;
mod packing;
mod spread;

use crate::{CoreType, CpuId, CpuMask, Demand, Energy, IdleCost, MAX_CPUS, Microwatts, Nanos, Plan, Rate};
use item::{ItemSet, Items};
use packing::Packing;

/// All the time of one CPU, in the unit of shares.
pub(crate) const WHOLE: u32 = Rate::FULL.get();

/// What a plan must keep to.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The highest level of each cluster that heat allows, by [`CoreType::index`].
    pub top: [usize; 2],
    /// The CPUs that may be used.
    pub cpus: CpuMask,
    /// What is reserved for every task beyond its demand, in 1/1024; a task's own slack counts if it is more.
    pub slack: u32,
    /// Whether a task may have part of its time on one CPU and the rest on the next.
    pub split: bool,
}

impl Limits {
    /// All that `energy` knows, with 5 % of slack.
    #[must_use]
    pub fn all(energy: &Energy) -> Self {
        let [big, little] = energy.clusters();
        Self { top: [big.top(), little.top()], cpus: big.cpus | little.cpus, slack: 51, split: false }
    }
}

/// Makes the cheapest plan for `demands`.
///
/// `before` is the plan in force: a task stays at home where that costs nothing.
#[must_use]
pub fn plan(energy: &Energy, demands: &[Demand], limits: &Limits, before: &Plan, now: Nanos) -> Plan {
    let items = Items::new(energy, demands, limits);
    let mut search = Search::new(energy, limits, &items);
    for first in [CoreType::Little, CoreType::Big] {
        search.fill_first(first);
    }
    search.into_plan(before, now)
}

/// A candidate: levels, and what is packed into the cluster that was filled first.
#[derive(Clone, Copy)]
struct Best {
    power: u32,
    levels: [Option<usize>; 2],
    little: ItemSet,
}

struct Search<'a> {
    energy: &'a Energy,
    limits: &'a Limits,
    items: &'a Items,
    hungry: CpuMask,
    best: Option<Best>,
    effort: u32,
}

impl<'a> Search<'a> {
    fn new(energy: &'a Energy, limits: &'a Limits, items: &'a Items) -> Self {
        let hungry = spread::hungry_cpus(energy, limits, items.hungry());
        Self { energy, limits, items, hungry, best: None, effort: 0 }
    }

    /// The levels that come into question for a cluster: only the highest if a task that never sleeps is there.
    fn candidates(&self, core: CoreType) -> core::ops::Range<usize> {
        let cluster = self.energy.cluster(core);
        if (cluster.cpus & self.limits.cpus).is_empty() {
            return 0..0;
        }
        let top = self.limits.top[core.index()].min(cluster.top());
        let lowest = if (cluster.cpus & self.hungry).is_empty() { 0 } else { top };
        lowest..top + 1
    }

    /// Packs as much as possible into the cluster `first` at each of its levels, and the rest into the other.
    fn fill_first(&mut self, first: CoreType) {
        for level in self.candidates(first) {
            let packing = self.pack(first, level, self.items.all());
            let power = self.power(first, level, &packing);
            if self.improves(power) {
                self.place_rest(first, Some(level), power, packing.placed);
            }
        }
        if (self.energy.cluster(first).cpus & self.hungry).is_empty() {
            self.place_rest(first, None, 0, ItemSet::EMPTY);
        }
    }

    fn place_rest(&mut self, first: CoreType, level: Option<usize>, power: u32, placed: ItemSet) {
        let second = first.other();
        let rest = self.items.all() - placed;
        let needed = !(self.energy.cluster(second).cpus & self.hungry).is_empty();
        if rest.is_empty() && !needed {
            self.note(first, level, None, power, placed);
            return;
        }
        let total = self.items.total(second, rest);
        for other in self.candidates(second) {
            let facts = self.energy.cluster(second).level(other);
            let share = total.share(facts.inverse());
            let room = WHOLE * self.bins(second).len() as u32;
            let bound = power + self.items.unslacked(share, facts.busy) + self.always(second, other);
            self.effort += 1;
            if share > room || total.greatest(facts.inverse()) > WHOLE || !self.improves(bound) {
                continue;
            }
            let packing = self.pack(second, other, rest);
            if packing.placed == rest {
                let power = power + self.power(second, other, &packing);
                self.note(first, level, Some(other), power, placed);
            }
        }
    }

    fn improves(&self, power: u32) -> bool {
        self.best.is_none_or(|best| power < best.power)
    }

    fn note(&mut self, first: CoreType, level: Option<usize>, other: Option<usize>, power: u32, placed: ItemSet) {
        if !self.improves(power) {
            return;
        }
        let mut levels = [None; 2];
        levels[first.index()] = level;
        levels[first.other().index()] = other;
        let little = if first == CoreType::Little { placed } else { self.items.all() - placed };
        self.best = Some(Best { power, levels, little });
    }

    /// The CPUs to pack into, those first that no hungry task occupies.
    fn bins(&self, core: CoreType) -> CpuMask {
        self.energy.cluster(core).cpus & self.limits.cpus
    }

    fn pack(&mut self, core: CoreType, level: usize, from: ItemSet) -> Packing {
        let inverse = self.energy.cluster(core).level(level).inverse();
        let mut packing = Packing::new(self.bins(core), self.hungry);
        self.effort += if self.limits.split {
            packing.pour(self.items, from, core, inverse)
        } else {
            packing.first_fit(self.items, from, core, inverse)
        };
        packing
    }

    fn power(&self, core: CoreType, level: usize, packing: &Packing) -> u32 {
        if packing.placed.is_empty() && (self.energy.cluster(core).cpus & self.hungry).is_empty() {
            return 0;
        }
        let facts = self.energy.cluster(core).level(level);
        let idle = match self.energy.idle {
            IdleCost::Gated => share_of(facts.idle, packing.fullest()),
            IdleCost::Ignored | IdleCost::Always => self.always(core, level),
        };
        self.items.unslacked(packing.used, facts.busy) + idle
    }

    fn always(&self, core: CoreType, level: usize) -> u32 {
        match self.energy.idle {
            IdleCost::Always => self.energy.cluster(core).level(level).idle.get(),
            IdleCost::Ignored | IdleCost::Gated => 0,
        }
    }

    fn into_plan(mut self, before: &Plan, now: Nanos) -> Plan {
        let best = self.best.take();
        let levels = best.map_or_else(|| self.all_out(), |best| best.levels);
        let mut plan = Plan {
            levels: levels.map(|level| level.and_then(|level| u8::try_from(level).ok())),
            power: Microwatts::new(best.map_or(0, |best| best.power)),
            made: now,
            work: self.items.work(),
            feasible: best.is_some(),
            hungry: self.hungry,
            ..Plan::none()
        };
        match best {
            Some(best) => {
                let sets = [self.items.all() - best.little, best.little];
                for core in CoreType::BOTH {
                    let Some(level) = levels[core.index()] else { continue };
                    spread::within(&mut plan, &mut self, core, level, sets[core.index()], before);
                }
            }
            None => spread::over_all(&mut plan, &mut self),
        }
        spread::settle_hungry(&mut plan, &self, before);
        plan.effort = self.effort;
        plan
    }

    /// The levels when there is too much to do.
    fn all_out(&self) -> [Option<usize>; 2] {
        CoreType::BOTH.map(|core| self.candidates(core).next_back())
    }
}

fn share_of(power: Microwatts, share: u32) -> u32 {
    ((u64::from(power.get()) * u64::from(share)) >> 14) as u32
}

/// Names that the submodules use for a CPU's free time.
type Free = [u32; MAX_CPUS];

const fn free_time(cpus: CpuMask, hungry: CpuMask) -> Free {
    let mut free = [0; MAX_CPUS];
    let mut index = 0;
    while index < MAX_CPUS {
        let cpu = CpuId::new(index);
        if cpus.contains(cpu) {
            // Half of a CPU is what one task that never sleeps leaves to the others at equal weight.
            free[index] = if hungry.contains(cpu) { WHOLE / 2 } else { WHOLE };
        }
        index += 1;
    }
    free
}
