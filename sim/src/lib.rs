//! The simulator: the policy of crate `sched`, linked as it is, on a physical model of the chip.
//!
//! A [`Scenario`] is a machine ([`Plant`]) and tasks; a [`Setup`] says which policies decide and what they believe of
//! the machine. [`run`] gives an [`Outcome`]. Time is in whole nanoseconds, and chance comes from a seed: a run can be
//! repeated exactly, on any host.
//!
//! Only physics is simulated. What a task should do next is asked of the same functions that the kernel asks; a rule
//! of the policy that were written here a second time would prove nothing.
#![forbid(unsafe_code)]

pub mod bench;
pub mod bound;
pub mod check;
mod effort;
mod engine;
mod event;
pub mod file;
pub mod heat;
mod meter;
pub mod outcome;
pub mod plant;
pub mod program;
pub mod random;
pub mod report;
pub mod results;
pub mod scenario;
pub mod setup;
mod sync;
pub mod task;
pub mod units;

pub use engine::run;
pub use outcome::Outcome;
pub use plant::Plant;
pub use program::{Program, Step};
pub use scenario::Scenario;
pub use setup::{Clocks, Setup};
pub use task::TaskSpec;
