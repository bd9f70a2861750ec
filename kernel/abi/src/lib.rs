//! What the kernel and its tasks share: system-call numbers, argument and result types, and the safe user-side library.
//!
//! The contract of a system call: the number in `r12`, arguments in `r0`-`r3`, `svc #0`; the result in `r0` (and `r1`
//! where a call says so); every other register is preserved. A negative `r0` is an [`Error`]. Nothing here allocates or
//! knows a board.
//!
//! - [`call`], [`error`], [`types`]: the shared vocabulary;
//! - [`task`], [`crew`], [`clock`], [`futex`], [`channel`], [`console`], [`system`]: the library a task programs
//!   against.
#![no_std]

pub mod call;
pub mod channel;
pub mod clock;
pub mod console;
pub mod crew;
pub mod error;
pub mod futex;
pub mod system;
pub mod task;
pub mod types;

mod numbered;
mod trap;

pub use call::Call;
pub use error::{Error, Result};
