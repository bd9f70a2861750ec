//! What Linux does with energy-aware scheduling: the peer to be measured against.
//!
//! On a wake-up each cluster offers the CPU with most spare capacity; of these and the previous CPU the one with the least
//! estimated energy wins, ties keep the previous (`find_energy_efficient_cpu`, `kernel/sched/fair.c`). As soon as one CPU is
//! used beyond 80 % (`overutilized`) energy counts no more: tasks go to idle CPUs that they fit, idle CPUs pull, and busy ones
//! even out what they have to do for their capacity. A running task moves only for that and when it is a misfit. The estimate charges the
//! work on a cluster at the cost of the operating point that `schedutil` would choose for its busiest CPU.
//!
//! Kinder than the original: the flag is computed afresh and never stale, a misfit moves on the next tick without waiting for a
//! balancing interval, wake-ups decide one after the other and see each other (on Linux they race: Gondois, LKML 7 Nov 2024), the time
//! that tasks wait does not raise the clock (`cpu_util_cfs_boost`, since 6.5, takes `runnable_avg` for a utilisation), and estimates fall also
//! with jobs that waited (`util_est_update` skips these; see [`Entity::estimate`](crate::Entity::estimate)).

use crate::policy::CpuLoad;
use crate::shift::is_long;
use crate::{
    Capacity, Clamp, Cluster, CoreType, CpuId, CpuMask, Cpus, Energy, Nanos, Placement, Pull, Rate, RunningView, Shift,
    Wake, Why, frequency,
};

/// Between two attempts to balance busy CPUs: a millisecond for each of eight CPUs, times `busy_factor`.
const BUSY_INTERVAL: Nanos = Nanos::from_millis(128);

/// Whether a CPU is used beyond what leaves it room to grow (`cpu_overutilized`).
fn is_overutilised(cpu: CpuId, cpus: &impl Cpus) -> bool {
    let load = cpus.load(cpu);
    !cpus.left(cpu).fits(load.clamp.max.min(load.expected()))
}

/// Whether any is.
pub(crate) fn overutilised(cpus: &impl Cpus) -> bool {
    cpus.online().iter().any(|cpu| is_overutilised(cpu, cpus))
}

/// Where a woken task goes.
pub(crate) fn place(wake: &Wake, allowed: CpuMask, cpus: &impl Cpus) -> Placement {
    let task = wake.utilisation.max(cpus.hints(wake.task).estimate);
    match cpus.energy() {
        Some(energy) if task > 0 && !overutilised(cpus) => cheapest(wake, task, allowed, energy, cpus),
        _ => idle_and_fitting(wake, cpus.hints(wake.task).clamp.apply(task), allowed, cpus),
    }
}

/// `select_idle_capacity`: where it was if that is idle and it fits, else the next idle CPU that it fits, else the idle one of greatest
/// capacity, else where it was.
fn idle_and_fitting(wake: &Wake, task: u32, allowed: CpuMask, cpus: &impl Cpus) -> Placement {
    let idle = allowed & cpus.idle();
    if idle.contains(wake.previous) && cpus.left(wake.previous).fits(task) {
        return Placement { cpu: wake.previous, why: Why::Previous };
    }
    let after = |cpu: &CpuId| cpu.index() > wake.previous.index();
    let in_turn = idle.iter().filter(after).chain(idle.iter().filter(|cpu| !after(cpu)));
    if let Some(cpu) = in_turn.into_iter().find(|&cpu| cpus.left(cpu).fits(task)) {
        return Placement { cpu, why: Why::Fits };
    }
    if let Some(cpu) = idle.iter().max_by_key(|&cpu| (cpus.left(cpu), CpuMask::of(wake.previous).contains(cpu))) {
        return Placement { cpu, why: Why::Idle };
    }
    let stay = if allowed.contains(wake.previous) { Some(wake.previous) } else { allowed.first() };
    Placement { cpu: stay.unwrap_or(wake.previous), why: Why::Previous }
}

/// One way to place the task.
#[derive(Clone, Copy)]
struct Candidate {
    cpu: CpuId,
    /// The added energy, in the unit of [`Cluster`] costs times utilisation.
    energy: u64,
}

/// Looks at the CPU with most spare capacity of each cluster, and at the previous one.
fn cheapest(wake: &Wake, task: u32, allowed: CpuMask, energy: &Energy, cpus: &impl Cpus) -> Placement {
    let previous = allowed
        .contains(wake.previous)
        .then(|| candidate(wake, task, wake.previous, energy, cpus))
        .filter(|_| spare(wake, task, wake.previous, cpus).is_some());
    let mut best = previous;
    for cluster in energy.clusters() {
        let among = (cluster.cpus & allowed).iter();
        let most = among.filter_map(|cpu| Some((spare(wake, task, cpu, cpus)?, cpu))).max_by_key(|(spare, _)| *spare);
        let Some((_, cpu)) = most.filter(|(_, cpu)| *cpu != wake.previous) else { continue };
        let candidate = candidate(wake, task, cpu, energy, cpus);
        if best.is_none_or(|best| candidate.energy < best.energy) {
            best = Some(candidate);
        }
    }
    match best {
        Some(best) if best.cpu == wake.previous => Placement { cpu: best.cpu, why: Why::Previous },
        Some(best) => Placement { cpu: best.cpu, why: Why::Energy },
        None => idle_and_fitting(wake, task, allowed, cpus),
    }
}

/// The utilisation of a CPU without the task that wakes up, and with `task` of it if it is to go there.
fn utilisation(wake: &Wake, cpu: CpuId, task: u32, cpus: &impl Cpus) -> u32 {
    let load: CpuLoad = cpus.load(cpu);
    // Its part of the load of the CPU where it slept has not gone with it.
    let own = if cpu == wake.previous { wake.utilisation } else { 0 };
    let with = (load.utilisation.saturating_sub(own) + wake.utilisation.min(task)).max(load.estimate + task);
    let without = load.utilisation.saturating_sub(own).max(load.estimate);
    let utilisation = if task > 0 { with } else { without };
    utilisation.min(cpus.capacities().capacity(cpu).get())
}

/// The bounds of a CPU with the task there. Nobody sleeps on an idle CPU whose bounds would count.
fn clamp_with(wake: &Wake, cpu: CpuId, cpus: &impl Cpus) -> Clamp {
    let own = cpus.hints(wake.task).clamp;
    if cpus.idle().contains(cpu) { own } else { own.with(cpus.load(cpu).clamp) }
}

/// The spare capacity of a CPU with the task there; [`None`] if it does not fit within the bounds of all who are awake there
/// (`util_fits_cpu`; that a boost cannot be granted counts as not fitting).
fn spare(wake: &Wake, task: u32, cpu: CpuId, cpus: &impl Cpus) -> Option<u32> {
    let capacity = cpus.left(cpu);
    let used = utilisation(wake, cpu, task, cpus);
    let clamp = clamp_with(wake, cpu, cpus);
    let bounded = clamp.max <= capacity.get() && clamp.max < Capacity::FULL.get();
    let fits = (bounded || capacity.fits(used)) && clamp.min.min(clamp.max) <= capacity.get();
    fits.then(|| capacity.get().saturating_sub(used))
}

fn candidate(wake: &Wake, task: u32, cpu: CpuId, energy: &Energy, cpus: &impl Cpus) -> Candidate {
    let core = if energy.cluster(CoreType::Big).cpus.contains(cpu) { CoreType::Big } else { CoreType::Little };
    let cluster = energy.cluster(core);
    let with = cluster_energy(wake, cluster, Some((cpu, task)), cpus);
    let without = cluster_energy(wake, cluster, None, cpus);
    Candidate { cpu, energy: with.saturating_sub(without) }
}

/// `compute_energy`: the cost of the operating point that the busiest CPU asks for, times all the work. The work of a CPU ends at its
/// capacity, but that of the task counts in full wherever it goes, up to what the whole cluster can do (`eenv_task_busy_time`).
fn cluster_energy(wake: &Wake, cluster: &Cluster, placed: Option<(CpuId, u32)>, cpus: &impl Cpus) -> u64 {
    let (mut busiest, mut others, mut most) = (0, 0, 0);
    for cpu in (cluster.cpus & cpus.online()).iter() {
        let task = placed.filter(|(on, _)| *on == cpu).map_or(0, |(_, task)| task);
        let clamp = if task > 0 { clamp_with(wake, cpu, cpus) } else { cpus.load(cpu).clamp };
        busiest = busiest.max(frequency::with_headroom(utilisation(wake, cpu, task, cpus), clamp));
        others += utilisation(wake, cpu, 0, cpus);
        most += cpus.left(cpu).get();
    }
    let busy = (others.min(most) + placed.map_or(0, |(_, task)| task)).min(most);
    let level = cluster.efficient_from(cluster.reaching(Rate::of(busiest)), cluster.top());
    u64::from(cluster.level(level).cost()) * u64::from(busy)
}

/// A misfit goes to a larger CPU that is idle. A second task on an overutilised CPU goes to any idle one, and where none is, to one that has
/// less to do for its capacity.
pub(crate) fn on_tick(me: CpuId, now: Nanos, running: &RunningView, queued: u32, cpus: &impl Cpus) -> Option<Shift> {
    let crowded = queued > 0 && is_overutilised(me, cpus);
    let mine = cpus.left(me);
    let elsewhere = (running.affinity & cpus.idle()).without(me);
    let hints = cpus.hints(running.task);
    let wanted = hints.clamp.apply(running.utilisation.max(hints.estimate));
    let Some(to) = elsewhere.iter().max_by_key(|&cpu| (cpus.left(cpu), core::cmp::Reverse(cpu))) else {
        let to = if crowded { less_loaded(me, now, running, queued, cpus) } else { None };
        return to.map(|to| Shift::Push { to, why: Why::Balance });
    };
    if !mine.fits(wanted) && cpus.left(to).clearly_exceeds(mine) {
        return Some(Shift::Push { to, why: Why::Misfit });
    }
    crowded.then_some(Shift::Push { to, why: Why::Balance })
}

/// `calculate_imbalance` for two that are both loaded: nothing if the one has no more than 117 % of the other's load for its capacity; else as
/// much as neither takes beyond the average of all. Where the original compares clusters, and takes any task after enough attempts
/// in vain, here CPUs are compared, and a task moves if half of it is within the measure.
fn less_loaded(me: CpuId, now: Nanos, running: &RunningView, queued: u32, cpus: &impl Cpus) -> Option<CpuId> {
    if now.saturating_sub(running.last_moved) < BUSY_INTERVAL || !is_long(me, queued, cpus) {
        return None;
    }
    let left = |cpu: CpuId| i64::from(cpus.left(cpu).get());
    // In 1/1024 of a task for all of a full CPU.
    let average = |tasks: u32, left: i64| (i64::from(tasks) << 20) / left.max(1);
    let of = |cpu: CpuId| average(cpus.view(cpu).tasks(), left(cpu));
    let to = (running.affinity & cpus.online()).without(me).iter().min_by_key(|&cpu| of(cpu))?;
    let tasks = cpus.online().iter().map(|cpu| cpus.view(cpu).tasks()).sum();
    let all = average(tasks, cpus.online().iter().map(left).sum());
    let (mine, theirs) = (average(queued + 1, left(me)), of(to));
    let imbalance = ((mine - all) * left(me)).min((all - theirs) * left(to)) >> 10;
    (100 * mine > 117 * theirs && imbalance >= 512).then_some(to)
}

/// `newidle_balance`: nothing is pulled while energy decides, and then from a CPU that has too much to do only.
pub(crate) fn on_idle(me: CpuId, cpus: &impl Cpus) -> Option<Pull> {
    let from: CpuMask = cpus.online().iter().filter(|cpu| is_overutilised(*cpu, cpus)).collect();
    if from.is_empty() { None } else { crate::shift::pull_from(from, me, cpus) }
}
