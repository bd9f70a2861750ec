//! The clock that tests set.

use super::machine;
use crate::IrqsOff;

pub use crate::common::TIMER_INTERRUPT as INTERRUPT;

/// Makes the clock ready on this CPU.
pub fn init(_irqs: IrqsOff, _hz: u32) {}

/// The frequency that firmware noted: none did.
#[must_use]
pub fn noted_hz() -> u32 {
    0
}

/// Nanoseconds since boot.
#[must_use]
pub fn now() -> u64 {
    machine(|machine| machine.now)
}

/// Asks for an interrupt on this CPU at `at`, in nanoseconds since boot; at once if that has passed.
pub fn set_alarm(irqs: IrqsOff, at: u64) {
    machine(|machine| machine.alarms[irqs.cpu()] = Some(at));
}

/// Withdraws this CPU's alarm.
pub fn clear_alarm(irqs: IrqsOff) {
    machine(|machine| machine.alarms[irqs.cpu()] = None);
}

/// Whether the counter counts.
#[must_use]
pub fn counter_moves() -> bool {
    true
}
