//! Device drivers: one IP block a file, base address in, typed interface out.
//!
//! A driver never knows where its device is or which board it is on, and has exactly one `unsafe` promise to ask for:
//! `claim`, by which the board says "there is such a device at this address, mapped, and it is yours". Waiting is
//! bounded everywhere. Arithmetic is kept apart and tested on the host, registers are tested over an array of words.
//!
//! May use: tock-registers.
#![no_std]

#[cfg(test)]
extern crate std;

pub mod cci400;
pub mod exynos;
pub mod pl011;
#[cfg(target_os = "none")]
pub mod semihosting;
pub mod vexpress;
mod words;

pub use words::{Mapped, Words};
