//! Clocks, supplies, power and energy.

use core::ops::{Add, AddAssign};

use super::Nanos;

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
        Picojoules((span.as_nanos() as u128 * self.0 as u128 / 1_000) as u64)
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
