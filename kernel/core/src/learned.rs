//! What is learnt about a task while it runs: the signals of the policy, the pair that it forms with its waker, what it has drawn.
//!
//! Nothing of it is kept where there are neither clocks to choose nor instructions counted: the CPU's [`Meter`] is off then, and every way
//! in ends at once.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use arch::cpu::Counts;
use sched::account::Account;
use sched::pair::Companion;
use sched::signals::Waker;
use sched::{Beat, Beside, Demand, Hints, Nanos, Rate, Signals, TaskId};

use crate::meter::Meter;
use crate::task::{Shared, Task};

/// A task's demand is worked out at most this often, as it costs a thousand instructions.
const REPUBLISH: Nanos = Nanos::from_millis(4);

/// A task without a rhythm that has slept for so long wants nothing: eight half-lives of load tracking, after which nothing is left of what it was
/// last taken for. Else a task that waits for the others would be planned for as long as they run.
const FADED: u32 = 250_000;

/// What is known of one task beside its load.
pub struct Learned {
    /// Its jobs.
    pub signals: Signals,
    companion: Companion,
    /// Who woke it last.
    waker: Option<&'static Shared>,
    woken: Nanos,
    /// For how long its present job has run, in nanoseconds.
    pub job: u64,
    /// What it ran that its signals and its account do not know yet.
    pub stretch: Stretch,
    /// The energy that it has used.
    pub account: Account,
    /// All cycles and instructions counted for it.
    pub counted: [u64; 2],
    published: Nanos,
}

/// Time on a CPU in nanoseconds, and what that counted meanwhile.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stretch {
    pub nanos: u32,
    pub counts: Counts,
}

impl Learned {
    /// Nothing.
    pub const fn new() -> Learned {
        Learned {
            signals: Signals::new(),
            companion: Companion::new(),
            waker: None,
            woken: Nanos::ZERO,
            job: 0,
            stretch: Stretch { nanos: 0, counts: Counts { cycles: 0, instructions: 0 } },
            account: Account::new(),
            counted: [0; 2],
            published: Nanos::ZERO,
        }
    }
}

/// What everyone may read of what is learnt.
pub struct Insight {
    /// Since when it is awake, in microseconds of 1024 ns; 0 while it sleeps. And for how long it was before.
    awake_since: AtomicU32,
    awake_before: AtomicU32,
    /// Since when it has slept last, in the same unit.
    asleep_since: AtomicU32,
    /// Estimate, floor and preference, packed.
    hints: AtomicU32,
    work: AtomicU32,
    /// Between the beginnings of two jobs, in nanoseconds; 0: no rhythm. And the beginning of one, in microseconds of 1024 ns.
    period: AtomicU32,
    phase: AtomicU32,
    /// Slack, and whether it never sleeps.
    shape: AtomicU32,
    /// How its speeds differ from the price list's, packed: see [`Insight::set_speeds`].
    speeds: AtomicU32,
    /// What its instructions are worth, in units of 2^16 ns and one more; 0: not known.
    progress: AtomicU32,
    /// The share of its period that its present job has run, in 1/16384.
    used: AtomicU32,
}

/// See [`Insight::progress`].
const COARSE: u32 = 16;

/// See [`Insight::set_speeds`].
const STALL_SHIFT: u32 = 3;

impl Insight {
    /// Nothing.
    pub const fn new() -> Insight {
        Insight {
            awake_since: AtomicU32::new(0),
            awake_before: AtomicU32::new(0),
            asleep_since: AtomicU32::new(0),
            hints: AtomicU32::new(0),
            work: AtomicU32::new(0),
            period: AtomicU32::new(0),
            phase: AtomicU32::new(0),
            shape: AtomicU32::new(0),
            speeds: AtomicU32::new(0),
            progress: AtomicU32::new(0),
            used: AtomicU32::new(0),
        }
    }

    /// Of a task that has only just been made.
    pub fn clear(&self) {
        let Insight { awake_since, awake_before, asleep_since, hints, work, .. } = self;
        let Insight { period, phase, shape, speeds, progress, used, .. } = self;
        let first = [awake_since, awake_before, asleep_since, hints, work];
        for word in first.into_iter().chain([period, phase, shape, speeds, progress, used]) {
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
        self.asleep_since.store(micros(now), Relaxed);
    }

    /// What it is to the tasks that it wakes.
    fn as_waker(&self) -> Waker {
        let period = self.period.load(Relaxed);
        Waker::Task((period > 0).then_some(Nanos::new(u64::from(period))))
    }

    /// What the policy may know of the task.
    pub fn hints(&self) -> Hints {
        let word = self.hints.load(Relaxed);
        let beside = match word >> 24 {
            1 => Beside::Apart,
            2 => Beside::Together,
            _ => Beside::Anywhere,
        };
        Hints {
            estimate: word & 0xfff,
            floor: word >> 12 & 0xfff,
            beside,
            used: self.used.load(Relaxed),
            progress: self.progress.load(Relaxed).checked_sub(1).map(|done| Nanos::new(u64::from(done) << COARSE)),
            ..Hints::default()
        }
    }

    /// What it wants at `now`, for the planner; nothing when that is not known.
    pub fn demand(&self, task: TaskId, now: Nanos) -> Option<Demand> {
        let (work, shape) = (Rate::new(self.work.load(Relaxed)), self.shape.load(Relaxed));
        let beat = self.beat(now);
        let (ratio, stall) = self.speeds();
        let (slack, hungry) = (shape >> 1, shape & 1 == 1);
        let demand = Demand { ratio, stall, slack, hungry, beat, ..Demand::steady(task, work) };
        let faded = beat.is_none() && self.has_slept(now) > FADED;
        (demand.hungry || work > Rate::ZERO && !faded).then_some(demand)
    }

    /// For how long it has slept, in microseconds of 1024 ns; 0 while it is awake.
    fn has_slept(&self, now: Nanos) -> u32 {
        match self.awake_since.load(Relaxed) {
            0 => micros(now).wrapping_sub(self.asleep_since.load(Relaxed)),
            _ => 0,
        }
    }

    /// When its jobs begin. Period and phase may be of two moments; a plan that was made for that holds for a round.
    fn beat(&self, now: Nanos) -> Option<Beat> {
        let (period, phase) = (self.period.load(Relaxed), self.phase.load(Relaxed));
        let since = Nanos::new(u64::from(micros(now).wrapping_sub(phase)) << 10);
        (period > 0).then(|| Beat { period: Nanos::new(u64::from(period)), phase: now.saturating_sub(since) })
    }

    /// One word, so that all are of one moment. Stalls are rounded down to eights, and so err on the side of a faster clock.
    fn set_speeds(&self, demand: &Demand) {
        let [big, little] = demand.stall.map(|stall| stall >> STALL_SHIFT);
        self.speeds.store(demand.ratio << 16 | big << 8 | little, Relaxed);
    }

    /// Ratio and stalls as in [`Demand`].
    fn speeds(&self) -> (u32, [u32; 2]) {
        let word = self.speeds.load(Relaxed);
        (word >> 16, [word >> 8 & 0xff, word & 0xff].map(|stall| stall << STALL_SHIFT))
    }

    fn set_beat(&self, beat: Option<Beat>) {
        // A longer period is none that a plan could be made for.
        let period = beat.map_or(0, |beat| u32::try_from(beat.period.as_nanos()).unwrap_or(0));
        self.period.store(period, Relaxed);
        self.phase.store(beat.map_or(0, |beat| micros(beat.phase)), Relaxed);
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
            let by = waker.map_or(Waker::Clock, |(waker, _)| waker.insight.as_waker());
            learned.signals.woke(now, by);
        }
        (learned.woken, learned.job) = (now, 0);
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

    /// Makes known what is to be known of it; `meter` is that of the CPU that it runs on, if it runs.
    pub fn publish_insight(&mut self, now: Nanos, meter: Option<&Meter>, learns: bool) {
        let (learned, insight) = (&mut self.learned, &self.shared.insight);
        learned.signals.clamp = self.shared.clamp.get();
        let floor = meter.filter(|_| learns).map_or(0, |meter| learned.signals.floor(Nanos::ZERO, meter.speed()));
        let beside = match learned.companion.beside() {
            Beside::Anywhere => 0,
            Beside::Apart => 1,
            Beside::Together => 2,
        };
        insight.hints.store(beside << 24 | floor << 12 | self.entity.estimate().min(0xfff), Relaxed);
        if learns {
            let period = learned.signals.rhythm().period().unwrap_or(Nanos::ZERO);
            let used = (learned.job << 14).checked_div(period.as_nanos()).unwrap_or(0);
            insight.used.store(u32::try_from(used).unwrap_or(u32::MAX), Relaxed);
        }
        if now.saturating_sub(learned.published) < REPUBLISH {
            return;
        }
        learned.published = now;
        if meter.is_some_and(Meter::counts_instructions) {
            let progress = learned.signals.progress().map_or(0, |done| (done.as_nanos() >> COARSE) as u32 + 1);
            insight.progress.store(progress, Relaxed);
        }
        if learns {
            let demand = learned.signals.demand(self.number, &self.entity, self.shared.affinity(), now);
            insight.work.store(demand.work.get(), Relaxed);
            insight.set_beat(demand.beat);
            insight.set_speeds(&demand);
            insight.shape.store(demand.slack << 1 | u32::from(demand.hungry), Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_planner_is_told_how_fast_a_task_is() {
        let insight = Insight::new();
        insight.work.store(1_000, Relaxed);
        for (ratio, stall) in [(0, [0, 0]), (1_024, [0, 848]), (4_096, [1_024, 1_023]), (128, [931, 0])] {
            insight.set_speeds(&Demand { ratio, stall, ..Demand::steady(TaskId::new(1), Rate::ZERO) });
            let told = insight.demand(TaskId::new(1), Nanos::ZERO).expect("it works");
            assert_eq!((told.ratio, told.stall), (ratio, stall.map(|stall| stall / 8 * 8)));
        }
        insight.clear();
        insight.work.store(1_000, Relaxed);
        assert_eq!(
            insight.demand(TaskId::new(1), Nanos::ZERO).map(|demand| (demand.ratio, demand.stall)),
            Some((0, [0; 2]))
        );
    }
}
