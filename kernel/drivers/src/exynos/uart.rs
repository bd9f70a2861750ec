//! Serial port of Samsung's SoCs, polled for sending, with an interrupt for receiving
//! (`include/linux/serial_s3c.h`, `drivers/tty/serial/samsung_tty.c`).
//!
//! Clock and divisor stay as the boot loader left them: they printed its messages, while a divisor computed from a
//! clock that is not what one thinks prints rubbish, which looks like a hang.
#![expect(unsafe_code, reason = "device registers at an address that the board gives")]

use core::fmt;

use tock_registers::interfaces::{ReadWriteable, Readable, Writeable};
use tock_registers::registers::{ReadOnly, ReadWrite, WriteOnly};
use tock_registers::{register_bitfields, register_structs};

register_bitfields! { u32,
    /// Line control.
    ULCON [
        /// Word length less five, one stop bit, no parity.
        FORMAT OFFSET(0) NUMBITS(7) [ EightN1 = 3 ],
    ],
    /// Control.
    UCON [
        RECEIVE_MODE OFFSET(0) NUMBITS(2) [ InterruptOrPolling = 1 ],
        TRANSMIT_MODE OFFSET(2) NUMBITS(2) [ InterruptOrPolling = 1 ],
        ERROR_INTERRUPT OFFSET(6) NUMBITS(1) [],
        /// A received byte that waits below the trigger level interrupts after a pause of three characters.
        RECEIVE_TIMEOUT OFFSET(7) NUMBITS(1) [],
        RECEIVE_LEVEL OFFSET(8) NUMBITS(1) [],
    ],
    /// FIFO control.
    UFCON [
        ENABLE OFFSET(0) NUMBITS(1) [],
        RECEIVE_TRIGGER OFFSET(4) NUMBITS(3) [],
    ],
    /// State of sender and receiver.
    UTRSTAT [
        /// Neither FIFO nor shifter holds a byte.
        SENT OFFSET(2) NUMBITS(1) [],
    ],
    /// Errors of the byte that is read next; reading clears them.
    UERSTAT [
        OVERRUN OFFSET(0) NUMBITS(1) [],
        PARITY OFFSET(1) NUMBITS(1) [],
        FRAME OFFSET(2) NUMBITS(1) [],
        BREAK OFFSET(3) NUMBITS(1) [],
    ],
    /// FIFO levels.
    UFSTAT [
        RECEIVED OFFSET(0) NUMBITS(8) [],
        RECEIVE_FULL OFFSET(8) NUMBITS(1) [],
        SEND_FULL OFFSET(24) NUMBITS(1) [],
    ],
    /// Interrupts: pending (UINTP; one clears) or masked (UINTM).
    INTERRUPT [
        RECEIVE OFFSET(0) NUMBITS(1) [],
        ERROR OFFSET(1) NUMBITS(1) [],
        SEND OFFSET(2) NUMBITS(1) [],
        MODEM OFFSET(3) NUMBITS(1) [],
    ],
}

register_structs! {
    Registers {
        (0x00 => line_control: ReadWrite<u32, ULCON::Register>),
        (0x04 => control: ReadWrite<u32, UCON::Register>),
        (0x08 => fifo_control: ReadWrite<u32, UFCON::Register>),
        (0x0c => _gap0),
        (0x10 => state: ReadOnly<u32, UTRSTAT::Register>),
        (0x14 => errors: ReadOnly<u32, UERSTAT::Register>),
        (0x18 => fifo_state: ReadOnly<u32, UFSTAT::Register>),
        (0x1c => _gap1),
        (0x20 => send: WriteOnly<u32>),
        (0x24 => receive: ReadOnly<u32>),
        (0x28 => divisor: ReadOnly<u32>),
        (0x2c => divisor_sixteenths: ReadOnly<u32>),
        (0x30 => interrupts: ReadWrite<u32, INTERRUPT::Register>),
        (0x34 => _gap2),
        (0x38 => interrupt_mask: ReadWrite<u32, INTERRUPT::Register>),
        (0x3c => @END),
    }
}

/// Polls of the state before a byte is given up: some milliseconds, where a character at 115200 baud takes 87 µs.
const PATIENCE: u32 = 50_000;

/// The transmitter did not take a byte in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransmitTimeout;

/// One serial port.
///
/// May be used from any CPU at any time. Two concurrent writers may lose a character when the FIFO is nearly full; a
/// lock around whole lines is the caller's business, and a dying system does without.
pub struct Uart {
    registers: &'static Registers,
}

// SAFETY: each operation is a few single accesses to registers; the device, not memory, keeps the state.
unsafe impl Sync for Uart {}
// SAFETY: as above; a register does not care which CPU holds the reference.
unsafe impl Send for Uart {}

impl fmt::Debug for Uart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Uart({:p})", self.registers)
    }
}

impl Uart {
    /// Takes the port at `base` as it is, but for modes, FIFO and interrupts: all masked until they are asked for.
    ///
    /// # Safety
    ///
    /// At `base` is such a port, mapped as device memory for ever and set up by a boot loader, and nobody else drives
    /// it.
    #[must_use]
    pub unsafe fn claim(base: usize) -> Self {
        // SAFETY: the caller's promise; register cells allow shared access.
        let registers = unsafe { &*(base as *const Registers) };
        registers.interrupt_mask.write(all_interrupts());
        registers.line_control.modify(ULCON::FORMAT::EightN1);
        registers.fifo_control.modify(UFCON::ENABLE::SET);
        registers.control.modify(
            UCON::RECEIVE_MODE::InterruptOrPolling + UCON::TRANSMIT_MODE::InterruptOrPolling + UCON::RECEIVE_LEVEL::SET,
        );
        Self { registers }
    }

    /// Sends one byte, waiting some milliseconds at most.
    ///
    /// # Errors
    ///
    /// If the transmit FIFO stays full: the port has no clock.
    pub fn send(&self, byte: u8) -> Result<(), TransmitTimeout> {
        poll(|| !self.registers.fifo_state.is_set(UFSTAT::SEND_FULL))?;
        self.registers.send.set(byte.into());
        Ok(())
    }

    /// Waits until the last byte has left, some milliseconds at most: before the power or the clock goes.
    ///
    /// # Errors
    ///
    /// If bytes stay: the port has no clock.
    pub fn flush(&self) -> Result<(), TransmitTimeout> {
        poll(|| self.registers.state.is_set(UTRSTAT::SENT))
    }

    /// The next byte that arrived intact, if there is one. When none is left, the receive interrupt falls.
    pub fn receive(&self) -> Option<u8> {
        if !self.has_received() {
            self.registers.interrupts.write(INTERRUPT::RECEIVE::SET);
        }
        // Looked at again: a byte that came before the note was taken back raises no other one.
        while self.has_received() {
            let errors = self.registers.errors.extract();
            let byte = self.registers.receive.get();
            if !errors.any_matching_bits_set(UERSTAT::PARITY::SET + UERSTAT::FRAME::SET + UERSTAT::BREAK::SET) {
                return Some(byte as u8);
            }
        }
        None
    }

    /// Lets received bytes raise the interrupt: at once for a quarter of the FIFO, after a pause for less.
    pub fn enable_receive_interrupt(&self) {
        self.registers.fifo_control.modify(UFCON::RECEIVE_TRIGGER.val(0));
        self.registers.control.modify(UCON::RECEIVE_TIMEOUT::SET);
        self.registers.interrupts.write(all_interrupts());
        self.registers.interrupt_mask.modify(INTERRUPT::RECEIVE::CLEAR);
    }

    /// The divisor that the boot loader left: whole clocks of a sixteenth of a bit, less one, and the rest in
    /// sixteenths.
    #[must_use]
    pub fn divisor(&self) -> (u32, u32) {
        (self.registers.divisor.get(), self.registers.divisor_sixteenths.get() & 0xf)
    }

    fn has_received(&self) -> bool {
        self.registers.fifo_state.any_matching_bits_set(UFSTAT::RECEIVED.val(!0) + UFSTAT::RECEIVE_FULL::SET)
    }
}

fn all_interrupts() -> tock_registers::fields::FieldValue<u32, INTERRUPT::Register> {
    INTERRUPT::RECEIVE::SET + INTERRUPT::ERROR::SET + INTERRUPT::SEND::SET + INTERRUPT::MODEM::SET
}

fn poll(done: impl Fn() -> bool) -> Result<(), TransmitTimeout> {
    let arrived = (0..PATIENCE).any(|_| {
        let done = done();
        if !done {
            core::hint::spin_loop();
        }
        done
    });
    if arrived { Ok(()) } else { Err(TransmitTimeout) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::boxed::Box;
    use std::cell::UnsafeCell;

    const UCON: usize = 0x04;
    const UFCON: usize = 0x08;
    const UTRSTAT: usize = 0x10;
    const UERSTAT: usize = 0x14;
    const UFSTAT: usize = 0x18;
    const UTXH: usize = 0x20;
    const URXH: usize = 0x24;
    const UBRDIV: usize = 0x28;
    const UINTP: usize = 0x30;
    const UINTM: usize = 0x38;

    /// A port of plain memory, as U-Boot leaves it.
    struct Fake(&'static [UnsafeCell<u32>; 15]);

    impl Fake {
        fn new() -> Self {
            let fake = Self(Box::leak(Box::new([const { UnsafeCell::new(0) }; 15])));
            for (offset, value) in [(0x00, 3), (UCON, 0x245), (UFCON, 0x111), (UBRDIV, 27), (0x2c, 13)] {
                fake.set(offset, value);
            }
            fake
        }

        fn claim(&self) -> Uart {
            // SAFETY: leaked memory as large as the registers, used by this thread alone.
            unsafe { Uart::claim(self.0.as_ptr().addr()) }
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

    #[test]
    fn clock_and_divisor_stay() {
        let fake = Fake::new();
        let uart = fake.claim();
        assert_eq!(uart.divisor(), (27, 13), "115200 baud from 53.2 MHz");
        assert_eq!(fake.get(UCON), 0x345, "clock select and modes as they were");
        assert_eq!(fake.get(UFCON), 0x111, "no FIFO reset: what U-Boot printed is still on its way");
        assert_eq!(fake.get(UINTM), 0xf);
    }

    #[test]
    fn sends_when_there_is_room() {
        let fake = Fake::new();
        assert_eq!(fake.claim().send(b'G'), Ok(()));
        assert_eq!(fake.get(UTXH), u32::from(b'G'));
    }

    #[test]
    fn a_stuck_transmitter_costs_bounded_time() {
        let fake = Fake::new();
        fake.set(UFSTAT, 1 << 24);
        assert_eq!(fake.claim().send(b'G'), Err(TransmitTimeout));
        assert_eq!(fake.get(UTXH), 0);
        assert_eq!(fake.claim().flush(), Err(TransmitTimeout));
        fake.set(UTRSTAT, 1 << 2);
        assert_eq!(fake.claim().flush(), Ok(()));
    }

    #[test]
    fn receives_what_is_there() {
        let fake = Fake::new();
        let uart = fake.claim();
        assert_eq!(uart.receive(), None);
        fake.set(URXH, u32::from(b'x'));
        for level in [1, 0x100] {
            fake.set(UFSTAT, level);
            assert_eq!(uart.receive(), Some(b'x'));
        }
        fake.set(UERSTAT, 1);
        assert_eq!(uart.receive(), Some(b'x'), "an overrun lost others, not this one");
    }

    #[test]
    fn received_bytes_interrupt() {
        let fake = Fake::new();
        fake.claim().enable_receive_interrupt();
        assert_eq!((fake.get(UINTM), fake.get(UINTP)), (0xe, 0xf));
        assert_eq!(fake.get(UCON) & 1 << 7, 1 << 7, "a single key is not enough for the trigger level");
        assert_eq!(fake.get(UFCON), 0x101);
    }
}
