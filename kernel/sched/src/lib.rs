//! The scheduling policy: plain numbers in, a verdict and its reason out.
//!
//! Nothing here reads a clock, takes a lock, knows a chip or sends an interrupt. Time, load and the
//! state of the CPUs arrive as arguments, and what comes back is a value that the mechanism may carry
//! out or let lapse. The kernel and the simulator therefore run the very same code.
//!
//! | module | what it answers |
//! |---|---|
//! | [`cpu`], [`units`], [`machine`] | how CPUs, sets of CPUs and quantities are named, what a machine is made of |
//! | [`capacity`], [`energy`] | how fast each CPU is, and what work costs on each cluster at each operating point |
//! | [`pelt`], [`signals`], [`pair`] | how busy a task or a CPU has lately been; what a task's jobs take, and beside whom |
//! | [`entity`], [`runqueue`] | whose turn is it on this CPU? |
//! | [`policy`], [`mod@place`], [`shift`] | which CPU should a task run on? |
//! | [`eas`], [`walt`] | which CPU would Linux or Android choose? |
//! | [`demand`], [`planner`], [`plan`], [`govern`] | which operating points and homes suit all tasks at once, and for how long? |
//! | [`frequency`], [`heat`], [`pressure`] | how fast may and should the clocks run? |
//! | [`account`] | who has used how much energy? |
//! | [`bound`] | how soon could a set of jobs end at best? |
//! | [`trace`] | what happened, in one vocabulary for kernel, simulator and tools |
//!
//! Principles: integers with the unit in the type; no 64-bit division on a path that runs per switch or
//! per tick; a bad verdict may waste energy but never harms (the mechanism checks affinity and presence).
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

pub mod account;
mod balance;
pub mod bound;
pub mod capacity;
pub mod cpu;
pub mod demand;
pub mod eas;
pub mod energy;
pub mod entity;
pub mod frequency;
pub mod govern;
mod heap;
pub mod heat;
mod left;
pub mod machine;
pub mod pair;
pub mod pelt;
pub mod place;
pub mod plan;
pub mod planner;
pub mod policy;
pub mod pressure;
pub mod rest;
pub mod runqueue;
#[cfg(test)]
mod samples;
pub mod shift;
pub mod signals;
pub mod trace;
pub mod units;
mod virtual_time;
mod waiting;
pub mod walt;
mod words;

pub use account::Account;
pub use bound::fluid_bound;
pub use capacity::CapacityTable;
pub use cpu::{CpuId, CpuMask, MAX_CPUS};
pub use demand::{Beat, Demand};
pub use energy::{Cluster, Energy, IdleCost, Level, Point, Profile};
pub use entity::{Entity, Schedulable, TaskId, Weight};
pub use frequency::{Governor, GovernorKind};
pub use govern::Govern;
pub use heat::{Activity, Caps, Heat, HeatFacts, HeatKind};
pub use machine::{CoreType, CpuFacts, CpuKind, Machine, Opp};
pub use place::{Placement, Wake, place};
pub use plan::{Breach, Home, Plan};
pub use policy::{Beside, CpuLoad, CpuView, Cpus, Goal, Hints, Policy, PolicyKind, RunningView, Why};
pub use pressure::{Pressure, PressureKind};
pub use runqueue::{Arrival, Departure, RunQueue};
pub use shift::{Pull, Shift, is_at_peace, on_idle, on_tick};
pub use signals::{Clamp, Listed, Signals, Stint};
pub use units::{Capacity, Kilohertz, Microvolts, Microwatts, MilliCelsius, Nanos, Picojoules, Rate};
