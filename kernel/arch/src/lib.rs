//! The MPCore: start-up, exceptions, contexts, interrupt controller, timers, memory protection, caches and IPIs.
//!
//! This is the kernel's only room with `unsafe` in it. It knows nothing about tasks, policy or boards: it turns the
//! Cortex-A15/A7 multiprocessor into a page of plain functions that the mechanism (crate `kernel`) is written against.
//!
//! The host is an architecture, too: the same names exist twice, as `armv7a` for the target and as `host` for
//! everything else, where the clock can be set, IPIs are recorded and the current CPU is chosen by the test. What is
//! mere arithmetic (page-table entries, user ranges, tick conversion, MPIDR lookup) is shared and tested on the host.
//!
//! Principles: interrupts are masked whenever the kernel runs, and [`IrqsOff`] proves it; shared and banked hardware
//! are different types; every hardware wait is bounded.
//!
//! May use: aarch32-cpu, aarch32-rt, tock-registers, spin.
#![no_std]

#[cfg(not(target_os = "none"))]
extern crate std;

#[cfg(any(test, target_os = "none"))]
mod arguments;
mod common;
pub mod context;
pub mod entry;
mod interrupts;
mod layout;
pub mod once;
pub mod percpu;
#[cfg(any(test, target_os = "none"))]
mod rate;
mod token;
#[cfg(any(test, target_os = "none"))]
mod topology;
#[cfg(any(test, target_os = "none"))]
mod translation;

#[cfg(target_os = "none")]
mod armv7a;
#[cfg(target_os = "none")]
use armv7a as machine;
#[cfg(target_os = "none")]
pub use armv7a::boot;

#[cfg(not(target_os = "none"))]
pub mod host;
#[cfg(not(target_os = "none"))]
use host as machine;

pub use layout::BadAddress;
pub use machine::{cpu, gic, ipi, psci, smc, smp, stack, survivor, time, user};
pub use token::IrqsOff;

/// The most CPUs that one image serves; a GICv2 has no more interfaces.
pub const MAX_CPUS: usize = 8;
