//! How fast a task is on a LITTLE core against a big one, and how much of that depends on the clock.
//!
//! One capacity for all work is wrong by up to a factor of two: on the Exynos5422 a LITTLE core at its top has 0.40 of the big
//! one's speed for hashing and 0.70 for work that waits for memory. Both cores count cycles and instructions, and a task that has
//! run on both tells its own ratio.

use super::Stint;
use crate::{CoreType, Kilohertz};

/// Fewer instructions than this say nothing about a rate: an interrupt or cold caches weigh too much.
const WORTH_COUNTING: u64 = 20_000;

/// Cycles for each instruction at one clock, smoothed.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    kilohertz: u32,
    /// In 1/1024; 0: not known.
    cycles: u32,
}

impl Sample {
    /// A sample at another clock replaces the old one, at the same it moves it by a quarter.
    fn take(&mut self, frequency: Kilohertz, cycles: u32) {
        if self.kilohertz == frequency.get() && self.cycles > 0 {
            self.cycles = (self.cycles * 3 + cycles).div_ceil(4);
        } else {
            *self = Self { kilohertz: frequency.get(), cycles };
        }
    }

    /// Femtoseconds for each instruction.
    fn femtoseconds(&self) -> u64 {
        u64::from(self.cycles) * 1_000_000_000_000 / 1024 / u64::from(self.kilohertz.max(1))
    }
}

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct SpeedRatio {
    /// On each kind of core at the slowest and at the fastest clock of late: time = a / f + b is a line through two points.
    slow: [Sample; 2],
    fast: [Sample; 2],
}

impl SpeedRatio {
    /// Nothing known.
    #[must_use]
    pub const fn new() -> Self {
        const NOTHING: [Sample; 2] = [Sample { kilohertz: 0, cycles: 0 }; 2];
        Self { slow: NOTHING, fast: NOTHING }
    }

    pub(super) fn observe(&mut self, stint: &Stint) {
        if stint.instructions < WORTH_COUNTING || stint.cycles == 0 {
            return;
        }
        let cycles = u32::try_from(stint.cycles * 1024 / stint.instructions).unwrap_or(u32::MAX / 4);
        let core = stint.core.index();
        let clock = stint.frequency.get();
        if self.fast[core].cycles == 0 || clock >= self.fast[core].kilohertz {
            self.fast[core].take(stint.frequency, cycles);
        }
        if self.slow[core].cycles == 0 || clock <= self.slow[core].kilohertz {
            self.slow[core].take(stint.frequency, cycles);
        }
    }

    /// The speed on a LITTLE core in 1/1024 of that on a big one, each at the fastest clock that it was seen at, scaled to the
    /// [usual tops](Self::TOPS); 0 as long as it has not run on both.
    #[must_use]
    pub fn ratio(&self) -> u32 {
        let time = |core: CoreType| self.time_at_top(core);
        match (time(CoreType::Big), time(CoreType::Little)) {
            (Some(big), Some(little)) => u32::try_from(big * 1024 / little.max(1)).unwrap_or(0).min(2048),
            _ => 0,
        }
    }

    /// Femtoseconds for each instruction on a big core at the top.
    pub(super) fn instruction_time(&self) -> Option<u64> {
        self.time_at_top(CoreType::Big)
    }

    /// The clocks that a ratio refers to, big and LITTLE.
    pub const TOPS: [Kilohertz; 2] = [Kilohertz::from_mhz(2000), Kilohertz::from_mhz(1400)];

    /// Femtoseconds for each instruction at the highest clock.
    fn time_at_top(&self, core: CoreType) -> Option<u64> {
        let fast = self.fast[core.index()];
        if fast.cycles == 0 {
            return None;
        }
        let top = u64::from(Self::TOPS[core.index()].get());
        let stalled = self.stalled(core);
        let elastic = fast.femtoseconds().saturating_sub(stalled) * u64::from(fast.kilohertz) / top;
        Some(elastic + stalled)
    }

    /// Femtoseconds for each instruction that no clock shortens: the constant of the line through both samples.
    fn stalled(&self, core: CoreType) -> u64 {
        let (slow, fast) = (self.slow[core.index()], self.fast[core.index()]);
        // Two clocks that hardly differ make a line of nothing but noise.
        if slow.cycles == 0 || u64::from(slow.kilohertz) * 5 > u64::from(fast.kilohertz) * 4 {
            return 0;
        }
        // cycles = a + b · f: the slope is the time that no clock shortens.
        let slope = u64::from(fast.cycles.saturating_sub(slow.cycles)) * 1_000_000_000_000 / 1024;
        (slope / u64::from(fast.kilohertz - slow.kilohertz)).min(fast.femtoseconds())
    }

    /// The part of its time on a big core at the top that waits for memory, in 1/1024; 0 as long as it was seen at one clock
    /// only.
    #[must_use]
    pub fn stall(&self) -> u32 {
        let Some(time) = self.time_at_top(CoreType::Big) else { return 0 };
        u32::try_from(self.stalled(CoreType::Big) * 1024 / time.max(1)).unwrap_or(0).min(1024)
    }
}
