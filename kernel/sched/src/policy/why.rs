//! Why a task goes where it goes.

use core::fmt;

/// The reason of a verdict; its `Display` is the word in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It ran there last, and that is good enough.
    Previous,
    /// The fastest CPU that is idle.
    Idle,
    /// The slowest idle CPU that has room for its load.
    Fits,
    /// No CPU is idle; this one has the least to do for its capacity.
    LeastLoaded,
    /// No CPU that it may run on is online; any other is less bad than none.
    Affinity,
    /// It fills a slower CPU and gains by a faster one.
    Misfit,
    /// It waited, and the CPU that takes it was idle.
    PulledQueued,
    /// It ran on a slower CPU than the idle one that takes it.
    PulledRunning,
    /// It is its turn on the faster, or on the slower CPU.
    Rotation,
    /// Too many tasks for the capacity of the CPU that it leaves.
    Balance,
    /// The plan has its home there.
    Planned,
    /// It has used its share of one CPU; the plan gives it the rest on another.
    Split,
    /// The least energy.
    Energy,
    /// Its waker goes on working, so it runs beside it.
    Apart,
    /// Its waker goes to sleep, so it takes its place.
    Together,
    /// The core that it leaves is hotter than one that rests.
    Cooler,
}

impl fmt::Display for Why {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Previous => "previous",
            Self::Idle => "idle",
            Self::Fits => "fits",
            Self::LeastLoaded => "least_loaded",
            Self::Affinity => "affinity",
            Self::Misfit => "misfit",
            Self::PulledQueued => "pulled_queued",
            Self::PulledRunning => "pulled_running",
            Self::Rotation => "rotation",
            Self::Balance => "balance",
            Self::Planned => "planned",
            Self::Split => "split",
            Self::Energy => "energy",
            Self::Apart => "apart",
            Self::Together => "together",
            Self::Cooler => "cooler",
        })
    }
}
