//! QEMU's `virt` with `gic-version=2`: up to eight Cortex-A15 or A7, secondaries started by PSCI.
//!
//! Addresses: QEMU `hw/arm/virt.c` (`base_memmap`, `a15irqmap`), read at version 7.2.

use sched::Machine;

use crate::emulated::{BIG, LITTLE, cpu};

/// Four big and four LITTLE CPUs by the capacity table. With GICv2 the machine numbers up to eight cores in
/// Aff0; it models no clusters.
pub static MACHINE: Machine = Machine {
    name: "qemu-virt",
    cpus: &[
        cpu(0, &BIG),
        cpu(1, &BIG),
        cpu(2, &BIG),
        cpu(3, &BIG),
        cpu(4, &LITTLE),
        cpu(5, &LITTLE),
        cpu(6, &LITTLE),
        cpu(7, &LITTLE),
    ],
};

/// The frequency of the generic timer in hertz.
pub const TIMER_HZ: u32 = crate::emulated::TIMER_HZ;

/// Base of the RAM and the greatest size that a 32-bit core can use of it. QEMU puts the device tree into it.
pub const RAM: (u32, u32) = (0x4000_0000, 0xc000_0000);

/// GIC distributor.
pub const GIC_DISTRIBUTOR_BASE: usize = 0x0800_0000;
/// GIC CPU interface, banked.
pub const GIC_CPU_INTERFACE_BASE: usize = 0x0801_0000;

/// Console: a PL011.
pub const UART_BASE: usize = 0x0900_0000;
/// Its interrupt: SPI 1.
pub const UART_INTERRUPT: u32 = 32 + 1;

/// Base and size of the area that holds the devices above.
pub static DEVICES: [(u32, u32); 1] = [(0x0800_0000, 0x0200_0000)];
