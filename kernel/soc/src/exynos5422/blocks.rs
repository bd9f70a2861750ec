//! Where the blocks of the chip are, and by which interrupts they speak.
//!
//! Read from the board's device tree (`arch/arm/boot/dts/samsung/exynos5422-odroidxu4.dts` and what it includes, below
//! `torvalds/linux`) and compared with it by a test, as far as the tree has them; what it does not have names its
//! source.

/// SPI `n` of the device tree is interrupt `n + 32` of the GIC.
const fn shared(interrupt: u32) -> u32 {
    32 + interrupt
}

/// Chip identification: product in word 0.
pub const CHIP_ID_BASE: usize = 0x1000_0000;
/// Clock-management unit; the part of the A15 cluster begins here, the others behind it.
pub const CLOCK_MANAGEMENT_BASE: usize = 0x1001_0000;
/// Power-management unit: core power, reset, power-off.
pub const POWER_MANAGEMENT_BASE: usize = 0x1004_0000;
/// Thermal-management units of the four A15s and of the GPU.
pub const THERMAL_BASES: [usize; 5] = [0x1006_0000, 0x1006_4000, 0x1006_8000, 0x1006_c000, 0x100a_0000];
/// Their interrupts.
pub const THERMAL_INTERRUPTS: [u32; 5] = [shared(65), shared(183), shared(184), shared(185), shared(215)];
/// Multi-core timer, whose free-running counter feeds the generic timers.
pub const MULTI_CORE_TIMER_BASE: usize = 0x101c_0000;
/// Watchdog.
pub const WATCHDOG_BASE: usize = 0x101d_0000;
/// Its interrupt.
pub const WATCHDOG_INTERRUPT: u32 = shared(42);
/// Interrupt combiner: 32 groups of eight inputs, each with an SPI of the group's number.
pub const COMBINER_BASE: usize = 0x1044_0000;
/// Cache-coherent interconnect, CCI-400.
pub const INTERCONNECT_BASE: usize = 0x10d2_0000;
/// Its slave interface of the A7 cluster; the tree's `slave-if@4000`, its `cci-control0` one of `cpu@100`.
pub const INTERCONNECT_PORT_A7: usize = 3;
/// Its slave interface of the A15 cluster; the tree's `slave-if@5000`.
pub const INTERCONNECT_PORT_A15: usize = 4;
/// UARTs 0-3; the console is number 2.
pub const UART_BASES: [usize; 4] = [0x12c0_0000, 0x12c1_0000, 0x12c2_0000, 0x12c3_0000];
/// Their interrupts.
pub const UART_INTERRUPTS: [u32; 4] = [shared(51), shared(52), shared(53), shared(54)];
/// I2C master 4 of the fast kind, which leads to the power-management IC.
pub const PMIC_I2C_BASE: usize = 0x12ca_0000;
/// Its interrupt.
pub const PMIC_I2C_INTERRUPT: u32 = shared(60);
/// Address of the power-management IC, an S2MPS11, on that bus.
pub const PMIC_ADDRESS: u32 = 0x66;
/// Bank of pins that lead there: GPA2, its pins 0 and 1 with function 3 (`i2c4_hs_bus` of exynos5420-pinctrl.dtsi).
pub const PMIC_PINS_BASE: usize = 0x1401_0040;
/// At which sensor's base the factory code of each one lies. Those of sensors 2, 3 and of the GPU are swapped around:
/// the tree's second register area, named `tmu_triminfo_apbif`.
pub const THERMAL_TRIM_IS_AT: [usize; 5] = [0, 1, 3, 4, 2];
/// PWM timers; channel 0 drives the fan.
pub const PWM_BASE: usize = 0x12dd_0000;
/// Pin controllers 0-4.
pub const PIN_CONTROL_BASES: [usize; 5] = [0x1340_0000, 0x1341_0000, 0x1400_0000, 0x1401_0000, 0x0386_0000];

/// Page of on-chip memory for the normal world: the mailbox of cores that come up (`samsung,secure-firmware`).
pub const MAILBOX_BASE: usize = 0x0207_3000;

/// Base and size of each area of registers that the kernel maps, whole megabytes.
pub static DEVICES: [(u32, u32); 6] = [
    (0x0200_0000, 0x10_0000), // mailbox page; the rest of this memory is the secure world's
    (0x1000_0000, 0x20_0000), // chip, clocks, power, temperatures, MCT, watchdog
    (0x1040_0000, 0x10_0000), // combiner, GIC
    (0x10d0_0000, 0x10_0000), // interconnect
    (0x12c0_0000, 0x20_0000), // UARTs, I2C, PWM
    (0x1400_0000, 0x10_0000), // pins
];
