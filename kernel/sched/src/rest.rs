//! Common rest: jobs of one cluster begin together, so that the cluster has no power in between.
//!
//! A cluster can only be switched off while all of its CPUs sleep, and it pays only when they do so for long enough.
//! Jobs that begin anywhere keep one CPU or the other awake all the time. Here the cluster sleeps as late as the
//! deadlines of its jobs permit and then does them all at a stretch: procrastination (Lee, Reddy and Krishna, ECRTS
//! 2003; Jejurikar and Gupta, DAC 2004), with the phases of all jobs known, for several CPUs that share a supply.
//!
//! The mechanism asks [`until`] when the last CPU of a cluster falls idle. While the cluster is awake nothing is held
//! back, and when it is woken by something else all that is due begins; so a wrong guess costs no more than the rest.

use crate::Nanos;

/// The next job of a task that sleeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coming {
    /// When it is due to begin; its deadline is one period later.
    pub release: Nanos,
    /// Between two jobs.
    pub period: Nanos,
    /// The time of the CPU that is reserved for it.
    pub span: Nanos,
}

impl Coming {
    /// When it must be done.
    #[must_use]
    pub fn deadline(&self) -> Nanos {
        self.release + self.period
    }

    /// When it must begin if it has its CPU for itself.
    #[must_use]
    pub fn latest(&self) -> Nanos {
        self.deadline().saturating_sub(self.span)
    }

    /// What this task wants of its CPU before `time`, with the jobs after this one.
    fn demand(&self, time: Nanos) -> u64 {
        let Some(beyond) = time.as_nanos().checked_sub(self.deadline().as_nanos()) else { return 0 };
        self.span.as_nanos() * (1 + beyond / self.period.as_nanos().max(1))
    }
}

/// What it takes to switch a cluster off and on again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerDown {
    /// From the wake-up to the first instruction.
    pub exit: Nanos,
    /// It must stay off for so long to be worth it.
    pub residency: Nanos,
}

impl PowerDown {
    /// Whether it is worth it at `now` if the cluster is needed again at `next`.
    #[must_use]
    pub fn pays(&self, now: Nanos, next: Nanos) -> bool {
        next.saturating_sub(now) >= self.residency
    }
}

/// Until when a CPU that has nothing left to do may rest: until `stroke`, when all CPUs of its cluster begin, or before
/// that if one of `jobs`, those that will run on it, would else be late. [`None`] if there is no time for a rest.
///
/// The CPU then works in the order of deadlines; of each task the next job and the one after that are looked at. As
/// what is reserved for tasks on one CPU is no more than its time, later ones are no harder.
#[must_use]
pub fn until(now: Nanos, stroke: Nanos, jobs: &[Coming], power: &PowerDown) -> Option<Nanos> {
    let latest = |deadline: Nanos| {
        let demand: u64 = jobs.iter().map(|job| job.demand(deadline)).sum();
        deadline.saturating_sub(power.exit + Nanos::new(demand))
    };
    let deadlines = jobs.iter().flat_map(|job| [job.deadline(), job.deadline() + job.period]);
    let rest = deadlines.map(latest).fold(stroke, Nanos::min);
    (rest > now).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const POWER: PowerDown = PowerDown { exit: Nanos::from_micros(700), residency: Nanos::from_micros(2_500) };

    fn job(release: u64, span: u64) -> Coming {
        let [release, period, span] = [100_000 + release, 16_000, span].map(Nanos::from_micros);
        Coming { release, period, span }
    }

    /// Until when a CPU may rest that falls idle at 101 ms, with a stroke so many microseconds after 100 ms.
    fn rest(stroke: u64, jobs: &[Coming]) -> Option<u64> {
        let rest = until(Nanos::from_millis(101), Nanos::from_micros(100_000 + stroke), jobs, &POWER);
        rest.map(|rest| rest.as_micros() - 100_000)
    }

    #[test]
    fn a_cpu_rests_until_the_stroke_if_all_can_wait_for_it() {
        assert_eq!(rest(8_000, &[]), Some(8_000));
        assert_eq!(rest(8_000, &[job(2_000, 3_000), job(20_000, 3_000)]), Some(8_000));
        // 18 ms less 3 ms of work less 0.7 ms to wake up.
        assert_eq!(rest(15_000, &[job(2_000, 3_000)]), Some(14_300));
        assert_eq!(rest(15_000, &[job(2_000, 3_000), job(9_000, 3_000)]), Some(14_300), "who is due later can wait");
        assert_eq!(rest(15_000, &[job(2_000, 3_000), job(1_900, 100)]), Some(14_200), "who is due before comes first");
        assert_eq!(rest(15_000, &[job(2_000, 16_400)]), None, "it must begin at 0.9 ms");
    }

    #[test]
    fn the_jobs_after_the_next_ones_count() {
        let quick = Coming { period: Nanos::from_micros(4_000), ..job(3_000, 1_000) };
        // By 18 ms the slow one wants 10.5 ms and the quick one three times 1 ms.
        assert_eq!(rest(8_000, &[job(2_000, 10_500), quick]), Some(18_000 - 10_500 - 3_000 - 700));
    }
}
