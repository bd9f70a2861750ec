//! Time.

use core::fmt;
use core::ops::{Add, AddAssign, Sub};

/// Nanoseconds: a point of time since boot, or a span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(u64);

impl Nanos {
    /// The moment of boot, or no time at all.
    pub const ZERO: Self = Self(0);

    /// A number of nanoseconds.
    #[inline]
    #[must_use]
    pub const fn new(nanos: u64) -> Self {
        Self(nanos)
    }

    /// A number of microseconds.
    #[must_use]
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros * 1_000)
    }

    /// A number of milliseconds.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis * 1_000_000)
    }

    /// The number of nanoseconds.
    #[inline]
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Whole microseconds (a 64-bit division: for reports, not for the hot path).
    #[must_use]
    pub const fn as_micros(self) -> u64 {
        self.0 / 1_000
    }

    /// Whole milliseconds (a 64-bit division: for reports, not for the hot path).
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0 / 1_000_000
    }

    /// The difference, or zero if `other` is the later one.
    #[inline]
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Nanoseconds since `earlier` as one machine word: zero if `earlier` lies ahead, and 4.29 s at most.
    ///
    /// Every load signal has forgotten the past by then, and 32 bits keep the arithmetic of a switch short.
    #[inline]
    #[must_use]
    pub const fn since(self, earlier: Self) -> u32 {
        let span = self.0.wrapping_sub(earlier.0);
        if span >> 32 == 0 { span as u32 } else { self.long_since(earlier) }
    }

    /// [`Nanos::since`] where the difference does not fit into a word, apart so that the usual case stays short.
    #[cold]
    #[inline(never)]
    const fn long_since(self, earlier: Self) -> u32 {
        if self.0 < earlier.0 { 0 } else { u32::MAX }
    }
}

impl Add for Nanos {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Nanos {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Nanos {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl fmt::Display for Nanos {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ns", self.0)
    }
}
