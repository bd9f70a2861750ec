//! System registers of the Versatile Express motherboard: ending the machine (ARM DUI 0447J 4.3.14, 4.5).
#![expect(unsafe_code, reason = "device registers at an address that the board gives")]

use core::fmt;

use tock_registers::interfaces::{Readable, Writeable};
use tock_registers::registers::ReadWrite;
use tock_registers::{register_bitfields, register_structs};

register_bitfields! { u32,
    CFGCTRL [
        START OFFSET(31) NUMBITS(1) [],
        WRITE OFFSET(30) NUMBITS(1) [],
        FUNCTION OFFSET(20) NUMBITS(6) [ Shutdown = 8, Reboot = 9 ],
    ],
    CFGSTAT [
        ERROR OFFSET(1) NUMBITS(1) [],
        COMPLETE OFFSET(0) NUMBITS(1) [],
    ],
}

register_structs! {
    Registers {
        (0x00 => _gap0),
        (0xa0 => configuration_data: ReadWrite<u32>),
        (0xa4 => configuration_control: ReadWrite<u32, CFGCTRL::Register>),
        (0xa8 => configuration_status: ReadWrite<u32, CFGSTAT::Register>),
        (0xac => @END),
    }
}

/// Polls of the status before the motherboard's controller counts as dead.
const PATIENCE: u32 = 1_000_000;

/// The motherboard did not do what it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It said that it cannot.
    Error,
    /// It said nothing.
    Timeout,
}

/// The motherboard's system registers.
pub struct SystemRegisters {
    registers: &'static Registers,
}

// SAFETY: each request is a few single accesses to registers; whoever ends the machine first, ends it.
unsafe impl Sync for SystemRegisters {}
// SAFETY: as above; a register does not care which CPU holds the reference.
unsafe impl Send for SystemRegisters {}

impl fmt::Debug for SystemRegisters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SystemRegisters({:p})", self.registers)
    }
}

impl SystemRegisters {
    /// Takes the registers at `base`.
    ///
    /// # Safety
    ///
    /// At `base` are these registers, mapped as device memory for ever, and nobody else uses the configuration port.
    #[must_use]
    pub unsafe fn claim(base: usize) -> Self {
        // SAFETY: the caller's promise; register cells allow shared access.
        Self { registers: unsafe { &*(base as *const Registers) } }
    }

    /// Switches the machine off. Returns only if that does not work, and then why.
    pub fn power_off(&self) -> Refused {
        self.request(CFGCTRL::FUNCTION::Shutdown)
    }

    /// Restarts the machine; its memory keeps its content. Returns only if that does not work, and then why.
    pub fn reboot(&self) -> Refused {
        self.request(CFGCTRL::FUNCTION::Reboot)
    }

    fn request(&self, function: tock_registers::fields::FieldValue<u32, CFGCTRL::Register>) -> Refused {
        self.registers.configuration_status.set(0);
        self.registers.configuration_data.set(0);
        self.registers.configuration_control.write(CFGCTRL::START::SET + CFGCTRL::WRITE::SET + function);
        let failed = (0..PATIENCE).any(|_| {
            core::hint::spin_loop();
            self.registers.configuration_status.is_set(CFGSTAT::ERROR)
        });
        if failed { Refused::Error } else { Refused::Timeout }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::boxed::Box;

    #[test]
    fn asks_the_motherboard() {
        let memory: &'static mut [u32; 43] = Box::leak(Box::new([0; 43]));
        let base = memory.as_mut_ptr();
        // SAFETY: leaked memory as large as the registers, used by this thread alone.
        let system = unsafe { SystemRegisters::claim(base.addr()) };
        for (ends, expected) in
            [(SystemRegisters::power_off as fn(&_) -> _, 0xc080_0000), (SystemRegisters::reboot, 0xc090_0000)]
        {
            assert_eq!(ends(&system), Refused::Timeout, "plain memory does not end");
            // SAFETY: within the array; the registers are cells over the same memory.
            assert_eq!(unsafe { base.add(0xa4 / 4).read_volatile() }, expected);
        }
    }
}
