//! The executing CPU.

use std::panic::resume_unwind;

use super::{Idle, machine};
use crate::IrqsOff;

pub use crate::common::{Counts, EntryMode};

/// The executing CPU's dense number, as the test chose it.
#[must_use]
pub fn current() -> usize {
    machine(|machine| machine.current)
}

/// Returns if an interrupt is pending; otherwise the CPU is idle, and [`super::run`] ends.
pub fn wait_for_interrupt(irqs: IrqsOff) {
    if !super::has_pending(irqs.cpu()) {
        resume_unwind(std::boxed::Box::new(Idle));
    }
}

/// A hint inside a waiting loop.
pub fn relax() {
    core::hint::spin_loop();
}

/// Stops the CPU for ever, which on the host is a failed test.
///
/// # Panics
///
/// Always.
pub fn halt() -> ! {
    panic!("the CPU halted")
}

/// The cycle counter: one more at each call.
#[must_use]
pub fn cycles() -> u32 {
    machine(|machine| {
        machine.cycles = machine.cycles.wrapping_add(1);
        machine.cycles
    })
}

/// Whether the test has set counts.
#[must_use]
pub fn counts_instructions(_cpu: usize) -> bool {
    machine(|machine| machine.counts.is_some())
}

/// What the test says that the executing CPU has done.
#[must_use]
pub fn counts() -> Counts {
    machine(|machine| machine.counts.map(|counts| counts[machine.current])).unwrap_or_default()
}

/// Whether a task is executing; on the host everything is the kernel.
#[inline(always)]
#[must_use]
pub fn is_user() -> bool {
    false
}

/// The mode in which the machine came to the image.
#[must_use]
pub fn entry_mode() -> EntryMode {
    EntryMode::Svc
}

/// Makes the executing CPU take part in hardware coherency, which the host does for itself.
pub const fn join_coherency(_cpu: usize) {}

/// Whether this CPU takes part in hardware coherency.
#[must_use]
pub fn is_coherent() -> bool {
    true
}

/// Masks interrupts on the executing CPU, from whatever state it is in: for the way into a panic.
#[must_use]
pub fn mask_interrupts() -> IrqsOff {
    IrqsOff::new(current())
}

/// Reads an address that is never mapped, so that the kernel's own fault handling can be tested; on the host nothing
/// happens.
pub const fn touch_unmapped() {}
