//! Everything the kernel may ask of a board. Dynamic dispatch at board rate costs nothing and saves the associated
//! types.

use sched::{CpuId, Machine};

use crate::plant::Plant;

/// A serial line, usable from any CPU at any time; the kernel's console lock keeps lines whole.
pub trait Console: Sync {
    /// Sends one byte; waits a bounded time. False when it could not be sent.
    fn put(&self, byte: u8) -> bool;
    /// The next byte that was received, if any. Reading it lowers the interrupt.
    fn take(&self) -> Option<u8>;
    /// Lets received bytes raise the board's console interrupt.
    fn enable_receive(&self);
}

/// Why a CPU could not be started; the word stands behind `why=` in its `CPU` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartError {
    /// The firmware knows no such CPU.
    NotPresent,
    /// The firmware refused with this code.
    Firmware(i32),
    /// It was started and did not arrive in time.
    Timeout,
    /// What the board itself found: one word.
    Board(&'static str),
}

impl core::fmt::Display for StartError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            StartError::NotPresent => f.write_str("not_present"),
            StartError::Firmware(code) => write!(f, "firmware_error_{code}"),
            StartError::Timeout => f.write_str("timeout"),
            StartError::Board(word) => f.write_str(word),
        }
    }
}

/// How the system ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Power off, or tell the emulator this exit code.
    Halt(u32),
    /// Warm reset.
    Reboot,
}

/// What a board is, as opposed to what it does.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// The CPUs and what they are worth, in dense order.
    pub machine: &'static Machine,
    /// The GIC interrupt number of the console.
    pub console_interrupt: u32,
    /// Frequency of the generic timer in Hz.
    pub timer_hz: u32,
    /// Whether the firmware notes that frequency in CNTFRQ, so that another number there deserves a line.
    pub timer_hz_is_noted: bool,
    /// Whether the CPUs are all alike and the kernel has to emulate unequal ones by idle injection.
    pub emulates_pace: bool,
    /// Whether somebody is expected at the console, so that the shell comes at the end unless `after=` says something
    /// else.
    pub interactive: bool,
}

/// A board: facts chosen, devices claimed.
pub trait Board: Sync {
    /// What it is.
    fn facts(&self) -> &'static Facts;
    /// The console.
    fn console(&self) -> &dyn Console;
    /// Its clocks and sensors, if it has any.
    fn plant(&self) -> Option<&'static dyn Plant> {
        None
    }
    /// The boot arguments as the loader passed them.
    fn boot_arguments(&self) -> &str;
    /// Sets a CPU going towards the board's secondary entry. It reports by itself.
    ///
    /// # Errors
    /// What the firmware said. The kernel waits for the CPU itself.
    fn start_cpu(&self, cpu: CpuId) -> Result<(), StartError>;
    /// Why a CPU that was started did not arrive in time, as far as the board can tell.
    fn why_missing(&self, _cpu: CpuId) -> StartError {
        StartError::Timeout
    }
    /// Ends the system. Must be callable with every lock held and from a panic.
    fn end(&self, ending: Ending) -> !;
}
