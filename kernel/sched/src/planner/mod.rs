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

use crate::energy::MAX_LEVELS;
use crate::{CoreType, CpuId, CpuMask, Demand, Energy, IdleCost, MAX_CPUS, Microwatts, Nanos, Plan, Rate};
use item::{ItemSet, Items, Total};
use packing::{Bins, Packing};

/// All the time of one CPU, in the unit of shares.
pub(crate) const WHOLE: u32 = Rate::FULL.get();

/// After so many looks at a CPU for either order of the clusters the search takes the best that it has found, so the time of a plan is bounded.
/// Usually it is done by then; good candidates come first.
const MOST_EFFORT: u32 = 360;

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
    let hungry = spread::hungry_cpus(energy, limits, demands);
    let bins = CoreType::BOTH.map(|core| Bins::new(energy.cluster(core).cpus & limits.cpus, hungry));
    let items = Items::new(energy, demands, limits, &bins);
    let mut search =
        Search { energy, limits, demands, items: &items, bins: &bins, hungry, best: None, effort: 0, budget: 0 };
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
    demands: &'a [Demand],
    items: &'a Items,
    bins: &'a [Bins; 2],
    hungry: CpuMask,
    best: Option<Best>,
    effort: u32,
    budget: u32,
}

impl<'a> Search<'a> {
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
        let second = first.other();
        let totals = [first, second].map(|core| self.items.total(core));
        let alone = self.alone(second, totals[1]);
        self.budget = self.effort + MOST_EFFORT;
        // From the top, as good plans often have the cluster that is filled at a high level: the sooner there is one, the fewer
        // bad ones are looked at.
        for level in self.candidates(first).rev() {
            if self.effort > self.budget && self.best.is_some() {
                break;
            }
            if !self.improves(self.divisible(first, level, totals[0], &alone)) {
                continue;
            }
            let packing = self.pack(first, level, self.items.all(), false);
            let power = self.power(first, level, &packing);
            if self.improves(power) {
                self.place_rest(first, Some(level), power, packing.placed, totals[1] - packing.elsewhere);
            }
        }
        if (self.energy.cluster(first).cpus & self.hungry).is_empty() {
            self.place_rest(first, None, 0, ItemSet::EMPTY, totals[1]);
        }
    }

    /// The time and the power that all tasks together would take on one cluster, for each of its levels.
    fn alone(&self, core: CoreType, total: Total) -> heapless::Vec<(u32, u32), MAX_LEVELS> {
        let levels = self.energy.cluster(core).levels().iter();
        let whole = levels.map(|level| (total.share(level.inverse()), level.busy));
        whole.map(|(share, busy)| (share, self.items.unslacked(share, busy))).collect()
    }

    /// What the cluster `first` at this level and the other one at its best would take, if tasks could be cut into any parts: a lower
    /// bound for what is left when as much as possible is packed into the first.
    fn divisible(&self, first: CoreType, level: usize, total: Total, alone: &[(u32, u32)]) -> u32 {
        let facts = self.energy.cluster(first).level(level);
        let room = WHOLE * self.bins[first.index()].len() as u32;
        let share = total.share(facts.inverse());
        let own = self.items.unslacked(share.min(room), facts.busy);
        if share <= room {
            // Packing may leave a small part to the other cluster.
            return own - own / 16;
        }
        let rest = u64::from(share - room) * 1024 / u64::from(share);
        let part = |whole: u32| ((u64::from(whole) * rest) >> 10) as u32;
        let most = WHOLE * self.bins[first.other().index()].len() as u32;
        let holding = alone.iter().filter(|(share, _)| part(*share) <= most);
        holding.map(|(_, power)| part(*power)).min().map_or(u32::MAX, |cheapest| own + cheapest)
    }

    fn place_rest(&mut self, first: CoreType, level: Option<usize>, power: u32, placed: ItemSet, total: Total) {
        let second = first.other();
        let rest = self.items.all() - placed;
        let needed = !(self.energy.cluster(second).cpus & self.hungry).is_empty();
        let Some(greatest) = rest.first().map(|index| *self.items.get(index)) else {
            if !needed {
                return self.note(first, level, None, power, placed);
            }
            let other = self.candidates(second).start;
            return self.note(first, level, Some(other), power, placed);
        };
        let room = WHOLE * self.bins[second.index()].len() as u32;
        for other in self.candidates(second) {
            let facts = self.energy.cluster(second).level(other);
            let inverse = facts.inverse();
            let share = total.share(inverse);
            if share > room || greatest.share(second, inverse) > WHOLE {
                continue;
            }
            let bound = power + self.items.unslacked(share, facts.busy) + self.least_idle(second, other, share);
            self.effort += 1;
            if self.effort > self.budget && self.best.is_some() {
                return;
            }
            if !self.improves(bound) {
                continue;
            }
            let packing = self.pack(second, other, rest, true);
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

    /// The CPUs of a cluster that may be used.
    fn cpus(&self, core: CoreType) -> CpuMask {
        self.energy.cluster(core).cpus & self.limits.cpus
    }

    fn pack(&mut self, core: CoreType, level: usize, from: ItemSet, all: bool) -> Packing<'a> {
        let inverse = self.energy.cluster(core).level(level).inverse();
        let mut packing = Packing::new(&self.bins[core.index()]);
        self.effort += if self.limits.split {
            packing.pour(self.items, from, core, inverse)
        } else {
            packing.first_fit(self.items, from, core, inverse, all)
        };
        packing
    }

    fn power(&self, core: CoreType, level: usize, packing: &Packing<'_>) -> u32 {
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

    /// The idle power that a cluster takes at least, if its CPUs together work for `share`.
    fn least_idle(&self, core: CoreType, level: usize, share: u32) -> u32 {
        match self.energy.idle {
            IdleCost::Gated => share_of(
                self.energy.cluster(core).level(level).idle,
                share / self.bins[core.index()].len().max(1) as u32,
            ),
            IdleCost::Ignored | IdleCost::Always => self.always(core, level),
        }
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
            Some(best) => self.settle(&mut plan, best, before),
            None => spread::over_all(&mut plan, &mut self),
        }
        spread::settle_hungry(&mut plan, &self, before);
        plan.effort = self.effort;
        plan
    }

    /// Gives each task a home: with as few moves as possible if that works out, else as the search has packed them.
    fn settle(&mut self, plan: &mut Plan, best: Best, before: &Plan) {
        let home = |demand: &Demand| before.home(demand.task).map(|home| spread::core_of(self.energy, home.cpu));
        let regrouped = self.items.regroup(best.little, home);
        for (little, anew) in [(regrouped, false), (best.little, true)] {
            plan.homes.clear();
            let sets = [self.items.all() - little, little];
            let fits = CoreType::BOTH.into_iter().all(|core| match best.levels[core.index()] {
                Some(level) => spread::within(plan, self, core, level, sets[core.index()], before, anew),
                None => sets[core.index()].is_empty(),
            });
            if fits {
                return;
            }
        }
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
