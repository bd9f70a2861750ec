//! Properties that hold of every run, looked for in its trace: the same function for a simulated and a recorded one.
//!
//! - No task runs on two CPUs at once, and none runs after it has ended or while it sleeps.
//! - No task appears where it may not be.
//! - A task is moved from where it is.
//! - No verdict was refused.
//! - Nobody waits for a CPU for ever.
//!
//! A trace need not tell everything: the kernel's rings hold the last events only, and not every build records
//! wake-ups. What a trace does not tell is not held against it. And it may tell events of different CPUs in another
//! order than that in which they happened; it is held against the rules in an order in which they could have.

mod read;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use sched::trace::Event;
use sched::{CpuId, CpuMask, MAX_CPUS, TaskId, Why};

pub use read::{read_trace, whole_from};

/// What a trace is held against.
pub struct Rules<'a> {
    /// Where a task may run.
    pub affinity: &'a dyn Fn(TaskId) -> CpuMask,
    /// The longest that a ready task may wait, in nanoseconds.
    pub patience: u64,
    /// How exact the times are, in nanoseconds: events of different CPUs that are closer may be in any order.
    pub resolution: u64,
    /// From when on the trace tells everything, in nanoseconds: before it, nobody is known to sleep, to wait, to run or
    /// to be anywhere.
    pub whole_from: u64,
}

/// The resolution of a trace that a kernel recorded, in nanoseconds: what is printed is whole microseconds. All CPUs
/// read one clock, and what happens to a task is stamped by the CPU that has it in hand (`Cpu::record` of the kernel),
/// so there is nothing else to allow for, on no machine: neither how long a CPU stays in the kernel nor that an
/// emulator lets it stand still there.
pub const RECORDED_RESOLUTION: u64 = 1_000;

/// The affinity of tasks of which nothing is known.
pub const ANYWHERE: CpuMask = CpuMask::ALL;

/// Something that must not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// When, in nanoseconds.
    pub time: u64,
    /// On which CPU it was recorded.
    pub cpu: CpuId,
    /// What.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ns, CPU {}: {}", self.time, self.cpu, self.what)
    }
}

/// What a trace came to.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// How many events were looked at.
    pub events: u64,
    /// The longest that a ready task waited, in nanoseconds.
    pub longest_wait: u64,
    /// The first violations.
    pub violations: Vec<Violation>,
}

/// So many violations are told; the rest is most likely more of the same.
const TOLD: usize = 20;

type Told = (u64, CpuId, Event);

/// Holds a trace, in order of time, against the rules.
#[must_use]
pub fn check(trace: &[Told], rules: &Rules<'_>) -> Verdict {
    let mut checker = Checker::new(rules);
    let mut ahead: VecDeque<Told> = trace.iter().copied().collect();
    while let Some((time, cpu, event)) = ahead.remove(checker.next(&ahead)) {
        checker.look(time, cpu, event);
    }
    checker.end(trace.last().map_or(0, |(time, ..)| *time))
}

struct Checker<'a> {
    rules: &'a Rules<'a>,
    verdict: Verdict,
    latest: [u64; MAX_CPUS],
    running: [Option<u32>; MAX_CPUS],
    /// Where a task came to last.
    place: BTreeMap<u32, CpuId>,
    ended: BTreeSet<u32>,
    asleep: BTreeSet<u32>,
    /// Since when a task waits.
    waiting: BTreeMap<u32, u64>,
}

impl<'a> Checker<'a> {
    fn new(rules: &'a Rules<'a>) -> Self {
        Self {
            rules,
            verdict: Verdict::default(),
            latest: [0; MAX_CPUS],
            running: [None; MAX_CPUS],
            place: BTreeMap::new(),
            ended: BTreeSet::new(),
            asleep: BTreeSet::new(),
            waiting: BTreeMap::new(),
        }
    }

    /// The place of the event that comes next: the first, or, if it cannot have happened yet, one of another CPU that
    /// is within the resolution. The order on one CPU is exact.
    fn next(&self, ahead: &VecDeque<Told>) -> usize {
        let limit = ahead.front().map_or(0, |(time, ..)| time.saturating_add(self.rules.resolution));
        let mut behind = CpuMask::EMPTY;
        for (place, &(_, cpu, event)) in ahead.iter().enumerate().take_while(|(_, (time, ..))| *time <= limit) {
            if !behind.contains(cpu) && self.fits(cpu, event) {
                return place;
            }
            behind = behind | CpuMask::of(cpu);
        }
        0
    }

    /// Whether an event can come next after those that were looked at.
    fn fits(&self, cpu: CpuId, event: Event) -> bool {
        match event {
            Event::Wake { task, .. } => !self.is_awake(task),
            Event::Migrate { task, from, to, .. } => !self.sleeps(task) && self.may_leave(task, from, to),
            Event::Switch { task } => !self.sleeps(task) && self.runs_elsewhere(task, cpu).is_none(),
            _ => true,
        }
    }

    fn is_awake(&self, task: TaskId) -> bool {
        self.waiting.contains_key(&task.raw()) || self.running.contains(&Some(task.raw()))
    }

    fn sleeps(&self, task: TaskId) -> bool {
        self.asleep.contains(&task.raw())
    }

    /// The wake-up that brought it here may have told where it goes.
    fn may_leave(&self, task: TaskId, from: CpuId, to: CpuId) -> bool {
        self.place.get(&task.raw()).is_none_or(|at| *at == from || *at == to)
    }

    fn runs_elsewhere(&self, task: TaskId, cpu: CpuId) -> Option<usize> {
        let mut cpus = self.running.iter().enumerate();
        cpus.find(|(other, running)| **running == Some(task.raw()) && *other != cpu.index()).map(|(other, _)| other)
    }

    fn look(&mut self, time: u64, cpu: CpuId, event: Event) {
        self.verdict.events += 1;
        let latest = std::mem::replace(&mut self.latest[cpu.index()], time);
        self.demand(time >= latest, time, cpu, || "time goes back".to_owned());
        match event {
            Event::Spawn { task, cpu: to, why } => {
                self.alive(time, cpu, task);
                self.arrives(time, cpu, task, to, why);
                self.waiting.insert(task.raw(), time);
            }
            Event::Wake { task, cpu: to, why } => {
                self.alive(time, cpu, task);
                self.asleep.remove(&task.raw());
                self.arrives(time, cpu, task, to, why);
                self.waiting.insert(task.raw(), time);
            }
            Event::Migrate { task, from, to, why } => {
                self.alive(time, cpu, task);
                self.moved(time, cpu, task, (from, to), why);
            }
            Event::Switch { task } => self.switched(time, cpu, task),
            Event::Idle => self.set_down(cpu, time),
            Event::Sleep { task } => {
                self.alive(time, cpu, task);
                self.gone(task);
                self.asleep.insert(task.raw());
            }
            Event::Exit { task } => {
                self.alive(time, cpu, task);
                self.gone(task);
                self.ended.insert(task.raw());
            }
            Event::Refused { task, to, why } => {
                self.demand(false, time, cpu, || format!("refused to move task {task} to CPU {to} ({why})"));
            }
            Event::Lapsed { .. } | Event::Plan { .. } | Event::Clock { .. } | Event::Cap { .. } => {}
        }
        if time < self.rules.whole_from {
            self.forget();
        }
    }

    /// Of what came before, part is lost: whoever was seen to sleep or to run may have been woken or moved since.
    fn forget(&mut self) {
        self.running = [None; MAX_CPUS];
        self.place.clear();
        self.asleep.clear();
        self.waiting.clear();
    }

    fn demand(&mut self, holds: bool, time: u64, cpu: CpuId, what: impl FnOnce() -> String) {
        if !holds && self.verdict.violations.len() < TOLD {
            self.verdict.violations.push(Violation { time, cpu, what: what() });
        }
    }

    fn alive(&mut self, time: u64, cpu: CpuId, task: TaskId) {
        let ended = self.ended.contains(&task.raw());
        self.demand(!ended, time, cpu, || format!("task {task} has ended"));
    }

    fn arrives(&mut self, time: u64, cpu: CpuId, task: TaskId, to: CpuId, why: Why) {
        let allowed = (self.rules.affinity)(task).contains(to) || why == Why::Affinity;
        self.demand(allowed, time, cpu, || format!("task {task} may not be on CPU {to} ({why})"));
        self.place.insert(task.raw(), to);
    }

    fn moved(&mut self, time: u64, cpu: CpuId, task: TaskId, (from, to): (CpuId, CpuId), why: Why) {
        let agrees = self.may_leave(task, from, to);
        self.demand(agrees, time, cpu, || format!("task {task} was moved from CPU {from}, where it was not"));
        self.arrives(time, cpu, task, to, why);
        self.gone_from_cpus(task, time);
    }

    fn switched(&mut self, time: u64, cpu: CpuId, task: TaskId) {
        self.alive(time, cpu, task);
        let twice = self.runs_elsewhere(task, cpu);
        self.demand(twice.is_none(), time, cpu, || format!("task {task} runs on CPU {} as well", twice.unwrap_or(0)));
        self.demand(!self.sleeps(task), time, cpu, || format!("task {task} sleeps"));
        let allowed = (self.rules.affinity)(task).contains(cpu);
        let excused = allowed || self.place.get(&task.raw()).is_some_and(|at| *at == cpu);
        self.demand(excused, time, cpu, || format!("task {task} may not run here"));
        self.set_down(cpu, time);
        self.running[cpu.index()] = Some(task.raw());
        if let Some(since) = self.waiting.remove(&task.raw()) {
            self.waited(time, cpu, task.raw(), time.saturating_sub(since));
        }
    }

    /// Whatever ran here until now waits, unless it has gone.
    fn set_down(&mut self, cpu: CpuId, time: u64) {
        if let Some(before) = self.running[cpu.index()].take() {
            self.waiting.entry(before).or_insert(time);
        }
    }

    fn gone(&mut self, task: TaskId) {
        self.running.iter_mut().filter(|running| **running == Some(task.raw())).for_each(|running| *running = None);
        self.waiting.remove(&task.raw());
    }

    /// It runs nowhere any more, and waits, if that was not so before.
    fn gone_from_cpus(&mut self, task: TaskId, time: u64) {
        let mut ran = false;
        for running in self.running.iter_mut().filter(|running| **running == Some(task.raw())) {
            *running = None;
            ran = true;
        }
        if ran {
            self.waiting.insert(task.raw(), time);
        }
    }

    fn waited(&mut self, time: u64, cpu: CpuId, task: u32, wait: u64) {
        self.verdict.longest_wait = self.verdict.longest_wait.max(wait);
        let patient = wait <= self.rules.patience;
        self.demand(patient, time, cpu, || format!("task {task} waited for {} ms", wait / 1_000_000));
    }

    fn end(mut self, time: u64) -> Verdict {
        for (task, since) in std::mem::take(&mut self.waiting) {
            self.waited(time, CpuId::new(0), task, time.saturating_sub(since));
        }
        self.verdict
    }
}

#[cfg(test)]
mod tests;
