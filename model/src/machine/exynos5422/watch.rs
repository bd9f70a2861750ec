//! Watching for what hurts slowly: waiting for ever, a clock too fast for its voltage, rails too far apart.

use crate::bus::{Access, Time};
use crate::findings::FindingKind;
use crate::power::fastest_at;
use crate::soc::cmu::Cmu;
use crate::soc::device::Effects;
use crate::soc::pmu::BOOT_CORE;
use crate::soc::s2mps11::{Rail, S2mps11};

/// Reads of one register, one value and nothing in between, from which on it is a wait.
const READS: u32 = 10_000;
/// And the time that they take at least: longer than any wait that gives up in good time.
const PATIENCE: Time = 50_000_000;

/// What each core reads again and again.
#[derive(Clone, Debug, Default)]
pub struct Waits {
    cores: [Wait; 8],
}

#[derive(Clone, Copy, Debug, Default)]
struct Wait {
    address: u32,
    value: u32,
    reads: u32,
    since: Time,
}

impl Waits {
    /// A core has read `value` from the device register at `address`.
    pub fn read(&mut self, address: u32, value: u32, at: &Access, effects: &mut Effects) {
        let wait = &mut self.cores[at.core];
        if (wait.address, wait.value) != (address, value) {
            *wait = Wait { address, value, reads: 0, since: at.time };
            return;
        }
        wait.reads += 1;
        if wait.reads >= READS && at.time - wait.since >= PATIENCE {
            let milliseconds = (at.time - wait.since) / 1_000_000;
            let what = format!("{address:#010x} has been read as {value:#x} for {milliseconds} ms");
            effects.find(FindingKind::EndlessWait, at, what);
            wait.reads = 0;
        }
    }

    /// A core has done something else to a device.
    pub fn other(&mut self, core: usize) {
        self.cores[core] = Wait::default();
    }
}

/// rails of the clusters, in the order of the clusters.
const RAILS: [Rail; 2] = [Rail::Arm, Rail::Kfc];
const NAMES: [&str; 2] = ["A15", "A7"];
/// How far vdd_arm and vdd_int may be apart, in microvolts.
const SPREAD: u32 = 300_000;

/// The operating points as they were last seen.
#[derive(Clone, Debug)]
pub struct OperatingPoints {
    khz: [u32; 2],
    microvolts: [u32; 2],
    /// The last access that could change a voltage.
    touched: Access,
}

impl OperatingPoints {
    /// As the boot loader leaves them: whatever they are, they are known to work.
    #[must_use]
    pub fn new(cmu: &Cmu, pmic: &S2mps11) -> Self {
        Self {
            khz: [cmu.khz(0), cmu.khz(1)],
            microvolts: RAILS.map(|rail| pmic.target(rail)),
            touched: Access { core: BOOT_CORE, time: 0, pc: 0, secure: false },
        }
    }

    /// A core has touched the PMIC's bus.
    pub fn touch(&mut self, at: &Access) {
        self.touched = *at;
    }

    /// Looks at clocks and voltages at `at`, or of the last touch if it is time alone that passed.
    pub fn check(&mut self, cmu: &Cmu, pmic: &S2mps11, now: Time, at: Option<&Access>, effects: &mut Effects) {
        let at = *at.unwrap_or(&self.touched);
        for cluster in 0..2 {
            let khz = cmu.khz(cluster);
            // A falling rail counts as where it goes, a rising one as where it is.
            let microvolts = pmic.microvolts(RAILS[cluster], now).min(pmic.target(RAILS[cluster]));
            let worse = khz > self.khz[cluster] || microvolts < self.microvolts[cluster];
            if worse && khz > fastest_at(cluster, microvolts) {
                let (mhz, millivolts) = (khz / 1000, microvolts / 1000);
                let most = fastest_at(cluster, microvolts) / 1000;
                let what = format!("{} at {mhz} MHz with {millivolts} mV, good for {most} MHz", NAMES[cluster]);
                effects.find(FindingKind::Overclock, &at, what);
            }
            if cluster == 0 && microvolts != self.microvolts[0] {
                Self::check_spread(pmic, &at, effects);
            }
            self.khz[cluster] = khz;
            self.microvolts[cluster] = microvolts;
        }
    }

    fn check_spread(pmic: &S2mps11, at: &Access, effects: &mut Effects) {
        let (arm, int) = (pmic.target(Rail::Arm), pmic.target(Rail::Int));
        if arm.abs_diff(int) > SPREAD {
            let what = format!("vdd_arm {} mV, vdd_int {} mV", arm / 1000, int / 1000);
            effects.find(FindingKind::VoltageSpread, at, what);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: Time) -> Access {
        Access { core: 4, time, pc: 0x4200_1000, secure: false }
    }

    #[test]
    fn a_wait_without_end_is_found_and_a_bounded_one_is_not() {
        let (mut waits, mut effects) = (Waits::default(), Effects::default());
        for step in 0..100_000 {
            waits.read(0x1004_2004, 0, &at(step * 100), &mut effects);
        }
        assert!(effects.findings.is_empty(), "ten milliseconds are allowed");
        for step in 100_000..600_000 {
            waits.read(0x1004_2004, 0, &at(step * 100), &mut effects);
        }
        assert_eq!(effects.findings[0].kind, FindingKind::EndlessWait);
    }

    #[test]
    fn clock_before_voltage_is_found() {
        let (cmu, mut pmic, mut effects) =
            (Cmu::default(), S2mps11::new([1_300_000, 1_012_500, 1_025_000]), Effects::default());
        let mut points = OperatingPoints::new(&cmu, &pmic);
        points.check(&cmu, &pmic, 0, None, &mut effects);
        assert!(effects.findings.is_empty(), "what the boot loader left is known to work");
        pmic.write(0x28, 8, 1000);
        points.check(&cmu, &pmic, 2000, None, &mut effects);
        let kinds: Vec<_> = effects.findings.iter().map(|finding| finding.kind).collect();
        assert_eq!(kinds, [FindingKind::Overclock, FindingKind::VoltageSpread]);
    }
}
