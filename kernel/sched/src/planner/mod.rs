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
//!
//! What packing loses, because tasks come in whole numbers, is won back where a few of them may be [cut](cut) in two.

mod bounds;
mod cut;
mod item;
mod packing;
mod spread;

use crate::energy::{Level, MAX_LEVELS};
use crate::{
    Capacity, Cluster, CoreType, CpuId, CpuMask, Demand, Energy, IdleCost, MAX_CPUS, Microwatts, Nanos, Plan, Rate,
};
use item::{ItemSet, Items, Total};
use packing::{Bins, Packing};

/// All the time of one CPU, in the unit of shares.
pub(crate) const WHOLE: u32 = Rate::FULL.get();

/// After so many looks at a CPU for each task the search takes the best that it has found, so the time of a plan is bounded. Good
/// candidates come first, so it is usually done long before.
const MOST_EFFORT: u32 = 10;
/// A search among fewer tasks than this may look as often as one among so many.
const FEW: usize = 24;
/// Among so few tasks it also pays to look for the best line between great and small ones.
const FEW_UNEQUAL: usize = 12;
/// The search for a plan with cut tasks knows a good plan already.
const MOST_EFFORT_CUT: u32 = 2;

/// To cut tasks in two must save this part of the power: they move twice a period.
const WORTH_A_CUT: u32 = 50;

/// Prices that differ by less than this part are equal: speeds are rounded.
const AS_CHEAP: u32 = 1024;

/// So long it takes until tasks are at home by a new plan, if nobody's period is known, and at most.
const SETTLING: Nanos = Nanos::from_millis(16);
const LONGEST_SETTLING: Nanos = Nanos::from_millis(64);

/// What a plan must keep to.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The highest level of each cluster that heat allows, by [`CoreType::index`].
    pub top: [usize; 2],
    /// The CPUs that may be used.
    pub cpus: CpuMask,
    /// What is reserved for every task beyond its demand, in 1/1024; a task's own slack counts if it is more.
    pub slack: u32,
    /// Whether a task may have part of its time on one CPU and the rest on the next, where all tasks beat in step.
    pub split: bool,
}

impl Limits {
    /// All that `energy` knows, with 5 % of slack.
    #[must_use]
    pub fn all(energy: &Energy) -> Self {
        let [big, little] = energy.clusters();
        Self { top: [big.top(), little.top()], cpus: big.cpus | little.cpus, slack: 51, split: false }
    }

    /// What heat leaves of a CPU of this cluster.
    fn left(&self, cluster: &Cluster) -> Capacity {
        let level = cluster.levels().get(self.top[cluster.core.index()].min(cluster.top()));
        level.map_or(Capacity::ZERO, |level| Capacity::new(level.speed.utilisation()))
    }
}

/// Makes the cheapest plan for `demands`.
///
/// `before` is the plan in force: a task stays at home where that costs nothing.
#[must_use]
pub fn plan(energy: &Energy, demands: &[Demand], limits: &Limits, before: &Plan, now: Nanos) -> Plan {
    let mut plan = Plan::none();
    plan_into(&mut plan, energy, demands, limits, before, now);
    plan
}

/// As [`plan`], without a copy: whatever `plan` was, it is the new one afterwards.
pub fn plan_into(plan: &mut Plan, energy: &Energy, demands: &[Demand], limits: &Limits, before: &Plan, now: Nanos) {
    let hungry = spread::hungry_cpus(energy, limits, demands);
    let bins = CoreType::BOTH.map(|core| Bins::new(energy.cluster(core).cpus & limits.cpus, hungry));
    let mut items = Items::new(demands);
    items.fill(energy, limits, &bins, before);
    let mut search = Search {
        energy,
        limits,
        demands,
        items: &items,
        bins: &bins,
        hungry,
        frugal: CoreType::BOTH.map(|core| frugal(energy, core, limits.top[core.index()], &bins[core.index()])),
        cuts: false,
        bar: u32::MAX,
        best: None,
        effort: 0,
        budget: 0,
    };
    search.make(plan, before, now);
}

/// For each level the one from there up, and not above `top`, at which work costs least. Where idle power is gated it is paid for as long as
/// the cluster works, so the CPUs share it: that is what makes it pay to race and rest.
fn frugal(energy: &Energy, core: CoreType, top: usize, bins: &Bins) -> [u8; MAX_LEVELS] {
    let cluster = energy.cluster(core);
    let cost = |level: &Level| match energy.idle {
        IdleCost::Gated => {
            level.power(Rate::FULL)
                + ((u64::from(bins.each(level.idle.get())) * u64::from(level.inverse())) >> 10) as u32
        }
        IdleCost::Ignored | IdleCost::Always => level.cost(),
    };
    let mut frugal = [0; MAX_LEVELS];
    let (mut best, mut least) = (0, u32::MAX);
    for (level, facts) in cluster.levels().iter().enumerate().take(top + 1).rev() {
        // Of equals the slowest.
        if cost(facts) <= least {
            (best, least) = (level as u8, cost(facts));
        }
        frugal[level] = best;
    }
    frugal
}

/// A candidate: levels, and what is packed into the LITTLE cluster.
#[derive(Clone, Copy)]
struct Best {
    power: u32,
    levels: [Option<usize>; 2],
    little: ItemSet,
}

/// Where a search can begin: the cluster that is filled first, at one of its levels or not at all, and a lower bound of what comes of it.
#[derive(Clone, Copy)]
struct Start {
    bound: u32,
    first: CoreType,
    level: Option<u8>,
}

/// Each level of either cluster, and either left empty.
type Starts = heapless::Vec<Start, { 2 * MAX_LEVELS + 2 }>;

struct Search<'a> {
    energy: &'a Energy,
    limits: &'a Limits,
    demands: &'a [Demand],
    items: &'a Items<'a>,
    bins: &'a [Bins; 2],
    hungry: CpuMask,
    /// For each level the one from there up at which work costs least.
    frugal: [[u8; MAX_LEVELS]; 2],
    /// Whether tasks may be cut in two.
    cuts: bool,
    /// What a candidate must stay below.
    bar: u32,
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

    /// The best plan of this kind that costs less than `bar`.
    fn run(&mut self, cuts: bool, bar: u32, starts: &Starts, totals: [Total; 2]) -> Option<Best> {
        (self.cuts, self.bar, self.best) = (cuts, bar, None);
        self.budget = self.effort + self.items.len().max(FEW) as u32 * if cuts { MOST_EFFORT_CUT } else { MOST_EFFORT };
        // The most promising one first: what it comes to rules out most of the others unseen.
        let mut left = ItemSet::first_n(starts.len());
        while let Some(next) = left.iter().min_by_key(|position| starts[*position].bound) {
            if starts[next].bound >= self.bar || self.is_spent() {
                break;
            }
            left.remove(next);
            self.fill(starts[next], totals);
        }
        if !cuts && self.items.len() <= FEW_UNEQUAL {
            self.by_size();
        }
        self.best
    }

    /// Whether the search must be content with what it has found.
    fn is_spent(&self) -> bool {
        self.effort > self.budget && self.best.is_some() || self.is_exhausted()
    }

    /// Whether it must end, even if it has found nothing.
    fn is_exhausted(&self) -> bool {
        self.effort > 3 * self.budget
    }

    /// The greatest tasks on the big cluster, the others on the LITTLE one, wherever the line is drawn. To fill one cluster before the other
    /// gives it great tasks that it is dear for; among many tasks there are always some that fill the gap, among few there are not.
    fn by_size(&mut self) {
        self.budget = self.effort + FEW as u32 * MOST_EFFORT;
        let mut totals = [Total::default(), self.items.total(CoreType::Little)];
        for great in 0..=self.items.len() {
            let big = ItemSet::first_n(great);
            let little = self.items.all() - big;
            if let Some((level, power)) = self.cheapest(CoreType::Big, big, totals[0], self.bar)
                && let Some((other, rest)) = self.cheapest(CoreType::Little, little, totals[1], self.bar - power)
            {
                self.bar = power + rest;
                self.best = Some(Best { power: self.bar, levels: [level, other], little });
            }
            let Some(next) = little.first().filter(|_| !self.is_spent()) else { break };
            let (mut on_big, mut on_little) = (Total::default(), Total::default());
            on_big += (self.items.get(next), CoreType::Big);
            on_little += (self.items.get(next), CoreType::Little);
            totals = [totals[0] + on_big, totals[1] - on_little];
        }
    }

    fn begin(&self, starts: &mut Starts, totals: [Total; 2]) {
        for first in CoreType::BOTH {
            let second = first.other();
            let alone = self.alone(second, totals[second.index()]);
            let room = WHOLE * self.bins[first.index()].len() as u32;
            let in_total = totals[first.index()].room_in_total(room);
            for level in self.candidates(first) {
                let bound = self.divisible(first, level, totals[first.index()], in_total, &alone);
                starts.push(Start { bound, first, level: Some(level as u8) }).unwrap_or_default();
            }
            if (self.energy.cluster(first).cpus & self.hungry).is_empty() {
                let room = WHOLE * self.bins[second.index()].len() as u32;
                let slowest = alone.iter().find(|alone| alone.share <= room);
                let bound = slowest.map_or(u32::MAX, |slowest| slowest.least);
                starts.push(Start { bound, first, level: None }).unwrap_or_default();
            }
        }
        starts.retain(|start| start.bound < u32::MAX);
    }

    /// Packs as much as possible into the cluster that is filled first, and the rest into the other.
    fn fill(&mut self, start: Start, totals: [Total; 2]) {
        let (first, second) = (start.first, start.first.other());
        let level = start.level.map(usize::from);
        let (mut power, mut placed, mut total) = (0, ItemSet::EMPTY, totals[second.index()]);
        if let Some(level) = level {
            let packing = self.pack(first, level, self.items.all(), false);
            power = self.power(first, level, &packing);
            (placed, total) = (packing.placed, total - packing.elsewhere);
        }
        let rest = self.items.all() - placed;
        if power >= self.bar {
            return;
        }
        let Some((other, rest_power)) = self.cheapest(second, rest, total, self.bar - power) else { return };
        let mut levels = [None; 2];
        levels[first.index()] = level;
        levels[second.index()] = other;
        let little = if first == CoreType::Little { placed } else { rest };
        self.bar = power + rest_power;
        self.best = Some(Best { power: self.bar, levels, little });
    }

    /// The level of a cluster at which it takes least to do all of `set`, whose sizes add up to `total`, and what it takes; `None`
    /// if that is not below `bar`, or impossible.
    fn cheapest(&mut self, core: CoreType, set: ItemSet, total: Total, bar: u32) -> Option<(Option<usize>, u32)> {
        let candidates = self.candidates(core);
        let Some(greatest) = set.first().map(|index| *self.items.get(index)) else {
            let needed = !(self.energy.cluster(core).cpus & self.hungry).is_empty();
            return (bar > 0).then_some((needed.then_some(candidates.start), 0));
        };
        let room = WHOLE * self.bins[core.index()].len() as u32;
        let cluster = self.energy.cluster(core);
        let too_slow = |level: usize| {
            let inverse = cluster.level(level).inverse();
            total.share(inverse) > room || greatest.share(core, inverse) > WHOLE
        };
        let (mut slowest, mut enough) = (candidates.start, candidates.end);
        while slowest < enough {
            let middle = usize::midpoint(slowest, enough);
            if too_slow(middle) { slowest = middle + 1 } else { enough = middle }
        }
        while slowest < candidates.end {
            let (bound, level) = self.least_from(core, slowest, total);
            if bound >= bar || self.is_exhausted() {
                return None;
            }
            let packing = self.pack(core, level, set, true);
            if packing.placed == set {
                let power = self.power(core, level, &packing);
                return (power < bar).then_some((Some(level), power));
            }
            // What does not pack here does not pack at a slower clock either.
            slowest = level + 1;
        }
        None
    }

    /// The CPUs of a cluster that may be used.
    fn cpus(&self, core: CoreType) -> CpuMask {
        self.energy.cluster(core).cpus & self.limits.cpus
    }

    fn pack(&mut self, core: CoreType, level: usize, from: ItemSet, all: bool) -> Packing<'a> {
        let inverse = self.energy.cluster(core).level(level).inverse();
        let mut packing = Packing::new(&self.bins[core.index()]);
        self.effort += if self.cuts {
            packing.pour(self.items, from, core, inverse, all)
        } else {
            packing.first_fit(self.items, from, core, inverse, all)
        };
        packing
    }

    fn make(&mut self, plan: &mut Plan, before: &Plan, now: Nanos) {
        plan.homes.clear();
        (plan.headroom, plan.made) = ([0; MAX_CPUS], now);
        (plan.reserve, plan.slack, plan.hungry) = (self.items.reserve(), self.limits.slack, self.hungry);
        (plan.earlier, plan.settled) = (before.levels, self.settled(now));
        let totals = CoreType::BOTH.map(|core| self.items.total(core));
        let mut starts = Starts::new();
        self.begin(&mut starts, totals);
        let whole = self.run(false, u32::MAX, &starts, totals);
        let best = self.cut(plan, whole, &starts, totals).or(whole);
        plan.feasible = best.is_some() && !self.is_crowded();
        plan.power = Microwatts::new(best.map_or(0, |best| best.power));
        let levels = best.map_or_else(|| self.all_out(), |best| best.levels);
        plan.levels = CoreType::BOTH.map(|core| {
            let level = levels[core.index()].map(|level| self.fastest_of_equals(core, level));
            level.and_then(|level| u8::try_from(level).ok())
        });
        match whole {
            // It has been dealt out already.
            _ if !plan.homes.is_empty() => {}
            Some(best) => self.settle(plan, best),
            None => spread::over_all(plan, self),
        }
        spread::settle_hungry(plan, self, before);
        (plan.effort, plan.top) = (self.effort, self.limits.top);
    }

    /// Whether every CPU is kept for a task that never sleeps, and there are more of them.
    fn is_crowded(&self) -> bool {
        self.hungry == self.limits.cpus
            && self.demands.iter().filter(|demand| demand.hungry).count() > self.hungry.len()
    }

    /// When the last job will be over that began by an earlier plan.
    fn settled(&self, now: Nanos) -> Nanos {
        let periods = self.demands.iter().filter_map(|demand| demand.beat).map(|beat| beat.period);
        let longest = now + periods.max().unwrap_or(SETTLING).min(LONGEST_SETTLING);
        self.items.beat().map_or(longest, |beat| beat.next(now).min(longest))
    }

    /// A plan with tasks cut in two, dealt out, if there is one that is worth it.
    fn cut(&mut self, plan: &mut Plan, whole: Option<Best>, starts: &Starts, totals: [Total; 2]) -> Option<Best> {
        if !self.limits.split || self.items.beat().is_none() || !self.hungry.is_empty() {
            return None;
        }
        let bar = whole.map_or(u32::MAX, |whole| whole.power - whole.power / WORTH_A_CUT);
        let best = self.run(true, bar, starts, totals)?;
        let little = self.items.regroup(best.little, self.energy.cluster(CoreType::Little).cpus);
        let sets = [self.items.all() - little, little];
        let dealt = CoreType::BOTH.into_iter().all(|core| match best.levels[core.index()] {
            Some(level) => cut::deal(plan, self, core, level, sets[core.index()]),
            None => sets[core.index()].is_empty(),
        });
        if !dealt {
            plan.homes.clear();
        }
        dealt.then_some(best)
    }

    /// Gives each task a home: with as few moves as possible if that works out, else as the search has packed them.
    fn settle(&mut self, plan: &mut Plan, best: Best) {
        let regrouped = self.items.regroup(best.little, self.energy.cluster(CoreType::Little).cpus);
        for (little, anew) in [(regrouped, false), (best.little, true)] {
            plan.homes.clear();
            let sets = [self.items.all() - little, little];
            let fits = CoreType::BOTH.into_iter().all(|core| match best.levels[core.index()] {
                Some(level) => spread::within(plan, self, core, level, sets[core.index()], anew),
                None => sets[core.index()].is_empty(),
            });
            if fits {
                return;
            }
        }
    }

    /// The fastest level at which work costs no more than at this one: at one voltage the price does not go by the clock, and who is done sooner
    /// is in time more often. Not where time is spent on waiting for memory, which costs more at a faster clock.
    fn fastest_of_equals(&self, core: CoreType, level: usize) -> usize {
        let levels = self.energy.cluster(core).levels();
        let most = levels[level].cost() + levels[level].cost() / AS_CHEAP;
        let counts = self.energy.idle != IdleCost::Ignored || self.items.total(core).waits();
        let top = if counts { level } else { self.limits.top[core.index()] };
        (level..=top).rev().find(|faster| levels[*faster].cost() <= most).unwrap_or(level)
    }

    /// The levels when there is too much to do.
    fn all_out(&self) -> [Option<usize>; 2] {
        CoreType::BOTH.map(|core| self.candidates(core).next_back())
    }
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
