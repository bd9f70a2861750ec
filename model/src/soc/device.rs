//! What every device is: registers that are read and written, and a sense of time.
//!
//! A device reaches nothing outside itself. What it does to the rest of the machine (an interrupt line, a character, a
//! core to be started, a finding) it puts down in [`Effects`], and the bus carries that out after the access. So
//! devices are tested alone, and the order of events is the order of accesses.

use crate::bus::{Access, BusFault, Size, Time};
use crate::findings::{Finding, FindingKind};

/// A block of registers.
pub trait Device {
    /// Reads `size` at `offset` from the block's base.
    ///
    /// # Errors
    ///
    /// A synchronous external abort, if nothing answers there.
    fn read(&mut self, offset: u32, size: Size, at: &Access, effects: &mut Effects) -> Result<u32, BusFault>;

    /// Writes `size` at `offset` from the block's base.
    ///
    /// # Errors
    ///
    /// A synchronous external abort, if nothing answers there.
    fn write(
        &mut self,
        offset: u32,
        size: Size,
        value: u32,
        at: &Access,
        effects: &mut Effects,
    ) -> Result<(), BusFault>;

    /// When the device will do something by itself, if nobody touches it before.
    fn next_event(&self) -> Option<Time> {
        None
    }

    /// Does what is due until `now`.
    fn advance(&mut self, _now: Time, _effects: &mut Effects) {}
}

/// What a device asks of the rest of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// The core begins to execute at `entry`, as it comes out of the firmware.
    Start {
        /// Number of the core.
        core: usize,
        /// Address of its first instruction.
        entry: u32,
        /// What it finds in r0.
        argument: u32,
    },
    /// The core loses its power as soon as it waits for an interrupt.
    Stop {
        /// Number of the core.
        core: usize,
    },
    /// The core has come to a breakpoint of the debugger at `pc`, and has to be put back there.
    Break {
        /// Number of the core.
        core: usize,
        /// Address of the breakpoint.
        pc: u32,
    },
    /// The run is over.
    End(Ending),
}

/// Why a run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The guest gave an exit code (semihosting; virtual machine only).
    Exit(u32),
    /// The power went off, because software asked for it.
    PowerOff,
    /// The power went off, because the chip was too hot.
    ThermalTrip,
    /// The chip was reset by software.
    Reset,
    /// The chip was reset by its watchdog.
    Watchdog,
}

/// What devices do to the rest of the machine.
#[derive(Debug, Default)]
pub struct Effects {
    /// Levels of interrupt lines, by interrupt number; the last word counts.
    pub lines: Vec<(u32, bool)>,
    /// Characters that left a UART.
    pub output: Vec<u8>,
    /// Cores and power.
    pub requests: Vec<Request>,
    /// What the hardware would not have let pass.
    pub findings: Vec<Finding>,
}

impl Effects {
    /// Drives interrupt line `interrupt`.
    pub fn line(&mut self, interrupt: u32, level: bool) {
        self.lines.push((interrupt, level));
    }

    /// Notes an access to a register of `block` that takes whole words only, if it was none.
    pub fn expect_word(&mut self, size: Size, block: &str, offset: u32, at: &Access) {
        if size != Size::Word {
            self.find(FindingKind::AccessSize, at, format!("{block} register {offset:#x}"));
        }
    }

    /// Notes a finding of the access `at`.
    pub fn find(&mut self, kind: FindingKind, at: &Access, detail: impl Into<String>) {
        self.findings.push(Finding::new(kind, at.core, at.pc, detail));
    }
}

/// Registers that hold what is written and do nothing: the common case of a block.
#[derive(Clone, Debug)]
pub struct Words {
    words: Vec<u32>,
}

impl Words {
    /// A block of `bytes`, all zero.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        Self { words: vec![0; bytes / 4] }
    }

    /// The word at `offset`; zero outside.
    #[must_use]
    pub fn get(&self, offset: u32) -> u32 {
        self.words.get(offset as usize / 4).copied().unwrap_or(0)
    }

    /// Sets the word at `offset`; nothing happens outside.
    pub fn set(&mut self, offset: u32, value: u32) {
        if let Some(word) = self.words.get_mut(offset as usize / 4) {
            *word = value;
        }
    }

    /// Sets the word at `offset` when building a reset state.
    #[must_use]
    pub fn with(mut self, offset: u32, value: u32) -> Self {
        self.set(offset, value);
        self
    }
}
