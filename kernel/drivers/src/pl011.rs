//! Arm PrimeCell UART (PL011), ARM DDI 0183G.
#![expect(unsafe_code, reason = "device registers at an address that the board gives")]

use core::fmt;

use tock_registers::interfaces::{ReadWriteable, Readable, Writeable};
use tock_registers::registers::{ReadOnly, ReadWrite, WriteOnly};
use tock_registers::{register_bitfields, register_structs};

register_bitfields! { u32,
    /// Data (3.3.1).
    DR [
        BREAK OFFSET(10) NUMBITS(1) [],
        PARITY OFFSET(9) NUMBITS(1) [],
        FRAMING OFFSET(8) NUMBITS(1) [],
        DATA OFFSET(0) NUMBITS(8) [],
    ],
    /// Flags (3.3.3).
    FR [
        TRANSMIT_FULL OFFSET(5) NUMBITS(1) [],
        RECEIVE_EMPTY OFFSET(4) NUMBITS(1) [],
    ],
    /// Line control (3.3.7).
    LCR [
        WORD_LENGTH OFFSET(5) NUMBITS(2) [ EightBits = 3 ],
        FIFOS OFFSET(4) NUMBITS(1) [],
    ],
    /// Control (3.3.8).
    CR [
        RECEIVE OFFSET(9) NUMBITS(1) [],
        TRANSMIT OFFSET(8) NUMBITS(1) [],
        UART OFFSET(0) NUMBITS(1) [],
    ],
    /// FIFO levels (3.3.9).
    IFLS [
        RECEIVE OFFSET(3) NUMBITS(3) [ OneEighth = 0 ],
    ],
    /// Interrupts: mask (3.3.10) and clear (3.3.13).
    INTERRUPT [
        RECEIVE_TIMEOUT OFFSET(6) NUMBITS(1) [],
        RECEIVE OFFSET(4) NUMBITS(1) [],
    ],
}

register_structs! {
    Registers {
        (0x00 => data: ReadWrite<u32, DR::Register>),
        (0x04 => _gap0),
        (0x18 => flags: ReadOnly<u32, FR::Register>),
        (0x1c => _gap1),
        (0x2c => line_control: ReadWrite<u32, LCR::Register>),
        (0x30 => control: ReadWrite<u32, CR::Register>),
        (0x34 => fifo_levels: ReadWrite<u32, IFLS::Register>),
        (0x38 => interrupt_mask: ReadWrite<u32, INTERRUPT::Register>),
        (0x3c => _gap2),
        (0x44 => interrupt_clear: WriteOnly<u32, INTERRUPT::Register>),
        (0x48 => @END),
    }
}

/// Polls of the flags before a byte is given up: some milliseconds, where a character at 115200 baud takes 87 µs.
const PATIENCE: u32 = 50_000;

/// The transmitter did not take a byte in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransmitTimeout;

/// One PL011.
///
/// May be used from any CPU at any time. Two concurrent writers may lose a character when the FIFO is nearly full; a
/// lock around whole lines is the caller's business, and a dying system does without.
pub struct Pl011 {
    registers: &'static Registers,
}

// SAFETY: each operation is a few single accesses to registers; the device, not memory, keeps the state.
unsafe impl Sync for Pl011 {}
// SAFETY: as above; a register does not care which CPU holds the reference.
unsafe impl Send for Pl011 {}

impl fmt::Debug for Pl011 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pl011({:p})", self.registers)
    }
}

impl Pl011 {
    /// Takes the device at `base`. A UART that the firmware set up keeps its settings, its divisor above all, which
    /// cannot be computed without knowing the clock; one that is off is set to eight bits with FIFOs and switched on.
    ///
    /// # Safety
    ///
    /// At `base` is a PL011, mapped as device memory for ever, and nobody else drives it.
    #[must_use]
    pub unsafe fn claim(base: usize) -> Self {
        // SAFETY: the caller's promise; register cells allow shared access.
        let registers = unsafe { &*(base as *const Registers) };
        if !registers.control.is_set(CR::UART) {
            registers.line_control.write(LCR::WORD_LENGTH::EightBits + LCR::FIFOS::SET);
            registers.control.modify(CR::UART::SET + CR::TRANSMIT::SET + CR::RECEIVE::SET);
        }
        Self { registers }
    }

    /// Sends one byte, waiting some milliseconds at most.
    ///
    /// # Errors
    ///
    /// If the transmit FIFO stays full: the line is held by flow control, or the UART has no clock.
    pub fn send(&self, byte: u8) -> Result<(), TransmitTimeout> {
        if !(0..PATIENCE).any(|_| self.can_send()) {
            return Err(TransmitTimeout);
        }
        self.registers.data.write(DR::DATA.val(byte.into()));
        Ok(())
    }

    /// The next byte that arrived intact, if there is one. When none is left, the receive interrupt falls.
    pub fn receive(&self) -> Option<u8> {
        while !self.registers.flags.is_set(FR::RECEIVE_EMPTY) {
            let data = self.registers.data.extract();
            if !data.any_matching_bits_set(DR::BREAK::SET + DR::PARITY::SET + DR::FRAMING::SET) {
                return Some(data.read(DR::DATA) as u8);
            }
        }
        None
    }

    /// Lets received bytes raise the interrupt: at once for a full eighth of the FIFO, after a pause for less.
    pub fn enable_receive_interrupt(&self) {
        self.registers.fifo_levels.modify(IFLS::RECEIVE::OneEighth);
        self.registers.interrupt_clear.write(INTERRUPT::RECEIVE::SET + INTERRUPT::RECEIVE_TIMEOUT::SET);
        self.registers.interrupt_mask.write(INTERRUPT::RECEIVE::SET + INTERRUPT::RECEIVE_TIMEOUT::SET);
    }

    fn can_send(&self) -> bool {
        let ready = !self.registers.flags.is_set(FR::TRANSMIT_FULL);
        if !ready {
            core::hint::spin_loop();
        }
        ready
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::boxed::Box;
    use std::cell::UnsafeCell;

    /// A PL011 of plain memory, with these flags.
    struct Fake(&'static [UnsafeCell<u32>; 18]);

    impl Fake {
        fn new(flags: u32) -> Self {
            let fake = Self(Box::leak(Box::new([const { UnsafeCell::new(0) }; 18])));
            fake.set(0x18, flags);
            fake
        }

        fn claim(&self) -> Pl011 {
            // SAFETY: leaked memory as large as the registers, used by this thread alone.
            unsafe { Pl011::claim(self.0.as_ptr().addr()) }
        }

        fn set(&self, offset: usize, value: u32) {
            // SAFETY: no reference into the cell exists.
            unsafe { self.0[offset / 4].get().write_volatile(value) };
        }

        fn get(&self, offset: usize) -> u32 {
            // SAFETY: no reference into the cell exists.
            unsafe { self.0[offset / 4].get().read_volatile() }
        }
    }

    const FULL: u32 = 1 << 5;
    const EMPTY: u32 = 1 << 4;

    #[test]
    fn a_uart_that_is_off_is_switched_on() {
        let fake = Fake::new(EMPTY);
        let _uart = fake.claim();
        assert_eq!(fake.get(0x2c), 0x70, "eight bits, FIFOs");
        assert_eq!(fake.get(0x30), 0x301);
    }

    #[test]
    fn the_firmwares_settings_stay() {
        let fake = Fake::new(EMPTY);
        fake.set(0x30, 0x301);
        fake.set(0x2c, 0x60);
        let _uart = fake.claim();
        assert_eq!(fake.get(0x2c), 0x60);
    }

    #[test]
    fn sends_when_there_is_room() {
        let fake = Fake::new(EMPTY);
        assert_eq!(fake.claim().send(b'G'), Ok(()));
        assert_eq!(fake.get(0x00), u32::from(b'G'));
    }

    #[test]
    fn a_stuck_line_costs_bounded_time() {
        let fake = Fake::new(FULL);
        assert_eq!(fake.claim().send(b'G'), Err(TransmitTimeout));
        assert_eq!(fake.get(0x00), 0);
    }

    #[test]
    fn receives_what_is_there() {
        let fake = Fake::new(EMPTY);
        let uart = fake.claim();
        assert_eq!(uart.receive(), None);
        fake.set(0x18, 0);
        fake.set(0x00, u32::from(b'x'));
        assert_eq!(uart.receive(), Some(b'x'));
    }

    #[test]
    fn received_bytes_interrupt() {
        let fake = Fake::new(EMPTY);
        fake.claim().enable_receive_interrupt();
        assert_eq!((fake.get(0x38), fake.get(0x44)), (0x50, 0x50));
    }
}
