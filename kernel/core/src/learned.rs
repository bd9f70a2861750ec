//! What is learnt about a task while it runs: the signals of the policy, the pair that it forms with its waker, what it has drawn.
//! And the meter of a CPU, which says what a stretch of running was worth.
//!
//! Nothing of it is kept on a board without clocks to choose: the meter then has no price list, and every way in ends at once.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use abi::types::Statistics;
use sched::pair::Companion;
use sched::{Beside, CoreType, Demand, Energy, Hints, Nanos, Rate, Signals, Stint, TaskId};

use crate::task::{Shared, Task};

/// A task's demand is worked out at most this often, as it costs a thousand instructions.
const REPUBLISH: Nanos = Nanos::from_millis(4);

/// What is known of one task beside its load.
pub struct Learned {
    /// Its jobs.
    pub signals: Signals,
    companion: Companion,
    /// Who woke it last.
    waker: Option<&'static Shared>,
    woken: Nanos,
    /// Time on its CPU that its signals and its account do not know yet, in nanoseconds.
    stint: u32,
    /// What it has drawn, in femtojoules (nanoseconds times microwatts): its CPU's power beyond idle, and its share of what its
    /// cluster takes for being clocked.
    drawn: u64,
    published: Nanos,
}

impl Learned {
    /// Nothing.
    pub const fn new() -> Learned {
        Learned {
            signals: Signals::new(),
            companion: Companion::new(),
            waker: None,
            woken: Nanos::ZERO,
            stint: 0,
            drawn: 0,
            published: Nanos::ZERO,
        }
    }

    /// It has been on its CPU for this long.
    #[inline]
    pub fn was_on_cpu(&mut self, nanos: u32) {
        self.stint += nanos;
    }

    /// What it has drawn, its share of what its clusters draw idle included, in nanojoules.
    pub fn drawn(&self) -> u64 {
        self.drawn / 1_000_000
    }
}

/// What running is worth on one CPU.
pub struct Meter {
    energy: Option<&'static Energy>,
    core: CoreType,
    level: usize,
    /// How many CPUs of its cluster are busy, as of the last tick.
    pub sharing: u32,
    /// Whether anyone asks for the rhythm of tasks, as of the last tick: to learn it costs a thousand instructions a job, which only
    /// a plan is worth.
    pub learns: bool,
    /// All time with a running task, and what was drawn beyond idle in it, in femtojoules.
    busy: u64,
    drawn: u64,
}

impl Meter {
    /// Of a CPU whose clock cannot be chosen.
    pub const NONE: Meter =
        Meter { energy: None, core: CoreType::Big, level: 0, sharing: 1, learns: false, busy: 0, drawn: 0 };

    /// Of a CPU at the top of its cluster.
    pub fn new(energy: &'static Energy, core: CoreType) -> Meter {
        Meter { energy: Some(energy), core, level: energy.cluster(core).top(), ..Meter::NONE }
    }

    /// The price list, if there is one.
    #[inline]
    pub fn energy(&self) -> Option<&'static Energy> {
        self.energy
    }

    /// Whether anything is measured.
    #[inline]
    pub fn counts(&self) -> bool {
        self.energy.is_some()
    }

    /// The kind of core.
    pub fn core(&self) -> CoreType {
        self.core
    }

    /// The operating point in force on this CPU.
    pub fn level(&self) -> usize {
        self.level
    }

    /// From now on another one is in force.
    pub fn set_level(&mut self, level: usize) {
        self.level = level;
    }

    /// Time with a running task since boot in units of 2^10 ns, and energy drawn beyond idle in units of 2^20 fJ; both wrap, the
    /// second one after four seconds of a big core at its top.
    pub fn readings(&self) -> (u32, u32) {
        ((self.busy >> 10) as u32, (self.drawn >> 20) as u32)
    }

    /// The speed in force.
    fn speed(&self) -> Rate {
        self.energy.map_or(Rate::FULL, |energy| energy.cluster(self.core).level(self.level).speed)
    }

    /// Tells a task's signals and its account what it ran since the last time.
    pub fn end_stint(&mut self, learned: &mut Learned) {
        let (Some(energy), stint @ 1..) = (self.energy, core::mem::take(&mut learned.stint)) else { return };
        let cluster = energy.cluster(self.core);
        let facts = cluster.level(self.level);
        let busy = Nanos::new(u64::from(stint));
        self.busy += u64::from(stint);
        let drawn = u64::from(stint) * u64::from(facts.busy.get());
        self.drawn += drawn;
        learned.drawn += drawn + u64::from(stint) * u64::from(facts.idle.get() / self.sharing.max(1));
        if !self.learns {
            return;
        }
        learned.signals.ran(&Stint {
            core: self.core,
            frequency: facts.opp.frequency,
            speed: facts.speed,
            busy,
            // The cores of an emulator are all alike: counting them would teach nothing about unequal ones.
            cycles: 0,
            instructions: 0,
        });
    }
}

/// What everyone may read of what is learnt.
pub struct Insight {
    /// Since when it is awake, in microseconds of 1024 ns; 0 while it sleeps. And for how long it was before.
    awake_since: AtomicU32,
    awake_before: AtomicU32,
    /// Estimate, floor and preference, packed.
    hints: AtomicU32,
    work: AtomicU32,
    /// Slack, and whether it never sleeps.
    shape: AtomicU32,
}

impl Insight {
    /// Nothing.
    pub const fn new() -> Insight {
        Insight {
            awake_since: AtomicU32::new(0),
            awake_before: AtomicU32::new(0),
            hints: AtomicU32::new(0),
            work: AtomicU32::new(0),
            shape: AtomicU32::new(0),
        }
    }

    /// Of a task that has only just been made.
    pub fn clear(&self) {
        for word in [&self.awake_since, &self.awake_before, &self.hints, &self.work, &self.shape] {
            word.store(0, Relaxed);
        }
    }

    /// How long it has been awake in all its life.
    fn awake(&self, now: Nanos) -> Nanos {
        let running = match self.awake_since.load(Relaxed) {
            0 => 0,
            since => micros(now).wrapping_sub(since),
        };
        Nanos::new(u64::from(self.awake_before.load(Relaxed).wrapping_add(running)) << 10)
    }

    fn begin(&self, now: Nanos) {
        self.awake_since.store(micros(now).max(1), Relaxed);
    }

    fn end(&self, now: Nanos) {
        let running = micros(now).wrapping_sub(self.awake_since.swap(0, Relaxed));
        self.awake_before.store(self.awake_before.load(Relaxed).wrapping_add(running), Relaxed);
    }

    /// What the policy may know of the task.
    pub fn hints(&self) -> Hints {
        let word = self.hints.load(Relaxed);
        let beside = match word >> 24 {
            1 => Beside::Apart,
            2 => Beside::Together,
            _ => Beside::Anywhere,
        };
        Hints { estimate: word & 0xfff, floor: word >> 12 & 0xfff, beside, ..Hints::default() }
    }

    /// What it wants, for the planner; nothing when that is not known.
    pub fn demand(&self, task: TaskId) -> Option<Demand> {
        let (work, shape) = (Rate::new(self.work.load(Relaxed)), self.shape.load(Relaxed));
        let demand = Demand { slack: shape >> 1, hungry: shape & 1 == 1, ..Demand::steady(task, work) };
        (demand.hungry || work > Rate::ZERO).then_some(demand)
    }
}

/// Microseconds of 1024 ns.
fn micros(time: Nanos) -> u32 {
    (time.as_nanos() >> 10) as u32
}

impl Task {
    /// It was woken by `waker`, or by the clock: a job begins.
    pub fn job_begins(&mut self, now: Nanos, waker: Option<(&'static Shared, TaskId)>, learns: bool) {
        let learned = &mut self.learned;
        if learns {
            learned.signals.woke(now);
        }
        learned.woken = now;
        self.shared.insight.begin(now);
        if let Some((waker, number)) = waker {
            learned.companion.woken(number, waker.insight.awake(now));
            learned.waker = Some(waker);
        }
    }

    /// It goes to sleep: its job is done.
    pub fn job_ends(&mut self, now: Nanos, learns: bool) {
        let learned = &mut self.learned;
        if learns {
            learned.signals.slept();
        }
        self.shared.insight.end(now);
        if let Some(waker) = learned.waker {
            learned.companion.slept(now.saturating_sub(learned.woken), waker.insight.awake(now));
        }
        self.publish_insight(now, None, learns);
    }

    /// Its statistics with the energy of its account.
    pub fn statistics_with_energy(&self) -> Statistics {
        Statistics { energy_nj: self.learned.drawn(), ..self.statistics }
    }

    /// Makes known what is to be known of it; `meter` is that of the CPU that it runs on, if it runs.
    pub fn publish_insight(&mut self, now: Nanos, meter: Option<&Meter>, learns: bool) {
        let (learned, insight) = (&mut self.learned, &self.shared.insight);
        let floor = meter.filter(|_| learns).map_or(0, |meter| learned.signals.floor(Nanos::ZERO, meter.speed()));
        let beside = match learned.companion.beside() {
            Beside::Anywhere => 0,
            Beside::Apart => 1,
            Beside::Together => 2,
        };
        insight.hints.store(beside << 24 | floor << 12 | self.entity.estimate().min(0xfff), Relaxed);
        if learns && now.saturating_sub(learned.published) >= REPUBLISH {
            learned.published = now;
            let demand = learned.signals.demand(self.number, &self.entity, self.shared.affinity(), now);
            insight.work.store(demand.work.get(), Relaxed);
            insight.shape.store(demand.slack << 1 | u32::from(demand.hungry), Relaxed);
        }
    }
}
