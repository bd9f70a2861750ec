//! What came of a run.

use sched::trace::Event;
use sched::{CoreType, CpuId, Nanos};

use crate::task::{LATENCIES, TaskStatistics};

/// How often things happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Times that a CPU turned to another task.
    pub switches: u64,
    /// Times that a task came to another CPU.
    pub moves: u64,
    /// Verdicts that came too late to matter.
    pub lapsed: u64,
    /// Verdicts that broke a rule. There must be none.
    pub refused: u64,
    /// Changes of the operating point: big, LITTLE.
    pub clock_changes: [u64; 2],
}

/// Energy of a run, in femtojoules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EnergyUse {
    /// What the work took on each kind of core: big, LITTLE.
    pub work: [u128; 2],
    /// What the clusters took besides.
    pub idle: [u128; 2],
}

impl EnergyUse {
    /// What was drawn since an earlier reading.
    pub(crate) fn since(&self, earlier: &Self) -> Self {
        let difference = |now: [u128; 2], then: [u128; 2]| [now[0] - then[0], now[1] - then[1]];
        Self { work: difference(self.work, earlier.work), idle: difference(self.idle, earlier.idle) }
    }

    /// All of it.
    #[must_use]
    pub fn total(&self) -> u128 {
        self.work.iter().chain(&self.idle).sum()
    }
}

/// One task at the end of a run.
#[derive(Clone, Debug)]
pub struct TaskOutcome {
    /// Its name.
    pub name: String,
    /// Its class of work.
    pub class: usize,
    /// Whether the run waited for its end.
    pub awaited: bool,
    /// Its figures.
    pub statistics: TaskStatistics,
}

/// A run in figures.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// When it ended.
    pub end: Nanos,
    /// From when on it was measured.
    pub begin: Nanos,
    /// The tasks by number.
    pub tasks: Vec<TaskOutcome>,
    /// What was drawn.
    pub energy: EnergyUse,
    /// What happened how often.
    pub counts: Counts,
    /// Time at each operating point: big, LITTLE.
    pub residency: [Vec<Nanos>; 2],
    /// Time without power: big, LITTLE.
    pub off: [Nanos; 2],
    /// Busy time of each CPU.
    pub busy: Vec<Nanos>,
    /// The highest temperature of any node of the thermal network, in degrees; 0 without one.
    pub hottest: f64,
    /// Whether the policy ever said that the machine must be brought to rest.
    pub critical: bool,
    /// How many plans were made, and for how long none held.
    pub plans: (u32, Nanos),
    /// The most that a plan took to make: [`sched::Plan::effort`].
    pub effort: u32,
    /// The run in detail, if it was asked for.
    pub record: Record,
}

impl Outcome {
    /// Mean power over the run, in milliwatts.
    #[must_use]
    pub fn milliwatts(&self) -> f64 {
        self.energy.total() as f64 / self.span() / 1e12
    }

    /// Energy of the run, in joules.
    #[must_use]
    pub fn joules(&self) -> f64 {
        self.energy.total() as f64 / 1e15
    }

    /// What the work of the tasks that `wanted` accepts took, in joules.
    #[must_use]
    pub fn joules_of(&self, wanted: impl Fn(&TaskOutcome) -> bool) -> f64 {
        let energy: u128 = self.tasks.iter().filter(|task| wanted(task)).map(|task| task.statistics.energy).sum();
        energy as f64 / 1e15
    }

    /// When each awaited task ended after its start, in seconds, earliest first.
    #[must_use]
    pub fn completions(&self) -> Vec<f64> {
        let ended = self.tasks.iter().filter(|task| task.awaited).filter_map(|task| {
            let statistics = &task.statistics;
            Some((statistics.end? - statistics.start) as f64 / 1e9)
        });
        let mut ended: Vec<f64> = ended.collect();
        ended.sort_by(f64::total_cmp);
        ended
    }

    /// When the last awaited task had ended, in seconds.
    #[must_use]
    pub fn makespan(&self) -> f64 {
        self.completions().last().copied().unwrap_or(0.0)
    }

    /// The mean of the completion times, in seconds.
    #[must_use]
    pub fn mean_completion(&self) -> f64 {
        let completions = self.completions();
        completions.iter().sum::<f64>() / completions.len().max(1) as f64
    }

    /// Jobs that ended after their deadline.
    #[must_use]
    pub fn misses(&self) -> u64 {
        self.tasks.iter().map(|task| task.statistics.misses).sum()
    }

    /// Jobs that were done.
    #[must_use]
    pub fn jobs(&self) -> u64 {
        self.tasks.iter().map(|task| task.statistics.jobs).sum()
    }

    /// Work per time over the run, in CPUs of full capacity, times 1024.
    #[must_use]
    pub fn throughput(&self) -> f64 {
        let work: u64 = self.tasks.iter().map(|task| task.statistics.work >> 14).sum();
        work as f64 / 1e9 / self.span() * 1024.0
    }

    /// How long it was measured, in seconds.
    #[must_use]
    pub fn span(&self) -> f64 {
        (self.end - self.begin).as_nanos().max(1) as f64 / 1e9
    }

    /// The time from wake-up to running that this share of all wake-ups kept below, as a power of two of microseconds;
    /// only of the awaited tasks, if there are some.
    #[must_use]
    pub fn latency(&self, share: f64) -> u64 {
        let mut buckets = [0_u64; LATENCIES];
        let nobody = !self.tasks.iter().any(|task| task.awaited);
        for task in self.tasks.iter().filter(|task| task.awaited || nobody) {
            buckets.iter_mut().zip(task.statistics.latency).for_each(|(sum, count)| *sum += count);
        }
        let wanted = (buckets.iter().sum::<u64>() as f64 * share).ceil() as u64;
        let mut seen = 0;
        let bucket = buckets.iter().position(|count| {
            seen += count;
            seen >= wanted
        });
        1 << bucket.unwrap_or(0)
    }
}

/// A run in detail.
#[derive(Clone, Debug, Default)]
pub struct Record {
    wanted: bool,
    /// What happened on which CPU.
    pub events: Vec<(u64, CpuId, Event)>,
    /// Operating points as they came into force.
    pub levels: Vec<(u64, CoreType, usize)>,
    /// Temperatures of the nodes of the thermal network, in degrees.
    pub temperatures: Vec<(u64, Vec<f64>)>,
    /// Mean power of each cluster since the sample before, in watts: big, LITTLE.
    pub power: Vec<(u64, [f64; 2])>,
}

/// More events than this are not kept: a picture of them would show nothing.
const MOST_EVENTS: usize = 4_000_000;

impl Record {
    pub(crate) fn new(wanted: bool) -> Self {
        Self { wanted, ..Self::default() }
    }

    /// Whether it is kept at all.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.wanted
    }

    pub(crate) fn event(&mut self, now: u64, cpu: CpuId, event: Event) {
        if self.wanted && self.events.len() < MOST_EVENTS {
            self.events.push((now, cpu, event));
        }
    }

    pub(crate) fn temperatures(&mut self, now: u64, degrees: &[f64]) {
        if self.wanted {
            self.temperatures.push((now, degrees.to_vec()));
        }
    }

    pub(crate) fn power(&mut self, now: u64, watts: [f64; 2]) {
        if self.wanted {
            self.power.push((now, watts));
        }
    }

    pub(crate) fn level(&mut self, now: u64, core: CoreType, level: usize) {
        if self.wanted {
            self.levels.push((now, core, level));
        }
    }
}
