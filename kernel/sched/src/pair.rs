//! Do a task and its waker gain by running at the same time?
//!
//! A client and a server that both have work left are best on two CPUs; a pair of which one always waits for the other is
//! best on one. Linux decides by wake-up counts (`wake_wide`, `wake_affine`) and keeps both on one core: a graphics benchmark
//! with its display server took 9.35 s like that and 7.11 s apart. Here it is measured: for how much of the job of a
//! task is its waker awake as well?

use crate::policy::Beside;
use crate::{Nanos, TaskId};

/// Above this share of overlap a pair is set apart, in 1/1024 ...
const APART: u32 = 384;
/// ... and below this it is kept together. In between nothing changes.
const TOGETHER: u32 = 128;
/// So many jobs must have been seen.
const ENOUGH: u8 = 4;

/// One task's relation to the task that wakes it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Companion {
    waker: Option<TaskId>,
    /// How long the waker had been awake, in all its life, when it woke this task.
    waker_awake: Nanos,
    /// The share of a job for which the waker was awake, smoothed, in 1/1024.
    overlap: u32,
    seen: u8,
    verdict: Beside,
}

impl Companion {
    /// Nothing known.
    #[must_use]
    pub const fn new() -> Self {
        Self { waker: None, waker_awake: Nanos::ZERO, overlap: 0, seen: 0, verdict: Beside::Anywhere }
    }

    /// `waker` woke this task. `awake` is the time that the waker has spent running or ready in all its life.
    pub fn woken(&mut self, waker: TaskId, awake: Nanos) {
        if self.waker != Some(waker) {
            *self = Self { waker: Some(waker), ..Self::new() };
        }
        self.waker_awake = awake;
    }

    /// Who woke it last.
    #[must_use]
    pub fn waker(&self) -> Option<TaskId> {
        self.waker
    }

    /// This task goes to sleep after a job of `job` (from wake-up to now); the waker has been awake for `awake` in all its
    /// life.
    pub fn slept(&mut self, job: Nanos, awake: Nanos) {
        let both = awake.saturating_sub(self.waker_awake).as_nanos().min(job.as_nanos());
        let share = u32::try_from((both << 10) / job.as_nanos().max(1)).unwrap_or(1024);
        self.overlap = if self.seen == 0 { share } else { (self.overlap * 7 + share) / 8 };
        self.seen = self.seen.saturating_add(1);
        self.verdict = match self.overlap {
            _ if self.seen < ENOUGH => Beside::Anywhere,
            APART.. => Beside::Apart,
            ..TOGETHER => Beside::Together,
            _ => self.verdict,
        };
    }

    /// Where this task should run, seen from its waker.
    #[must_use]
    pub fn beside(&self) -> Beside {
        self.verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(jobs: u32, overlap_micros: u64) -> Beside {
        let mut companion = Companion::new();
        let mut awake = Nanos::ZERO;
        for _ in 0..jobs {
            companion.woken(TaskId::new(1), awake);
            awake += Nanos::from_micros(overlap_micros);
            companion.slept(Nanos::from_micros(100), awake);
        }
        companion.beside()
    }

    #[test]
    fn a_waker_that_goes_on_is_left_alone() {
        assert_eq!(after(3, 90), Beside::Anywhere, "too early to tell");
        assert_eq!(after(8, 90), Beside::Apart);
        assert_eq!(after(8, 2), Beside::Together);
        assert_eq!(after(8, 25), Beside::Anywhere, "makes no difference");
    }

    #[test]
    fn another_waker_is_another_story() {
        let mut companion =
            Companion { seen: 9, verdict: Beside::Apart, waker: Some(TaskId::new(1)), ..Companion::new() };
        companion.woken(TaskId::new(1), Nanos::ZERO);
        assert_eq!(companion.beside(), Beside::Apart);
        companion.woken(TaskId::new(2), Nanos::ZERO);
        assert_eq!(companion.beside(), Beside::Anywhere);
    }
}
