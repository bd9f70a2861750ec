//! Blocks of Samsung's Exynos 5420 family.
//!
//! There is no public manual; each file names the sources that its facts were read from. Paths are below
//! `torvalds/linux` unless they say otherwise.

pub mod mailbox;
pub mod mct;
pub mod monitor;
pub mod power;
pub mod uart;
pub mod watchdog;
