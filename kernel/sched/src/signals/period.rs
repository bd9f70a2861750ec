//! The rhythm of a task: when its jobs begin, and what each takes.

use crate::{Nanos, Rate};

/// So many jobs are remembered.
const MEMORY: usize = 8;
/// So many intervals must agree before a rhythm is believed.
const ENOUGH: usize = 4;

/// The last jobs of a task.
#[derive(Clone, Debug)]
pub struct Rhythm {
    begins: [Nanos; MEMORY],
    work: [Nanos; MEMORY],
    /// How many jobs have begun and ended, ever; the rings are indexed modulo [`MEMORY`].
    begun: u32,
    ended: u32,
}

impl Rhythm {
    /// Nothing known.
    #[must_use]
    pub const fn new() -> Self {
        Self { begins: [Nanos::ZERO; MEMORY], work: [Nanos::ZERO; MEMORY], begun: 0, ended: 0 }
    }

    pub(super) fn begins(&mut self, now: Nanos) {
        self.begins[self.begun as usize % MEMORY] = now;
        self.begun = self.begun.wrapping_add(1);
    }

    pub(super) fn ends(&mut self, work: Nanos) {
        self.work[self.ended as usize % MEMORY] = work;
        self.ended = self.ended.wrapping_add(1);
    }

    /// Between two beginnings; [`None`] while there is no rhythm. A rhythm is there when no interval differs from the mean by more
    /// than a quarter: a job released a little late because its task was still busy is followed by a shorter interval,
    /// and the mean over all of them is right.
    #[must_use]
    pub fn period(&self) -> Option<Nanos> {
        let count = (self.begun as usize).min(MEMORY);
        if count <= ENOUGH {
            return None;
        }
        let at = |back: usize| self.begins[(self.begun as usize + MEMORY - 1 - back) % MEMORY];
        let mean = (at(0) - at(count - 1)).as_nanos() / (count - 1) as u64;
        let agrees = |back| (at(back) - at(back + 1)).as_nanos().abs_diff(mean) * 4 <= mean;
        (mean > 0 && (0..count - 1).all(agrees)).then_some(Nanos::new(mean))
    }

    fn jobs(&self) -> &[Nanos] {
        &self.work[..(self.ended as usize).min(MEMORY)]
    }

    /// The most that one of the remembered jobs took, as run time on a full CPU; zero if none is remembered.
    #[must_use]
    pub fn longest_job(&self) -> Nanos {
        self.jobs().iter().copied().max().unwrap_or(Nanos::ZERO)
    }

    /// The mean of the remembered jobs.
    #[must_use]
    pub fn mean_job(&self) -> Nanos {
        let total: u64 = self.jobs().iter().map(|job| job.as_nanos()).sum();
        Nanos::new(total / self.jobs().len().max(1) as u64)
    }

    /// Work per time; [`None`] while there is no rhythm.
    #[must_use]
    pub fn work_rate(&self) -> Option<Rate> {
        let period = self.period()?.as_nanos();
        if self.jobs().is_empty() {
            return None;
        }
        let rate = (self.mean_job().as_nanos() << 14).div_ceil(period);
        Some(Rate::new(u32::try_from(rate).unwrap_or(u32::MAX)))
    }

    /// By how much jobs exceed their mean, in 1/1024 of it: three standard deviations.
    #[must_use]
    pub fn spread(&self) -> u32 {
        let mean = self.mean_job().as_nanos() >> 10;
        if mean == 0 {
            return 0;
        }
        let jobs = self.jobs();
        let square = |job: &Nanos| (job.as_nanos() >> 10).abs_diff(mean).pow(2);
        let variance = jobs.iter().map(square).sum::<u64>() / jobs.len() as u64;
        let deviation = 3 * variance.isqrt();
        // Beyond double the mean there is no rhythm worth reserving for.
        u32::try_from((deviation << 10) / mean).unwrap_or(1024).min(1024)
    }
}

impl Default for Rhythm {
    fn default() -> Self {
        Self::new()
    }
}
