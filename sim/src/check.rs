//! Properties that hold of every run, looked for in its trace: the same function for a simulated and a recorded one.
//!
//! - No task runs on two CPUs at once, and none runs after it has ended or while it sleeps.
//! - No task appears where it may not be.
//! - A task is moved from where it is.
//! - No verdict was refused.
//! - Nobody waits for a CPU for ever.
//!
//! A trace need not tell everything: the kernel's rings hold the last events only, and not every build records wake-ups. What
//! a trace does not tell is not held against it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use sched::trace::Event;
use sched::{CpuId, CpuMask, MAX_CPUS, TaskId, Why};

/// What a trace is held against.
pub struct Rules<'a> {
    /// Where a task may run.
    pub affinity: &'a dyn Fn(TaskId) -> CpuMask,
    /// The longest that a ready task may wait, in nanoseconds.
    pub patience: u64,
    /// How exact the times are, in nanoseconds: events of different CPUs that are closer may be in any order.
    pub resolution: u64,
}

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

/// Holds a trace, in order of time, against the rules.
#[must_use]
pub fn check(trace: &[(u64, CpuId, Event)], rules: &Rules<'_>) -> Verdict {
    let mut checker = Checker::new(rules);
    for &(time, cpu, event) in trace {
        checker.look(time, cpu, event);
    }
    checker.end(trace.last().map_or(0, |(time, ..)| *time))
}

struct Checker<'a> {
    rules: &'a Rules<'a>,
    verdict: Verdict,
    latest: [u64; MAX_CPUS],
    running: [Option<u32>; MAX_CPUS],
    /// Where a task came to last, and when.
    place: BTreeMap<u32, (CpuId, u64)>,
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
        self.place.insert(task.raw(), (to, time));
    }

    fn moved(&mut self, time: u64, cpu: CpuId, task: TaskId, (from, to): (CpuId, CpuId), why: Why) {
        let known = self.place.get(&task.raw()).copied();
        // The wake-up that brought it here may stand before the move or, told by another CPU, after it.
        let agrees = known.is_none_or(|(at, since)| at == from || at == to || time - since <= self.rules.resolution);
        self.demand(agrees, time, cpu, || format!("task {task} was moved from CPU {from}, where it was not"));
        self.arrives(time, cpu, task, to, why);
        self.gone_from_cpus(task, time);
    }

    fn switched(&mut self, time: u64, cpu: CpuId, task: TaskId) {
        self.alive(time, cpu, task);
        let twice = self.running.iter().position(|running| *running == Some(task.raw()));
        let twice = twice.filter(|other| *other != cpu.index());
        self.demand(twice.is_none(), time, cpu, || format!("task {task} runs on CPU {} as well", twice.unwrap_or(0)));
        self.demand(!self.asleep.contains(&task.raw()), time, cpu, || format!("task {task} sleeps"));
        let allowed = (self.rules.affinity)(task).contains(cpu);
        let excused = allowed || self.place.get(&task.raw()).is_some_and(|(at, _)| *at == cpu);
        self.demand(excused, time, cpu, || format!("task {task} may not run here"));
        self.set_down(cpu, time);
        self.running[cpu.index()] = Some(task.raw());
        if let Some(since) = self.waiting.remove(&task.raw()) {
            self.waited(time, cpu, task.raw(), time - since);
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

/// The events among the lines that a kernel printed: `EVENT cpu=2 t_us=1234 event=migrate task=7 from=2 to=0 why=misfit`,
/// in order of time. What happened to the machine and to no task is left out.
///
/// # Errors
/// The first line that begins with `EVENT` and cannot be read.
pub fn read_trace(text: &str) -> Result<Vec<(u64, CpuId, Event)>, String> {
    let of_machine =
        |line: &str| [" event=plan ", " event=clock ", " event=cap "].iter().any(|event| line.contains(event));
    let lines = text.lines().map(str::trim).filter(|line| line.starts_with("EVENT ") && !of_machine(line));
    let events: Option<Vec<_>> = lines.clone().map(read_event).collect();
    let mut events = events.ok_or_else(|| {
        let wrong = lines.clone().find(|line| read_event(line).is_none());
        format!("expected an event, found \"{}\"", wrong.unwrap_or_default())
    })?;
    events.sort_by_key(|(time, ..)| *time);
    Ok(events)
}

fn read_event(line: &str) -> Option<(u64, CpuId, Event)> {
    let word = |key: &str| {
        let mut words = line.split_whitespace().filter_map(|word| word.split_once('='));
        words.find(|(name, _)| *name == key).map(|(_, value)| value)
    };
    let cpu = |key: &str| word(key)?.parse::<usize>().ok().filter(|cpu| *cpu < MAX_CPUS).map(CpuId::new);
    // The CPU that tells comes first; `spawn` and `wake` name another one after the event.
    let target = || {
        let (_, rest) = line.split_once("event=")?;
        let value = rest.split_whitespace().find_map(|word| word.strip_prefix("cpu="))?;
        value.parse::<usize>().ok().filter(|cpu| *cpu < MAX_CPUS).map(CpuId::new)
    };
    let task = || Some(TaskId::new(word("task")?.parse().ok()?));
    let why = || ALL_REASONS.into_iter().find(|why| word("why") == Some(why.to_string().as_str()));
    let event = match word("event")? {
        "spawn" => Event::Spawn { task: task()?, cpu: target()?, why: why()? },
        "wake" => Event::Wake { task: task()?, cpu: target()?, why: why()? },
        "switch" => Event::Switch { task: task()? },
        "idle" => Event::Idle,
        "migrate" => Event::Migrate { task: task()?, from: cpu("from")?, to: cpu("to")?, why: why()? },
        "sleep" => Event::Sleep { task: task()? },
        "exit" => Event::Exit { task: task()? },
        "refused" => Event::Refused { task: task()?, to: cpu("to")?, why: why()? },
        "lapsed" => Event::Lapsed { by: cpu("by")?, why: why()? },
        _ => return None,
    };
    Some((word("t_us")?.parse::<u64>().ok()? * 1_000, cpu("cpu")?, event))
}

const ALL_REASONS: [Why; 15] = [
    Why::Previous,
    Why::Idle,
    Why::Fits,
    Why::LeastLoaded,
    Why::Affinity,
    Why::Misfit,
    Why::PulledQueued,
    Why::PulledRunning,
    Why::Rotation,
    Why::Balance,
    Why::Planned,
    Why::Split,
    Why::Energy,
    Why::Apart,
    Why::Together,
];

#[cfg(test)]
mod tests;
