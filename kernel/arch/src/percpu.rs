//! State that belongs to one CPU.
#![expect(unsafe_code, reason = "lends the inside of a shared static to its owner")]

use core::cell::{Cell, UnsafeCell};

use crate::{IrqsOff, MAX_CPUS};

/// One value for each CPU: only that CPU may touch it, with interrupts masked, and never twice at a time.
///
/// The first two rules hold by construction, because [`IrqsOff`] names the executing CPU. The third is checked at every
/// use: a kernel that breaks it is wrong in a way that no return value can repair, so it panics with a sentence.
#[derive(Debug)]
pub struct PerCpu<T>([Slot<T>; MAX_CPUS]);

/// The place of one CPU in a [`PerCpu`]. The flag comes first: it is read at every entry, and so stays within reach of
/// a load's short offset however large the value is.
#[derive(Debug)]
#[repr(C)]
pub struct Slot<T> {
    lent: Cell<bool>,
    value: UnsafeCell<T>,
}

// SAFETY: `with` reaches only the slot of the executing CPU, with interrupts masked, and lends it once at a time;
// nobody else touches its flag either.
unsafe impl<T: Send> Sync for PerCpu<T> {}

impl<T> Slot<T> {
    /// A place with its first value.
    pub const fn new(value: T) -> Self {
        Self { lent: Cell::new(false), value: UnsafeCell::new(value) }
    }
}

impl<T> PerCpu<T> {
    /// The places of all CPUs, by their dense numbers.
    pub const fn new(slots: [Slot<T>; MAX_CPUS]) -> Self {
        Self(slots)
    }

    /// Lends the executing CPU's value to `f`.
    ///
    /// # Panics
    ///
    /// Inside another `with` of the same CPU.
    #[inline]
    pub fn with<R>(&self, irqs: IrqsOff, f: impl FnOnce(&mut T) -> R) -> R {
        let slot = &self.0[irqs.cpu()];
        assert!(!slot.lent.replace(true), "per-CPU state borrowed twice");
        let _until_return = Lent(&slot.lent);
        // SAFETY: the slot is the executing CPU's, and the check above makes this its only live reference.
        f(unsafe { &mut *slot.value.get() })
    }
}

/// Ends the loan, also when a test on the host unwinds out of it.
struct Lent<'a>(&'a Cell<bool>);

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cpu_has_its_own() {
        let counters = PerCpu::new([const { Slot::new(40) }; MAX_CPUS]);
        counters.with(IrqsOff::new(3), |value| *value += 2);
        assert_eq!(counters.with(IrqsOff::new(3), |value| *value), 42);
        assert_eq!(counters.with(IrqsOff::new(2), |value| *value), 40);
    }

    #[test]
    #[should_panic(expected = "borrowed twice")]
    fn refuses_a_second_borrow() {
        let values = PerCpu::new([const { Slot::new(()) }; MAX_CPUS]);
        let irqs = IrqsOff::new(0);
        values.with(irqs, |()| values.with(irqs, |()| ()));
    }
}
