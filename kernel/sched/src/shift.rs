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

use crate::left::{is_exceeded, most_left};
use crate::{
    Capacity, CpuId, CpuMask, CpuView, Cpus, Energy, Goal, Home, Nanos, Plan, Policy, PolicyKind, RunningView, TaskId,
    Why,
};

/// The least time between two moves of a task by rotation or balance. A move costs cold caches, up to about a
/// millisecond for a full second-level cache; at this quantum that is a few per cent at worst.
pub const QUANTUM: Nanos = Nanos::from_millis(16);

/// How far ahead a task must be to give way. On a big and a LITTLE CPU of 0.45 two tasks drift apart by about
/// this much in a quantum.
const AHEAD: Nanos = Nanos::from_millis(8);

/// A waiting task is worth fetching if it would wait for longer than this: what a move with cold caches costs (Linux'
/// `sysctl_sched_migration_cost`).
const WORTH_A_PULL: Nanos = Nanos::from_micros(500);

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
        PolicyKind::Pull | PolicyKind::Gear => pull(me, cpus),
    }
}

/// A waiting task of the CPU where most wait, or the running one of a smaller CPU.
fn pull(me: CpuId, cpus: &impl Cpus) -> Option<Pull> {
    pull_from(cpus.online(), me, cpus)
}

/// Likewise, from these CPUs only.
pub(crate) fn pull_from(among: CpuMask, me: CpuId, cpus: &impl Cpus) -> Option<Pull> {
    let busy = (among & cpus.online() & !cpus.idle()).without(me);
    pull_queued(busy, cpus).or_else(|| pull_running(me, busy, cpus))
}

/// From the CPU where most tasks wait for its capacity: there each waits longest.
fn pull_queued(busy: CpuMask, cpus: &impl Cpus) -> Option<Pull> {
    let mut most = None;
    for cpu in busy.iter() {
        let view = cpus.view(cpu);
        if view.running.is_none() {
            // It is about to take up what waits there: no CPU is to be pulled empty.
            continue;
        }
        let (queued, capacity) = (view.queued, cpus.left(cpu).get());
        if !is_long(cpu, queued, cpus) {
            continue;
        }
        let more = most.is_none_or(|(_, others, other_capacity)| queued * other_capacity > others * capacity);
        if queued > 0 && more {
            most = Some((cpu, queued, capacity));
        }
    }
    most.map(|(from, ..)| Pull { from, running: false, why: Why::PulledQueued })
}

/// Whether those who wait in a queue will not have had their turn there before a move is done.
pub(crate) fn is_long(cpu: CpuId, queued: u32, cpus: &impl Cpus) -> bool {
    cpus.stint(cpu).as_nanos() * u64::from(queued) >= WORTH_A_PULL.as_nanos()
}

/// From a CPU with less left by heat the task that fills it; of several the one with least progress, which ends last.
fn pull_running(me: CpuId, busy: CpuMask, cpus: &impl Cpus) -> Option<Pull> {
    let mine = cpus.left(me);
    let smaller = busy.iter().filter(|&cpu| mine.clearly_exceeds(cpus.left(cpu)));
    let gaining = smaller.filter_map(|cpu| {
        let running = cpus.view(cpu).running?;
        let demand = running.utilisation.max(cpus.hints(running.task).floor);
        let gains = running.affinity.contains(me) && !cpus.left(cpu).fits(demand);
        gains.then_some((running.progress, cpu))
    });
    let (_, from) = gaining.min()?;
    Some(Pull { from, running: true, why: Why::PulledRunning })
}

/// A running task in its place.
struct Place<'a> {
    me: CpuId,
    now: Nanos,
    /// What heat leaves of the CPU's.
    capacity: Capacity,
    running: &'a RunningView,
    queued: u32,
    /// The other CPUs that the task may use.
    elsewhere: CpuMask,
}

impl Place<'_> {
    /// A misfit goes to the largest idle CPU if that is larger; and to share a CPU is worse than any idle one.
    fn to_an_idle_cpu(&self, misfit: bool, cpus: &impl Cpus) -> Option<Shift> {
        let to = most_left(self.elsewhere & cpus.idle(), cpus)?;
        if misfit && cpus.left(to).clearly_exceeds(self.capacity) {
            return Some(Shift::Push { to, why: Why::Misfit });
        }
        let shares = self.queued > 0 && settled(self.running, self.now);
        shares.then_some(Shift::Push { to, why: Why::Balance })
    }

    /// Changes places with a task that has more progress and a better share.
    ///
    /// All CPUs decide at about the same time and without talking to each other. So that two of them do not
    /// choose the same partner, the one whose task is n-th most behind, of those that could still have it better, takes the n-th most
    /// ahead.
    fn rotation(&self, cpus: &impl Cpus) -> Option<Shift> {
        if !settled(self.running, self.now) {
            return None;
        }
        let mine = progress(self.running, cpus);
        let best = self.best_share(cpus);
        let mut rank = 0;
        let mut ahead: heapless::Vec<(Nanos, CpuId, TaskId), { crate::MAX_CPUS }> = heapless::Vec::new();
        for cpu in self.elsewhere.iter() {
            let view = cpus.view(cpu);
            let Some(other) = view.running.filter(|other| settled(other, self.now)) else { continue };
            if self.has_less_than(cpu, &view, cpus) {
                let theirs = progress(&other, cpus);
                if theirs >= mine + AHEAD && other.affinity.contains(self.me) && self.wants_more(self.running) {
                    ahead.push((theirs, cpu, other.task)).ok()?;
                } else if theirs < mine && share(cpu, &view, cpus) < best {
                    rank += 1;
                }
            } else if (progress(&other, cpus), cpu) < (mine, self.me) {
                rank += 1;
            }
        }
        ahead.sort_unstable_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
        let &(_, with, expected) = ahead.get(rank)?;
        Some(Shift::Exchange { with, expected, why: Why::Rotation })
    }

    /// The share of the best place among all, in 1/1024 of a capacity.
    fn best_share(&self, cpus: &impl Cpus) -> u32 {
        let others = self.elsewhere.iter().map(|cpu| share(cpu, &cpus.view(cpu), cpus));
        others.max().unwrap_or(0).max((self.capacity.get() << 10) / (self.queued + 1))
    }

    /// Changes places with a task on a better share that is content with this one.
    fn with_a_smaller_task(&self, cpus: &impl Cpus) -> Option<Shift> {
        let partner = self.elsewhere.iter().find_map(|cpu| {
            let view = cpus.view(cpu);
            let other = view.running.filter(|other| settled(other, self.now))?;
            let content = self.capacity.fits(other.utilisation) && other.utilisation * 2 < self.running.utilisation;
            let both_may = other.affinity.contains(self.me) && self.has_less_than(cpu, &view, cpus);
            (content && both_may).then_some((cpu, other.task))
        });
        partner.map(|(with, expected)| Shift::Exchange { with, expected, why: Why::Misfit })
    }

    /// Goes where its share is best, if even with one task more that is better by a quarter.
    fn to_a_shorter_queue(&self, cpus: &impl Cpus) -> Option<Shift> {
        if !settled(self.running, self.now) || !is_long(self.me, self.queued, cpus) {
            return None;
        }
        let load = |to| (cpus.view(to).tasks() + 1, cpus.left(to).get(), to);
        let less = |best: (u32, u32, CpuId), other: (u32, u32, CpuId)| {
            if other.0 * best.1 < best.0 * other.1 { other } else { best }
        };
        let (tasks, capacity, to) = self.elsewhere.iter().map(load).reduce(less)?;
        let gains = (self.queued + 1) * capacity * 4 > tasks * self.capacity.get() * 5;
        gains.then_some(Shift::Push { to, why: Why::Balance })
    }

    /// Whether a task here gets clearly less of a CPU than one on `cpu`.
    fn has_less_than(&self, cpu: CpuId, view: &CpuView, cpus: &impl Cpus) -> bool {
        let theirs = cpus.left(cpu).get() * (self.queued + 1);
        let mine = self.capacity.get() * view.tasks();
        theirs * 1024 > mine * 1078
    }

    /// Whether a task would use more than its share here. Time that it waits counts as well: of three loops on
    /// one CPU none looks busy by the time it runs.
    fn wants_more(&self, task: &RunningView) -> bool {
        !Capacity::new(self.capacity.get() / (self.queued + 1)).fits(task.runnable)
    }
}

/// What each task gets of a CPU, in 1/1024 of a capacity.
fn share(cpu: CpuId, view: &CpuView, cpus: &impl Cpus) -> u32 {
    (cpus.left(cpu).get() << 10) / view.tasks().max(1)
}

/// What a task has done. Its own count of instructions knows better than the capacity of its CPU, which is right for the
/// average task only: with it, tasks that lose less on a LITTLE CPU are there for longer.
fn progress(task: &RunningView, cpus: &impl Cpus) -> Nanos {
    cpus.hints(task.task).progress.unwrap_or(task.progress)
}

/// Whether a task has been in its place for a quantum.
fn settled(task: &RunningView, now: Nanos) -> bool {
    now.saturating_sub(task.last_moved) >= QUANTUM
}
