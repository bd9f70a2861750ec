//! Interrupts between CPUs.

use super::gic;
use crate::IrqsOff;

pub use crate::common::{RESCHEDULE, STOP};

/// Asks `cpu` to look at its inbox. What was written before is visible to it when the interrupt arrives.
#[inline]
pub fn reschedule(cpu: usize) {
    gic::send(cpu, RESCHEDULE);
}

/// Stops all CPUs but this one.
pub fn stop_others(_irqs: IrqsOff) {
    gic::send_to_others(STOP);
}
