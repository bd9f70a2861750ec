//! Power and heat of the chip: what the cores' activity costs, and how warm it gets.
//!
//! Powers are the rails' as measured on an Odroid XU3 (gabrieleara/PARTSim:old/examples/energy_table/odroid_tb.csv);
//! other published sets differ by up to a factor of two, so take absolute energies as ±50 % and compare runs. Only
//! additions, multiplications and divisions are used, so that every host computes the same.

mod heat;
mod tables;

pub use heat::{Heat, Node};
pub use tables::{fastest_at, highest_khz};

use crate::bus::Time;

/// Cores of a cluster.
const CORES: usize = 4;
/// The part of an idle rail that the cluster draws with all its cores off; each core that is on adds its share of the
/// rest.
const SHARED_PART: f64 = 0.5;
/// An idle rail is mostly leakage, which grows with heat: in a degree, from the temperature of the measurements.
const LEAKAGE_A_DEGREE: f64 = 0.006;
const MEASURED_AT: f64 = 50.0;

/// What a cluster was in during an interval.
#[derive(Clone, Copy, Debug)]
pub struct Activity {
    /// Clock in kHz.
    pub khz: u32,
    /// Supply in microvolts.
    pub microvolts: u32,
    /// Cores with power.
    pub powered: usize,
    /// Part of the interval that each core executed, 0 to 1.
    pub busy: [f64; CORES],
    /// Temperature of each core in degrees Celsius.
    pub temperature: [f64; CORES],
}

/// A cluster's power in watts: what is shared, and each core's own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Power {
    /// Idle rail.
    pub shared: f64,
    /// Execution, by core.
    pub cores: [f64; CORES],
}

impl Power {
    /// Power of cluster 0 (A15) or 1 (A7).
    #[must_use]
    pub fn of(cluster: usize, activity: &Activity) -> Self {
        if activity.powered == 0 {
            return Self::default();
        }
        let mhz = f64::from(activity.khz) / 1000.0;
        let row = tables::at(cluster, mhz);
        let volts = f64::from(activity.microvolts) / 1e6;
        let scale = (volts / row.volts) * (volts / row.volts);
        let mean = activity.temperature.iter().sum::<f64>() / CORES as f64;
        let leakage = 1.0 + LEAKAGE_A_DEGREE * (mean - MEASURED_AT);
        let on = SHARED_PART + (1.0 - SHARED_PART) * activity.powered as f64 / CORES as f64;
        let execution = (row.busy - row.idle) * scale / 1000.0;
        Self { shared: row.idle * scale * leakage * on / 1000.0, cores: activity.busy.map(|busy| busy * execution) }
    }

    /// All of it.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.shared + self.cores.iter().sum::<f64>()
    }
}

/// Energy so far, in joules.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Idle rails of the A15s and of the A7s.
    pub shared: [f64; 2],
    /// Execution, by core.
    pub cores: [f64; 2 * CORES],
}

impl Energy {
    /// Adds what a cluster drew during `time`.
    pub fn add(&mut self, cluster: usize, power: &Power, time: Time) {
        let seconds = time as f64 / 1e9;
        self.shared[cluster] += power.shared * seconds;
        for (sum, watts) in self.cores[CORES * cluster..].iter_mut().zip(power.cores) {
            *sum += watts * seconds;
        }
    }

    /// A cluster's.
    #[must_use]
    pub fn cluster(&self, cluster: usize) -> f64 {
        self.shared[cluster] + self.cores[CORES * cluster..CORES * (cluster + 1)].iter().sum::<f64>()
    }

    /// Both clusters'.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.cluster(0) + self.cluster(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn activity(khz: u32, microvolts: u32, busy: f64) -> Activity {
        Activity { khz, microvolts, powered: 4, busy: [busy, 0.0, 0.0, 0.0], temperature: [MEASURED_AT; 4] }
    }

    #[test]
    fn one_busy_core_draws_what_was_measured() {
        for (cluster, khz, microvolts, milliwatts) in
            [(0, 2_000_000, 1_320_000, 2751.0), (0, 1_000_000, 965_000, 639.0), (1, 1_400_000, 1_275_000, 288.0)]
        {
            let power = Power::of(cluster, &activity(khz, microvolts, 1.0)).total();
            assert!((power * 1000.0 - milliwatts).abs() < 0.01, "{power}");
        }
    }

    #[test]
    fn a_cluster_without_power_draws_nothing() {
        let off = Activity { powered: 0, ..activity(2_000_000, 1_320_000, 0.0) };
        assert_eq!(Power::of(0, &off).total(), 0.0);
    }

    #[test]
    fn energy_is_power_times_time() {
        let mut energy = Energy::default();
        let power = Power { shared: 1.0, cores: [0.5, 0.0, 0.0, 0.25] };
        energy.add(1, &power, 2_000_000_000);
        assert_eq!(energy.cluster(1), 3.5);
        assert_eq!(energy.cores[4], 1.0);
        assert_eq!(energy.total(), 3.5);
    }
}
