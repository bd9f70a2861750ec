//! The proof that interrupts are masked.

use core::marker::PhantomData;

/// "Interrupts are masked on this CPU, and this CPU is [`cpu`](Self::cpu)."
///
/// Only this crate makes one: when the kernel is entered and at start-up. The kernel runs with interrupts masked from
/// its entry to its exit, so the token may be copied freely within one entry; it can neither be sent to another CPU
/// nor be put into a static, because it is neither `Send` nor `Sync`.
#[derive(Clone, Copy, Debug)]
pub struct IrqsOff {
    cpu: usize,
    bound_to_cpu: PhantomData<*const ()>,
}

impl IrqsOff {
    /// To be called only where interrupts are known to be masked on `cpu`, which must be the executing one.
    #[inline(always)]
    pub(crate) const fn new(cpu: usize) -> Self {
        Self { cpu, bound_to_cpu: PhantomData }
    }

    /// The executing CPU's dense number.
    #[inline(always)]
    #[must_use]
    pub const fn cpu(self) -> usize {
        self.cpu
    }
}
