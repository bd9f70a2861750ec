//! What the vendor's secure monitor does for the non-secure world, as the words of its calls.
//!
//! Read from the monitor itself (`hardkernel/u-boot`, `sd_fuse/tzsw.bin.hardkernel`) and `arch/arm/mach-exynos/smc.h`.
//! A call has its number in r0 and answers there: 0 done, -1 refused or unknown. The call itself, the SMC instruction,
//! is not a driver's business.

/// SMC_CMD_REG: write a register that only the secure world may write. r1 says which, r2 the value.
const WRITE_REGISTER: u32 = -101_i32 as u32;
/// In r1: a device register, by its address in words; without it, a register of coprocessor 15.
const DEVICE: u32 = 0b01 << 30;

/// Registers of coprocessor 15 that the monitor writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemRegister {
    /// ACTLR, p15 0 c1 c0 1.
    AuxiliaryControl,
    /// L2ACTLR of a Cortex-A15, p15 1 c15 c0 0.
    L2AuxiliaryControl,
}

impl SystemRegister {
    /// CRn, opc1, CRm and opc2 as the monitor packs them.
    const fn number(self) -> u32 {
        let (crn, opc1, crm, opc2) = match self {
            Self::AuxiliaryControl => (1, 0, 0, 1),
            Self::L2AuxiliaryControl => (15, 1, 0, 0),
        };
        crn << 10 | opc1 << 7 | crm << 3 | opc2
    }
}

/// r0-r3 of the call that writes `value` to a system register of the executing core.
#[must_use]
pub const fn write_system_register(register: SystemRegister, value: u32) -> [u32; 4] {
    [WRITE_REGISTER, register.number(), value, 0]
}

/// r0-r3 of the call that writes `value` to the device register at `address`. The monitor has a short list of those it
/// writes.
#[must_use]
pub const fn write_device_register(address: u32, value: u32) -> [u32; 4] {
    [WRITE_REGISTER, DEVICE | address >> 2, value, 0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_registers_have_the_numbers_of_the_monitors_list() {
        assert_eq!(write_system_register(SystemRegister::AuxiliaryControl, 0x40), [0xffff_ff9b, 0x401, 0x40, 0]);
        assert_eq!(write_system_register(SystemRegister::L2AuxiliaryControl, 0x80), [0xffff_ff9b, 0x3c80, 0x80, 0]);
    }

    #[test]
    fn device_registers_go_by_words() {
        assert_eq!(write_device_register(0x10d2_0008, 1), [0xffff_ff9b, 0x4434_8002, 1, 0]);
    }
}
