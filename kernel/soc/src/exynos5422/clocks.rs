//! How the clocks of the two clusters are made, and what their supplies may be.
//!
//! Each cluster has a PLL on the 24 MHz crystal, FOUT = 24 MHz · M / (P · 2^S), and dividers behind it that keep buses
//! and debug logic within their limits. The factors are those of `drivers/clk/samsung/clk-exynos5420.c` below
//! `torvalds/linux` (`exynos5420_pll2550x_24mhz_tbl`), the dividers those of its `exynos5420_eglclk_d` and
//! `exynos5420_kfcclk_d`.

use sched::{CoreType, Kilohertz, Microvolts};

/// The crystal.
const CRYSTAL: Kilohertz = Kilohertz::new(24_000);

/// What the cores run on while their PLL changes: MSPLL from SPLL, as the boot loader leaves both
/// (`hardkernel/u-boot:board/samsung/smdk5422/clock_init.c`).
pub const BYPASS: Kilohertz = Kilohertz::from_mhz(800);

/// What both clusters run at when the boot loader hands over: APLL_CON0 and KPLL_CON0 are 0x80c8_0301 (same file).
pub const HAND_OVER: Kilohertz = Kilohertz::from_mhz(800);

/// PLL factors and dividers of one operating point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockPoint {
    /// M.
    pub multiplier: u32,
    /// P.
    pub divider: u32,
    /// S, an exponent of two.
    pub scaler: u32,
    /// The word of DIV_CPU0 or DIV_KFC0.
    pub dividers: u32,
}

impl ClockPoint {
    /// What the PLL gives with these factors.
    #[must_use]
    pub const fn frequency(&self) -> Kilohertz {
        Kilohertz::new(CRYSTAL.get() * self.multiplier / (self.divider << self.scaler))
    }
}

const fn point(multiplier: u32, divider: u32, scaler: u32, dividers: u32) -> ClockPoint {
    ClockPoint { multiplier, divider, scaler, dividers }
}

/// Of the Cortex-A15s, in the order of [`CORTEX_A15`](super::CORTEX_A15)'s operating points.
pub static A15: [ClockPoint; 19] = [
    point(200, 3, 3, 0x0373_0020),
    point(200, 2, 3, 0x0373_0020),
    point(200, 3, 2, 0x0373_0020),
    point(250, 3, 2, 0x0373_0020),
    point(200, 2, 2, 0x0374_0020),
    point(175, 3, 1, 0x0375_0020),
    point(200, 3, 1, 0x0375_0020),
    point(150, 2, 1, 0x0376_0020),
    point(250, 3, 1, 0x0376_0020),
    point(275, 3, 1, 0x0377_0020),
    point(200, 2, 1, 0x0377_0020),
    point(325, 6, 0, 0x0377_0020),
    point(175, 3, 0, 0x0377_0030),
    point(250, 4, 0, 0x0377_0030),
    point(200, 3, 0, 0x0377_0030),
    point(425, 6, 0, 0x0377_0030),
    point(225, 3, 0, 0x0377_0040),
    point(475, 6, 0, 0x0377_0040),
    point(250, 3, 0, 0x0377_0040),
];

/// Of the Cortex-A7s, in the order of [`CORTEX_A7`](super::CORTEX_A7)'s operating points.
pub static A7: [ClockPoint; 13] = [
    point(200, 3, 3, 0x0330_0020),
    point(200, 2, 3, 0x0330_0020),
    point(200, 3, 2, 0x0330_0020),
    point(250, 3, 2, 0x0340_0020),
    point(200, 2, 2, 0x0340_0020),
    point(175, 3, 1, 0x0340_0020),
    point(200, 3, 1, 0x0350_0020),
    point(150, 2, 1, 0x0350_0020),
    point(250, 3, 1, 0x0350_0020),
    point(275, 3, 1, 0x0350_0020),
    point(200, 2, 1, 0x0350_0020),
    point(325, 6, 0, 0x0350_0020),
    point(175, 3, 0, 0x0350_0030),
];

/// The points of one cluster.
#[must_use]
pub const fn points(core: CoreType) -> &'static [ClockPoint] {
    match core {
        CoreType::Big => &A15,
        CoreType::Little => &A7,
    }
}

/// A supply of the PMIC as far as the kernel may turn it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rail {
    /// Which buck of the S2MPS11.
    pub buck: u32,
    /// The lowest voltage of an operating point.
    pub lowest: Microvolts,
    /// The highest one: nothing above it is ever written. It is the table's for the worst chip, well below the 1.5 V
    /// (1.4 V for the interconnect) that the device tree allows its regulators.
    pub highest: Microvolts,
}

/// `vdd_arm`, of the Cortex-A15s.
pub const RAIL_A15: Rail = Rail { buck: 2, lowest: Microvolts::new(900_000), highest: Microvolts::new(1_312_500) };
/// `vdd_kfc`, of the Cortex-A7s.
pub const RAIL_A7: Rail = Rail { buck: 6, lowest: Microvolts::new(900_000), highest: Microvolts::new(1_275_000) };
/// `vdd_int`, of the interconnect. Between the 1.0 V that the second boot loader sets and the 1.0125 V of U-Boot
/// (`u-boot/u-boot:board/samsung/common/exynos5-dt.c`); it is raised for the sake of [`SPREAD`] alone.
pub const RAIL_INTERCONNECT: Rail =
    Rail { buck: 3, lowest: Microvolts::new(1_000_000), highest: Microvolts::new(1_012_500) };
/// `vdd_arm` and `vdd_int` may not be further apart (`regulator-coupled-max-spread`).
pub const SPREAD: Microvolts = Microvolts::new(300_000);

#[cfg(test)]
mod tests {
    use super::super::{CORTEX_A7, CORTEX_A15};
    use super::*;

    #[test]
    fn the_factors_give_the_operating_points() {
        for (kind, points, rail) in [(&CORTEX_A15, &A15[..], RAIL_A15), (&CORTEX_A7, &A7[..], RAIL_A7)] {
            let made: std::vec::Vec<_> = points.iter().map(ClockPoint::frequency).collect();
            let wanted: std::vec::Vec<_> = kind.opps.iter().map(|opp| opp.frequency).collect();
            assert_eq!(made, wanted);
            let voltages = || kind.opps.iter().map(|opp| opp.voltage);
            assert_eq!((voltages().min(), voltages().max()), (Some(rail.lowest), Some(rail.highest)));
        }
    }

    #[test]
    fn the_highest_voltages_are_no_further_apart_than_they_may() {
        assert_eq!(RAIL_A15.highest.get() - RAIL_INTERCONNECT.highest.get(), SPREAD.get());
    }

    #[test]
    fn the_lock_takes_no_longer_than_the_drivers_wait() {
        // P · 270 cycles of the crystal.
        let longest = A15.iter().chain(&A7).map(|point| point.divider * 270 / 24).max();
        assert_eq!(longest, Some(67), "microseconds");
    }
}
