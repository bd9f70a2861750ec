//! What a placement policy is told, and the words in which it answers.
//!
//! Every policy is compiled into every build and chosen by value. The rules are in [`place`](mod@crate::place)
//! (where does a task go that becomes ready?) and [`shift`](crate::shift) (should a running task move?).

use core::fmt;

use crate::{Capacity, CapacityTable, Clamp, CpuId, CpuMask, Energy, MilliCelsius, Nanos, Plan, Schedulable, TaskId};

/// The set of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyKind {
    /// A task stays where it was first placed: what a kernel does that looks at wake-ups only, at its plainest.
    Pinned,
    /// An idle CPU takes waiting tasks, and the running task of a slower CPU.
    Pull,
    /// Gearshift's own: also looks at running tasks on every tick.
    Gear,
    /// As Linux does with energy-aware scheduling: see [`crate::eas`].
    Eas,
    /// As Android does, with the rotation of big tasks: see [`crate::walt`].
    Walt,
}

impl PolicyKind {
    /// The policy of that name, as in the boot argument `policy=`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "pinned" => Some(Self::Pinned),
            "pull" => Some(Self::Pull),
            "gear" => Some(Self::Gear),
            "eas" => Some(Self::Eas),
            "walt" => Some(Self::Walt),
            _ => None,
        }
    }
}

impl fmt::Display for PolicyKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Pinned => "pinned",
            Self::Pull => "pull",
            Self::Gear => "gear",
            Self::Eas => "eas",
            Self::Walt => "walt",
        })
    }
}

/// What the gear policy is to make small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The mean completion time. Equal jobs then stay where they are until a faster CPU falls idle: to rotate
    /// them would delay all but the last (Gonzalez 1977).
    Mean,
    /// The completion of the last job. Jobs rotate so that all progress at one rate (the level algorithm of
    /// Horvath, Lam and Sethi, JACM 24(1), 1977, with a quantum). Progress counts from a task's creation, as suits a
    /// set of equal jobs that start together.
    Makespan,
    /// Energy, with every job done in its period: tasks go where the [plan](crate::Plan) wants them. Without a plan it is as
    /// [`Goal::Mean`].
    Energy,
}

impl Goal {
    /// The goal of that name, as in the boot argument `goal=`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "mean" => Some(Self::Mean),
            "makespan" => Some(Self::Makespan),
            "energy" => Some(Self::Energy),
            _ => None,
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Mean => "mean",
            Self::Makespan => "makespan",
            Self::Energy => "energy",
        })
    }
}

/// A policy: rules and goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The rules.
    pub kind: PolicyKind,
    /// The goal; only [`PolicyKind::Gear`] looks at it.
    pub goal: Goal,
}

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

    /// For how long a task runs on a CPU at a stretch; see [`RunQueue::stint`](crate::RunQueue::stint). Without an answer waiting is
    /// taken to be long.
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

    /// What heat leaves of a CPU's capacity. Whoever asks how fast a CPU is in order to place a task is to ask for this.
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

/// The reason of a verdict; its `Display` is the word in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It ran there last, and that is good enough.
    Previous,
    /// The fastest CPU that is idle.
    Idle,
    /// The slowest idle CPU that has room for its load.
    Fits,
    /// No CPU is idle; this one has the least to do for its capacity.
    LeastLoaded,
    /// No CPU that it may run on is online; any other is less bad than none.
    Affinity,
    /// It fills a slower CPU and gains by a faster one.
    Misfit,
    /// It waited, and the CPU that takes it was idle.
    PulledQueued,
    /// It ran on a slower CPU than the idle one that takes it.
    PulledRunning,
    /// It is its turn on the faster, or on the slower CPU.
    Rotation,
    /// Too many tasks for the capacity of the CPU that it leaves.
    Balance,
    /// The plan has its home there.
    Planned,
    /// It has used its share of one CPU; the plan gives it the rest on another.
    Split,
    /// The least energy.
    Energy,
    /// Its waker goes on working, so it runs beside it.
    Apart,
    /// Its waker goes to sleep, so it takes its place.
    Together,
    /// The core that it leaves is hotter than one that rests.
    Cooler,
}

impl fmt::Display for Why {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Previous => "previous",
            Self::Idle => "idle",
            Self::Fits => "fits",
            Self::LeastLoaded => "least_loaded",
            Self::Affinity => "affinity",
            Self::Misfit => "misfit",
            Self::PulledQueued => "pulled_queued",
            Self::PulledRunning => "pulled_running",
            Self::Rotation => "rotation",
            Self::Balance => "balance",
            Self::Planned => "planned",
            Self::Split => "split",
            Self::Energy => "energy",
            Self::Apart => "apart",
            Self::Together => "together",
            Self::Cooler => "cooler",
        })
    }
}
