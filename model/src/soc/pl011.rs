//! Arm PrimeCell UART (ARM DDI 0183G), as the virtual machine has it: the line is infinitely fast.

use std::collections::VecDeque;

use crate::bus::{Access, BusFault, Size};
use crate::soc::device::{Device, Effects, Words};

const DR: u32 = 0x00;
const FR: u32 = 0x18;
const CR: u32 = 0x30;
const IMSC: u32 = 0x38;
const RIS: u32 = 0x3c;
const MIS: u32 = 0x40;
const ICR: u32 = 0x44;
const PERIPHERAL_ID: u32 = 0xfe0;

const FR_RECEIVE_EMPTY: u32 = 1 << 4;
const FR_TRANSMIT_EMPTY: u32 = 1 << 7;
const RECEIVE: u32 = 1 << 4;
const TRANSMIT: u32 = 1 << 5;
const RECEIVE_TIMEOUT: u32 = 1 << 6;

/// Identification, a byte a word: PL011 r1p4, PrimeCell (3.3.15, 3.3.16).
const IDENTIFICATION: [u8; 8] = [0x11, 0x10, 0x14, 0x00, 0x0d, 0xf0, 0x05, 0xb1];

/// One PL011.
#[derive(Clone, Debug)]
pub struct Pl011 {
    registers: Words,
    received: VecDeque<u8>,
    interrupt: u32,
    raw: u32,
}

impl Pl011 {
    /// A UART whose interrupt line is `interrupt`, switched on as firmware leaves it.
    #[must_use]
    pub fn new(interrupt: u32) -> Self {
        Self { registers: Words::new(0x48).with(CR, 0x301), received: VecDeque::new(), interrupt, raw: 0 }
    }

    /// Somebody types.
    pub fn receive(&mut self, bytes: &[u8], effects: &mut Effects) {
        self.received.extend(bytes);
        self.settle(effects);
    }

    fn settle(&mut self, effects: &mut Effects) {
        let waiting = if self.received.is_empty() { 0 } else { RECEIVE | RECEIVE_TIMEOUT };
        self.raw = self.raw & !(RECEIVE | RECEIVE_TIMEOUT) | waiting;
        effects.line(self.interrupt, self.raw & self.registers.get(IMSC) != 0);
    }
}

impl Device for Pl011 {
    fn read(&mut self, offset: u32, _: Size, _: &Access, effects: &mut Effects) -> Result<u32, BusFault> {
        Ok(match offset {
            DR => {
                let byte = self.received.pop_front().unwrap_or(0);
                self.settle(effects);
                byte.into()
            }
            FR => FR_TRANSMIT_EMPTY | if self.received.is_empty() { FR_RECEIVE_EMPTY } else { 0 },
            RIS => self.raw,
            MIS => self.raw & self.registers.get(IMSC),
            PERIPHERAL_ID.. => {
                IDENTIFICATION.get((offset - PERIPHERAL_ID) as usize / 4).map_or(0, |byte| (*byte).into())
            }
            _ => self.registers.get(offset),
        })
    }

    fn write(&mut self, offset: u32, _: Size, value: u32, _: &Access, effects: &mut Effects) -> Result<(), BusFault> {
        match offset {
            DR => {
                effects.output.push(value as u8);
                self.raw |= TRANSMIT;
            }
            ICR => self.raw &= !value,
            _ => self.registers.set(offset, value),
        }
        self.settle(effects);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Access = Access { core: 0, time: 0, pc: 0, secure: false };

    #[test]
    fn what_is_written_goes_out() {
        let (mut uart, mut effects) = (Pl011::new(33), Effects::default());
        uart.write(DR, Size::Word, b'G'.into(), &AT, &mut effects).expect("answers");
        assert_eq!(effects.output, b"G");
    }

    #[test]
    fn what_is_typed_interrupts_until_it_is_read() {
        let (mut uart, mut effects) = (Pl011::new(33), Effects::default());
        uart.write(IMSC, Size::Word, RECEIVE, &AT, &mut effects).expect("answers");
        uart.receive(b"x", &mut effects);
        assert_eq!(effects.lines.last(), Some(&(33, true)));
        assert_eq!(uart.read(FR, Size::Word, &AT, &mut effects), Ok(FR_TRANSMIT_EMPTY));
        assert_eq!(uart.read(DR, Size::Word, &AT, &mut effects), Ok(b'x'.into()));
        assert_eq!(effects.lines.last(), Some(&(33, false)));
    }
}
