//! QEMU's `vexpress-a15`: up to four Cortex-A15, all at `_start` at once when an ELF file is loaded.
//!
//! Addresses: ARM DUI 0447 (V2M-P1 motherboard, RS1 memory map), ARM DUI 0604 (CoreTile Express A15x2) and QEMU
//! `hw/arm/vexpress.c`, read at version 7.2.

use sched::Machine;

use crate::emulated::{BIG, LITTLE, cpu};

/// Two big and two LITTLE CPUs by the capacity table; MPIDR 0x8000_000n in QEMU.
pub static MACHINE: Machine =
    Machine { name: "vexpress-a15", cpus: &[cpu(0, &BIG), cpu(1, &BIG), cpu(2, &LITTLE), cpu(3, &LITTLE)] };

/// The frequency of the generic timer in hertz.
pub const TIMER_HZ: u32 = crate::emulated::TIMER_HZ;

/// Base and greatest size of the RAM.
pub const RAM: (u32, u32) = (0x8000_0000, 0x4000_0000);

/// GIC distributor.
pub const GIC_DISTRIBUTOR_BASE: usize = 0x2c00_1000;
/// GIC CPU interface, banked.
pub const GIC_CPU_INTERFACE_BASE: usize = 0x2c00_2000;

/// Console: the first PL011 of the motherboard.
pub const UART_BASE: usize = 0x1c09_0000;
/// Its interrupt: SPI 5.
pub const UART_INTERRUPT: u32 = 32 + 5;

/// System registers of the motherboard: power-off and reset by `SYS_CFGCTRL`, boot flags in `SYS_FLAGS`.
pub const SYSTEM_REGISTERS_BASE: usize = 0x1c01_0000;

/// Base and size of the areas that hold the devices above: the motherboard's peripherals and the private ones.
pub static DEVICES: [(u32, u32); 2] = [(0x1c00_0000, 0x0020_0000), (0x2c00_0000, 0x0010_0000)];
