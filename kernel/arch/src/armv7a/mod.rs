//! The target: Cortex-A15 and Cortex-A7, A32 code.

pub mod boot;
mod cache;
pub mod cpu;
pub mod entry;
mod exception;
pub(crate) mod frame;
pub mod gic;
mod image;
pub mod ipi;
mod mmu;
pub mod psci;
pub mod smc;
pub mod smp;
pub mod stack;
mod start;
pub mod survivor;
pub mod time;
pub mod user;
