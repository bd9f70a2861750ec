//! The PMIC's bus, HSI2C4 (torvalds/linux:drivers/i2c/busses/i2c-exynos5.c; sheet §7.5), with the S2MPS11 at its end.
//!
//! Automatic mode only: a transfer is started with its length, bytes go through FIFOs, one each nine bit times.

use std::collections::VecDeque;

use crate::bus::{Access, BusFault, Size, Time};
use crate::findings::FindingKind;
use crate::soc::device::{Device, Effects, Words};
use crate::soc::s2mps11::{ADDRESS, S2mps11};

const CTL: u32 = 0x00;
const INT_STAT: u32 = 0x24;
const FIFO_STATUS: u32 = 0x30;
const TX_DATA: u32 = 0x34;
const RX_DATA: u32 = 0x38;
const CONF: u32 = 0x40;
const AUTO_CONF: u32 = 0x44;
const TRANS_STATUS: u32 = 0x50;
const ADDR: u32 = 0x70;

const SW_RST: u32 = 1 << 31;
const MASTER: u32 = 1 << 3;
const AUTO_MODE: u32 = 1 << 31;
const MASTER_RUN: u32 = 1 << 31;
const STOP_AFTER: u32 = 1 << 17;
const READ: u32 = 1 << 16;
const BUSY: u32 = 1 << 17;
const NO_DEVICE: u32 = 1 << 3;
const DONE: u32 = 1;
const INT_I2C: u32 = 1 << 9;
const INT_TX_EMPTY: u32 = 1;
const INT_RX_FULL: u32 = 2;
const FIFO_DEPTH: usize = 64;
/// Nine bits at 100 kHz, the driver's default.
const BYTE_TIME: Time = 90_000;

/// A transfer under way.
#[derive(Clone, Copy, Debug)]
struct Transfer {
    read: bool,
    stop: bool,
    left: u32,
    /// When the next byte is through.
    next: Time,
}

/// The bus controller and the chip.
#[derive(Clone, Debug)]
pub struct Hsi2c {
    registers: Words,
    /// The chip on the bus.
    pub pmic: S2mps11,
    transfer: Option<Transfer>,
    transmit: VecDeque<u8>,
    received: VecDeque<u8>,
    status: u32,
    /// The register pointer that the last write set, and whether the next byte sets it.
    pointer: u8,
    pointing: bool,
    /// Nothing answers on the bus.
    deaf: bool,
}

impl Hsi2c {
    /// A bus at rest. On a `deaf` one no chip answers.
    #[must_use]
    pub fn new(pmic: S2mps11, deaf: bool) -> Self {
        Self {
            registers: Words::new(0x80),
            pmic,
            transfer: None,
            transmit: VecDeque::new(),
            received: VecDeque::new(),
            status: 0,
            pointer: 0,
            pointing: true,
            deaf,
        }
    }

    fn start(&mut self, value: u32, at: &Access, effects: &mut Effects) {
        let ready = self.registers.get(CTL) & MASTER != 0 && self.registers.get(CONF) & AUTO_MODE != 0;
        let address = (self.registers.get(ADDR) >> 10 & 0x7f) as u8;
        if !ready {
            effects.find(FindingKind::Pmic, at, "a transfer starts, the controller is not an automatic master");
            return;
        }
        let left = value & 0xffff;
        self.status = 0;
        if self.deaf || address != ADDRESS {
            self.status = NO_DEVICE;
            self.registers.set(INT_STAT, self.registers.get(INT_STAT) | INT_I2C);
            if !self.deaf {
                effects.find(FindingKind::Pmic, at, format!("address {address:#x} is not on this bus"));
            }
            return;
        }
        let read = value & READ != 0;
        self.pointing = !read;
        // The address byte goes first.
        self.transfer = Some(Transfer { read, stop: value & STOP_AFTER != 0, left, next: at.time + 2 * BYTE_TIME });
    }

    /// Moves the bytes whose time has come.
    fn progress(&mut self, now: Time) {
        while let Some(transfer) = &mut self.transfer {
            if transfer.left > 0 {
                let starved = if transfer.read { self.received.len() >= FIFO_DEPTH } else { self.transmit.is_empty() };
                if starved {
                    // The clock is stretched until software has done its part.
                    transfer.next = transfer.next.max(now + BYTE_TIME);
                }
                if starved || transfer.next > now {
                    return;
                }
                transfer.left -= 1;
                let (read, when) = (transfer.read, transfer.next);
                transfer.next += BYTE_TIME;
                if read { self.take_byte() } else { self.give_byte(when) }
            } else {
                if transfer.stop {
                    self.pointing = true;
                }
                self.transfer = None;
                self.status |= DONE;
                self.registers.set(AUTO_CONF, self.registers.get(AUTO_CONF) & !MASTER_RUN);
                self.registers.set(INT_STAT, self.registers.get(INT_STAT) | INT_I2C);
            }
        }
    }

    fn take_byte(&mut self) {
        self.received.push_back(self.pmic.read(self.pointer));
        self.pointer = self.pointer.wrapping_add(1);
    }

    fn give_byte(&mut self, when: Time) {
        let Some(byte) = self.transmit.pop_front() else { return };
        if self.pointing {
            self.pointer = byte;
            self.pointing = false;
        } else {
            self.pmic.write(self.pointer, byte, when);
            self.pointer = self.pointer.wrapping_add(1);
        }
    }

    fn fifo_status(&self) -> u32 {
        let flag = |set: bool, bit: u32| u32::from(set) << bit;
        flag(self.received.is_empty(), 24)
            | flag(self.received.len() >= FIFO_DEPTH, 23)
            | (self.received.len() as u32) << 16
            | flag(self.transmit.is_empty(), 8)
            | flag(self.transmit.len() >= FIFO_DEPTH, 7)
            | self.transmit.len() as u32
    }
}

impl Device for Hsi2c {
    fn read(&mut self, offset: u32, _: Size, at: &Access, _: &mut Effects) -> Result<u32, BusFault> {
        self.progress(at.time);
        Ok(match offset {
            FIFO_STATUS => self.fifo_status(),
            RX_DATA => self.received.pop_front().unwrap_or(0).into(),
            INT_STAT => {
                let writes = self.transfer.is_some_and(|transfer| !transfer.read);
                let transmit = u32::from(writes && self.transmit.is_empty()) * INT_TX_EMPTY;
                let receive = u32::from(!self.received.is_empty()) * INT_RX_FULL;
                self.registers.get(INT_STAT) | transmit | receive
            }
            TRANS_STATUS => {
                let busy = if self.transfer.is_some() { BUSY } else { 0 };
                let status = self.status | busy;
                self.status = 0;
                status
            }
            _ => self.registers.get(offset),
        })
    }

    fn write(&mut self, offset: u32, _: Size, value: u32, at: &Access, effects: &mut Effects) -> Result<(), BusFault> {
        self.progress(at.time);
        match offset {
            CTL if value & SW_RST != 0 => {
                self.transfer = None;
                self.transmit.clear();
                self.received.clear();
                self.status = 0;
                self.registers = Words::new(0x80);
            }
            INT_STAT => self.registers.set(INT_STAT, self.registers.get(INT_STAT) & !value),
            TX_DATA => {
                self.transmit.push_back(value as u8);
                self.progress(at.time);
            }
            AUTO_CONF => {
                self.registers.set(AUTO_CONF, value);
                if value & MASTER_RUN != 0 {
                    self.start(value, at, effects);
                }
            }
            _ => self.registers.set(offset, value),
        }
        Ok(())
    }

    fn next_event(&self) -> Option<Time> {
        // Voltages change when a byte has arrived, whoever looks.
        self.transfer.filter(|transfer| transfer.read || !self.transmit.is_empty()).map(|transfer| transfer.next)
    }

    fn advance(&mut self, now: Time, _: &mut Effects) {
        self.progress(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soc::s2mps11::Rail;

    struct Bench {
        bus: Hsi2c,
        effects: Effects,
        time: Time,
    }

    impl Bench {
        fn new(deaf: bool) -> Self {
            let pmic = S2mps11::new([1_300_000, 1_012_500, 1_025_000]);
            let mut bench = Self { bus: Hsi2c::new(pmic, deaf), effects: Effects::default(), time: 0 };
            for (offset, value) in [(CTL, SW_RST), (CTL, 0xc9), (CONF, AUTO_MODE), (ADDR, 0x66 << 10)] {
                bench.write(offset, value);
            }
            bench
        }

        fn at(&self) -> Access {
            Access { core: 4, time: self.time, pc: 0, secure: false }
        }

        fn write(&mut self, offset: u32, value: u32) {
            let at = self.at();
            self.bus.write(offset, Size::Word, value, &at, &mut self.effects).expect("answers");
        }

        fn read(&mut self, offset: u32) -> u32 {
            let at = self.at();
            self.bus.read(offset, Size::Word, &at, &mut self.effects).expect("answers")
        }

        /// Starts a transfer and waits for its end.
        fn transfer(&mut self, conf: u32, bytes: &[u8]) -> u32 {
            self.write(AUTO_CONF, MASTER_RUN | conf);
            bytes.iter().for_each(|byte| self.write(TX_DATA, (*byte).into()));
            for _ in 0..100 {
                self.time += 10_000;
                let status = self.read(TRANS_STATUS);
                if status & (DONE | NO_DEVICE) != 0 {
                    return status;
                }
            }
            panic!("the transfer never ended");
        }
    }

    #[test]
    fn a_register_is_written_and_read_back() {
        let mut bench = Bench::new(false);
        assert_eq!(bench.transfer(STOP_AFTER | 2, &[0x28, 0x38]), DONE);
        assert_eq!(bench.bus.pmic.target(Rail::Arm), 1_000_000);
        assert_eq!(bench.transfer(1, &[0x28]), DONE);
        assert_eq!(bench.transfer(READ | STOP_AFTER | 1, &[]), DONE);
        assert_eq!(bench.read(RX_DATA), 0x38);
        assert!(bench.effects.findings.is_empty());
    }

    #[test]
    fn nobody_answers_on_a_deaf_bus() {
        let mut bench = Bench::new(true);
        assert_eq!(bench.transfer(STOP_AFTER | 2, &[]), NO_DEVICE);
    }

    #[test]
    fn a_transfer_without_a_master_is_a_finding() {
        let mut bench = Bench::new(false);
        bench.write(CTL, SW_RST);
        bench.write(AUTO_CONF, MASTER_RUN | STOP_AFTER | 2);
        assert_eq!(bench.effects.findings[0].kind, FindingKind::Pmic);
    }
}
