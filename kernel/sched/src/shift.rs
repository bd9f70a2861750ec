//! When a task moves that has no reason to stop: the tick and the idle CPU look for better places.
//!
//! A policy that decides at wake-ups only never sees a loop again: it stays on its LITTLE CPU while the big
//! ones fall idle. Three rules mend that. **Misfit**: a task that fills a smaller CPU goes to a larger one that
//! is idle, or changes places with a task that is content with less. **Pull**: a CPU that falls idle takes what
//! waits elsewhere, or what runs on a smaller one. **Rotation** (goal makespan): tasks with more progress give
//! the better places to those with less.
//!
//! What a place is worth is its *share*: what heat leaves of the CPU's capacity divided by the tasks that want it. With two
//! tasks on a big CPU and one on a LITTLE of 0.45 the shares are 0.5 and 0.45; the rules need no special case
//! for more tasks than CPUs.

use crate::left::is_exceeded;
use crate::{CpuId, Cpus, Energy, Goal, Home, Nanos, Plan, Policy, PolicyKind, RunningView, TaskId, Why};
use running::Place;

mod pull;
mod running;

pub(crate) use pull::{is_long, pull_from};
pub(crate) use running::settled;

/// What a CPU is to do with the task that it runs.
#[must_use = "a dropped verdict leaves the task in the wrong place"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shift {
    /// Hand it over to another CPU.
    Push {
        /// Where it goes.
        to: CpuId,
        /// And why.
        why: Why,
    },
    /// Change places with the task that another CPU runs.
    Exchange {
        /// The other CPU.
        with: CpuId,
        /// The task that it ran when this was decided; if that one is gone, the exchange lapses.
        expected: TaskId,
        /// And why.
        why: Why,
    },
}

/// What an idle CPU asks another one for.
#[must_use = "a dropped verdict leaves a CPU idle that could work"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pull {
    /// The CPU to ask.
    pub from: CpuId,
    /// Whether it is to give its running task; otherwise one that waits there and may run here.
    pub running: bool,
    /// And why.
    pub why: Why,
}

/// Whether [`on_tick`] has nothing to say, whatever runs on CPU `me`. To be asked first: most ticks find a CPU at peace, and then nobody
/// has to look at the task.
#[inline]
#[must_use]
pub fn is_at_peace(policy: Policy, me: CpuId, queued: u32, cpus: &impl Cpus) -> bool {
    match policy.kind {
        PolicyKind::Pinned | PolicyKind::Pull => true,
        PolicyKind::Eas | PolicyKind::Walt => false,
        PolicyKind::Gear => {
            let planned = policy.goal == Goal::Energy && cpus.plan().is_some_and(Plan::is_feasible);
            let cool = !crate::heat::cooler::is_warm(me, cpus);
            queued == 0 && !planned && cool && !is_exceeded(me, cpus)
        }
    }
}

/// Called on the tick of CPU `me`, which runs `running` while `queued` tasks wait there.
pub fn on_tick(
    policy: Policy,
    me: CpuId,
    now: Nanos,
    running: &RunningView,
    queued: u32,
    cpus: &impl Cpus,
) -> Option<Shift> {
    if is_at_peace(policy, me, queued, cpus) {
        return None;
    }
    match policy.kind {
        PolicyKind::Pinned | PolicyKind::Pull => return None,
        PolicyKind::Eas => return crate::eas::on_tick(me, now, running, queued, cpus),
        PolicyKind::Walt => return crate::walt::on_tick(me, now, running, queued, cpus),
        PolicyKind::Gear => {}
    }
    let hints = cpus.hints(running.task);
    if let Some(plan) = cpus.plan().filter(|plan| policy.goal == Goal::Energy && plan.is_feasible())
        && let Some(home) = plan.home(running.task)
        && (hints.floor == 0 || home.hungry)
    {
        return homewards(me, now, running, plan, home, hints.used, cpus);
    }
    let (capacity, below_top) = (cpus.left(me), is_exceeded(me, cpus));
    let misfit = below_top && !capacity.fits(hints.clamp.apply(running.utilisation.max(hints.floor)));
    let rotates = below_top && policy.goal == Goal::Makespan;
    if !misfit && !rotates && queued == 0 {
        return crate::heat::cooler::cooler(me, now, running, cpus);
    }
    let place = Place { me, now, capacity, running, queued, elsewhere: (running.affinity & cpus.online()).without(me) };
    place
        .to_an_idle_cpu(misfit, cpus)
        .or_else(|| if policy.goal == Goal::Makespan { place.rotation(cpus) } else { None })
        .or_else(|| if misfit { place.with_a_smaller_task(cpus) } else { None })
        .or_else(|| if queued > 0 { place.to_a_shorter_queue(cpus) } else { None })
}

/// With a plan, a task that never sleeps goes home at once, and one that shares two CPUs goes on to the second one when
/// it has used its part of the first, once nothing of an earlier plan is in its way. All others go home when they wake next: to move in
/// the middle of a job costs more than it gains. Not so if the cluster is to be switched off, or to be slower than what is reserved: whose
/// jobs have become that long does not sleep before it has caught up, and there it never would.
fn homewards(
    me: CpuId,
    now: Nanos,
    running: &RunningView,
    plan: &Plan,
    home: &Home,
    used: u32,
    cpus: &impl Cpus,
) -> Option<Shift> {
    let allowed = running.affinity & cpus.online();
    let core = cpus.capacities().core_type(me);
    let too_slow =
        |energy: &Energy| plan.level(core).is_none_or(|level| energy.cluster(core).level(level).speed < home.reserve);
    let misplaced = cpus.idle().contains(home.cpu) && cpus.energy().is_some_and(too_slow);
    let (to, why) = match home.then {
        Some(then) if me == home.cpu && used >= home.share && plan.is_settled(now) => (then, Why::Split),
        _ if home.hungry || misplaced => (home.cpu, Why::Planned),
        _ => return None,
    };
    (to != me && allowed.contains(to)).then_some(Shift::Push { to, why })
}

/// Called when CPU `me` finds nothing to run.
pub fn on_idle(policy: Policy, me: CpuId, cpus: &impl Cpus) -> Option<Pull> {
    match policy.kind {
        PolicyKind::Pinned => None,
        PolicyKind::Eas | PolicyKind::Walt => crate::eas::on_idle(me, cpus),
        // The plan has counted on this CPU to rest.
        PolicyKind::Gear if policy.goal == Goal::Energy && cpus.plan().is_some_and(Plan::is_feasible) => None,
        PolicyKind::Pull | PolicyKind::Gear => pull_from(cpus.online(), me, cpus),
    }
}
