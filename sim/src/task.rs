//! A task of the simulated machine.

use std::rc::Rc;

use sched::pair::Companion;
use sched::{Account, Clamp, CpuId, CpuMask, Entity, Schedulable, Signals, TaskId, Weight};

use crate::program::Program;

/// The most tasks of a scenario: each CPU has room for all of them.
pub const MOST_TASKS: usize = 1024;

/// What a scenario says about a task.
#[derive(Clone, Debug)]
pub struct TaskSpec {
    /// Its name in reports; instances share it.
    pub name: String,
    /// Where it may run.
    pub affinity: CpuMask,
    /// Its weight, as a nice level.
    pub nice: i8,
    /// Where it may be put when it is created, of those.
    pub cradle: CpuMask,
    /// The number of its class of work.
    pub class: usize,
    /// When it begins to live, in nanoseconds.
    pub start: u64,
    /// What it does.
    pub program: Rc<Program>,
    /// Least and greatest utilisation to plan with, `0..=1024`.
    pub clamp: (u32, u32),
    /// Whether the run is over when this task has ended, and all others like it; background tasks are not waited for.
    pub awaited: bool,
}

impl TaskSpec {
    /// A task with nothing special about it.
    #[must_use]
    pub fn new(name: &str, program: Program) -> Self {
        Self {
            name: name.to_owned(),
            affinity: CpuMask::ALL,
            cradle: CpuMask::ALL,
            nice: 0,
            class: 0,
            start: 0,
            awaited: program.ends(),
            program: Rc::new(program),
            clamp: (0, 1024),
        }
    }
}

/// How many buckets a histogram of latencies has.
pub const LATENCIES: usize = 24;

/// What a task has come to, in nanoseconds and femtojoules.
#[derive(Clone, Debug, Default)]
pub struct TaskStatistics {
    /// When it was created.
    pub start: u64,
    /// When it exited, if it did.
    pub end: Option<u64>,
    /// Work done, in nanoseconds of the fastest CPU times 2^14.
    pub work: u64,
    /// Run time on each kind of core: big, LITTLE.
    pub ran: [u64; 2],
    /// What its work took.
    pub energy: u128,
    /// What the policy has charged it for, by the prices that it believes in.
    pub account: Account,
    /// Jobs done, and those that were done after their deadline.
    pub jobs: u64,
    /// Jobs whose end came after their deadline.
    pub misses: u64,
    /// By how much at worst.
    pub lateness: u64,
    /// Units of useful work: [`Step::Done`](crate::program::Step::Done).
    pub done: u64,
    /// Moves to another CPU, of those that crossed clusters.
    pub moves: u64,
    /// Moves to the other cluster.
    pub crossings: u64,
    /// Times that it was switched to.
    pub switches: u64,
    /// The time from wake-up to running: how often it was below 2^n microseconds.
    pub latency: [u64; LATENCIES],
}

/// A task. It is in exactly one place at a time: running, in a queue, or parked.
#[derive(Debug)]
pub(crate) struct Task {
    pub id: TaskId,
    pub affinity: CpuMask,
    pub entity: Entity,
    pub class: usize,
    pub program: Rc<Program>,
    /// The step that comes next.
    pub at: usize,
    pub counters: Vec<u32>,
    /// Work left of the present step.
    pub remaining: u64,
    /// Time left of the present step, if it is one of [`Step::Busy`](crate::program::Step::Busy).
    pub busy: u64,
    /// Time that goes by before work goes on: a switch, cold caches.
    pub overhead: u64,
    /// When the present job was released.
    pub release: u64,
    /// The CPU where it is or was last.
    pub cpu: CpuId,
    pub fresh: bool,
    /// When it became ready; meaningless unless `waking`.
    pub ready_at: u64,
    pub waking: bool,
    /// What the policy learns of it.
    pub signals: Signals,
    pub companion: Companion,
    /// Run time of the present job, and of the present stint, with the work done in it.
    pub job: u64,
    pub stint: u64,
    pub stint_work: u64,
}

impl Task {
    pub fn new(id: u32, spec: &TaskSpec, boot: CpuId, now: u64) -> Self {
        let mut signals = Signals::new();
        signals.clamp = Clamp { min: spec.clamp.0, max: spec.clamp.1 };
        Self {
            id: TaskId::new(id),
            affinity: spec.affinity,
            entity: Entity::new(Weight::nice(spec.nice)),
            class: spec.class,
            program: Rc::clone(&spec.program),
            at: 0,
            counters: vec![0; spec.program.counters()],
            remaining: 0,
            busy: 0,
            overhead: 0,
            release: now,
            cpu: boot,
            fresh: true,
            ready_at: now,
            waking: true,
            signals,
            companion: Companion::new(),
            job: 0,
            stint: 0,
            stint_work: 0,
        }
    }

    /// Whether the present step keeps a CPU busy.
    pub fn has_work(&self) -> bool {
        self.remaining > 0 || self.busy > 0
    }
}

/// The one handle of a task.
#[derive(Debug)]
pub(crate) struct Token(pub Box<Task>);

impl Schedulable for Token {
    fn entity(&self) -> &Entity {
        &self.0.entity
    }
    fn entity_mut(&mut self) -> &mut Entity {
        &mut self.0.entity
    }
    fn id(&self) -> TaskId {
        self.0.id
    }
    fn affinity(&self) -> CpuMask {
        self.0.affinity
    }
}
