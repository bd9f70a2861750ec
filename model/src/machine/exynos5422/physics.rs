//! What the chip's activity does to its rails, its battery and its temperature.

use super::{BOOT_CORE, CORES, Chip};
use crate::bus::{Access, Time};
use crate::findings::FindingKind;
use crate::power::{Activity, Energy, Heat, Node, Power};
use crate::soc::device::{Ending, Request};
use crate::soc::s2mps11::Rail;
use crate::soc::tmu::Tmu;

/// Above this no sensor trip has saved the chip.
const DESTRUCTION: f64 = 125.0;

impl Chip {
    /// Energy so far.
    #[must_use]
    pub fn energy(&self) -> &Energy {
        &self.energy
    }

    /// Temperatures.
    #[must_use]
    pub fn heat(&self) -> &Heat {
        &self.heat
    }

    /// Looks whether clocks and voltages fit each other, after the access `at` if it was one.
    pub(super) fn check_points(&mut self, now: Time, at: Option<&Access>) {
        self.points.check(&self.cmu, &self.hsi2c.pmic, now, at, &mut self.effects);
    }

    /// Adds up power and heat until `now`.
    pub(super) fn integrate(&mut self, now: Time) {
        // A core that changed a clock may have been a little ahead of the rest.
        let time = now.saturating_sub(self.integrated);
        if time == 0 {
            return;
        }
        let mut powers = [Power::default(); 2];
        for (cluster, rail) in [Rail::Arm, Rail::Kfc].into_iter().enumerate() {
            let first = 4 * cluster;
            let busy = [0, 1, 2, 3].map(|core| (self.busy[first + core] as f64 / time as f64).min(1.0));
            let node = |core| if cluster == 0 { Node::Big(core) } else { Node::Little };
            let activity = Activity {
                khz: self.cmu.khz(cluster),
                microvolts: self.hsi2c.pmic.microvolts(rail, now),
                powered: (self.pmu.powered() >> first & 0xf).count_ones() as usize,
                busy,
                temperature: [0, 1, 2, 3].map(|core| self.heat.celsius(node(core))),
            };
            powers[cluster] = Power::of(cluster, &activity);
            self.energy.add(cluster, &powers[cluster], time);
        }
        let fan = self.others.fan(self.pwm.fan());
        self.heat.pass(powers[0].cores, powers[1].total(), powers[0].shared, fan, time);
        self.busy = [0; CORES];
        self.integrated = now;
        self.sense(now);
    }

    /// Lets the sensors see the temperatures, and the chip suffer from them.
    pub(super) fn sense(&mut self, now: Time) {
        for (index, sensor) in self.tmus.iter_mut().enumerate() {
            let node = if index < 4 { Node::Big(index) } else { Node::Package };
            let true_value = (self.heat.celsius(node) * 1000.0) as i32;
            sensor.sense(self.lie.map_or(true_value, |celsius| celsius * 1000), &mut self.effects);
        }
        if self.tmus.iter().any(Tmu::trips) && self.pmu.obeys_thermal_trip() {
            self.effects.requests.push(Request::End(Ending::ThermalTrip));
        } else if self.heat.hottest() > DESTRUCTION {
            let at = Access { core: BOOT_CORE, time: now, pc: 0, secure: false };
            self.effects.find(FindingKind::Overheated, &at, "no thermal trip was armed");
            self.effects.requests.push(Request::End(Ending::ThermalTrip));
        }
    }
}
