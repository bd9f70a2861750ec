//! Per-entity load tracking: how busy a task or a CPU has lately been, as a geometric series.
//!
//! Time is cut into periods of 1024 units of 1024 ns. What happened `n` periods ago counts `y^n`, with
//! `y^32 = 1/2`, so half of what is known is from the last 33.6 ms. The constants and the update are those
//! of Linux (`kernel/sched/pelt.c`, `Documentation/scheduler/sched-pelt.c`), so that results compare.
//!
//! ```text
//!   |<- d1 ->|<--- 1024 --->|<--- 1024 --->|<- d3 ->|      elapsed = d1 + (p-1)·1024 + d3
//!   ^ border                                        ^ now   p borders were crossed
//!
//!   sum = sum·y^p + d1·y^p + Σ(n=1..p-1) 1024·y^n + d3
//! ```
//!
//! Invariance: while there is work, the clock of the series runs at the capacity of the CPU (1024 = real
//! time), so that the same work leaves the same signal on a slow and on a fast CPU. The real time that it
//! runs behind, the *stretch*, is eaten by the next rest, as on a faster CPU the task would have rested longer. A
//! signal that is saturated gives no hint of how much rest there would have been, and then the stretch is forgotten.
//!
//! Two simplifications against Linux: each signal carries its own stretch instead of sharing the clock of its
//! queue, and a CPU's runnable sum does not count how many wait, as no rule reads that.
//!
//! A switch only notes what the time was spent on, in three counters. They are folded into the sums once a
//! quarter of a period has come together, and on the tick: inside a period all moments weigh the same, so their order
//! may be forgotten, and a task that switches every few microseconds pays for the series once in a while.

use crate::{Capacity, Nanos};

mod series;

use series::{DIVIDER, MAX_SUM, PERIOD, average, decay};

/// A utilisation sum from here on is saturated.
const SATURATED: u32 = (DIVIDER << 10) - MAX_SUM;
/// Nanoseconds of one kind after which the counters are folded: a quarter of a period.
const BATCH: u32 = PERIOD << 8;

/// The load signals of one task or one CPU.
#[derive(Clone, Copy, Debug, Default)]
pub struct Load {
    utilisation_sum: u32,
    runnable_sum: u32,
    utilisation: u32,
    runnable: u32,
    /// Units since the last border, below [`PERIOD`].
    position: u32,
    /// Nanoseconds that are not a whole unit yet.
    remainder: u32,
    /// Nanoseconds by which the clock of the series is behind.
    stretch: u32,
    /// Nanoseconds of run time that are noted but not folded yet; likewise the next two.
    ran: u32,
    waited: u32,
    rested: u32,
    /// All that it ever ran, in time of a CPU of full capacity.
    work: Nanos,
}

impl Load {
    /// Of something that has never run.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            utilisation_sum: 0,
            runnable_sum: 0,
            utilisation: 0,
            runnable: 0,
            position: 0,
            remainder: 0,
            stretch: 0,
            ran: 0,
            waited: 0,
            rested: 0,
            work: Nanos::ZERO,
        }
    }

    /// The average share of time that it ran, `0..=1024`, in terms of a CPU of full capacity.
    #[inline]
    #[must_use]
    pub const fn utilisation(&self) -> u32 {
        self.utilisation
    }

    /// The average share of time that it ran or waited for a CPU, `0..=1024`.
    #[inline]
    #[must_use]
    pub const fn runnable(&self) -> u32 {
        self.runnable
    }

    /// All that it ever ran, as run time on a CPU of full capacity, up to the last fold.
    #[inline]
    #[must_use]
    pub const fn work(&self) -> Nanos {
        self.work
    }

    /// Notes that it ran for `nanos` on a CPU of the given capacity; for a CPU, that it was busy.
    #[inline]
    pub fn ran(&mut self, nanos: u32, capacity: Capacity) {
        self.ran = self.ran.saturating_add(nanos);
        self.fold_if_due(self.ran, capacity);
    }

    /// Notes that it waited for `nanos` for a CPU of the given capacity.
    #[inline]
    pub fn waited(&mut self, nanos: u32, capacity: Capacity) {
        self.waited = self.waited.saturating_add(nanos);
        self.fold_if_due(self.waited, capacity);
    }

    /// Notes that it slept for `nanos`; for a CPU, that it was idle. The capacity is that of the CPU of the times
    /// noted before.
    #[inline]
    pub fn rested(&mut self, nanos: u32, capacity: Capacity) {
        self.rested = self.rested.saturating_add(nanos);
        self.fold_if_due(self.rested, capacity);
    }

    /// Folds if the counter that has just grown asks for it; the others did not when they last grew.
    #[inline]
    fn fold_if_due(&mut self, grown: u32, capacity: Capacity) {
        if grown < BATCH {
            return;
        }
        self.fold_noted(capacity);
    }

    /// Takes what was noted into the sums.
    ///
    /// A sleeper takes less than a batch along unfolded; should it wake elsewhere, that is scaled by the capacity
    /// there.
    #[inline]
    pub fn fold(&mut self, capacity: Capacity) {
        if self.ran | self.waited | self.rested != 0 {
            self.fold_noted(capacity);
        }
    }

    #[inline(never)]
    fn fold_noted(&mut self, capacity: Capacity) {
        let waited = core::mem::take(&mut self.waited);
        if waited > 0 {
            let scaled = self.scale(waited, capacity);
            self.advance(scaled, false, true);
        }
        let ran = core::mem::take(&mut self.ran);
        if ran > 0 {
            let scaled = self.scale(ran, capacity);
            self.work += Nanos::new(u64::from(scaled));
            self.advance(scaled, true, true);
        }
        let rested = core::mem::take(&mut self.rested);
        if rested > 0 {
            let stretch = core::mem::take(&mut self.stretch);
            let eaten = if self.utilisation_sum < SATURATED { stretch } else { 0 };
            self.advance(rested.saturating_add(eaten), false, false);
        }
    }

    /// Real time with work to do, in time of the series; the difference is remembered.
    fn scale(&mut self, nanos: u32, capacity: Capacity) -> u32 {
        let scaled = capacity.scale(nanos);
        self.stretch = self.stretch.saturating_add(nanos - scaled);
        scaled
    }

    /// Adds `nanos` of real time in which a quantity had this value, `0..=1024`: [`Load::utilisation`] is then its
    /// average. For a signal that is no running time; not to be mixed with the other calls.
    pub fn weighs(&mut self, nanos: u32, value: u32) {
        let (contribution, crossed) = self.elapse(nanos);
        self.utilisation_sum += contribution * value;
        self.average_if(crossed);
    }

    /// Starts anew with an assumed utilisation, for something of which nothing is known yet.
    pub fn assume(&mut self, utilisation: u32) {
        let sum = utilisation * (DIVIDER + self.position);
        (self.utilisation, self.utilisation_sum) = (utilisation, sum);
        (self.runnable, self.runnable_sum) = (utilisation, sum);
    }

    /// Adds the utilisation of a task that comes to the CPU whose load this is.
    pub fn attach(&mut self, task: &Self) {
        let full = (DIVIDER + self.position) << 10;
        let share = task.utilisation * (DIVIDER + self.position);
        self.utilisation_sum = self.utilisation_sum.saturating_add(share).min(full);
        self.utilisation = average(self.utilisation_sum, self.position);
    }

    /// Takes away the utilisation of a task that leaves the CPU whose load this is.
    pub fn detach(&mut self, task: &Self) {
        let share = task.utilisation * (DIVIDER + self.position);
        self.utilisation_sum = self.utilisation_sum.saturating_sub(share);
        self.utilisation = average(self.utilisation_sum, self.position);
    }

    /// Moves the clock of the series on, in one of three states. Inlined, because each of the three calls knows the
    /// flags.
    #[inline(always)]
    fn advance(&mut self, nanos: u32, running: bool, runnable: bool) {
        let (contribution, crossed) = self.elapse(nanos);
        if running {
            self.utilisation_sum += contribution << 10;
        }
        if runnable {
            self.runnable_sum += contribution << 10;
        }
        self.average_if(crossed);
    }

    /// Moves the clock on and ages the sums. Returns what the time since then is worth, and whether a border was
    /// crossed.
    #[inline]
    fn elapse(&mut self, nanos: u32) -> (u32, bool) {
        let nanos = self.remainder.saturating_add(nanos);
        let units = nanos >> 10;
        self.remainder = nanos & 1023;
        let position = self.position + units;
        let crossed = position >= PERIOD;
        let contribution = if crossed { self.cross_borders(position) } else { units };
        self.position = position % PERIOD;
        (contribution, crossed)
    }

    #[inline]
    fn average_if(&mut self, crossed: bool) {
        if crossed {
            self.utilisation = average(self.utilisation_sum, self.position);
            self.runnable = average(self.runnable_sum, self.position);
        }
    }

    /// Ages the sums by the borders before `position` (in units from the last border seen) and returns what a
    /// time without rest since then is worth.
    fn cross_borders(&mut self, position: u32) -> u32 {
        let past = match position / PERIOD {
            // A tick seldom finds more, and with a known number all factors are constants.
            1 => self.age(1),
            periods => self.age(periods),
        };
        past + position % PERIOD
    }

    #[inline(always)]
    fn age(&mut self, periods: u32) -> u32 {
        self.utilisation_sum = decay(self.utilisation_sum, periods);
        self.runnable_sum = decay(self.runnable_sum, periods);
        let oldest = decay(PERIOD - self.position, periods);
        let whole = MAX_SUM - decay(MAX_SUM, periods) - PERIOD;
        oldest + whole
    }
}

#[cfg(test)]
mod tests;
