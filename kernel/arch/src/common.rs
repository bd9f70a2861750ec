//! The small types and numbers that both architectures share.

use core::fmt;

/// "Look at your inbox": the software-generated interrupt that a CPU gets when another one pushed a message.
pub const RESCHEDULE: u32 = 0;
/// "Stop": the software-generated interrupt of a panicking CPU.
pub const STOP: u32 = 1;
/// The virtual timer's private interrupt. Unlike the physical timer's it is the same in the secure and the non-secure
/// world (ARM DDI 0438 8.2.3).
pub const TIMER_INTERRUPT: u32 = 27;
/// What a CPU has done so far, by its own count. Both numbers wrap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Cycles of its clock.
    pub cycles: u32,
    /// Instructions retired.
    pub instructions: u32,
}

impl Counts {
    /// From `earlier` to now; right as long as neither has wrapped twice, which takes seconds.
    #[inline]
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self {
            cycles: self.cycles.wrapping_sub(earlier.cycles),
            instructions: self.instructions.wrapping_sub(earlier.instructions),
        }
    }
}

/// The longest record that is kept over a warm reset, in bytes.
pub const RECORD_CAPACITY: usize = 1024;

/// The mode in which a CPU came to the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryMode {
    /// Supervisor mode, secure or not.
    Svc,
    /// Hypervisor mode; the start-up code drops to SVC.
    Hyp,
}

impl fmt::Display for EntryMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Svc => "svc",
            Self::Hyp => "hyp",
        })
    }
}

/// How the firmware is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conduit {
    /// By HVC: the firmware sits in HYP mode, or the emulator plays it.
    Hvc,
    /// By SMC: the firmware sits in the secure world.
    Smc,
}

/// Why the firmware did not start a core (ARM DEN 0022D 5.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PsciError {
    /// The firmware does not know the call.
    NotSupported,
    /// There is no such core.
    InvalidParameters,
    /// The core may not be started.
    Denied,
    /// The core runs already.
    AlreadyOn,
    /// The core is being started already.
    OnPending,
    /// The firmware tried and failed.
    InternalFailure,
    /// An answer that the specification does not have.
    Unknown(i32),
}

impl PsciError {
    /// What an answer to CPU_ON means.
    #[cfg(any(test, target_os = "none"))]
    pub(crate) fn check(answer: i32) -> Result<(), Self> {
        Err(match answer {
            0 => return Ok(()),
            -1 => Self::NotSupported,
            -2 => Self::InvalidParameters,
            -3 => Self::Denied,
            -4 => Self::AlreadyOn,
            -5 => Self::OnPending,
            -6 => Self::InternalFailure,
            other => Self::Unknown(other),
        })
    }

    /// The number behind the name.
    #[must_use]
    pub const fn code(self) -> i32 {
        match self {
            Self::NotSupported => -1,
            Self::InvalidParameters => -2,
            Self::Denied => -3,
            Self::AlreadyOn => -4,
            Self::OnPending => -5,
            Self::InternalFailure => -6,
            Self::Unknown(code) => code,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn psci_answers() {
        assert_eq!(PsciError::check(0), Ok(()));
        assert_eq!(PsciError::check(-2), Err(PsciError::InvalidParameters));
        for code in -99..0 {
            assert_eq!(PsciError::check(code).map_err(PsciError::code), Err(code));
        }
    }
}
