//! Where a task goes that becomes ready.
//!
//! The order of preference, for every policy but `pinned`: the CPU where the task ran last, if it is idle and
//! fast enough (its caches are warm); another idle CPU; the CPU with the least to do for its capacity. An idle
//! CPU always wins over a busy one. How fast a CPU is means what heat leaves of it. Never is a CPU chosen outside the task's affinity while
//! one inside is online.

use crate::left::{least_fitting, most_left};
use crate::{Beside, Cluster, CpuId, CpuMask, Cpus, Goal, Home, Nanos, Plan, Policy, PolicyKind, Rate, TaskId, Why};

/// A wait of this length is worth a move to a CPU that is idle: a wake-up across CPUs and cold caches.
const WORTH_AN_IDLE_CPU: Nanos = Nanos::from_micros(50);

/// To wake somebody up on another CPU takes an interrupt more, about 2 µs (a round of ping-pong 16 µs instead of 12). With jobs of ten times
/// that it hardly shows. Nor may the limit be much higher: jobs that a slow clock makes longer than it, and a fast one shorter, would move to and fro.
const WORTH_ONE_HOME: Nanos = Nanos::from_micros(20);

/// A task that becomes ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wake {
    /// Its name.
    pub task: TaskId,
    /// The CPU where it ran last; for a fresh task the waker's.
    pub previous: CpuId,
    /// The CPU on which its creator or waker runs.
    pub waker: CpuId,
    /// Its share of a full CPU, `0..=1024`; of no meaning for a fresh task.
    pub utilisation: u32,
    /// Where it may run.
    pub affinity: CpuMask,
    /// Whether it has never run.
    pub fresh: bool,
}

/// The CPU for a task that becomes ready.
#[must_use = "a dropped placement is a lost wake-up"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Where it goes.
    pub cpu: CpuId,
    /// And why.
    pub why: Why,
}

/// Chooses the CPU for a task that becomes ready.
///
/// If no CPU of the task's affinity is online, the answer is another one, the previous if possible, with the
/// reason [`Why::Affinity`]: a task that runs in the wrong place can be seen and mended, a lost one cannot.
pub fn place(policy: Policy, wake: &Wake, cpus: &impl Cpus) -> Placement {
    let online = cpus.online();
    let allowed = wake.affinity & online;
    if allowed.is_empty() {
        let last_resort = if online.contains(wake.previous) { Some(wake.previous) } else { online.first() };
        return Placement { cpu: last_resort.unwrap_or(wake.waker), why: Why::Affinity };
    }
    let idle = allowed & cpus.idle();
    match policy.kind {
        PolicyKind::Pinned if !wake.fresh && allowed.contains(wake.previous) => {
            Placement { cpu: wake.previous, why: Why::Previous }
        }
        PolicyKind::Pinned => fewest_tasks(wake, allowed, cpus),
        PolicyKind::Eas | PolicyKind::Walt if wake.fresh => fewest_tasks(wake, allowed, cpus),
        PolicyKind::Eas | PolicyKind::Walt => crate::eas::place(wake, allowed, cpus),
        PolicyKind::Gear => by_plan(policy.goal, wake, allowed, cpus)
            .or_else(|| beside_waker(wake, allowed, cpus))
            .or_else(|| stays(wake, allowed, idle, cpus))
            .unwrap_or_else(|| anywhere(policy.kind, wake, allowed, idle, cpus)),
        PolicyKind::Pull => anywhere(policy.kind, wake, allowed, idle, cpus),
    }
}

/// To wait where its caches are warm is better than to move, when the wait is shorter than the move: messages between many tasks are
/// handled in a few microseconds each. And where nobody is idle a move adds nothing to what all CPUs do together, while it costs cold
/// caches at every wake-up: the tick and the idle CPU even out what becomes uneven.
fn stays(wake: &Wake, allowed: CpuMask, idle: CpuMask, cpus: &impl Cpus) -> Option<Placement> {
    if wake.fresh || !allowed.contains(wake.previous) || idle.contains(wake.previous) {
        return None;
    }
    let wait = || cpus.stint(wake.previous).as_nanos() * u64::from(cpus.view(wake.previous).tasks());
    let stays = idle.is_empty() || wait() < WORTH_AN_IDLE_CPU.as_nanos();
    stays.then_some(Placement { cpu: wake.previous, why: Why::Previous })
}

fn anywhere(kind: PolicyKind, wake: &Wake, allowed: CpuMask, idle: CpuMask, cpus: &impl Cpus) -> Placement {
    if idle.is_empty() { least_loaded(wake, allowed, cpus) } else { among_idle(kind, wake, idle, cpus) }
}

/// To its home in the plan. A task that the plan does not know yet, and that is no new one, goes where most time is free
/// on the cluster whose work costs least, without disturbing the plan.
fn by_plan(goal: Goal, wake: &Wake, allowed: CpuMask, cpus: &impl Cpus) -> Option<Placement> {
    let plan = cpus.plan().filter(|plan| goal == Goal::Energy && plan.is_feasible())?;
    if let Some(home) = plan.home(wake.task).filter(|home| allowed.contains(home.cpu)) {
        let planned = Placement { cpu: home.cpu, why: Why::Planned };
        return Some(in_turn(wake, home, plan, allowed, cpus).unwrap_or(planned));
    }
    let energy = cpus.energy()?;
    let hints = cpus.hints(wake.task);
    let task = Rate::of(hints.clamp.apply(wake.utilisation.max(hints.estimate)));
    if wake.fresh || task == Rate::ZERO {
        return None;
    }
    let roomy = |cluster: &Cluster| {
        let level = cluster.levels().get(plan.level(cluster.core)?)?;
        let most = (cluster.cpus & allowed).iter().max_by_key(|&cpu| plan.headroom(cpu))?;
        (plan.headroom(most) >= level.share(task)).then_some((level.cost(), most))
    };
    let (_, cpu) = energy.clusters().iter().filter_map(roomy).min()?;
    Some(Placement { cpu, why: Why::Energy })
}

/// Two that take turns with short jobs share the home of the one that is awake, if the other one's is in the same cluster and nobody loses
/// by it. As they are never at work at the same time they need no more than all of a CPU's time, whatever is reserved for each.
fn in_turn(wake: &Wake, home: &Home, plan: &Plan, allowed: CpuMask, cpus: &impl Cpus) -> Option<Placement> {
    let cpu = wake.waker;
    if cpu == home.cpu || cpus.stint(cpu) >= WORTH_ONE_HOME || cpus.hints(wake.task).beside != Beside::Together {
        return None;
    }
    let view = cpus.view(cpu);
    let host = plan.home(view.running?.task).filter(|host| host.cpu == cpu)?;
    let capacities = cpus.capacities();
    let alike = capacities.core_type(cpu) == capacities.core_type(home.cpu);
    let fits = plan.headroom(cpu) + host.share >= (host.share + home.share).min(Rate::FULL.get());
    let good = view.queued == 0 && allowed.contains(cpu) && alike && fits;
    good.then_some(Placement { cpu, why: Why::Together })
}

/// A pair that gains by it runs side by side in one cluster, or one after the other on one CPU.
fn beside_waker(wake: &Wake, allowed: CpuMask, cpus: &impl Cpus) -> Option<Placement> {
    if wake.fresh {
        return None;
    }
    match cpus.hints(wake.task).beside {
        Beside::Anywhere => None,
        Beside::Together => {
            let alone = cpus.view(wake.waker).tasks() <= 1;
            let fits = cpus.left(wake.waker).fits(wanted(wake, cpus));
            let good = alone && fits && allowed.contains(wake.waker);
            good.then_some(Placement { cpu: wake.waker, why: Why::Together })
        }
        Beside::Apart => {
            let capacities = cpus.capacities();
            let siblings = capacities.mask_of(capacities.core_type(wake.waker)).without(wake.waker);
            let free = siblings & allowed & cpus.idle();
            let cpu = if free.contains(wake.previous) { Some(wake.previous) } else { free.first() };
            cpu.map(|cpu| Placement { cpu, why: Why::Apart })
        }
    }
}

/// What the CPU is to have room for: the utilisation within the bounds that somebody has set.
fn wanted(wake: &Wake, cpus: &impl Cpus) -> u32 {
    cpus.hints(wake.task).clamp.apply(wake.utilisation)
}

/// Chooses among `idle` CPUs, of which there is at least one.
fn among_idle(kind: PolicyKind, wake: &Wake, idle: CpuMask, cpus: &impl Cpus) -> Placement {
    let largest = most_left(idle, cpus).or(idle.first()).unwrap_or(wake.waker);
    let largest = Placement { cpu: largest, why: Why::Idle };
    if wake.fresh {
        // It may turn out to be a loop, and it costs a move to correct a slow start.
        return largest;
    }
    let (previous, wanted) = (cpus.left(wake.previous), wanted(wake, cpus));
    let good_enough = previous.fits(wanted) || !cpus.left(largest.cpu).clearly_exceeds(previous);
    if idle.contains(wake.previous) && good_enough {
        return Placement { cpu: wake.previous, why: Why::Previous };
    }
    let frugal = match kind {
        PolicyKind::Gear => least_fitting(idle, wanted, cpus),
        _ => None,
    };
    frugal.map_or(largest, |cpu| Placement { cpu, why: Why::Fits })
}

/// The CPU with the least to do for its capacity once the task is there.
fn least_loaded(wake: &Wake, allowed: CpuMask, cpus: &impl Cpus) -> Placement {
    let load = |cpu: CpuId| (cpus.view(cpu).tasks() + 1, cpus.left(cpu).get());
    let better = |one: (u32, u32), other: (u32, u32)| one.0 * other.1 < other.0 * one.1;
    best(wake, allowed, load, better)
}

/// The CPU with the fewest tasks, whatever its capacity: one each, and then a second round.
fn fewest_tasks(wake: &Wake, allowed: CpuMask, cpus: &impl Cpus) -> Placement {
    best(wake, allowed, |cpu| cpus.view(cpu).tasks(), |one, other| one < other)
}

/// The best CPU of a non-empty set. Of equals it is the favourite, else the one of lowest index.
fn best<L: Copy>(wake: &Wake, allowed: CpuMask, load: impl Fn(CpuId) -> L, better: impl Fn(L, L) -> bool) -> Placement {
    // Warm caches, or, for a fresh task, the creator's CPU: it will often wait for its child.
    let favourite = if wake.fresh { wake.waker } else { wake.previous };
    let first = if allowed.contains(favourite) { favourite } else { allowed.first().unwrap_or(favourite) };
    let start = (first, load(first));
    let (cpu, _) = allowed.without(first).iter().fold(start, |best, cpu| {
        let candidate = load(cpu);
        if better(candidate, best.1) { (cpu, candidate) } else { best }
    });
    Placement { cpu, why: Why::LeastLoaded }
}
