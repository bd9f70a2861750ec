//! The rhythm of a task: when its jobs begin, and what each takes.

use crate::demand::Beat;
use crate::{Nanos, Rate};

/// So many jobs are remembered.
const MEMORY: usize = 8;
/// So many intervals must be known before a rhythm is believed ...
const ENOUGH: usize = 4;
/// ... and so many of them may disagree with it.
const OUTLIERS: usize = 2;
/// Where the clock or another task vouches for it, so many are enough, if all agree.
const ENOUGH_VOUCHED: usize = 2;
/// A job that is late takes the next one along without a sleep in between: up to so many at a time are told apart.
const MOST_MERGED: u64 = 4;

/// A longest job that does not come again is forgotten by so small a part with each other one.
const FADING: u64 = 8;
/// Beyond four times the mean, in 1/1024 more, there is no rhythm worth reserving for.
const MOST_SPREAD: u32 = 3 * 1024;

/// What makes a task ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waker {
    /// A time that has come, or something from outside.
    Clock,
    /// Another task, with its period if it has one.
    Task(Option<Nanos>),
}

/// What a job was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    /// The work that the price list makes of the time that it took, in nanoseconds of a full CPU.
    pub priced: u64,
    /// Its instructions; 0 where they are not counted.
    pub instructions: u64,
}

impl Job {
    pub const NONE: Self = Self { priced: 0, instructions: 0 };
}

/// The last jobs of a task.
#[derive(Clone, Debug)]
pub struct Rhythm {
    begins: [Nanos; MEMORY],
    jobs: [Job; MEMORY],
    /// How many jobs have begun and ended, ever; the rings are indexed modulo [`MEMORY`].
    begun: u32,
    ended: u32,
    /// What an instruction is worth, in nanoseconds of a full CPU and 1/16384, if the work of jobs goes by that and not by the price list. All
    /// jobs are told in one measure, also those from before it was known.
    worth: Option<u64>,
    /// The longest single job of late in that measure, see [`Rhythm::spread`].
    peak: u64,
    /// What woke it last.
    by: Waker,
    /// What the last rhythm was, until another one is found or the jobs have disagreed with it for long.
    period: Option<Nanos>,
    /// Whether it is that of somebody else.
    follows: bool,
}

impl Rhythm {
    /// Nothing known.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            begins: [Nanos::ZERO; MEMORY],
            jobs: [Job::NONE; MEMORY],
            begun: 0,
            ended: 0,
            worth: None,
            peak: 0,
            by: Waker::Clock,
            period: None,
            follows: false,
        }
    }

    pub(super) fn begins(&mut self, now: Nanos, by: Waker) {
        self.by = by;
        self.begins[self.begun as usize % MEMORY] = now;
        self.begun = self.begun.wrapping_add(1);
        let (before, lent) = (self.period, self.follow());
        (self.period, self.follows) = (lent.or_else(|| self.find()), lent.is_some());
        // Without a rhythm nobody knew which jobs had taken others along.
        let peak = before.map_or(0, |_| self.peak);
        let longest = self.longest_single();
        self.peak = longest.max(peak - peak.saturating_sub(longest) / FADING);
    }

    pub(super) fn ends(&mut self, job: Job, worth: Option<u64>) {
        if worth.is_some() != self.worth.is_some() {
            self.peak = 0;
        }
        self.worth = worth;
        // The ring keeps a job at the place of its beginning.
        self.jobs[self.begun.wrapping_sub(1) as usize % MEMORY] = job;
        self.ended = self.begun;
    }

    /// What a job is in the measure of all: instructions, or else work as priced.
    fn measured(&self, job: Job) -> u64 {
        self.worth.map_or(job.priced, |_| job.instructions)
    }

    /// The same as work in nanoseconds of a full CPU.
    fn valued(&self, measured: u64) -> u64 {
        self.worth.map_or(measured, |worth| measured.saturating_mul(worth) >> 14)
    }

    /// The work of a job in nanoseconds of a full CPU.
    pub(super) fn work(&self, job: Job) -> u64 {
        self.valued(self.measured(job))
    }

    /// Between two beginnings; [`None`] while there is no rhythm.
    ///
    /// It is the median interval, if nearly all intervals are near it or near a small multiple of it: a late job that has taken
    /// the next one along leaves an interval of two periods, and that is no new rhythm.
    #[must_use]
    pub fn period(&self) -> Option<Nanos> {
        self.period
    }

    /// The rhythm with its last beginning.
    #[must_use]
    pub fn beat(&self) -> Option<Beat> {
        let period = self.period.filter(|_| !self.follows)?;
        Some(Beat { period, phase: self.begin(0) })
    }

    fn find(&self) -> Option<Nanos> {
        let mut intervals = heapless::Vec::<u64, MEMORY>::new();
        intervals.extend((1..self.known()).map(|back| (self.begin(back - 1) - self.begin(back)).as_nanos()));
        // The clock is exact, and is believed sooner if it shows it.
        let early = intervals.len() < ENOUGH;
        if early && (intervals.len() < ENOUGH_VOUCHED || self.by != Waker::Clock) {
            return None;
        }
        let (enough, outliers, tolerance) = if early { (intervals.len(), 0, 32) } else { (ENOUGH, OUTLIERS, 4) };
        intervals.sort_unstable();
        let median = intervals[(intervals.len() - 1) / 2];
        let agreeing = |candidate: u64| {
            let agrees = |interval: &&u64| {
                let count = periods_in(**interval, candidate);
                interval.abs_diff(count * candidate) * tolerance <= candidate
            };
            intervals.iter().filter(agrees).count()
        };
        // What was believed so far is tried first.
        let candidates = self.period.map(Nanos::as_nanos).into_iter().chain([median]);
        let believed = candidates
            .filter(|candidate| *candidate > 0)
            .find(|candidate| agreeing(*candidate) + outliers >= intervals.len() && agreeing(*candidate) >= enough)?;
        let periods: u64 = intervals.iter().map(|interval| periods_in(*interval, believed)).sum();
        Some(Nanos::new(intervals.iter().sum::<u64>() / periods))
    }

    /// Who has no rhythm of its own but is woken by somebody who has one is the next stage of a chain: it gets as many jobs, at times that
    /// differ by what the stages before it took.
    fn follow(&self) -> Option<Nanos> {
        let Waker::Task(Some(lent)) = self.by else { return None };
        let intervals = self.known().saturating_sub(1);
        let periods = (self.span().as_nanos() + lent.as_nanos() / 2) / lent.as_nanos().max(1);
        let follows =
            intervals >= ENOUGH_VOUCHED && (intervals as u64..=intervals as u64 * MOST_MERGED).contains(&(periods + 1));
        follows.then_some(lent)
    }

    /// From the first beginning that is remembered to the last.
    fn span(&self) -> Nanos {
        self.known().checked_sub(1).map_or(Nanos::ZERO, |first| self.begin(0) - self.begin(first))
    }

    /// How many beginnings are remembered.
    fn known(&self) -> usize {
        (self.begun as usize).min(MEMORY)
    }

    /// The beginning before so many others; 0 is the last.
    fn begin(&self, back: usize) -> Nanos {
        self.begins[(self.begun as usize + MEMORY - 1 - back) % MEMORY]
    }

    /// The finished jobs that are remembered, by how many beginnings lie after theirs.
    fn finished(&self) -> core::ops::Range<usize> {
        usize::from(self.ended != self.begun)..self.known()
    }

    /// What it was, as [`Rhythm::measured`].
    fn job(&self, back: usize) -> u64 {
        self.measured(self.jobs[(self.begun as usize + MEMORY - 1 - back) % MEMORY])
    }

    /// The most that one of the remembered jobs took, as run time on a full CPU; zero if none is remembered.
    #[must_use]
    pub fn longest_job(&self) -> Nanos {
        Nanos::new(self.valued(self.finished().map(|back| self.job(back)).max().unwrap_or(0)))
    }

    /// All finished jobs whose successor has begun, added up.
    fn total(&self) -> u64 {
        (1..self.known()).map(|back| self.job(back)).sum()
    }

    /// Work per time; [`None`] while there is no rhythm.
    #[must_use]
    pub fn work_rate(&self) -> Option<Rate> {
        self.period?;
        let rate = (self.valued(self.total()) << 14).checked_div(self.span().as_nanos())?;
        Some(Rate::new(u32::try_from(rate + 1).unwrap_or(u32::MAX)))
    }

    /// The longest job among those that are remembered. Who is late takes the next jobs along: so many as there are more periods than jobs, and
    /// they are taken to be short. Nobody knows which job took how many, so it is the mean of those that are long enough for it.
    fn longest_single(&self) -> u64 {
        let period = self.period.map_or(1, Nanos::as_nanos).max(1);
        let jobs = || (1..self.known()).map(|back| self.job(back));
        let (least, most) = jobs().fold((u64::MAX, 0), |(least, most), job| (job.min(least), job.max(most)));
        let along = ((self.span().as_nanos() + period / 4) / period).saturating_sub(jobs().count() as u64);
        if along == 0 || most < 2 * least {
            return most;
        }
        let (sum, count) =
            jobs().filter(|job| *job >= 2 * least).fold((0, 0), |(sum, count), job| (sum + job, count + 1));
        (sum.saturating_sub(along * least) / count).max(most / MOST_MERGED)
    }

    /// By how much the longest job exceeds the mean, in 1/1024 of it. To reserve for it is what it takes to have it done in its period, and
    /// it is the same whichever of the last jobs are remembered, which a mean or a deviation over a few of them is not.
    #[must_use]
    pub fn spread(&self) -> u32 {
        let period = self.period.map_or(0, Nanos::as_nanos);
        let periods = (self.span().as_nanos() << 10).checked_div(period).unwrap_or(0);
        let mean = (self.total() << 10).checked_div(periods).unwrap_or(0);
        let exceeds = (self.peak.saturating_sub(mean) << 10).checked_div(mean).unwrap_or(0);
        u32::try_from(exceeds).unwrap_or(MOST_SPREAD).min(MOST_SPREAD)
    }
}

/// To the nearest whole number, one at least.
fn periods_in(interval: u64, period: u64) -> u64 {
    ((interval + period / 2) / period.max(1)).clamp(1, MOST_MERGED)
}

impl Default for Rhythm {
    fn default() -> Self {
        Self::new()
    }
}
