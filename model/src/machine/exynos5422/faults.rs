//! How the board may be broken. A kernel that has never seen the board has to survive more than a board that works.

use std::str::FromStr;

use super::{BOOT_CORE, CORES};
use crate::soc::{pmu, tmu};

/// One thing that is broken. Its text form is what an option takes: `counter`, `missing=6`, `register=0x10048000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A core never comes up.
    Missing(usize),
    /// A core gets power and never arrives anywhere.
    Silent(usize),
    /// The MCT's counter never starts, and so time stands still for everybody.
    Counter,
    /// The interconnect refuses the non-secure world until the monitor is asked.
    Interconnect,
    /// ACTLR.SMP cannot be changed in the non-secure world; the monitor can.
    Coherency,
    /// Nothing answers on the PMIC's bus.
    Pmic,
    /// The PMIC takes every byte and changes no voltage.
    Voltage,
    /// The PLL of cluster 0 (A15) or 1 (A7) never locks again once it is changed.
    Pll(usize),
    /// A device register ignores writes.
    Register(u32),
    /// All thermal sensors always say this, in degrees Celsius.
    Sensors(i32),
    /// A thermal sensor never measures anything.
    Sensor(usize),
}

/// What [`Fault`] understands.
const NAMES: &str = "missing=CORE, silent=CORE, counter, interconnect, coherency, pmic, voltage, pll=a15, pll=a7, register=ADDRESS, \
     sensors=CELSIUS, sensor=NUMBER";

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        // Without the core that boots there is no board.
        let core = |value: &str| value.parse().ok().filter(|core| *core < CORES && *core != BOOT_CORE);
        let fault = match (name, value) {
            ("missing", Some(value)) => core(value).map(Self::Missing),
            ("silent", Some(value)) => core(value).map(Self::Silent),
            ("counter", None) => Some(Self::Counter),
            ("interconnect", None) => Some(Self::Interconnect),
            ("coherency", None) => Some(Self::Coherency),
            ("pmic", None) => Some(Self::Pmic),
            ("voltage", None) => Some(Self::Voltage),
            ("pll", Some("a15")) => Some(Self::Pll(0)),
            ("pll", Some("a7")) => Some(Self::Pll(1)),
            ("sensor", Some(value)) => value.parse().ok().filter(|sensor| *sensor < tmu::SENSORS).map(Self::Sensor),
            ("register", Some(value)) => number(value).map(Self::Register),
            ("sensors", Some(value)) => value.parse().ok().map(Self::Sensors),
            _ => None,
        };
        fault.ok_or_else(|| format!("{text:?} cannot be broken; there are {NAMES}"))
    }
}

fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// All that is broken. Nothing by default.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// Cores that never come up, and cores that get power and never arrive.
    pub cores: pmu::Faults,
    /// See [`Fault::Counter`].
    pub dead_counter: bool,
    /// See [`Fault::Interconnect`].
    pub closed_interconnect: bool,
    /// See [`Fault::Coherency`].
    pub closed_coherency: bool,
    /// See [`Fault::Pmic`].
    pub deaf_pmic: bool,
    /// See [`Fault::Voltage`].
    pub refusing_pmic: bool,
    /// See [`Fault::Pll`].
    pub broken_plls: [bool; 2],
    /// Bit n: see [`Fault::Sensor`].
    pub silent_sensors: u32,
    /// See [`Fault::Register`].
    pub stuck_registers: Vec<u32>,
    /// See [`Fault::Sensors`].
    pub lying_sensors: Option<i32>,
}

impl Faults {
    fn add(&mut self, fault: Fault) {
        match fault {
            Fault::Missing(core) => self.cores.missing |= 1 << core,
            Fault::Silent(core) => self.cores.silent |= 1 << core,
            Fault::Counter => self.dead_counter = true,
            Fault::Interconnect => self.closed_interconnect = true,
            Fault::Coherency => self.closed_coherency = true,
            Fault::Pmic => self.deaf_pmic = true,
            Fault::Voltage => self.refusing_pmic = true,
            Fault::Pll(cluster) => self.broken_plls[cluster] = true,
            Fault::Sensor(sensor) => self.silent_sensors |= 1 << sensor,
            Fault::Register(address) => self.stuck_registers.push(address),
            Fault::Sensors(celsius) => self.lying_sensors = Some(celsius),
        }
    }
}

impl FromIterator<Fault> for Faults {
    fn from_iter<I: IntoIterator<Item = Fault>>(faults: I) -> Self {
        faults.into_iter().fold(Self::default(), |mut all, fault| {
            all.add(fault);
            all
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_has_a_name_and_mistakes_are_told() {
        let named = ["missing=7", "silent=0", "counter", "interconnect", "coherency", "pmic", "sensors=-5"];
        let parsed: Result<Vec<Fault>, String> = named.iter().map(|text| text.parse()).collect();
        assert_eq!(
            parsed,
            Ok(vec![
                Fault::Missing(7),
                Fault::Silent(0),
                Fault::Counter,
                Fault::Interconnect,
                Fault::Coherency,
                Fault::Pmic,
                Fault::Sensors(-5),
            ])
        );
        assert_eq!("register=0x10d25000".parse(), Ok(Fault::Register(0x10d2_5000)));
        let clocks = ["voltage", "pll=a15", "pll=a7", "sensor=4"].map(str::parse);
        assert_eq!(clocks, [Fault::Voltage, Fault::Pll(0), Fault::Pll(1), Fault::Sensor(4)].map(Ok));
        for wrong in [
            "pll",
            "pll=2",
            "sensor=5",
            "missing",
            "missing=8",
            "missing=4",
            "silent=4",
            "counter=1",
            "sensors=hot",
            "register=PMU",
            "luck",
        ] {
            assert!(wrong.parse::<Fault>().is_err(), "{wrong}");
        }
        assert!("luck".parse::<Fault>().expect_err("no fault").contains("interconnect"));
    }

    #[test]
    fn faults_add_up() {
        let faults: Faults =
            [Fault::Missing(1), Fault::Missing(6), Fault::Register(4), Fault::Pmic].into_iter().collect();
        assert_eq!(faults.cores.missing, 1 << 1 | 1 << 6);
        assert!(faults.deaf_pmic && !faults.dead_counter);
        assert_eq!(faults.stuck_registers, [4]);
    }
}
