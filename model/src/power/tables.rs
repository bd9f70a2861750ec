//! The measured numbers.

/// What a cluster's rail draws at one frequency, in milliwatts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    mhz: f64,
    /// The rail's voltage during the measurement.
    pub volts: f64,
    /// Nothing to do.
    pub idle: f64,
    /// One core computing hashes.
    pub busy: f64,
}

const fn row(mhz: f64, volts: f64, idle: f64, busy: f64) -> Row {
    Row { mhz, volts, idle, busy }
}

/// PARTSim's Odroid-XU3 tables: "idle" and "hash", which is plain integer work like this project's looper.
const A15: &[Row] = &[
    row(200.0, 0.916, 56.0, 149.0),
    row(600.0, 0.915, 86.0, 360.0),
    row(1000.0, 0.965, 133.0, 639.0),
    row(1400.0, 1.066, 213.0, 1101.0),
    row(1500.0, 1.092, 238.0, 1244.0),
    row(1600.0, 1.130, 277.0, 1439.0),
    row(1800.0, 1.207, 368.0, 1901.0),
    row(2000.0, 1.320, 542.0, 2751.0),
];
const A7: &[Row] = &[
    row(200.0, 0.919, 14.0, 26.0),
    row(600.0, 0.956, 28.0, 68.0),
    row(1000.0, 1.104, 57.0, 149.0),
    row(1400.0, 1.275, 112.0, 288.0),
    row(1500.0, 1.311, 129.0, 330.0),
];

/// The row at a frequency, between and beyond the measured ones on straight lines.
pub(super) fn at(cluster: usize, mhz: f64) -> Row {
    let rows = if cluster == 0 { A15 } else { A7 };
    let behind = rows.iter().position(|row| row.mhz >= mhz).unwrap_or(rows.len() - 1).max(1);
    let (low, high) = (rows[behind - 1], rows[behind]);
    let part = ((mhz - low.mhz) / (high.mhz - low.mhz)).max(-0.2);
    let between = |from: f64, to: f64| from + part * (to - from);
    Row {
        mhz,
        volts: between(low.volts, high.volts),
        idle: between(low.idle, high.idle),
        busy: between(low.busy, high.busy),
    }
}

/// Operating points of the mainline device tree: MHz and millivolts times ten
/// (torvalds/linux:arch/arm/boot/dts/samsung/exynos5420.dtsi, exynos5800.dtsi).
const A15_POINTS: &[(u32, u32)] = &[
    (2000, 13125),
    (1900, 12625),
    (1800, 12375),
    (1700, 12500),
    (1600, 12500),
    (1500, 11000),
    (1200, 10000),
    (800, 9000),
];
const A7_POINTS: &[(u32, u32)] = &[(1400, 12750), (1300, 12500), (1000, 11000), (700, 10000), (300, 9000)];

/// The fastest clock in kHz that the device tree allows a cluster at a voltage; between its points, the lower one.
#[must_use]
pub fn fastest_at(cluster: usize, microvolts: u32) -> u32 {
    let points = if cluster == 0 { A15_POINTS } else { A7_POINTS };
    let allowed = points.iter().filter(|(_, volts)| volts * 100 <= microvolts);
    allowed.map(|(mhz, _)| mhz * 1000).max().unwrap_or(0)
}

/// The fastest clock of a cluster in kHz at any voltage.
#[must_use]
pub const fn highest_khz(cluster: usize) -> u32 {
    if cluster == 0 { A15_POINTS[0].0 * 1000 } else { A7_POINTS[0].0 * 1000 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_two_rows_it_is_a_straight_line() {
        let row = at(0, 800.0);
        assert_eq!((row.idle, row.busy), (109.5, 499.5));
        assert_eq!(at(1, 1400.0).busy, 288.0);
    }

    #[test]
    fn the_boot_loaders_voltage_is_good_for_its_clock_and_more() {
        assert_eq!(fastest_at(0, 1_000_000), 1_200_000);
        assert_eq!(fastest_at(0, 1_300_000), 1_900_000);
        assert_eq!(fastest_at(0, 1_312_500), 2_000_000);
        assert_eq!(fastest_at(1, 1_025_000), 700_000);
        assert_eq!(fastest_at(1, 800_000), 0);
    }
}
