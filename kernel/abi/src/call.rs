//! System-call numbers.

/// The number in `r12` of a system call. Numbers are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Call {
    /// Does nothing: the price of entering and leaving the kernel.
    Null = 0,
    /// Ends the calling task; `r0` is its exit code. Does not return.
    Exit = 1,
    /// Starts a task: `r0` entry address, `r1` and `r2` its two arguments, `r3` its affinity mask (0: that of the
    /// caller). Returns its task number.
    Spawn = 2,
    /// Waits until task `r0` has ended and frees its number. Returns an [`crate::types::EndKind`] in `r0`, its value in
    /// `r1`.
    Join = 3,
    /// Lets every waiting task of this CPU that deserves it run first.
    Yield = 4,
    /// Sleeps until the absolute time `r0` (low) `r1` (high) in nanoseconds since boot.
    SleepUntil = 5,
    /// Returns the nanoseconds since boot in `r0` (low) and `r1` (high).
    Clock = 6,
    /// Sleeps while the aligned word at `r0` holds `r1`; [`crate::Error::Changed`] at once when it does not.
    FutexWait = 7,
    /// Wakes at most `r1` tasks that sleep on the word at `r0`. Returns how many.
    FutexWake = 8,
    /// Makes a channel of `r0` messages of at most `r1` bytes. Returns its number.
    ChannelCreate = 9,
    /// Puts the `r2` bytes at `r1` into channel `r0`; sleeps while it is full.
    ChannelSend = 10,
    /// Takes the oldest message of channel `r0` into the `r2` bytes at `r1`; sleeps while it is empty. Returns its
    /// length.
    ChannelReceive = 11,
    /// Closes channel `r0`: whoever waits on it gets [`crate::Error::Closed`].
    ChannelClose = 12,
    /// Gives task `r0` the affinity mask `r1`.
    SetAffinity = 13,
    /// Returns the affinity mask of task `r0`.
    GetAffinity = 14,
    /// Writes the [`crate::types::Statistics`] of task `r0` to `r1`.
    Statistics = 15,
    /// Writes the `r1` bytes of text at `r0` to the console, unbroken by other writers.
    ConsoleWrite = 16,
    /// Reads what was typed into the `r1` bytes at `r0`; sleeps until there is at least one byte. Returns how many.
    ConsoleRead = 17,
    /// Writes a [`crate::types::SystemInfo`] to `r0`.
    SystemInfo = 18,
    /// Copies the boot arguments into the `r1` bytes at `r0`. Returns their full length.
    BootArguments = 19,
    /// Selects scheduling policy `r0` with goal `r1` (see [`crate::types`]) for the whole system.
    SetPolicy = 20,
    /// Ends the system with exit code `r0`; what happens then (halt, reboot) was chosen at boot.
    Shutdown = 21,
    /// Runs diagnosis `r0` ([`crate::types::Diagnosis`]) with argument `r1`; refused unless the system was booted to
    /// test itself.
    Diagnose = 22,
    /// Ends the calling task as faulty, with the `r1` bytes of message at `r0`.
    Panicked = 23,
    /// Returns the number of the CPU that runs the caller.
    CurrentCpu = 24,
    /// Returns the caller's own task number.
    CurrentTask = 25,
    /// Writes the [`crate::types::Counters`] of the system to `r0`.
    Counters = 26,
    /// Writes the [`crate::types::Climate`] of the system to `r0`.
    Climate = 27,
    /// Bounds the utilisation that task `r0` is taken for: at least `r1`, at most `r2`, both `0..=1024` and in this
    /// order.
    SetClamp = 28,
    /// Returns the bounds of task `r0`: the lower one in `r0`, the upper one in `r1`.
    GetClamp = 29,
}

impl Call {
    /// All calls, in order of their numbers.
    pub const ALL: [Call; 30] = [
        Call::Null,
        Call::Exit,
        Call::Spawn,
        Call::Join,
        Call::Yield,
        Call::SleepUntil,
        Call::Clock,
        Call::FutexWait,
        Call::FutexWake,
        Call::ChannelCreate,
        Call::ChannelSend,
        Call::ChannelReceive,
        Call::ChannelClose,
        Call::SetAffinity,
        Call::GetAffinity,
        Call::Statistics,
        Call::ConsoleWrite,
        Call::ConsoleRead,
        Call::SystemInfo,
        Call::BootArguments,
        Call::SetPolicy,
        Call::Shutdown,
        Call::Diagnose,
        Call::Panicked,
        Call::CurrentCpu,
        Call::CurrentTask,
        Call::Counters,
        Call::Climate,
        Call::SetClamp,
        Call::GetClamp,
    ];

    /// The call with this number, if there is one.
    #[inline]
    pub const fn from_number(number: u32) -> Option<Call> {
        if (number as usize) < Self::ALL.len() { Some(Self::ALL[number as usize]) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_dense_and_stable() {
        for (number, call) in Call::ALL.into_iter().enumerate() {
            assert_eq!(call as usize, number);
            assert_eq!(Call::from_number(number as u32), Some(call));
        }
        assert_eq!(Call::from_number(Call::ALL.len() as u32), None);
        assert_eq!(Call::from_number(u32::MAX), None);
    }
}
