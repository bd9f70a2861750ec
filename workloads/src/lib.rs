//! The programs that run on the kernel, unprivileged.
//!
//! [`init`] is the first task of a system without a self-test; [`run`] is the same for one that has it. Both read the
//! boot argument `bench=`, run what it names, each benchmark in a task of its own, and end the system, or with
//! `after=shell` do what is typed. A benchmark that dies of a fault is counted as failed and the next one runs.
//!
//! What a benchmark prints is a table for people and machine lines for scripts (`BENCH`, `TASK`), with the unit in the
//! name of each key. Times on an emulator are never performance: every `BENCH` line carries the pace under which it was
//! made, and most of them the plant that clocks and energy are from ([`scene`]).
//!
//! This crate knows nothing but [`abi`]: no board, no device, no part of the kernel.
#![no_std]

pub mod aobench;
pub mod bound;
pub mod chain;
mod cost;
pub mod cyclictest;
pub mod decimal;
pub mod dhrystone;
pub mod hackbench;
pub mod init;
pub mod load;
pub mod looper;
pub mod machine;
pub mod micro;
pub mod mixed;
pub mod order;
pub mod pair;
pub mod periodic;
pub mod pingpong;
pub mod rampup;
pub mod request;
pub mod scene;
pub mod schbench;
pub mod shell;
pub mod soak;
pub mod spread;
pub mod tally;
pub mod uclamp;

pub use init::{init, run};
