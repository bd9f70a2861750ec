//! State that belongs to one CPU.
#![expect(unsafe_code, reason = "lends the inside of a shared static to its owner")]

use core::cell::{Cell, UnsafeCell};

use crate::IrqsOff;

/// A value that only CPU `owner` may touch, with interrupts masked, and never twice at a time.
///
/// Both rules are checked at every use: a kernel that breaks one is wrong in a way that no return value can repair, so
/// it panics with a sentence.
#[derive(Debug)]
pub struct Owned<T> {
    owner: usize,
    lent: Cell<bool>,
    value: UnsafeCell<T>,
}

// SAFETY: `with` lends the value only on its owner, with interrupts masked, and never twice; `lent` is touched on the
// owner only, after the owner was checked.
unsafe impl<T: Send> Sync for Owned<T> {}

impl<T> Owned<T> {
    /// A value for the CPU with the dense number `owner`.
    pub const fn new(owner: usize, value: T) -> Self {
        Self { owner, lent: Cell::new(false), value: UnsafeCell::new(value) }
    }

    /// Lends the value to `f`.
    ///
    /// # Panics
    ///
    /// On a CPU that is not the owner, and inside another `with` of the same value.
    #[inline]
    pub fn with<R>(&self, irqs: IrqsOff, f: impl FnOnce(&mut T) -> R) -> R {
        assert!(irqs.cpu() == self.owner, "per-CPU state touched from another CPU");
        assert!(!self.lent.replace(true), "per-CPU state borrowed twice");
        let _until_return = Lent(&self.lent);
        // SAFETY: the two checks above make this the only live reference.
        f(unsafe { &mut *self.value.get() })
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
    fn lends_to_its_owner() {
        let counter = Owned::new(3, 40);
        let irqs = IrqsOff::new(3);
        counter.with(irqs, |value| *value += 2);
        assert_eq!(counter.with(irqs, |value| *value), 42);
    }

    #[test]
    #[should_panic(expected = "touched from another CPU")]
    fn refuses_another_cpu() {
        Owned::new(3, ()).with(IrqsOff::new(2), |()| ());
    }

    #[test]
    #[should_panic(expected = "borrowed twice")]
    fn refuses_a_second_borrow() {
        let value = Owned::new(0, ());
        let irqs = IrqsOff::new(0);
        value.with(irqs, |()| value.with(irqs, |()| ()));
    }
}
