//! From a pair of levels to homes: which CPU of its cluster a task gets.
//!
//! First fit has shown that there is room. A home should also leave every CPU the same reserve, so the tasks are dealt
//! out anew, each to the CPU with most free time; if that does not work out, first fit stands.

use super::item::{ItemSet, Items};
use super::{Free, Limits, Search, WHOLE, free_time};
use crate::plan::Home;
use crate::{CoreType, CpuId, CpuMask, Demand, Energy, IdleCost, Plan};

/// The CPUs for the tasks that never sleep: the fastest that each may use, one each as long as there are enough. A big CPU that heat
/// holds back may be slower than a LITTLE one.
pub(super) fn hungry_cpus(energy: &Energy, limits: &Limits, demands: &[Demand]) -> CpuMask {
    let [big, little] = CoreType::BOTH.map(|core| limits.left(energy.cluster(core)));
    let order = if little.clearly_exceeds(big) { [CoreType::Little, CoreType::Big] } else { CoreType::BOTH };
    let mut taken = CpuMask::EMPTY;
    for demand in demands.iter().filter(|demand| demand.hungry) {
        let free = demand.affinity & limits.cpus & !taken;
        let fastest = order.into_iter().find_map(|core| (free & energy.cluster(core).cpus).first());
        if let Some(cpu) = fastest {
            taken.insert(cpu);
        }
    }
    taken
}

/// Gives each task that never sleeps one of the CPUs that are kept for them: the one that it has, if it is among them.
pub(super) fn settle_hungry(plan: &mut Plan, search: &Search<'_>, before: &Plan) {
    let mut free = search.hungry;
    let hungry = || search.demands.iter().filter(|demand| demand.hungry);
    let keeps = |demand: &Demand, free: CpuMask| {
        let home = before.home(demand.task).map(|home| home.cpu);
        home.filter(|cpu| free.contains(*cpu) && demand.affinity.contains(*cpu))
    };
    for demand in hungry() {
        if let Some(cpu) = keeps(demand, free) {
            free = free.without(cpu);
            settle(plan, demand, cpu, WHOLE / 2);
        }
    }
    for demand in hungry() {
        if plan.home(demand.task).is_some() {
            continue;
        }
        let shared = demand.affinity & search.limits.cpus;
        let own = (demand.affinity & free).first();
        let most_free = || shared.iter().max_by_key(|cpu| plan.headroom[cpu.index()]);
        let Some(cpu) = own.or_else(most_free) else { continue };
        free = free.without(cpu);
        settle(plan, demand, cpu, WHOLE / 2);
    }
}

fn settle(plan: &mut Plan, demand: &Demand, cpu: CpuId, share: u32) {
    let reserve = demand.reserve(plan.slack);
    let home = Home { task: demand.task, cpu, share, then: None, reserve, hungry: demand.hungry };
    // Beyond the plan's room a task is placed when it wakes.
    let _ = plan.homes.push(home);
}

/// Deals `set` out over the CPUs of a cluster. False if it does not fit; with `packed` it is known to, as the search has packed it.
pub(super) fn within(
    plan: &mut Plan,
    search: &mut Search<'_>,
    core: CoreType,
    level: usize,
    set: ItemSet,
    packed: bool,
) -> bool {
    let cpus = search.cpus(core);
    let inverse = search.energy.cluster(core).level(level).inverse();
    let even = search.energy.idle == IdleCost::Gated;
    let free = free_time(cpus, search.hungry);
    let mut dealt = Dealt { items: search.items, core, inverse, free, even, looks: 0 };
    let start = plan.homes.len();
    let done = dealt.evenly(plan, set, cpus);
    if !done && !packed {
        search.effort += dealt.looks;
        return false;
    }
    if !done {
        plan.homes.truncate(start);
        dealt.free = free_time(cpus, search.hungry);
        dealt.in_turn(plan, set, cpus);
    }
    search.effort += dealt.looks;
    for cpu in cpus.iter() {
        plan.headroom[cpu.index()] = dealt.free[cpu.index()];
    }
    true
}

/// There is no room for all: everybody goes where most time is free relative to what it needs.
pub(super) fn over_all(plan: &mut Plan, search: &mut Search<'_>) {
    let mut load = [0_u32; crate::MAX_CPUS];
    for index in search.items.all().iter() {
        let item = search.items.get(index);
        let after = |cpu: CpuId| {
            let core = core_of(search.energy, cpu);
            let level = search.limits.top[core.index()];
            load[cpu.index()] + item.share(core, search.energy.cluster(core).level(level).inverse())
        };
        let allowed = search.items.allows(index, search.limits.cpus);
        search.effort += allowed.len() as u32;
        let Some(cpu) = allowed.iter().min_by_key(|&cpu| after(cpu)) else { continue };
        let total = after(cpu);
        let share = total - load[cpu.index()];
        load[cpu.index()] = total;
        settle(plan, search.items.demand(index), cpu, share);
    }
    for cpu in search.limits.cpus.iter() {
        plan.headroom[cpu.index()] = WHOLE.saturating_sub(load[cpu.index()]);
    }
}

fn core_of(energy: &Energy, cpu: CpuId) -> CoreType {
    if energy.cluster(CoreType::Big).cpus.contains(cpu) { CoreType::Big } else { CoreType::Little }
}

struct Dealt<'a> {
    items: &'a Items<'a>,
    core: CoreType,
    inverse: u32,
    free: Free,
    /// The cluster is on for as long as its fullest CPU works.
    even: bool,
    looks: u32,
}

impl Dealt<'_> {
    /// Who is at home in this cluster stays, as long as its CPU does not get more than an equal part of the work and one task more, or
    /// half a task where that would cost. All others go to the CPU with most free time.
    fn evenly(&mut self, plan: &mut Plan, set: ItemSet, cpus: CpuMask) -> bool {
        let total: u32 = set.iter().map(|index| self.items.get(index).share(self.core, self.inverse)).sum();
        let equal = total / cpus.len().max(1) as u32;
        let mut movers = ItemSet::EMPTY;
        for index in set.iter() {
            let item = self.items.get(index);
            let size = item.share(self.core, self.inverse);
            self.looks += 1;
            let stays = item.old().filter(|cpu| self.items.allows(index, cpus).contains(*cpu)).filter(|cpu| {
                let free = self.free[cpu.index()];
                free >= size && WHOLE - free + if self.even { size } else { 0 } < equal + size / 2
            });
            match stays {
                Some(cpu) => self.settle(plan, index, cpu, size),
                None => movers.insert(index),
            }
        }
        for index in movers.iter() {
            let size = self.items.get(index).share(self.core, self.inverse);
            self.looks += cpus.len() as u32;
            let room = |cpu: &CpuId| self.free[cpu.index()];
            let Some(cpu) = self.items.allows(index, cpus).iter().filter(|cpu| room(cpu) >= size).max_by_key(room)
            else {
                return false;
            };
            self.settle(plan, index, cpu, size);
        }
        true
    }

    fn settle(&mut self, plan: &mut Plan, index: usize, cpu: CpuId, size: u32) {
        self.free[cpu.index()] -= size;
        settle(plan, self.items.demand(index), cpu, size);
    }

    /// As the search has packed them.
    fn in_turn(&mut self, plan: &mut Plan, set: ItemSet, cpus: CpuMask) {
        for index in set.iter() {
            let size = self.items.get(index).share(self.core, self.inverse);
            let allowed = self.items.allows(index, cpus);
            self.looks += allowed.len() as u32;
            let room = |cpu: &CpuId| self.free[cpu.index()];
            let quiet_first = (allowed & !plan.hungry).iter().chain((allowed & plan.hungry).iter());
            if let Some(cpu) = quiet_first.into_iter().find(|cpu| room(cpu) >= size) {
                self.settle(plan, index, cpu, size);
            }
        }
    }
}
