//! Facts about chips and emulated machines, as constant data, each with its source.
//!
//! Nothing here runs: a board crate picks a module, hands the numbers to the drivers and the
//! [`sched::Machine`] to the kernel. Where two sources differ, the one that the hardware was seen to agree with
//! is used, and the comment says so.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod emulated;
pub mod exynos5422;
pub mod qemu_virt;
pub mod validate;
pub mod vexpress_a15;

/// MPIDR of each CPU of `machine` in dense order, as the start-up code wants them.
///
/// # Panics
///
/// If the machine has not `N` CPUs.
#[must_use]
pub const fn mpidrs<const N: usize>(machine: &sched::Machine) -> [u32; N] {
    assert!(machine.cpus.len() == N, "the number of CPUs is the machine's");
    let mut mpidrs = [0; N];
    let mut cpu = 0;
    while cpu < N {
        mpidrs[cpu] = machine.cpus[cpu].mpidr;
        cpu += 1;
    }
    mpidrs
}

#[cfg(test)]
mod tests;
