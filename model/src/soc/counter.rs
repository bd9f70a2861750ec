//! The counter that the generic timers of all cores count with.

use crate::bus::Time;

const NANOSECONDS: u64 = 1_000_000_000;

/// A counter that counts up in time, or stands still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// Ticks in so many nanoseconds, both as small as can be: a century of model time does not overflow.
    ticks: u64,
    nanoseconds: u64,
    base: u64,
    since: Option<Time>,
}

impl Counter {
    const fn new(hz: u32, since: Option<Time>) -> Self {
        let (mut divisor, mut rest) = (NANOSECONDS, hz as u64);
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        Self { ticks: hz as u64 / divisor, nanoseconds: NANOSECONDS / divisor, base: 0, since }
    }

    /// A counter at zero that stands still.
    #[must_use]
    pub const fn stopped(hz: u32) -> Self {
        Self::new(hz, None)
    }

    /// A counter that is zero and runs at time zero.
    #[must_use]
    pub const fn running(hz: u32) -> Self {
        Self::new(hz, Some(0))
    }

    /// Whether it counts.
    #[must_use]
    pub const fn runs(&self) -> bool {
        self.since.is_some()
    }

    /// Its value at `now`.
    #[must_use]
    pub fn count(&self, now: Time) -> u64 {
        let ticks = |since| now.saturating_sub(since) * self.ticks / self.nanoseconds;
        self.base.wrapping_add(self.since.map_or(0, ticks))
    }

    /// When it will be at `value` or has passed it; `None` if never, or not within any run's time.
    #[must_use]
    pub fn when(&self, value: u64) -> Option<Time> {
        let wait = value.saturating_sub(self.base).checked_mul(self.nanoseconds)?.div_ceil(self.ticks);
        self.since?.checked_add(wait)
    }

    /// Starts or stops it.
    pub fn run(&mut self, runs: bool, now: Time) {
        self.set(self.count(now), now);
        self.since = runs.then_some(now);
    }

    /// Makes it `value` now.
    pub fn set(&mut self, value: u64, now: Time) {
        self.base = value;
        if self.since.is_some() {
            self.since = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_counts_exactly_and_finds_its_way_back() {
        let counter = Counter::running(24_000_000);
        assert_eq!(counter.count(1_000_000_000), 24_000_000);
        assert_eq!(counter.count(41), 0);
        assert_eq!(counter.count(42), 1);
        for value in [1, 2, 3, 1000, 24_000_001] {
            let when = counter.when(value).expect("it runs");
            assert_eq!(counter.count(when), value);
            assert_eq!(counter.count(when - 1), value - 1);
        }
    }
}
