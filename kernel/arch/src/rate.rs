//! Nanoseconds and ticks of the generic counter.
//!
//! Each `now()` converts, and a 64-bit division by a variable costs hundreds of instructions on A32. The two counters
//! that we meet have rates for which constants do: 62.5 MHz (QEMU) is a shift, 24 MHz (Exynos) is 125/3.

/// The rate of a generic counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rate {
    /// 62.5 MHz: 16 ns a tick.
    Mhz62_5,
    /// 24 MHz: 125/3 ns a tick.
    Mhz24,
}

impl Rate {
    /// The rate with this frequency, if it is a known one.
    pub(crate) const fn from_hz(hz: u32) -> Option<Self> {
        match hz {
            62_500_000 => Some(Self::Mhz62_5),
            24_000_000 => Some(Self::Mhz24),
            _ => None,
        }
    }

    /// Time at which the counter shows `ticks`, rounded down to a nanosecond. Exact for more than 4 years of uptime.
    #[inline]
    pub(crate) const fn nanoseconds(self, ticks: u64) -> u64 {
        match self {
            Self::Mhz62_5 => ticks << 4,
            Self::Mhz24 => third(ticks.wrapping_mul(125)),
        }
    }

    /// The first tick that is not before `nanoseconds`: an alarm never fires early.
    #[inline]
    pub(crate) const fn ticks(self, nanoseconds: u64) -> u64 {
        match self {
            Self::Mhz62_5 => (nanoseconds >> 4) + (nanoseconds & 15 != 0) as u64,
            // "Never" is a deadline, too; it saturates instead of wrapping into the past.
            Self::Mhz24 => nanoseconds.saturating_mul(3).div_ceil(125),
        }
    }
}

/// A function of its own, so that its multiplications burden the registers of no caller that does not need them.
#[inline(never)]
const fn third(value: u64) -> u64 {
    value / 3
}

#[cfg(test)]
mod tests {
    use super::Rate::{self, Mhz24, Mhz62_5};
    use proptest::prelude::*;

    #[test]
    fn whole_microseconds_are_exact() {
        for (rate, ticks_per_millisecond) in [(Mhz62_5, 62_500), (Mhz24, 24_000)] {
            for milliseconds in [0, 1, 7, 60_000, 1 << 36] {
                let ticks = milliseconds * ticks_per_millisecond;
                assert_eq!(rate.nanoseconds(ticks), milliseconds * 1_000_000);
                assert_eq!(rate.ticks(milliseconds * 1_000_000), ticks);
            }
        }
    }

    #[test]
    fn only_known_rates() {
        assert_eq!(Rate::from_hz(24_000_000), Some(Mhz24));
        assert_eq!(Rate::from_hz(62_500_000), Some(Mhz62_5));
        assert_eq!(Rate::from_hz(0), None);
    }

    #[test]
    fn never_stays_in_the_future() {
        assert!(Mhz62_5.ticks(u64::MAX) > 1 << 59);
        assert!(Mhz24.ticks(u64::MAX) > 1 << 56);
    }

    proptest! {
        #[test]
        fn an_alarm_is_never_early_and_less_than_a_tick_late(at in 0u64..1 << 57) {
            for (rate, longest_tick) in [(Mhz62_5, 16), (Mhz24, 42)] {
                let fires = rate.nanoseconds(rate.ticks(at));
                prop_assert!(fires >= at && fires < at + longest_tick);
            }
        }
    }
}
