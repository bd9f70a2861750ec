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

/// A clock frequency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kilohertz(u32);

impl Kilohertz {
    /// A number of kilohertz.
    #[must_use]
    pub const fn new(kilohertz: u32) -> Self {
        Self(kilohertz)
    }

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

/// Electrical power.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Microwatts(u32);

impl Microwatts {
    /// No power.
    pub const ZERO: Self = Self(0);

    /// A number of microwatts.
    #[must_use]
    pub const fn new(microwatts: u32) -> Self {
        Self(microwatts)
    }

    /// A number of milliwatts.
    #[must_use]
    pub const fn from_milliwatts(milliwatts: u32) -> Self {
        Self(milliwatts * 1_000)
    }

    /// The number of microwatts.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The energy of this power over a span. Exact to the picojoule up to five hours of a watt.
    #[inline]
    #[must_use]
    pub const fn over(self, span: Nanos) -> Picojoules {
        // 1 µW · 1 ns is a femtojoule.
        Picojoules((span.0 as u128 * self.0 as u128 / 1_000) as u64)
    }
}

impl Add for Microwatts {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

/// Energy; 64 bits hold 18 MJ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Picojoules(u64);

impl Picojoules {
    /// None.
    pub const ZERO: Self = Self(0);

    /// A number of picojoules.
    #[must_use]
    pub const fn new(picojoules: u64) -> Self {
        Self(picojoules)
    }

    /// The number of picojoules.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Whole microjoules, for reports.
    #[must_use]
    pub const fn as_microjoules(self) -> u64 {
        self.0 / 1_000_000
    }
}

impl AddAssign for Picojoules {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

/// A temperature in thousandths of a degree Celsius.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MilliCelsius(i32);

impl MilliCelsius {
    /// A number of thousandths of a degree.
    #[must_use]
    pub const fn new(millidegrees: i32) -> Self {
        Self(millidegrees)
    }

    /// A number of degrees.
    #[must_use]
    pub const fn from_celsius(degrees: i32) -> Self {
        Self(degrees * 1_000)
    }

    /// The number of thousandths of a degree.
    #[inline]
    #[must_use]
    pub const fn get(self) -> i32 {
        self.0
    }
}

impl fmt::Display for MilliCelsius {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{:03}", self.0 / 1_000, (self.0 % 1_000).abs())
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
