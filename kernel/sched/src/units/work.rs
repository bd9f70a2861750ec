//! Work per time: the coarse scale on which CPUs and tasks are compared, and the fine one of the price lists.

use core::fmt;
use core::ops::Add;

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

    /// This capacity without the part that heat takes away; one at least, so that nothing divides by zero.
    #[inline]
    #[must_use]
    pub const fn less(self, pressure: u32) -> Self {
        let left = self.0.saturating_sub(pressure);
        Self(if left == 0 { 1 } else { left })
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

/// Work per time, as a share of a CPU of full capacity: [`Rate::FULL`] is all of it.
///
/// Sixteen times finer than [`Capacity`], because sums of many small demands meet tables of operating points here,
/// and the slowest point of a LITTLE core is a capacity of no more than 53.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u32);

impl Rate {
    /// None.
    pub const ZERO: Self = Self(0);
    /// The fastest CPU at its highest operating point.
    pub const FULL: Self = Self(16_384);

    /// A number of 1/16384 of a full CPU.
    #[inline]
    #[must_use]
    pub const fn new(value: u32) -> Self {
        Self(value)
    }

    /// A number of 1/10000 of a full CPU, as measured tables have it.
    #[must_use]
    pub const fn permyriad(value: u32) -> Self {
        Self((value * Self::FULL.0 + 5_000) / 10_000)
    }

    /// The same on the scale of utilisation and capacity.
    #[inline]
    #[must_use]
    pub const fn of(utilisation: u32) -> Self {
        Self(utilisation << 4)
    }

    /// The number of 1/16384 of a full CPU.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The same on the scale of utilisation, rounded.
    #[inline]
    #[must_use]
    pub const fn utilisation(self) -> u32 {
        (self.0 + 8) >> 4
    }

    /// As a capacity, at least one.
    #[must_use]
    pub const fn capacity(self) -> Capacity {
        let value = self.utilisation();
        Capacity::new(if value == 0 { 1 } else { value })
    }
}

impl Add for Rate {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}
