//! The rhythm of a task: when its jobs begin, and what each takes.

use crate::demand::Beat;
use crate::{Nanos, Rate};

/// So many jobs are remembered.
const MEMORY: usize = 8;
/// So many intervals must be known before a rhythm is believed ...
const ENOUGH: usize = 4;
/// ... and so many of them may disagree with it.
const OUTLIERS: usize = 2;
/// A job that is late takes the next one along without a sleep in between: up to so many at a time are told apart.
const MOST_MERGED: u64 = 4;

/// The last jobs of a task.
#[derive(Clone, Debug)]
pub struct Rhythm {
    begins: [Nanos; MEMORY],
    work: [Nanos; MEMORY],
    /// How many jobs have begun and ended, ever; the rings are indexed modulo [`MEMORY`].
    begun: u32,
    ended: u32,
    /// What the last rhythm was, until another one is found or the jobs have disagreed with it for long.
    period: Option<Nanos>,
}

impl Rhythm {
    /// Nothing known.
    #[must_use]
    pub const fn new() -> Self {
        Self { begins: [Nanos::ZERO; MEMORY], work: [Nanos::ZERO; MEMORY], begun: 0, ended: 0, period: None }
    }

    pub(super) fn begins(&mut self, now: Nanos) {
        self.begins[self.begun as usize % MEMORY] = now;
        self.begun = self.begun.wrapping_add(1);
        self.period = self.find();
    }

    pub(super) fn ends(&mut self, work: Nanos) {
        // The ring keeps a job at the place of its beginning.
        self.work[self.begun.wrapping_sub(1) as usize % MEMORY] = work;
        self.ended = self.begun;
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
        Some(Beat { period: self.period?, phase: self.begin(0) })
    }

    fn find(&self) -> Option<Nanos> {
        let mut intervals = heapless::Vec::<u64, MEMORY>::new();
        intervals.extend((1..self.known()).map(|back| (self.begin(back - 1) - self.begin(back)).as_nanos()));
        if intervals.len() < ENOUGH {
            return None;
        }
        intervals.sort_unstable();
        let median = intervals[(intervals.len() - 1) / 2];
        let agreeing = |candidate: u64| {
            let agrees = |interval: &&u64| {
                let count = periods_in(**interval, candidate);
                interval.abs_diff(count * candidate) * 4 <= candidate
            };
            intervals.iter().filter(agrees).count()
        };
        // What was believed so far is tried first.
        let candidates = self.period.map(Nanos::as_nanos).into_iter().chain([median]);
        let believed = candidates
            .filter(|candidate| *candidate > 0)
            .find(|candidate| agreeing(*candidate) + OUTLIERS >= intervals.len() && agreeing(*candidate) >= ENOUGH)?;
        let periods: u64 = intervals.iter().map(|interval| periods_in(*interval, believed)).sum();
        Some(Nanos::new(intervals.iter().sum::<u64>() / periods))
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

    fn job(&self, back: usize) -> Nanos {
        self.work[(self.begun as usize + MEMORY - 1 - back) % MEMORY]
    }

    /// The most that one of the remembered jobs took, as run time on a full CPU; zero if none is remembered.
    #[must_use]
    pub fn longest_job(&self) -> Nanos {
        self.finished().map(|back| self.job(back)).max().unwrap_or(Nanos::ZERO)
    }

    /// The finished jobs whose successor has begun: the work of a whole interval each, with the periods in it.
    fn intervals(&self) -> impl Iterator<Item = (Nanos, u64)> {
        let period = self.period.map_or(1, Nanos::as_nanos);
        (1..self.known()).map(move |back| {
            let interval = (self.begin(back - 1) - self.begin(back)).as_nanos();
            (self.job(back), periods_in(interval, period))
        })
    }

    /// Work per time; [`None`] while there is no rhythm.
    #[must_use]
    pub fn work_rate(&self) -> Option<Rate> {
        let period = self.period?.as_nanos();
        let (work, periods) =
            self.intervals().fold((0, 0), |(work, periods), (job, count)| (work + job.as_nanos(), periods + count));
        let rate = (work << 14).checked_div(periods * period)?;
        Some(Rate::new(u32::try_from(rate + 1).unwrap_or(u32::MAX)))
    }

    /// By how much jobs exceed their mean, in 1/1024 of it: three standard deviations. A job that has taken others along counts as
    /// that many equal ones.
    #[must_use]
    pub fn spread(&self) -> u32 {
        let single = || self.intervals().map(|(job, count)| (job.as_nanos() >> 10) / count);
        let count = single().count() as u64;
        let mean = single().sum::<u64>().checked_div(count).unwrap_or(0);
        if mean == 0 {
            return 0;
        }
        let variance = single().map(|job| job.abs_diff(mean).pow(2)).sum::<u64>() / count;
        let deviation = 3 * variance.isqrt();
        // Beyond double the mean there is no rhythm worth reserving for.
        u32::try_from((deviation << 10) / mean).unwrap_or(1024).min(1024)
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
