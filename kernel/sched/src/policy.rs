//! Which policy, what it is told, and the words in which it answers.
//!
//! Every policy is compiled into every build and chosen by value. The rules are in [`place`](mod@crate::place)
//! (where does a task go that becomes ready?) and [`shift`](crate::shift) (should a running task move?).

use crate::words::words;

mod view;
mod why;

pub use view::{Beside, CpuLoad, CpuView, Cpus, Hints, RunningView};
pub use why::Why;

/// The set of rules (boot argument `policy=`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyKind {
    /// A task stays where it was first placed: what a kernel does that looks at wake-ups only, at its plainest.
    Pinned,
    /// An idle CPU takes waiting tasks, and the running task of a slower CPU.
    Pull,
    /// Gearshift's own: also looks at running tasks on every tick.
    Gear,
    /// As Linux does with energy-aware scheduling: see [`crate::eas`].
    Eas,
    /// As Android does, with the rotation of big tasks: see [`crate::walt`].
    Walt,
}

words!(PolicyKind { Pinned = "pinned", Pull = "pull", Gear = "gear", Eas = "eas", Walt = "walt" });

/// What the gear policy is to make small (boot argument `goal=`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The mean completion time. Equal jobs then stay where they are until a faster CPU falls idle: to rotate
    /// them would delay all but the last (Gonzalez 1977).
    Mean,
    /// The completion of the last job. Jobs rotate so that all progress at one rate (the level algorithm of
    /// Horvath, Lam and Sethi, JACM 24(1), 1977, with a quantum). Progress counts from a task's creation, as suits a
    /// set of equal jobs that start together.
    Makespan,
    /// Energy, with every job done in its period: tasks go where the [plan](crate::Plan) wants them. Without a plan it
    /// is as [`Goal::Mean`].
    Energy,
}

words!(Goal { Mean = "mean", Makespan = "makespan", Energy = "energy" });

/// A policy: rules and goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The rules.
    pub kind: PolicyKind,
    /// The goal; only [`PolicyKind::Gear`] looks at it.
    pub goal: Goal,
}
