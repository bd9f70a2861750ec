//! The mechanism: tasks, CPUs, the switch, timers, channels, faults. `sched` decides, this crate does, `arch` touches.
//!
//! Principles:
//! - **Ownership proves exclusion.** A task block is a `&'static mut Task` that moves ([`task`]); a CPU's state is lent
//!   to that CPU only ([`cpu`], `arch::percpu`). There is no remote queue lock.
//! - **Others leave a message and poke** ([`inbox`]). A running task is moved by its owner, on a tick or on an IPI
//!   ([`moves`]).
//! - **Snapshot, decide, commit.** The policy reads what all CPUs publish ([`view`]) and returns a verdict; nothing is
//!   locked meanwhile. Each verdict is checked before it is carried out, and counted when it cannot be.
//! - **Clocks follow the plan, and heat caps them** ([`govern`], [`plant`]).
//! - **The kernel is never preempted**: interrupts are masked from entry to exit, idle included ([`dispatch`]).
//! - **Death is designed first** ([`death`]).
//!
//! No `unsafe`, and no chip, device or board by name.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

mod board;
mod boot;
mod calls;
mod channel;
mod clamp;
mod console;
mod cpu;
mod death;
mod dispatch;
mod ending;
mod futex;
mod govern;
mod inbox;
mod input;
mod kernel;
mod learned;
mod life;
mod meter;
mod moves;
mod options;
mod pace;
mod pages;
mod parts;
mod plant;
mod policy;
mod records;
mod senses;
mod sleepers;
mod table;
mod task;
mod view;
mod waitqueue;

#[cfg(test)]
mod tests;

pub use board::{Board, Console, Ending, Facts, StartError};
pub use boot::{start, start_secondary};
pub use death::PANIC_CODE;
pub use govern::TOO_HOT;
pub use plant::{Clocks, Plant, PlantFacts, RealFacts, RealPlant, Sensors, Trouble, VirtualPlant, standing_for};
/// What a board says about its CPUs and its sensors.
pub use sched::{CoreType, CpuFacts, CpuId, Machine, MilliCelsius, Nanos};
