//! Samsung Exynos5422, as on the Odroid XU4: four Cortex-A15 and four Cortex-A7.
//!
//! There is no public manual. Sources, all below `torvalds/linux`:
//! - `arch/arm/boot/dts/samsung/exynos5422-cpus.dtsi`: MPIDR values, boot order, work per cycle;
//! - `exynos5420.dtsi`, overridden by `exynos5800.dtsi` and `exynos5422-odroid-core.dtsi`: the operating points;
//! - `exynos54xx.dtsi`, `exynos5.dtsi`: peripherals, interrupts, the timer's frequency.
//!
//! The voltages are those of the device tree, which suit the worst chip bin (ASV group 0 of
//! `drivers/soc/samsung/exynos5422-asv.c`); they are safe for every other one.

pub mod blocks;
pub mod clocks;
pub mod heat;
pub mod measured;
pub mod power;

pub use heat::{CLUSTER_OFF, HEAT, OPP_LATENCY, SCALING_LATENCY};
pub use measured::{CACHE_KILLER, CACHE_RESIDENT, ENCRYPT, GZIP, HASH};
pub use power::{DEVICE_TREE, LEAKY, LOOPER, PROFILES};

use sched::{CoreType, CpuFacts, CpuKind, Kilohertz, Machine, Microvolts, Opp};

/// Cortex-A15 r2p3, cluster 0.
pub static CORTEX_A15: CpuKind = CpuKind {
    core: CoreType::Big,
    // `capacity-dmips-mhz` in exynos5422-cpus.dtsi.
    dmips_per_mhz: 1024,
    // `cluster_a15_opp_table`. That 1600 and 1700 MHz need more than 1800 is as in the device tree.
    opps: &[
        opp(200, 900_000),
        opp(300, 900_000),
        opp(400, 900_000),
        opp(500, 900_000),
        opp(600, 900_000),
        opp(700, 900_000),
        opp(800, 900_000),
        opp(900, 1_000_000),
        opp(1000, 1_000_000),
        opp(1100, 1_000_000),
        opp(1200, 1_000_000),
        opp(1300, 1_100_000),
        opp(1400, 1_100_000),
        opp(1500, 1_100_000),
        opp(1600, 1_250_000),
        opp(1700, 1_250_000),
        opp(1800, 1_237_500),
        opp(1900, 1_262_500),
        opp(2000, 1_312_500),
    ],
};

/// Cortex-A7 r0p3, cluster 1.
pub static CORTEX_A7: CpuKind = CpuKind {
    core: CoreType::Little,
    // `capacity-dmips-mhz` in exynos5422-cpus.dtsi.
    dmips_per_mhz: 539,
    // `cluster_a7_opp_table`. The vendor's 1500 MHz is left out: unstable on many boards (hardkernel/linux#355).
    opps: &[
        opp(200, 900_000),
        opp(300, 900_000),
        opp(400, 1_000_000),
        opp(500, 1_000_000),
        opp(600, 1_000_000),
        opp(700, 1_000_000),
        opp(800, 1_100_000),
        opp(900, 1_100_000),
        opp(1000, 1_100_000),
        opp(1100, 1_250_000),
        opp(1200, 1_250_000),
        opp(1300, 1_250_000),
        opp(1400, 1_275_000),
    ],
};

/// All eight CPUs in boot order: every Odroid board straps the boot ROM for the A7 cluster, so the first CPU is
/// the one with MPIDR 0x8000_0100 (exynos5422-cpus.dtsi lists `cpu@100` first).
pub static MACHINE: Machine = Machine {
    name: "odroid-xu4",
    cpus: &[
        cpu(0x100, &CORTEX_A7),
        cpu(0x101, &CORTEX_A7),
        cpu(0x102, &CORTEX_A7),
        cpu(0x103, &CORTEX_A7),
        cpu(0x000, &CORTEX_A15),
        cpu(0x001, &CORTEX_A15),
        cpu(0x002, &CORTEX_A15),
        cpu(0x003, &CORTEX_A15),
    ],
};

/// A Cortex-A7 as the loops of integer work see it that this kernel is measured by: 661 · 1.4 GHz / (1024 · 2.0 GHz) is
/// 28 / 62, the ratio that people measured ([`LOOPER`]). The 539 of the device tree is below every class of work in
/// [`measured`].
pub static LOOPER_A7: CpuKind = CpuKind { dmips_per_mhz: 661, ..CORTEX_A7 };

/// The CPUs of [`MACHINE`] with those Cortex-A7s: what a kernel schedules by that changes the clocks.
pub static LOOPER_MACHINE: Machine = Machine { name: MACHINE.name, cpus: &LOOPER_CPUS };

static LOOPER_CPUS: [CpuFacts; 8] = {
    let mut cpus = [cpu(0, &LOOPER_A7); 8];
    let mut index = 0;
    while index < cpus.len() {
        let CpuFacts { mpidr, kind } = MACHINE.cpus[index];
        cpus[index] = cpu(mpidr, if matches!(kind.core, CoreType::Little) { &LOOPER_A7 } else { kind });
        index += 1;
    }
    cpus
};

/// The operating points of one kind of core.
#[must_use]
pub const fn opps(core: CoreType) -> &'static [Opp] {
    match core {
        CoreType::Big => CORTEX_A15.opps,
        CoreType::Little => CORTEX_A7.opps,
    }
}

const _: () = assert!(matches!(MACHINE.index_of(0x8000_0100), Some(0)), "the boot core must be CPU 0");

/// The frequency of the generic timer in hertz (`clock-frequency` of the timer node). CNTFRQ is not set by the
/// firmware, and the counter stands still until the multi-core timer's own counter is started
/// (`drivers/clocksource/exynos_mct.c`).
pub const TIMER_HZ: u32 = 24_000_000;

/// What the I2C masters and the PWM run on (`aclk66` of `drivers/clk/samsung/clk-exynos5420.c`).
pub const PERIPHERAL_HZ: u32 = 66_000_000;
/// The bus of the power-management IC; its node in the tree has no `clock-frequency`, so this is the default of Linux'
/// driver.
pub const PMIC_BUS_HZ: u32 = 100_000;

/// Start of the DRAM.
pub const RAM_BASE: usize = 0x4000_0000;
/// Usable DRAM in bytes: 2 GiB without the 22 MiB at the top that belong to the secure firmware.
pub const RAM_SIZE: usize = 0x7ea0_0000;

/// GIC-400 distributor.
pub const GIC_DISTRIBUTOR_BASE: usize = 0x1048_1000;
/// GIC-400 CPU interface, banked.
pub const GIC_CPU_INTERFACE_BASE: usize = 0x1048_2000;

/// Console of the Odroid boards: UART 2 (`stdout-path = "serial2:115200n8"`).
pub const UART_BASE: usize = 0x12c2_0000;
/// Its interrupt: SPI 53.
pub const UART_INTERRUPT: u32 = 32 + 53;

/// Multi-core timer, whose free-running counter feeds the generic timer.
pub const MULTI_CORE_TIMER_BASE: usize = 0x101c_0000;

const fn opp(megahertz: u32, microvolts: u32) -> Opp {
    Opp { frequency: Kilohertz::from_mhz(megahertz), voltage: Microvolts::new(microvolts) }
}

const fn cpu(mpidr: u32, kind: &'static CpuKind) -> CpuFacts {
    CpuFacts { mpidr, kind }
}
