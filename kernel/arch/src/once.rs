//! A static that is handed out exactly once.
#![expect(unsafe_code, reason = "turns a shared static into an exclusive reference, once")]

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering};

/// A static value whose exclusive reference can be taken one time.
///
/// This is how a pool of task blocks becomes `&'static mut` values that move from queue to queue. The flag is
/// exchanged atomically, so on the target it must not be used before the MMU is on.
#[derive(Debug)]
pub struct TakeOnce<T> {
    taken: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the exchange in `take` lets exactly one caller have the value; the value then belongs to that caller alone.
unsafe impl<T: Send> Sync for TakeOnce<T> {}

impl<T> TakeOnce<T> {
    /// A value that nobody has taken yet.
    pub const fn new(value: T) -> Self {
        Self { taken: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    /// The value, or `None` if it was taken before.
    #[expect(clippy::mut_from_ref, reason = "the flag lets one caller have it")]
    pub fn take(&'static self) -> Option<&'static mut T> {
        if self.taken.swap(true, Ordering::AcqRel) {
            return None;
        }
        // SAFETY: only the first caller comes here, and `taken` never becomes false again.
        Some(unsafe { &mut *self.value.get() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_the_value_once() {
        static POOL: TakeOnce<[u32; 2]> = TakeOnce::new([7, 9]);
        assert_eq!(POOL.take(), Some(&mut [7, 9]));
        assert_eq!(POOL.take(), None);
    }
}
