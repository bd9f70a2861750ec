//! How a run ends.

use crate::soc::device::Ending;

/// How a run came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The guest ended it.
    Ended(Ending),
    /// All cores sleep, and nothing will ever wake them.
    Asleep,
    /// The model time that was allowed is over.
    TimeLimit,
    /// The host's time that was allowed is over.
    HostLimit,
    /// Nobody takes what leaves the console any more.
    Unheard,
    /// A core stands at a breakpoint of the debugger.
    Break(usize),
}

impl Outcome {
    /// The exit code for a script: the guest's own, 0 for a proper end, 124 for a time-out, 1 for the rest.
    #[must_use]
    pub const fn code(self) -> u32 {
        match self {
            Self::Ended(Ending::Exit(code)) => code,
            Self::Ended(Ending::PowerOff | Ending::Reset) | Self::Asleep => 0,
            Self::Ended(Ending::ThermalTrip | Ending::Watchdog) | Self::Unheard => 1,
            Self::TimeLimit | Self::HostLimit | Self::Break(_) => 124,
        }
    }
}
