//! On the host a test calls the kernel's methods itself.

use crate::IrqsOff;
use crate::entry::Kernel;

/// Nothing to install: there are no exceptions.
pub fn install<K: Kernel>(_kernel: &'static K) {}

/// There is no task to go on with.
///
/// # Panics
///
/// Always.
pub fn run(_irqs: IrqsOff) -> ! {
    panic!("the host cannot run tasks")
}
