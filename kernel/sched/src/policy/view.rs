//! What a policy is told: snapshots of tasks and CPUs.

use crate::{Capacity, CapacityTable, Clamp, CpuId, CpuMask, Energy, MilliCelsius, Nanos, Plan, Schedulable, TaskId};

/// What a policy sees of a running task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningView {
    /// Its name.
    pub task: TaskId,
    /// Its share of a full CPU, `0..=1024`.
    pub utilisation: u32,
    /// The share of time in which it ran or would have liked to, `0..=1024`.
    pub runnable: u32,
    /// Work done, as run time on a full CPU.
    pub progress: Nanos,
    /// When it came to this CPU.
    pub last_moved: Nanos,
    /// Where it may run.
    pub affinity: CpuMask,
}

impl RunningView {
    /// What is to be seen of `task`.
    #[inline]
    #[must_use]
    pub fn of(task: &impl Schedulable) -> Self {
        let entity = task.entity();
        Self {
            task: task.id(),
            utilisation: entity.utilisation(),
            runnable: entity.runnable(),
            progress: entity.progress(),
            last_moved: entity.last_moved(),
            affinity: task.affinity(),
        }
    }
}

/// What a policy sees of a CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuView {
    /// The task that runs there.
    pub running: Option<RunningView>,
    /// How many tasks wait there, those on their way to it included.
    pub queued: u32,
    /// The CPU's utilisation in terms of a full CPU, `0..=1024`.
    pub utilisation: u32,
}

impl CpuView {
    /// How many tasks want this CPU.
    #[inline]
    #[must_use]
    pub fn tasks(&self) -> u32 {
        self.queued + u32::from(self.running.is_some())
    }
}

/// What a policy sees of a CPU's load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuLoad {
    /// What it ran lately, also for tasks that sleep now, `0..=1024`.
    pub utilisation: u32,
    /// What the tasks that are here and awake will use, together; not bounded.
    pub estimate: u32,
    /// The share of time in which somebody ran or waited.
    pub runnable: u32,
    /// The bounds of the tasks that are here and awake.
    pub clamp: Clamp,
    /// The capacity that heat takes away.
    pub pressure: u32,
}

impl CpuLoad {
    /// The utilisation to be expected: Linux' `cpu_util`.
    #[inline]
    #[must_use]
    pub fn expected(&self) -> u32 {
        self.utilisation.max(self.estimate)
    }
}

/// Whether a task and the one that wakes it gain by running at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beside {
    /// Nothing is known, or it makes no difference.
    #[default]
    Anywhere,
    /// The waker goes on working: on another CPU of its cluster both get on.
    Apart,
    /// The waker goes to sleep at once: its CPU is free and its caches hold the message.
    Together,
}

/// What is known of one task beyond its load. The default is: nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// Its [`Entity::estimate`](crate::Entity::estimate).
    pub estimate: u32,
    /// Its bounds.
    pub clamp: Clamp,
    /// Its [`Signals::floor`](crate::Signals::floor).
    pub floor: u32,
    /// The share of its period that its present job has run, in 1/16384.
    pub used: u32,
    /// Work done by its own count of instructions, if that is known.
    pub progress: Option<Nanos>,
    /// Whether it should be near its waker.
    pub beside: Beside,
}

/// The state of all CPUs, looked up as a rule needs it. Answers may be a tick old; a verdict that rests on an
/// old one lapses when the mechanism finds its premise gone.
pub trait Cpus {
    /// The CPUs that take tasks.
    fn online(&self) -> CpuMask;
    /// The online CPUs that run nothing and that nothing waits for or is on its way to.
    fn idle(&self) -> CpuMask;
    /// How fast they are.
    fn capacities(&self) -> &CapacityTable;
    /// One of them in detail.
    fn view(&self, cpu: CpuId) -> CpuView;

    /// For how long a task runs on a CPU at a stretch; see [`RunQueue::stint`](crate::RunQueue::stint). Without an
    /// answer waiting is taken to be long.
    fn stint(&self, cpu: CpuId) -> Nanos {
        let _ = cpu;
        Nanos::from_millis(1_000)
    }

    /// What work costs; [`None`] if nobody knows.
    fn energy(&self) -> Option<&Energy> {
        None
    }

    /// The plan in force.
    fn plan(&self) -> Option<&Plan> {
        None
    }

    /// The load of a CPU.
    fn load(&self, cpu: CpuId) -> CpuLoad {
        let utilisation = self.view(cpu).utilisation;
        CpuLoad { utilisation, estimate: utilisation, runnable: utilisation, ..CpuLoad::default() }
    }

    /// What heat leaves of a CPU's capacity. Whoever asks how fast a CPU is in order to place a task is to ask for
    /// this.
    #[inline]
    fn left(&self, cpu: CpuId) -> Capacity {
        self.capacities().capacity(cpu).less(self.load(cpu).pressure)
    }

    /// How far a CPU's sensor is below the limit of heat; [`None`] if nobody knows.
    fn room(&self, cpu: CpuId) -> Option<MilliCelsius> {
        let _ = cpu;
        None
    }

    /// What is known of a task.
    fn hints(&self, task: TaskId) -> Hints {
        let _ = task;
        Hints::default()
    }
}
