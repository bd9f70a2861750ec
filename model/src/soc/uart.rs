//! The Samsung UART (torvalds/linux:include/linux/serial_s3c.h), at the speed of its line.
//!
//! The console is UART2: 16 bytes of FIFO, as U-Boot leaves it. A byte leaves when its turn has come, 87 µs after the
//! one before at 115200 baud: who does not look at "full" loses bytes here as on the board. Bytes come in at the same
//! speed, and whoever types them waits while the FIFO is full.

mod typist;

use std::collections::VecDeque;

use crate::bus::{Access, BusFault, Size, Time};
use crate::findings::FindingKind;
use crate::soc::device::{Device, Effects, Words};
use typist::Typist;

const ULCON: u32 = 0x00;
const UCON: u32 = 0x04;
const UFCON: u32 = 0x08;
const UTRSTAT: u32 = 0x10;
const UERSTAT: u32 = 0x14;
const UFSTAT: u32 = 0x18;
const UTXH: u32 = 0x20;
const URXH: u32 = 0x24;
const UBRDIV: u32 = 0x28;
const UFRACVAL: u32 = 0x2c;
const UINTP: u32 = 0x30;
const UINTSP: u32 = 0x34;
const UINTM: u32 = 0x38;

const FIFO_ENABLE: u32 = 1;
/// UERSTAT: a byte came and found the FIFO full.
const OVERRUN: u32 = 1;
const RECEIVE: u32 = 1;
const ERROR: u32 = 2;
const TRANSMIT: u32 = 4;

/// One UART.
#[derive(Clone, Debug)]
pub struct Uart {
    registers: Words,
    depth: usize,
    interrupt: u32,
    /// Clock of the baud rate generator in Hz.
    clock: u32,
    sending: VecDeque<u8>,
    /// When the byte that is being shifted out is gone.
    free_at: Time,
    typist: Typist,
    received: VecDeque<u8>,
    /// A line that takes no time, for those who cannot wait.
    instant: bool,
}

impl Uart {
    /// As U-Boot leaves it: 115200 baud, eight bits, FIFOs on.
    #[must_use]
    pub fn new(depth: usize, interrupt: u32, clock: u32, instant: bool) -> Self {
        let divisor = clock / 115_200;
        let registers = Words::new(0x40)
            .with(ULCON, 3)
            .with(UCON, 0x245)
            .with(UFCON, 0x111)
            .with(UBRDIV, divisor / 16 - 1)
            .with(UFRACVAL, divisor % 16)
            .with(UINTM, 0xf);
        Self {
            registers,
            depth,
            interrupt,
            clock,
            sending: VecDeque::new(),
            free_at: 0,
            typist: Typist::default(),
            received: VecDeque::new(),
            instant,
        }
    }

    /// Somebody types at `now`: the bytes arrive from then on.
    pub fn receive(&mut self, bytes: &[u8], now: Time, effects: &mut Effects) {
        self.typist.types(bytes);
        self.fill(now, effects);
    }

    /// What is still on its way out leaves at once: the machine stops, the line does not.
    pub fn flush(&mut self, effects: &mut Effects) {
        effects.output.extend(self.sending.drain(..));
    }

    fn depth(&self) -> usize {
        if self.registers.get(UFCON) & FIFO_ENABLE != 0 { self.depth } else { 1 }
    }

    /// Nanoseconds of one character: start, eight data and stop bit.
    fn character(&self) -> Time {
        let divisor = u64::from(self.registers.get(UBRDIV) + 1) * 16 + u64::from(self.registers.get(UFRACVAL) & 15);
        if self.instant { 0 } else { divisor * 10 * 1_000_000_000 / u64::from(self.clock) }
    }

    /// Lets out what has left until `now`.
    fn drain(&mut self, now: Time, effects: &mut Effects) {
        while !self.sending.is_empty() && self.free_at <= now {
            effects.output.extend(self.sending.pop_front());
            self.free_at += self.character();
        }
    }

    /// Takes in what has arrived until `now`, and lets the next byte begin.
    fn fill(&mut self, now: Time, effects: &mut Effects) {
        let mut free_at = now;
        loop {
            let room = self.received.len() < self.depth();
            self.typist.begin(room, free_at, self.character());
            let Some((byte, at)) = self.typist.arrived(now) else { break };
            free_at = at;
            if room {
                self.received.push_back(byte);
            } else {
                // The FIFO became smaller while the byte was on its way.
                self.registers.set(UERSTAT, OVERRUN);
                self.registers.set(UINTSP, self.registers.get(UINTSP) | ERROR);
            }
        }
        self.settle(effects);
    }

    fn settle(&mut self, effects: &mut Effects) {
        let waiting = u32::from(!self.received.is_empty()) * RECEIVE;
        let trigger = match self.registers.get(UFCON) >> 8 & 7 {
            level if self.depth() > 1 => level as usize * (self.depth / 8).max(2),
            _ => 0,
        };
        let room = u32::from(self.sending.len() <= trigger && self.registers.get(UCON) & 0xc != 0) * TRANSMIT;
        // Both are levels; the pending register cannot be cleared while they last.
        self.registers.set(UINTSP, self.registers.get(UINTSP) & !(RECEIVE | TRANSMIT) | waiting | room);
        let pending = self.registers.get(UINTSP) & !self.registers.get(UINTM);
        self.registers.set(UINTP, pending);
        effects.line(self.interrupt, pending != 0);
    }

    fn fifo_status(&self) -> u32 {
        let (sending, received) = (self.sending.len(), self.received.len());
        let flag = |full: bool, bit: u32| u32::from(full) << bit;
        (received as u32 & 0xff)
            | flag(received >= self.depth(), 8)
            | (sending as u32 & 0xff) << 16
            | flag(sending >= self.depth(), 24)
    }
}

impl Device for Uart {
    fn read(&mut self, offset: u32, _: Size, at: &Access, effects: &mut Effects) -> Result<u32, BusFault> {
        self.drain(at.time, effects);
        self.fill(at.time, effects);
        Ok(match offset {
            UTRSTAT => {
                let empty = self.sending.is_empty();
                let idle = empty && self.free_at <= at.time;
                u32::from(!self.received.is_empty()) | u32::from(empty) << 1 | u32::from(idle) << 2
            }
            UERSTAT => {
                let errors = self.registers.get(UERSTAT);
                // Reading clears it (samsung_tty.c takes it once for each byte).
                self.registers.set(UERSTAT, 0);
                errors
            }
            UFSTAT => self.fifo_status(),
            URXH => {
                let byte = self.received.pop_front().unwrap_or(0);
                self.fill(at.time, effects);
                byte.into()
            }
            _ => self.registers.get(offset),
        })
    }

    fn write(&mut self, offset: u32, _: Size, value: u32, at: &Access, effects: &mut Effects) -> Result<(), BusFault> {
        self.drain(at.time, effects);
        match offset {
            UTXH if self.sending.len() >= self.depth() => {
                effects.find(FindingKind::UartOverrun, at, "UTXH is written, UFSTAT says full");
            }
            UTXH => {
                if self.sending.is_empty() {
                    self.free_at = self.free_at.max(at.time) + self.character();
                }
                self.sending.push_back(value as u8);
                self.drain(at.time, effects);
            }
            UFCON => {
                self.registers.set(UFCON, value & !6);
                if value & 2 != 0 {
                    self.received.clear();
                }
                if value & 4 != 0 {
                    self.sending.clear();
                }
            }
            UERSTAT => {}
            UINTP | UINTSP => self.registers.set(UINTSP, self.registers.get(UINTSP) & !value),
            _ => self.registers.set(offset, value),
        }
        self.fill(at.time, effects);
        Ok(())
    }

    fn next_event(&self) -> Option<Time> {
        // Only an interrupt makes the drain matter before somebody looks; but what was sent must come out some day.
        let leaves = (!self.sending.is_empty()).then_some(self.free_at);
        [leaves, self.typist.next_event()].into_iter().flatten().min()
    }

    fn advance(&mut self, now: Time, effects: &mut Effects) {
        if self.next_event().is_some() {
            self.drain(now, effects);
            self.fill(now, effects);
        }
    }
}

#[cfg(test)]
mod tests;
