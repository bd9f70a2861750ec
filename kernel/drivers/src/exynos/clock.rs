//! Clock-management unit: the clocks of the two CPU clusters (`drivers/clk/samsung/clk-cpu.c`, `clk-pll.c`,
//! `clk-exynos5420.c`).
//!
//! A cluster runs on its PLL. While the PLL changes, the cluster runs on MSPLL, divided until it is no faster than both
//! the old and the new clock, so that the voltage of the slower of the two suffices all the way:
//!
//! ```text
//!   divider up ▶ core multiplexer to MSPLL ▶ dividers of the new point ▶ PLL, wait for its lock ▶ multiplexer back ▶ divider 1
//! ```
//!
//! If something does not happen in time the cluster stays where it is then, which is slow enough for every voltage on
//! the way, and [`ClockManagement::kilohertz`] tells from the registers what that is.
#![expect(unsafe_code, reason = "claims device registers")]

use super::within;
use crate::words::{Mapped, Words};

/// From a cluster's base.
const PLL_LOCK: usize = 0x000;
const PLL_CONTROL: usize = 0x100;
const SOURCE: usize = 0x200;
const SOURCE_STATUS: usize = 0x400;
const DIVIDERS: usize = 0x500;
const DIVIDERS_STATUS: usize = 0x600;
/// SRC_TOP7, from the unit's base: where MSPLL_CPU (bits 13:12) and MSPLL_KFC (bits 9:8) come from.
const BYPASS_SOURCE: usize = 0x1_021c;
/// In both fields of it: SPLL.
const FROM_SPLL: u32 = 3;

const ENABLE: u32 = 1 << 31;
const LOCKED: u32 = 1 << 29;
const FACTORS: u32 = 0x3ff << 16 | 0x3f << 8 | 0b111;
/// In SOURCE: the core multiplexer takes MSPLL; the PLL multiplexer takes the PLL and not the crystal.
const CORE_FROM_BYPASS: u32 = 1 << 16;
const PLL_FROM_PLL: u32 = 1;
/// The dividers of DIV_CPU0 and DIV_KFC0 that an operating point sets, and the one behind the core multiplexer.
const CORE_DIVIDER: u32 = 0b111;
const POINT_DIVIDERS: u32 = 0x0777_0077;
/// Cycles of the crystal that the PLL gets to lock, times P.
const LOCK_CYCLES: u32 = 270;
/// The longest P of a point: its lock takes 68 µs.
const LONGEST_DIVIDER: u32 = 6;

/// A multiplexer or a divider answers within some cycles of its clock; Linux allows 10 ms and reports an error.
const SWITCH_NS: u64 = 50_000;
/// Three times the longest lock.
const LOCK_NS: u64 = 200_000;

/// One of the two clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cluster {
    /// The Cortex-A15s, on APLL.
    A15,
    /// The Cortex-A7s, on KPLL.
    A7,
}

impl Cluster {
    const fn base(self) -> usize {
        match self {
            Self::A15 => 0,
            Self::A7 => 0x2_8000,
        }
    }

    const fn bypass_field(self) -> u32 {
        match self {
            Self::A15 => 12,
            Self::A7 => 8,
        }
    }
}

/// PLL factors and dividers of one operating point. Every value of this type is one that the driver will write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed {
    factors: u32,
    dividers: u32,
    kilohertz: u32,
}

impl Speed {
    /// 24 MHz · `multiplier` / (`divider` · 2^`scaler`), with this word of DIV_CPU0 or DIV_KFC0.
    ///
    /// # Panics
    ///
    /// If a factor does not fit its field, a lock would take longer than the driver waits, or a divider is not one of
    /// an operating point. Points are constants, so that happens when the image is built or first run.
    #[must_use]
    pub const fn new(multiplier: u32, divider: u32, scaler: u32, dividers: u32) -> Self {
        assert!(multiplier >= 1 && multiplier < 1 << 10 && scaler < 1 << 3, "factors fit their fields");
        assert!(divider >= 1 && divider <= LONGEST_DIVIDER, "the lock takes bounded time");
        assert!(dividers & !POINT_DIVIDERS == 0 && dividers & CORE_DIVIDER == 0, "dividers of an operating point");
        let factors = multiplier << 16 | divider << 8 | scaler;
        Self { factors, dividers, kilohertz: pll_kilohertz(factors) }
    }

    /// The clock in kHz.
    #[must_use]
    pub const fn kilohertz(&self) -> u32 {
        self.kilohertz
    }
}

const CRYSTAL_KILOHERTZ: u32 = 24_000;

const fn pll_kilohertz(control: u32) -> u32 {
    let (multiplier, divider, scaler) = (control >> 16 & 0x3ff, control >> 8 & 0x3f, control & 0b111);
    if divider == 0 { 0 } else { CRYSTAL_KILOHERTZ * multiplier / (divider << scaler) }
}

/// What did not happen in time, or is not as it must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockError {
    /// MSPLL does not come from SPLL: nobody knows how fast a cluster would run on it.
    UnknownBypass,
    /// A cluster does not run on its PLL to begin with.
    NotOnPll,
    /// A divider did not settle.
    Divider,
    /// The core multiplexer did not switch.
    Multiplexer,
    /// The PLL did not take its factors.
    Factors,
    /// The PLL did not lock.
    Lock,
}

impl ClockError {
    /// One word for a machine line.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::UnknownBypass => "bypass_unknown",
            Self::NotOnPll => "not_on_pll",
            Self::Divider => "divider_stuck",
            Self::Multiplexer => "multiplexer_stuck",
            Self::Factors => "pll_refused",
            Self::Lock => "pll_unlocked",
        }
    }
}

/// The unit.
#[derive(Debug)]
pub struct ClockManagement<W = Mapped> {
    words: W,
    bypass_kilohertz: u32,
}

impl ClockManagement {
    /// Takes the device at `base`; `bypass_kilohertz` is what SPLL gives.
    ///
    /// # Safety
    ///
    /// At `base` is the clock-management unit of an Exynos5420 or its relatives, mapped as device memory, and nobody
    /// else drives the clocks of the CPUs.
    #[must_use]
    pub const unsafe fn claim(base: usize, bypass_kilohertz: u32) -> Self {
        // SAFETY: the caller's promise.
        Self::over(unsafe { Mapped::at(base) }, bypass_kilohertz)
    }
}

impl<W: Words> ClockManagement<W> {
    pub(super) const fn over(words: W, bypass_kilohertz: u32) -> Self {
        Self { words, bypass_kilohertz }
    }

    /// What a cluster's cores run at now, in kHz, by the registers.
    pub fn kilohertz(&self, cluster: Cluster) -> u32 {
        let read = |register| self.words.read(cluster.base() + register);
        let root = match (read(SOURCE_STATUS) >> 16 & 0b111, read(SOURCE) & PLL_FROM_PLL) {
            (2, _) => self.bypass_kilohertz,
            (_, 0) => CRYSTAL_KILOHERTZ,
            (_, _) => pll_kilohertz(read(PLL_CONTROL)),
        };
        root / ((read(DIVIDERS) & CORE_DIVIDER) + 1)
    }

    /// Changes a cluster's clock. The voltage must suffice for both the old and the new one. `now` is a clock in
    /// nanoseconds. Takes the time of a lock, 23 to 68 µs, and 0.5 ms at most.
    ///
    /// # Errors
    ///
    /// If a part did not do as it was told. What the cluster runs at then, [`Self::kilohertz`] says: no more than
    /// before and no more than what was asked for, and slower than either if it stays on the bypass.
    pub fn set(&self, cluster: Cluster, speed: &Speed, now: impl Fn() -> u64) -> Result<(), ClockError> {
        let (words, base) = (&self.words, cluster.base());
        if words.read(BYPASS_SOURCE) >> cluster.bypass_field() & 0b11 != FROM_SPLL {
            return Err(ClockError::UnknownBypass);
        }
        if words.read(base + SOURCE) & (CORE_FROM_BYPASS | PLL_FROM_PLL) != PLL_FROM_PLL {
            return Err(ClockError::NotOnPll);
        }
        let slower = pll_kilohertz(words.read(base + PLL_CONTROL)).min(speed.kilohertz).max(1);
        let divider = (self.bypass_kilohertz.div_ceil(slower) - 1).min(CORE_DIVIDER);
        self.divide(cluster, CORE_DIVIDER, divider, &now)?;
        self.switch(cluster, true, &now)?;
        self.divide(cluster, POINT_DIVIDERS, speed.dividers | divider, &now)?;
        self.lock(cluster, speed.factors, &now)?;
        self.switch(cluster, false, &now)?;
        self.divide(cluster, CORE_DIVIDER, 0, &now)
    }

    fn divide(&self, cluster: Cluster, which: u32, to: u32, now: &impl Fn() -> u64) -> Result<(), ClockError> {
        let (words, base) = (&self.words, cluster.base());
        let value = words.read(base + DIVIDERS) & !which | to;
        words.write(base + DIVIDERS, value);
        let settled =
            || words.read(base + DIVIDERS) == value && words.read(base + DIVIDERS_STATUS) & POINT_DIVIDERS == 0;
        if within(now, SWITCH_NS, settled) { Ok(()) } else { Err(ClockError::Divider) }
    }

    fn switch(&self, cluster: Cluster, to_bypass: bool, now: &impl Fn() -> u64) -> Result<(), ClockError> {
        let (words, base) = (&self.words, cluster.base());
        let expected = if to_bypass {
            words.set(base + SOURCE, CORE_FROM_BYPASS);
            2
        } else {
            words.clear(base + SOURCE, CORE_FROM_BYPASS);
            1
        };
        let switched = || words.read(base + SOURCE_STATUS) >> 16 & 0b111 == expected;
        if within(now, SWITCH_NS, switched) { Ok(()) } else { Err(ClockError::Multiplexer) }
    }

    fn lock(&self, cluster: Cluster, factors: u32, now: &impl Fn() -> u64) -> Result<(), ClockError> {
        let (words, base) = (&self.words, cluster.base());
        let control = words.read(base + PLL_CONTROL);
        words.write(base + PLL_LOCK, (factors >> 8 & 0x3f) * LOCK_CYCLES);
        words.write(base + PLL_CONTROL, control & !(FACTORS | LOCKED) | ENABLE | factors);
        if words.read(base + PLL_CONTROL) & FACTORS != factors {
            return Err(ClockError::Factors);
        }
        let locked = || words.read(base + PLL_CONTROL) & LOCKED != 0;
        if within(now, LOCK_NS, locked) { Ok(()) } else { Err(ClockError::Lock) }
    }
}

#[cfg(test)]
mod tests;
