//! How fast a task is on each kind of core, against what the price list says, and how much of that depends on the clock.
//!
//! One capacity for all work is wrong by up to a factor of two: on the Exynos5422 a LITTLE core at its top has 0.40 of the big
//! one's speed for hashing and 0.70 for work that waits for memory. Both cores count instructions, and a task that has run on both
//! tells its own ratio: time for each instruction, there and here, each at the top of its clock. What it would take there follows from
//! the price list, which knows what a clock is worth, or from the task's own [line](super::line) where that is clearly another one.

use super::line::{Line, WORTH_COMPARING};
use super::{Listed, Stint};
use crate::CoreType;

/// Fewer instructions than this say nothing about a rate: an interrupt or cold caches weigh too much.
const WORTH_COUNTING: u64 = 20_000;
/// So much run time is remembered at full weight, in nanoseconds: 268 ms.
const MEMORY: u64 = 1 << 28;
/// Corrections between these are none.
const AS_LISTED_LEAST: u32 = 952;
const AS_LISTED_MOST: u32 = 1_096;
/// Stalls beyond what the list has of them that are less than a quarter of the time are not told from noise, and to take noise for stalls would
/// make a slow clock look sufficient.
const WORTH_A_CHANGE: u32 = 256;

/// What is known of it on one kind of core. All sums are halved from time to time, so that the past fades and a short stretch weighs little.
#[derive(Clone, Debug)]
struct OnCore {
    line: Line,
    listed: Listed,
    instructions: u64,
    /// The time that they took, in nanoseconds; the same as work by the price list, in nanoseconds of a full CPU.
    busy: u64,
    priced: u64,
    /// Instructions, each as often as the clock of the top goes into the one that it ran at.
    stretched: u64,
}

impl OnCore {
    const fn new() -> Self {
        Self { line: Line::new(), listed: Listed::NONE, instructions: 0, busy: 0, priced: 0, stretched: 0 }
    }

    fn observe(&mut self, stint: &Stint) {
        let (clock, top) = (u64::from(stint.listed.frequency.get()), u64::from(stint.listed.top_frequency.get()));
        self.listed = stint.listed;
        self.instructions += stint.instructions;
        self.busy += stint.busy.as_nanos();
        self.priced += stint.priced();
        self.stretched += (stint.instructions * top).checked_div(clock).unwrap_or(stint.instructions);
        if self.busy > MEMORY {
            for sum in [&mut self.instructions, &mut self.busy, &mut self.priced, &mut self.stretched] {
                *sum /= 2;
            }
        }
        if stint.cycles > 0 {
            let Listed { frequency, top_frequency, .. } = stint.listed;
            self.line.observe(frequency.get(), top_frequency.get(), stint.cycles, stint.instructions);
        }
    }

    /// Whether it has run there for long enough to tell.
    fn is_known(&self) -> bool {
        self.busy >= WORTH_COMPARING && self.instructions > 0
    }

    fn stall(&self) -> Option<u32> {
        self.line.stall(self.listed.top_frequency.get())
    }

    /// What an instruction takes at the top, as run time of a full CPU that is as much faster as the list says, in nanoseconds and
    /// 1/16384. `stall` is the part of the time at the top that no clock shortens, in 1/1024, if that is not as listed.
    fn worth(&self, stall: Option<u32>) -> Option<u64> {
        let Some(stall) = stall else { return (self.priced << 14).checked_div(self.instructions) };
        let stall = u64::from(stall);
        // Time at the clock f is that at the top, times (1 - stall) · top / f + stall.
        let at_the_top = ((1024 - stall) * self.stretched + stall * self.instructions) >> 10;
        (self.busy * u64::from(self.listed.top_speed.get())).checked_div(at_the_top)
    }
}

/// What its instructions tell of the speeds of a task.
#[derive(Clone, Debug)]
pub struct Speeds {
    cores: [OnCore; 2],
}

impl Speeds {
    /// Nothing known.
    #[must_use]
    pub const fn new() -> Self {
        Self { cores: [OnCore::new(), OnCore::new()] }
    }

    /// Takes a stretch of running in.
    pub(super) fn observe(&mut self, stint: &Stint) {
        if stint.instructions >= WORTH_COUNTING && stint.listed.speed.get() > 0 {
            self.cores[stint.core.index()].observe(stint);
        }
    }

    /// Its speed on a LITTLE core against a big one, both at their tops, in 1/1024 of what the price list says of them; 0 as long as it has
    /// not run long enough on both.
    #[must_use]
    pub fn correction(&self) -> u32 {
        let [Some(big), Some(little)] = CoreType::BOTH.map(|core| self.worth_on(core)) else { return 0 };
        match u32::try_from((big << 10) / little.max(1)).unwrap_or(4096).clamp(128, 4096) {
            // The list is right for this task, but for cold caches and what interrupts take.
            AS_LISTED_LEAST..=AS_LISTED_MOST => 1024,
            correction => correction,
        }
    }

    /// The part of its time at the top of a kind of core that does not shrink with the clock, in 1/1024; 0 if it is about as listed or not
    /// known. Until it has been seen at two clocks there, what is known of the other kind stands in.
    #[must_use]
    pub fn stall(&self, core: CoreType) -> u32 {
        let (own, other) = (&self.cores[core.index()], &self.cores[core.other().index()]);
        let stall = own.stall().or_else(|| other.stall()).unwrap_or(0);
        if stall > own.listed.stall.max(other.listed.stall) + WORTH_A_CHANGE { stall } else { 0 }
    }

    /// What an instruction takes on this kind of core, see [`OnCore::worth`]; [`None`] as long as it has not run long enough there.
    fn worth_on(&self, core: CoreType) -> Option<u64> {
        let (own, stall) = (&self.cores[core.index()], self.stall(core));
        own.worth((stall > 0).then_some(stall)).filter(|_| own.is_known())
    }

    /// What an instruction is worth if the price list is known to be wrong for this task, as run time of a full CPU in nanoseconds and 1/16384.
    /// Where the list is right, time tells the work of a job more exactly than instructions do.
    pub(super) fn worth(&self) -> Option<u64> {
        let special = CoreType::BOTH.into_iter().any(|core| self.stall(core) > 0);
        if !special && matches!(self.correction(), 0 | 1024) {
            return None;
        }
        self.worth_on(CoreType::Big).or_else(|| self.worth_on(CoreType::Little))
    }

    /// The work that so many instructions are, in nanoseconds of a full CPU; [`None`] until it has run on a big core.
    pub(super) fn work(&self, instructions: u64) -> Option<u64> {
        let worth = self.worth_on(CoreType::Big)?;
        u64::try_from((u128::from(instructions) * u128::from(worth)) >> 14).ok()
    }
}

impl Default for Speeds {
    fn default() -> Self {
        Self::new()
    }
}
