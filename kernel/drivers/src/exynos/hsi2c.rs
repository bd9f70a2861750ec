//! Fast I2C master (`drivers/i2c/busses/i2c-exynos5.c`, `u-boot/u-boot:drivers/i2c/exynos_hs_i2c.c`), in automatic
//! mode.
//!
//! At 100 kHz a byte takes 90 µs, so nobody waits here: a transfer is begun, and asked about later. It is over when the
//! controller says so, or has failed when it did not in time.
#![expect(unsafe_code, reason = "claims device registers")]

use crate::words::{Mapped, Words};

const CONTROL: usize = 0x00;
const FIFO_CONTROL: usize = 0x04;
const TRAILING_CONTROL: usize = 0x08;
const INTERRUPT_ENABLE: usize = 0x20;
const INTERRUPT_STATUS: usize = 0x24;
const FIFO_STATUS: usize = 0x30;
const TRANSMIT: usize = 0x34;
const RECEIVE: usize = 0x38;
const CONFIGURATION: usize = 0x40;
const AUTOMATIC: usize = 0x44;
const TIMEOUT: usize = 0x48;
const TRANSFER_STATUS: usize = 0x50;
const TIMING_START_STOP: usize = 0x60;
const TIMING_DATA_CLOCK: usize = 0x64;
const TIMING_DIVIDER_RELEASE: usize = 0x68;
const TIMING_SLAVE: usize = 0x6c;
const ADDRESS: usize = 0x70;

/// In CONTROL.
const SOFTWARE_RESET: u32 = 1 << 31;
const RECEIVES: u32 = 1 << 6;
const TRANSMITS: u32 = 1 << 7;
const I2C_MASTER: u32 = 1 << 3 | 1;
/// In FIFO_CONTROL: both are on.
const BOTH_FIFOS: u32 = 0b11;
/// Clocks after which the rest of a FIFO is told of.
const TRAILING_COUNT: u32 = 0xf;
/// In INTERRUPT_ENABLE and INTERRUPT_STATUS: a transfer is over. It is polled; nobody lets the line interrupt a CPU.
const TRANSFER_OVER: u32 = 1 << 9;
/// In FIFO_STATUS.
const NOTHING_RECEIVED: u32 = 1 << 24;
const AUTOMATIC_MODE: u32 = 1 << 31;
/// In AUTOMATIC, beside the number of bytes.
const RUN: u32 = 1 << 31;
const STOP_AFTER: u32 = 1 << 17;
const READS: u32 = 1 << 16;
const TIMEOUT_ENABLE: u32 = 1 << 31;
/// In TRANSFER_STATUS.
const TIMED_OUT: u32 = 1 << 4;
const NO_DEVICE: u32 = 1 << 3;
const NO_ACKNOWLEDGE: u32 = 1 << 2;
const ABORTED: u32 = 1 << 1;

/// SCL cycles of a transfer of so many bytes: address and bytes with their acknowledgements, start and stop.
const fn transfer_cycles(bytes: usize) -> u64 {
    (bytes as u64 + 1) * 9 + 2
}
/// The longest one may take so many times as long before it is given up, for a slave that stretches the clock.
const PATIENCE: u64 = 10;

/// Why a transfer failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusError {
    /// Nobody has the address, or the slave did not take a byte.
    NoAnswer,
    /// Another master, or a disturbed line.
    Aborted,
    /// The controller never said that it was done.
    Timeout,
    /// It said so, and there was nothing to be read.
    NothingReceived,
}

impl BusError {
    /// One word for a machine line.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::NoAnswer => "no_answer",
            Self::Aborted => "bus_disturbed",
            Self::Timeout => "bus_stuck",
            Self::NothingReceived => "nothing_received",
        }
    }
}

/// Clocks of the bus, in Hz.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    /// What the controller runs on.
    pub peripheral: u32,
    /// SCL.
    pub bus: u32,
}

impl Rates {
    /// The words of the four timing registers, by the rule of `exynos5_i2c_set_timing` without a filter:
    /// peripheral / bus = (divider + 1) · (low + high + 2) + 8.
    const fn timing(self) -> [(usize, u32); 4] {
        let clocks = self.peripheral / self.bus - 8;
        let divider = clocks / 512;
        let cycle = clocks / (divider + 1) - 2;
        let half = cycle / 2;
        [
            (TIMING_START_STOP, half << 24 | half << 16 | half << 8),
            (TIMING_DATA_CLOCK, (half / 2) << 24 | half << 8 | half),
            (TIMING_DIVIDER_RELEASE, divider << 16 | cycle),
            (TIMING_SLAVE, half / 2),
        ]
    }

    /// How long this many cycles of SCL take, in nanoseconds.
    const fn cycles(self, cycles: u64) -> u64 {
        cycles * 1_000_000_000 / self.bus as u64
    }
}

/// The controller.
#[derive(Debug)]
pub struct Hsi2c<W = Mapped> {
    words: W,
    rates: Rates,
    /// When the present transfer is over, as far as it depends on this end of the bus.
    due: u64,
    deadline: u64,
}

impl Hsi2c {
    /// Takes the device at `base`.
    ///
    /// # Safety
    ///
    /// At `base` is such a controller, mapped as device memory, and nobody else drives it.
    #[must_use]
    pub const unsafe fn claim(base: usize, rates: Rates) -> Self {
        // SAFETY: the caller's promise.
        Self::over(unsafe { Mapped::at(base) }, rates)
    }
}

impl<W: Words> Hsi2c<W> {
    pub(super) const fn over(words: W, rates: Rates) -> Self {
        Self { words, rates, due: 0, deadline: 0 }
    }

    /// Ends whatever is going on and sets the controller up.
    pub fn reset(&self) {
        let words = &self.words;
        words.set(CONTROL, SOFTWARE_RESET);
        words.clear(CONTROL, SOFTWARE_RESET);
        for (register, value) in self.rates.timing() {
            words.write(register, value);
        }
        words.clear(TIMEOUT, TIMEOUT_ENABLE);
        words.write(CONTROL, I2C_MASTER);
        words.write(TRAILING_CONTROL, TRAILING_COUNT);
        words.set(CONFIGURATION, AUTOMATIC_MODE);
    }

    /// Begins to write `bytes`, two at most; with a stop behind them, or a read to follow. `now` is a time in
    /// nanoseconds.
    pub fn begin_write(&mut self, address: u32, bytes: &[u8], stop: bool, now: u64) {
        let stop = if stop { STOP_AFTER } else { 0 };
        self.begin(address, TRANSMITS, stop, bytes.len(), now);
        for byte in bytes {
            self.words.write(TRANSMIT, u32::from(*byte));
        }
    }

    /// Begins to read one byte, with a stop behind it.
    pub fn begin_read(&mut self, address: u32, now: u64) {
        self.begin(address, RECEIVES, READS | STOP_AFTER, 1, now);
    }

    fn begin(&mut self, address: u32, direction: u32, how: u32, bytes: usize, now: u64) {
        self.due = now + self.rates.cycles(transfer_cycles(bytes));
        self.deadline = now + self.rates.cycles(PATIENCE * transfer_cycles(2));
        let words = &self.words;
        words.write(INTERRUPT_STATUS, words.read(INTERRUPT_STATUS));
        words.write(ADDRESS, address << 10);
        words.write(FIFO_CONTROL, BOTH_FIFOS);
        words.write(CONTROL, I2C_MASTER | direction);
        words.write(INTERRUPT_ENABLE, TRANSFER_OVER);
        words.write(AUTOMATIC, RUN | how | bytes as u32);
    }

    /// When the transfer is over, if nobody stretches the clock.
    #[must_use]
    pub const fn due(&self) -> u64 {
        self.due
    }

    /// Whether the transfer is over; [`None`] while it is not.
    pub fn ended(&self, now: u64) -> Option<Result<(), BusError>> {
        let words = &self.words;
        let status = words.read(INTERRUPT_STATUS);
        if status & TRANSFER_OVER == 0 {
            return (now >= self.deadline).then_some(Err(BusError::Timeout));
        }
        words.write(INTERRUPT_STATUS, status);
        Some(match words.read(TRANSFER_STATUS) {
            how if how & (NO_DEVICE | NO_ACKNOWLEDGE) != 0 => Err(BusError::NoAnswer),
            how if how & ABORTED != 0 => Err(BusError::Aborted),
            how if how & TIMED_OUT != 0 => Err(BusError::Timeout),
            _ => Ok(()),
        })
    }

    /// The byte that was read.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn received(&self) -> Result<u8, BusError> {
        if self.words.read(FIFO_STATUS) & NOTHING_RECEIVED != 0 {
            return Err(BusError::NothingReceived);
        }
        Ok(self.words.read(RECEIVE) as u8)
    }
}

/// A bus with a chip of byte registers at its end.
#[cfg(test)]
pub(super) mod bench {
    use super::*;
    use std::cell::RefCell;
    use std::collections::{BTreeMap, VecDeque};
    use std::vec::Vec;

    /// The controller's registers, the chip's, and how they misbehave.
    #[derive(Default)]
    pub(in super::super) struct Bench(RefCell<State>);

    #[derive(Default)]
    pub(in super::super) struct State {
        words: BTreeMap<usize, u32>,
        pub(in super::super) chip: BTreeMap<u8, u8>,
        sent: VecDeque<u8>,
        pointer: u8,
        /// Every register of the chip that was written, in order.
        pub(in super::super) written: Vec<(u8, u8)>,
        /// Nobody answers.
        pub(in super::super) deaf: bool,
        /// Transfers never end.
        pub(in super::super) stuck: bool,
        /// These registers of the chip take every byte and stay what they are.
        pub(in super::super) stubborn: Vec<u8>,
    }

    impl Bench {
        pub(in super::super) fn state(&self) -> std::cell::RefMut<'_, State> {
            self.0.borrow_mut()
        }
    }

    impl State {
        fn run(&mut self) {
            let (automatic, count) = (self.words[&AUTOMATIC], self.words[&AUTOMATIC] as usize & 0xffff);
            let reads = automatic & READS != 0;
            if self.stuck || automatic & RUN == 0 || !reads && self.sent.len() < count {
                return;
            }
            self.words.insert(AUTOMATIC, automatic & !RUN);
            self.words.insert(INTERRUPT_STATUS, TRANSFER_OVER);
            self.words.insert(TRANSFER_STATUS, if self.deaf { NO_DEVICE } else { 1 });
            if let (false, Some(pointer)) = (reads, self.sent.pop_front()) {
                self.pointer = pointer;
            }
            while let Some(byte) = self.sent.pop_front() {
                self.written.push((self.pointer, byte));
                if !self.stubborn.contains(&self.pointer) {
                    self.chip.insert(self.pointer, byte);
                }
            }
        }
    }

    impl Words for &Bench {
        fn read(&self, offset: usize) -> u32 {
            let state = self.0.borrow();
            match offset {
                RECEIVE => state.chip.get(&state.pointer).copied().unwrap_or(0).into(),
                _ => state.words.get(&offset).copied().unwrap_or(0),
            }
        }

        fn write(&self, offset: usize, value: u32) {
            let mut state = self.0.borrow_mut();
            match offset {
                TRANSMIT => state.sent.push_back(value as u8),
                INTERRUPT_STATUS => *state.words.entry(offset).or_default() &= !value,
                _ => _ = state.words.insert(offset, value),
            }
            if offset == AUTOMATIC || offset == TRANSMIT {
                state.run();
            }
        }
    }
}

#[cfg(test)]
mod tests;
