//! The virtual-time side of an entity: slices and deadlines.

use crate::Nanos;
use crate::entity::Entity;

/// How long a task runs before an equal one that waits gets its turn. Linux' base slice for eight CPUs is
/// 2.8 ms; here it is a whole number of ticks.
pub const SLICE: Nanos = Nanos::from_millis(3);
const SLICE_NS: u32 = SLICE.as_nanos() as u32;

impl Entity {
    /// A slice in this task's virtual time.
    #[inline]
    pub(super) fn slice(&self) -> u64 {
        self.weight.virtual_time(SLICE_NS)
    }

    /// Begins the next slice, as the last one is used up.
    pub(super) fn renew_deadline(&mut self) {
        // From the old deadline, not from now: a late tick must not shift the rhythm of the queue.
        let next = self.deadline + self.slice();
        self.deadline = if next > self.vruntime { next } else { self.vruntime + self.slice() };
    }

    /// Goes behind everybody whose deadline is not later than `horizon`.
    pub(super) fn postpone_to(&mut self, horizon: u64) {
        self.deadline = self.deadline.max(horizon);
        self.vruntime = self.vruntime.max(self.deadline.saturating_sub(self.slice()));
    }

    /// How far it is ahead of the floor of its queue, or behind if negative.
    pub(super) fn lead_over(&self, floor: u64) -> i32 {
        let lead = self.vruntime.wrapping_sub(floor).cast_signed();
        lead.clamp(i32::MIN.into(), i32::MAX.into()) as i32
    }
}
