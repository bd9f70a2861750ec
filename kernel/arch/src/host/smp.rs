//! Starting the other CPUs.

use super::machine;

/// Lets a parked CPU go on.
pub fn release(cpu: usize) {
    machine(|machine| machine.released.push(cpu));
}

/// Wakes CPUs that wait for an event; on the host none does.
pub const fn wake_waiting() {}

/// Where firmware is to start a CPU.
#[must_use]
pub fn secondary_entry() -> u32 {
    super::USER_TEXT.start
}
