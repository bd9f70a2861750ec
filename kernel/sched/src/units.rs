//! Quantities that carry their unit in the type.

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

/// What a CPU can do, from 0 to [`Capacity::FULL`], the fastest CPU present at its highest OPP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Capacity(u32);

impl Capacity {
    /// Of a CPU that is not there.
    pub const ZERO: Self = Self(0);
    /// Of the fastest CPU.
    pub const FULL: Self = Self(1024);

    /// A capacity; values above [`Capacity::FULL`] become that.
    #[must_use]
    pub const fn new(value: u32) -> Self {
        Self(if value > Self::FULL.0 { Self::FULL.0 } else { value })
    }

    /// The number, `0..=1024`.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// What `nanos` of this CPU are worth in nanoseconds of a CPU of full capacity.
    #[inline]
    #[must_use]
    pub const fn scale(self, nanos: u32) -> u32 {
        ((nanos as u64 * self.0 as u64) >> 10) as u32
    }

    /// Whether a demand of `utilisation` leaves a fifth of this capacity free.
    ///
    /// The same margin as Linux' `fits_capacity` (`kernel/sched/fair.c`): room for the load to grow before
    /// the task has to move.
    #[inline]
    #[must_use]
    pub const fn fits(self, utilisation: u32) -> bool {
        utilisation * 1280 < self.0 * 1024
    }

    /// Whether this capacity is greater by more than 5 %, so that a move is worth its cost
    /// (Linux' `capacity_greater`).
    #[inline]
    #[must_use]
    pub const fn clearly_exceeds(self, other: Self) -> bool {
        self.0 * 1024 > other.0 * 1078
    }
}

impl fmt::Display for Capacity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// A clock frequency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kilohertz(u32);

impl Kilohertz {
    /// A number of megahertz.
    #[must_use]
    pub const fn from_mhz(megahertz: u32) -> Self {
        Self(megahertz * 1_000)
    }

    /// The number of kilohertz.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

/// A supply voltage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Microvolts(u32);

impl Microvolts {
    /// A number of microvolts.
    #[must_use]
    pub const fn new(microvolts: u32) -> Self {
        Self(microvolts)
    }

    /// The number of microvolts.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}
