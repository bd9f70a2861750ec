//! Running a core for a slice of time.

use super::code::{Block, Code};
use super::cost::UNITS;
use super::mode::{PSR_F, PSR_I};
use super::op::EXIT;
use super::{Activity, Core, Exception, World};
use crate::bus::Time;

/// Why a core stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The slice is over.
    Time,
    /// The core waits for an interrupt or event, see [`Core::activity`].
    Waiting,
    /// The platform asked for it.
    EndSlice,
    /// The core has no power.
    Off,
}

/// A core's time: units of cost since a moment, at a frequency.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    khz: u64,
    /// Model time when `elapsed` was zero.
    origin: Time,
    /// Units since then, up to the end of the current slice.
    elapsed: u64,
    /// Units of the current slice that are not used up; negative when a block overshot.
    pub left: i64,
    /// Units spent before the last change of origin.
    before: u64,
}

impl Clock {
    pub fn new() -> Self {
        Self { khz: 1_000_000, origin: 0, elapsed: 0, left: 0, before: 0 }
    }

    fn spent(&self) -> u64 {
        self.elapsed.wrapping_sub(self.left as u64)
    }

    pub fn time(&self) -> Time {
        // Whole milliseconds first: the product would not fit into 64 bits, and wider divisions are slow.
        let (spent, per_millisecond) = (self.spent(), UNITS * self.khz);
        self.origin + spent / per_millisecond * 1_000_000 + spent % per_millisecond * 1_000_000 / per_millisecond
    }

    /// Units in `nanoseconds` at the present frequency.
    pub fn units(&self, nanoseconds: u64) -> u64 {
        nanoseconds * UNITS * self.khz / 1_000_000
    }

    /// Cycles that the core was active.
    pub fn cycles(&self) -> u64 {
        (self.before + self.spent()) / UNITS
    }

    fn rebase(&mut self, time: Time) {
        self.before += self.spent();
        self.origin = time;
        self.elapsed = 0;
        self.left = 0;
    }

    fn set_khz(&mut self, khz: u32) {
        self.rebase(self.time());
        self.khz = u64::from(khz);
    }

    /// Lets the slice end at `until`.
    fn extend(&mut self, until: Time) {
        let goal = (u128::from(until.saturating_sub(self.origin)) * u128::from(UNITS * self.khz)).div_ceil(1_000_000);
        let more = goal as i64 - self.elapsed as i64;
        self.elapsed = self.elapsed.wrapping_add(more as u64);
        self.left += more;
    }
}

/// Where in which block the core is.
#[derive(Clone, Debug, Default)]
pub(super) struct Progress {
    /// Address of the block's first instruction.
    pub start: u32,
    /// Bit n: operation n only prepares the next one.
    pub extra: u64,
    /// Instructions of the block, and their price.
    pub count: u32,
    pub cost: u32,
    /// The operation that raised an exception.
    pub stopped_at: usize,
}

impl Progress {
    /// How many instructions of the block come before operation `i`.
    fn instructions_before(&self, i: usize) -> u32 {
        let below = 1u64.checked_shl(i as u32).map_or(u64::MAX, |bit| bit - 1);
        (i as u32).saturating_sub((self.extra & below).count_ones())
    }

    /// Address of the instruction that operation `i` belongs to.
    pub fn pc_of(&self, i: usize) -> u32 {
        self.start.wrapping_add(4 * self.instructions_before(i))
    }
}

/// Time and frequency.
impl Core {
    /// Changes the core's frequency from now on.
    ///
    /// # Panics
    /// If the frequency is zero: a core without a clock does not run at all.
    pub fn set_frequency(&mut self, khz: u32) {
        assert!(khz > 0, "a running core has a clock");
        self.clock.set_khz(khz);
    }

    /// The core's frequency in kHz.
    pub fn frequency(&self) -> u32 {
        self.clock.khz as u32
    }

    /// Lets time pass without work up to `time` (a core that waits, or was off).
    pub fn advance_to(&mut self, time: Time) {
        if time > self.time() {
            self.clock.rebase(time);
        }
    }

    /// Cycles that the core was active.
    pub fn cycles(&self) -> u64 {
        self.clock.cycles()
    }

    /// Charges `units` of cost.
    pub(super) fn charge(&mut self, units: u64) {
        self.clock.left -= units as i64;
    }

    /// Charges a time that does not depend on the core's frequency.
    pub(super) fn charge_time(&mut self, nanoseconds: u32) {
        self.charge(self.clock.units(u64::from(nanoseconds)));
    }
}

/// Running.
impl Core {
    /// Whether the core would execute now; wakes it if what it waits for has come.
    pub fn runnable(&mut self, bus: &mut World) -> bool {
        if matches!(self.activity, Activity::WaitingForInterrupt | Activity::WaitingForEvent) {
            self.sample_lines(bus);
            let event = self.activity == Activity::WaitingForEvent && bus.events >> self.index & 1 != 0;
            if self.lines.irq || self.lines.fiq || event {
                if event {
                    bus.events &= !(1 << self.index);
                }
                self.activity = Activity::Running;
            }
        }
        self.activity == Activity::Running
    }

    /// Runs until the core's time reaches `until` (a block or a slow access may overshoot), or something else ends it.
    pub fn run(&mut self, code: &mut Code, bus: &mut World, until: Time) -> Exit {
        if self.activity == Activity::Off {
            return Exit::Off;
        }
        if !self.runnable(bus) {
            return Exit::Waiting;
        }
        self.clock.extend(until);
        self.sample_lines(bus);
        self.attention = true;
        while self.clock.left > 0 {
            if self.attention {
                self.attend(code, bus);
            }
            if self.activity != Activity::Running {
                break;
            }
            let Some(block) = self.find(code, bus) else {
                self.settle(bus);
                continue;
            };
            self.execute(code.block(block), bus);
            if self.raised.is_some() {
                self.settle(bus);
            }
            if self.progress.count == END_SLICE {
                self.progress.count = 0;
                return Exit::EndSlice;
            }
        }
        match self.activity {
            Activity::Running => Exit::Time,
            Activity::Off => Exit::Off,
            _ => Exit::Waiting,
        }
    }

    /// Executes one block, or several rounds of it when it branches to itself.
    #[inline(always)]
    fn execute(&mut self, block: &Block, bus: &mut World) {
        self.progress.start = block.start;
        self.progress.extra = block.extra;
        self.progress.count = block.count;
        self.progress.cost = block.cost[self.identity.kind as usize];
        self.clock.left -= i64::from(self.progress.cost);
        self.statistics.instructions += u64::from(block.count);
        let ops = &block.ops[..];
        let mut i = 0;
        while let Some(op) = ops.get(i) {
            i = (op.run)(self, bus, op, i);
        }
        debug_assert_eq!(i, EXIT, "the last operation of a block ends it");
    }

    /// Charges another round of the current block, unless there is something else to do.
    #[inline(always)]
    pub(super) fn another_round(&mut self) -> bool {
        if self.clock.left <= 0 || self.attention {
            return false;
        }
        self.clock.left -= i64::from(self.progress.cost);
        self.statistics.instructions += u64::from(self.progress.count);
        true
    }

    /// Ends the slice after the current block.
    pub(super) fn end_slice(&mut self) {
        self.progress.count = END_SLICE;
    }

    /// Looks at all that may have changed outside the straight run of blocks.
    #[cold]
    fn attend(&mut self, code: &mut Code, bus: &mut World) {
        self.attention = false;
        code.drop_changed(&mut bus.memory);
        self.jumps.follow(code);
        if self.data.epoch != bus.tlb_epoch {
            self.data.epoch = bus.tlb_epoch;
            self.forget_translations();
        }
        self.data.follow(&bus.memory, &bus.monitor, self.index);
        if self.lines.fiq && self.control & PSR_F == 0 {
            self.take(Exception::Fiq, self.pc);
        } else if self.lines.irq && self.control & PSR_I == 0 {
            self.take(Exception::Irq, self.pc);
        }
    }

    /// Takes the exception that ended a block or a fetch, giving back what was charged for what did not execute.
    #[cold]
    fn settle(&mut self, _bus: &mut World) {
        let Some(exception) = self.raised.take() else { return };
        if let Exception::PrefetchAbort { address, .. } = exception {
            self.take(exception, address);
            return;
        }
        let done = self.progress.instructions_before(self.progress.stopped_at);
        let at = self.progress.pc_of(self.progress.stopped_at);
        // A call has been executed; whatever else raised has not.
        let retired = done + u32::from(exception.is_call());
        let undone = self.progress.count.saturating_sub(retired);
        self.statistics.instructions -= u64::from(undone);
        let refund = u64::from(self.progress.cost) * u64::from(undone) / u64::from(self.progress.count.max(1));
        self.clock.left += refund as i64;
        self.take(exception, at);
    }
}

/// Stands in the instruction count of [`Progress`] after an operation that ends the slice.
const END_SLICE: u32 = u32::MAX;
