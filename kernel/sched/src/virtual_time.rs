//! The virtual time of a run queue, and the slices and deadlines of a task in it.

use crate::entity::Entity;
use crate::plan::Reservation;
use crate::{Nanos, Weight};

/// How long a task runs before an equal one that waits gets its turn. Linux' base slice for eight CPUs is
/// 2.8 ms; here it is a whole number of ticks.
pub const SLICE: Nanos = Nanos::from_millis(3);

/// The most run time that is charged at once, 16.8 ms. With ticks of a millisecond more than this is no run time
/// but a stall, and the lightest task's virtual time must not jump by half of its range.
pub(crate) const LONGEST_CHARGE: u32 = 1 << 24;

/// How far ahead of the others a yield goes at most, in virtual time: two slices of the lightest task, 0.4 s.
pub(crate) const RANGE: u32 = 2 * Weight::LIGHTEST.virtual_time(SLICE.as_nanos() as u32);

/// How far the virtual time of all who share a CPU goes on while it serves one of them for `served` nanoseconds: served
/// / Σ w, in terms of weight 1024. With it comes what is left of `served`, as less than one unit.
#[inline]
pub(crate) fn shared(served: u32, weight: u32) -> (u32, u32) {
    let weight = weight.max(1);
    // Nearly always the product fits, and a division of one word is cheap.
    let advance = match served.checked_mul(1024) {
        Some(product) => product / weight,
        None => u32::try_from(u64::from(served) * 1024 / u64::from(weight)).unwrap_or(u32::MAX),
    };
    (advance, served - ((u64::from(advance) * u64::from(weight)) >> 10) as u32)
}

/// A point of a queue's virtual time, in nanoseconds of a task of weight 1024, modulo 2^32.
///
/// One machine word, because every switch compares and moves several of these. The points of one queue lie within a few
/// times [`RANGE`], so the sign of a difference tells which is earlier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct VirtualTime(u32);

impl VirtualTime {
    pub(crate) const ZERO: Self = Self(0);

    /// A point of real time, in 1024 ns, for those who are served by that.
    #[inline]
    pub(crate) const fn at(time: Nanos) -> Self {
        Self((time.as_nanos() >> 10) as u32)
    }

    #[inline]
    pub(crate) const fn plus(self, span: u32) -> Self {
        Self(self.0.wrapping_add(span))
    }

    /// How far this lies after `other`; negative if it lies before.
    #[inline]
    pub(crate) const fn ahead_of(self, other: Self) -> i32 {
        self.0.wrapping_sub(other.0).cast_signed()
    }

    #[inline]
    pub(crate) const fn is_before(self, other: Self) -> bool {
        self.ahead_of(other) < 0
    }

    /// The later of the two.
    #[inline]
    pub(crate) const fn max(self, other: Self) -> Self {
        if self.is_before(other) { other } else { self }
    }

    /// The earlier of the two.
    #[inline]
    pub(crate) const fn min(self, other: Self) -> Self {
        if other.is_before(self) { other } else { self }
    }
}

impl Weight {
    /// How much virtual time goes by for a task of this weight while it runs for `nanos`.
    #[inline]
    pub(crate) const fn virtual_time(self, nanos: u32) -> u32 {
        let charged = if nanos < LONGEST_CHARGE { nanos } else { LONGEST_CHARGE };
        ((charged as u64 * self.inverse() as u64) >> 22) as u32
    }
}

impl Entity {
    /// Adds run time, and returns the virtual time that it is worth. At the end of a slice the next one begins.
    #[inline]
    pub(crate) fn charge(&mut self, nanos: u32) -> u32 {
        let span = self.weight().virtual_time(nanos);
        self.vruntime = self.vruntime.plus(span);
        let end = self.deadline.plus(self.hastened);
        if !self.vruntime.is_before(end) {
            self.spent = true;
            self.hastened = 0;
            // From the old end, not from now: a late tick must not shift the rhythm of the queue.
            let next = end.plus(self.slice);
            self.deadline = if self.vruntime.is_before(next) { next } else { self.vruntime.plus(self.slice) };
        }
        span
    }

    /// Gives up what is left of its slice and goes behind everybody whose deadline is not later than `horizon`; returns
    /// the virtual time that it gives away for that. It is then ahead of the mean, so whoever waits is picked first,
    /// however little this task has run (as in Linux since "sched/fair: Forfeit vruntime on yield").
    #[inline]
    pub(crate) fn postpone_to(&mut self, horizon: VirtualTime) -> u32 {
        self.budget = 0;
        let before = self.vruntime;
        self.vruntime = self.deadline.plus(self.hastened).max(horizon);
        self.hastened = 0;
        self.deadline = self.vruntime.plus(self.slice);
        self.vruntime.ahead_of(before).cast_unsigned()
    }

    /// Begins `lead` after `floor`, but at most one slice to either side.
    #[inline]
    pub(crate) fn start(&mut self, floor: VirtualTime, lead: i32) {
        let slice = self.slice.cast_signed();
        self.vruntime = floor.plus(lead.clamp(-slice, slice).cast_unsigned());
        self.deadline = self.vruntime.plus(self.slice);
        self.hastened = 0;
    }

    /// Reserves time for its present job, while it does not wait on a queue: it runs before all for whom nothing is
    /// reserved, in the order in which jobs are due, until it has run for the budget. A job that begins within half of
    /// a period of the one before gets nothing new, so what is served by reservation is bounded whatever the task does
    /// (as by a constant bandwidth server; Abeni and Buttazzo, RTSS 1998). Where the same job comes to another CPU it
    /// takes along what is left.
    pub fn reserve(&mut self, reservation: Option<Reservation>) {
        let Some(Reservation { begin, due, period, budget }) = reservation else {
            self.budget = 0;
            return;
        };
        let (begin, half) = (VirtualTime::at(begin), (period.as_nanos() >> 11) as u32);
        // A time that went by, of any length: no order of points, which would turn round after 36 minutes.
        if begin.ahead_of(self.granted).cast_unsigned() > half {
            (self.granted, self.budget) = (begin, u32::try_from(budget.as_nanos()).unwrap_or(u32::MAX));
        }
        if self.granted == begin {
            self.due = VirtualTime::at(due);
        }
    }

    /// Whether it is in the first part of a job that the plan has cut, which is due as it begins.
    #[inline]
    #[must_use]
    pub fn goes_on_elsewhere(&self) -> bool {
        self.budget > 0 && self.due == self.granted
    }

    /// Makes its first deadline a slice earlier, but not the end of its slice.
    #[inline]
    pub(crate) fn hasten(&mut self) {
        self.hastened = self.slice;
        self.deadline = self.deadline.plus(self.hastened.wrapping_neg());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_survives_the_wrap() {
        let late = VirtualTime::ZERO.plus(u32::MAX);
        let early = late.plus(10);
        assert!(late.is_before(early) && !early.is_before(late) && late.max(early) == early);
        assert_eq!((early.ahead_of(late), late.ahead_of(early)), (10, -10));
    }

    #[test]
    fn virtual_time_is_real_time_at_the_usual_weight() {
        assert_eq!(Weight::NORMAL.virtual_time(1_234_567), 1_234_567);
        assert_eq!(Weight::nice(19).virtual_time(15_000), 1_024_000 - 1, "rounded down");
    }

    #[test]
    fn what_is_served_is_shared_and_nothing_is_lost() {
        assert_eq!(shared(3_000_000, 3 * 1024), (1_000_000, 0));
        assert_eq!(shared(u32::MAX, 1024), (u32::MAX, 0), "more than a product of one word");
        assert_eq!(shared(u32::MAX, 15).0, u32::MAX, "a long sleep beside the lightest task");
        // Too little for one unit each: it is kept until it is enough.
        assert_eq!(shared(3_000, 5_000_000), (0, 3_000));
    }

    #[test]
    fn no_charge_covers_half_of_the_range() {
        assert!(Weight::nice(19).virtual_time(u32::MAX) < u32::MAX / 2);
    }
}
