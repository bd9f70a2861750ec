//! Facts about chips and emulated machines, as constant data, each with its source.
//!
//! Nothing here runs: a board crate picks a module, hands the numbers to the drivers and the
//! [`sched::Machine`] to the kernel. Where two sources differ, the one that the hardware was seen to agree with
//! is used, and the comment says so.
#![no_std]
#![forbid(unsafe_code)]

mod emulated;
pub mod exynos5422;
pub mod qemu_virt;
pub mod vexpress_a15;

#[cfg(test)]
mod tests;
