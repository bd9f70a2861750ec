//! Where a running task should rather be, and with whom it may change places.

use super::{Shift, is_long};
use crate::left::most_left;
use crate::{Capacity, CpuId, CpuMask, CpuView, Cpus, Nanos, RunningView, TaskId, Why};

/// The least time between two moves of a task by rotation or balance. A move costs cold caches, up to about a
/// millisecond for a full second-level cache; at this quantum that is a few per cent at worst.
const QUANTUM: Nanos = Nanos::from_millis(16);

/// How far ahead a task must be to give way. On a big and a LITTLE CPU of 0.45 two tasks drift apart by about
/// this much in a quantum.
const AHEAD: Nanos = Nanos::from_millis(8);

/// A running task in its place.
pub struct Place<'a> {
    pub me: CpuId,
    pub now: Nanos,
    /// What heat leaves of the CPU's.
    pub capacity: Capacity,
    pub running: &'a RunningView,
    pub queued: u32,
    /// The other CPUs that the task may use.
    pub elsewhere: CpuMask,
}

impl Place<'_> {
    /// A misfit goes to the largest idle CPU if that is larger; and to share a CPU is worse than any idle one.
    pub fn to_an_idle_cpu(&self, misfit: bool, cpus: &impl Cpus) -> Option<Shift> {
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
    /// choose the same partner, the one whose task is n-th most behind, of those that could still have it better, takes
    /// the n-th most ahead.
    pub fn rotation(&self, cpus: &impl Cpus) -> Option<Shift> {
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
    pub fn with_a_smaller_task(&self, cpus: &impl Cpus) -> Option<Shift> {
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
    pub fn to_a_shorter_queue(&self, cpus: &impl Cpus) -> Option<Shift> {
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

/// What a task has done. Its own count of instructions knows better than the capacity of its CPU, which is right for
/// the average task only: with it, tasks that lose less on a LITTLE CPU are there for longer.
fn progress(task: &RunningView, cpus: &impl Cpus) -> Nanos {
    cpus.hints(task.task).progress.unwrap_or(task.progress)
}

/// Whether a task has been in its place for a quantum.
pub fn settled(task: &RunningView, now: Nanos) -> bool {
    now.saturating_sub(task.last_moved) >= QUANTUM
}
