//! Which policy, what it is told, and the words in which it answers.
//!
//! Every policy is compiled into every build and chosen by value. The rules are in [`place`](mod@crate::place)
//! (where does a task go that becomes ready?) and [`shift`](crate::shift) (should a running task move?).

use core::fmt;

mod view;
mod why;

pub use view::{Beside, CpuLoad, CpuView, Cpus, Hints, RunningView};
pub use why::Why;

/// The set of rules.
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

impl PolicyKind {
    /// The policy of that name, as in the boot argument `policy=`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "pinned" => Some(Self::Pinned),
            "pull" => Some(Self::Pull),
            "gear" => Some(Self::Gear),
            "eas" => Some(Self::Eas),
            "walt" => Some(Self::Walt),
            _ => None,
        }
    }
}

impl fmt::Display for PolicyKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Pinned => "pinned",
            Self::Pull => "pull",
            Self::Gear => "gear",
            Self::Eas => "eas",
            Self::Walt => "walt",
        })
    }
}

/// What the gear policy is to make small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The mean completion time. Equal jobs then stay where they are until a faster CPU falls idle: to rotate
    /// them would delay all but the last (Gonzalez 1977).
    Mean,
    /// The completion of the last job. Jobs rotate so that all progress at one rate (the level algorithm of
    /// Horvath, Lam and Sethi, JACM 24(1), 1977, with a quantum). Progress counts from a task's creation, as suits a
    /// set of equal jobs that start together.
    Makespan,
    /// Energy, with every job done in its period: tasks go where the [plan](crate::Plan) wants them. Without a plan it is as
    /// [`Goal::Mean`].
    Energy,
}

impl Goal {
    /// The goal of that name, as in the boot argument `goal=`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "mean" => Some(Self::Mean),
            "makespan" => Some(Self::Makespan),
            "energy" => Some(Self::Energy),
            _ => None,
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Mean => "mean",
            Self::Makespan => "makespan",
            Self::Energy => "energy",
        })
    }
}

/// A policy: rules and goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The rules.
    pub kind: PolicyKind,
    /// The goal; only [`PolicyKind::Gear`] looks at it.
    pub goal: Goal,
}
