//! How fast a task is on each kind of core, against what the price list says, and how much of that depends on the clock.
//!
//! One capacity for all work is wrong by up to a factor of two: on the Exynos5422 a LITTLE core at its top has 0.40 of the big
//! one's speed for hashing and 0.70 for work that waits for memory. Both cores count instructions, and a task that has run on both
//! tells its own ratio: instructions for each unit of work as priced, there and here. To compare with the price of the operating
//! point in force, and not with the clock, leaves it to the list what a clock is worth.

use super::Stint;
use crate::CoreType;

/// Fewer instructions than this say nothing about a rate: an interrupt or cold caches weigh too much.
const WORTH_COUNTING: u64 = 20_000;

/// Before a task has done so much priced work on a kind of core nothing is made of it: the cold caches of a single move (50 µs and
/// more) would pass for another speed, and a task that never goes there again would never learn better.
const WORTH_COMPARING: u64 = 2_000_000;
/// So much priced work is remembered at full weight: 268 ms of a full CPU.
const MEMORY: u64 = 1 << 28;
/// Corrections between these are none.
const AS_LISTED_LEAST: u32 = 952;
const AS_LISTED_MOST: u32 = 1_096;

/// Fewer stalls than a quarter of the time are not told from noise.
const WORTH_A_CHANGE: u32 = 256;

/// Cycles and instructions at one clock.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    kilohertz: u32,
    cycles: u64,
    instructions: u64,
}

impl Sample {
    /// A sample at another clock replaces the old one.
    fn take(&mut self, stint: &Stint) {
        if self.kilohertz != stint.frequency.get() {
            *self = Self { kilohertz: stint.frequency.get(), cycles: 0, instructions: 0 };
        }
        self.cycles += stint.cycles;
        self.instructions += stint.instructions;
        if self.cycles > MEMORY {
            self.cycles /= 2;
            self.instructions /= 2;
        }
    }

    /// Cycles for each instruction, in 1/1024; 0 before it has run long enough at this clock.
    fn rate(&self) -> u64 {
        let least = u64::from(self.kilohertz) * (WORTH_COMPARING / 1_000_000);
        if self.cycles < least { 0 } else { (self.cycles << 10) / self.instructions.max(1) }
    }
}

/// What its instructions tell of the speeds of a task.
#[derive(Clone, Debug, Default)]
pub struct SpeedRatio {
    /// By kind of core: instructions, and the nanoseconds of a full CPU that the price list makes of the time that they took. Both are
    /// halved from time to time, so that the past fades and a short stretch weighs little.
    instructions: [u64; 2],
    priced: [u64; 2],
    /// On a big core at the slowest and at the fastest clock of late: time = a / f + b is a line through two points.
    slow: Sample,
    fast: Sample,
}

impl SpeedRatio {
    /// Nothing known.
    #[must_use]
    pub const fn new() -> Self {
        const NOTHING: Sample = Sample { kilohertz: 0, cycles: 0, instructions: 0 };
        Self { instructions: [0; 2], priced: [0; 2], slow: NOTHING, fast: NOTHING }
    }

    /// Takes a stretch of running in; `priced` is the work that the price list makes of it, in nanoseconds of a full CPU.
    pub(super) fn observe(&mut self, stint: &Stint, priced: u64) {
        if stint.instructions < WORTH_COUNTING || priced == 0 {
            return;
        }
        let core = stint.core.index();
        self.instructions[core] += stint.instructions;
        self.priced[core] += priced;
        if self.priced[core] > MEMORY {
            self.instructions[core] /= 2;
            self.priced[core] /= 2;
        }
        if stint.core == CoreType::Big && stint.cycles > 0 {
            self.observe_clock(stint);
        }
    }

    fn observe_clock(&mut self, stint: &Stint) {
        let clock = stint.frequency.get();
        if self.fast.cycles == 0 || clock >= self.fast.kilohertz {
            self.fast.take(stint);
        }
        if self.slow.cycles == 0 || clock <= self.slow.kilohertz {
            self.slow.take(stint);
        }
    }

    /// Its speed on a LITTLE core against a big one, in 1/1024 of what the price list says of them; 0 as long as it has not run long
    /// enough on both.
    #[must_use]
    pub fn correction(&self) -> u32 {
        if self.priced.iter().any(|priced| *priced < WORTH_COMPARING) {
            return 0;
        }
        let [big, little] = CoreType::BOTH.map(|core| self.density(core));
        if big == 0 || little == 0 {
            return 0;
        }
        match u32::try_from((little << 10) / big).unwrap_or(4096).clamp(128, 4096) {
            // The list is right for this task, but for cold caches and what interrupts take.
            AS_LISTED_LEAST..=AS_LISTED_MOST => 1024,
            correction => correction,
        }
    }

    /// Instructions for each nanosecond of a full CPU as priced, in 1/2^20; 0: not known.
    fn density(&self, core: CoreType) -> u64 {
        (self.instructions[core.index()] << 20).checked_div(self.priced[core.index()]).unwrap_or(0)
    }

    /// Whether the price list is known to be wrong for this task.
    pub(super) fn is_special(&self) -> bool {
        !matches!(self.correction(), 0 | 1024)
    }

    /// The work that so many instructions are, in nanoseconds of a full CPU; [`None`] until it has run on a big core.
    pub(super) fn work(&self, instructions: u64) -> Option<u64> {
        let big = self.density(CoreType::Big);
        let work = (u128::from(instructions) << 20).checked_div(u128::from(big))?;
        u64::try_from(work).ok()
    }

    /// The part of its time at the fastest clock of a big core that waits for memory, in 1/1024; 0 as long as it was seen at one clock
    /// only.
    #[must_use]
    pub fn stall(&self) -> u32 {
        let (slow, fast) = (self.slow, self.fast);
        let (at_slow, at_fast) = (slow.rate(), fast.rate());
        // Two clocks that hardly differ make a line of nothing but noise.
        if at_slow == 0 || at_fast == 0 || slow.kilohertz * 2 > fast.kilohertz {
            return 0;
        }
        // cycles = a + b · f, and the share of b · f at the fast one is the part that no clock shortens.
        let slope = at_fast.saturating_sub(at_slow) * u64::from(fast.kilohertz);
        let stalled = slope / u64::from(fast.kilohertz - slow.kilohertz);
        let share = u32::try_from(stalled * 1024 / at_fast).unwrap_or(0).min(1024);
        // To take noise for stalls would make a slow clock look sufficient.
        if share < WORTH_A_CHANGE { 0 } else { share }
    }
}
