//! The mean virtual time of a queue, and who is not ahead of it.
//!
//! EEVDF (Stoica and Abdel-Wahab 1995) lets a task run only while it has had no more than its share: while its virtual
//! time is not after V = Σ w·v / Σ w over all that share the CPU. The difference, its *lag*, then stays within a slice
//! for everybody. The test needs no division: v ≤ V is (v - v0) · Σ w ≤ Σ w·(v - v0), for any v0.

use crate::Weight;
use crate::virtual_time::VirtualTime;

/// Whom the mean passes while the queue serves for no longer than this counts as not ahead: about a tick, as finer than
/// that no slice ends. In nanoseconds of weight 1024, the unit of the sum.
const TOLERANCE: i64 = 1_000_000 * 1024;
/// The reference is moved when the queue's virtual time has gone on by so much, long before a difference overflows.
const FAR: u32 = 1 << 26;

/// The sums over everybody who waits and the one who runs.
#[derive(Clone, Debug)]
pub(crate) struct Balance {
    /// Σ w.
    weight: u32,
    /// v0.
    reference: VirtualTime,
    /// Σ w·(v - v0).
    sum: i64,
}

impl Balance {
    pub(crate) const fn new() -> Self {
        Self { weight: 0, reference: VirtualTime::ZERO, sum: 0 }
    }

    #[inline]
    pub(crate) const fn weight(&self) -> u32 {
        self.weight
    }

    #[inline]
    pub(crate) fn join(&mut self, weight: Weight, vruntime: VirtualTime) {
        if self.weight == 0 {
            (self.reference, self.sum) = (vruntime, 0);
        }
        self.weight += weight.get();
        self.sum += i64::from(weight.get()) * i64::from(vruntime.ahead_of(self.reference));
    }

    #[inline]
    pub(crate) fn leave(&mut self, weight: Weight, vruntime: VirtualTime) {
        self.weight -= weight.get();
        self.sum -= i64::from(weight.get()) * i64::from(vruntime.ahead_of(self.reference));
    }

    /// One of them has advanced by `span`.
    #[inline]
    pub(crate) fn advance(&mut self, weight: Weight, span: u32) {
        self.sum += i64::from(weight.get()) * i64::from(span);
    }

    /// Keeps the reference near a task that is about to run.
    #[inline]
    pub(crate) fn follow(&mut self, vruntime: VirtualTime) {
        let ahead = vruntime.ahead_of(self.reference);
        if ahead.unsigned_abs() > FAR {
            self.sum -= i64::from(self.weight) * i64::from(ahead);
            self.reference = vruntime;
        }
    }

    /// Whether a task with this virtual time has had no more than its share.
    #[inline]
    pub(crate) fn is_eligible(&self, vruntime: VirtualTime) -> bool {
        self.over(vruntime) <= TOLERANCE
    }

    /// Whether a virtual time lies after the mean at all.
    #[inline]
    pub(crate) fn is_before(&self, time: VirtualTime) -> bool {
        self.over(time) > 0
    }

    /// How far a virtual time lies after the mean, times Σ w.
    #[inline]
    fn over(&self, time: VirtualTime) -> i64 {
        i64::from(time.ahead_of(self.reference)) * i64::from(self.weight) - self.sum
    }
}
