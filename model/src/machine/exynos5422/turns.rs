//! The chip as the machine that gives turns to cores sees it.

use super::{CORES, Chip, Entry};
use crate::bus::Time;
use crate::cpu::{Core, NSACR_NS_SMP, ResetMode};
use crate::machine::Soc;
use crate::soc::device::{Device, Effects, Ending, Request};
use crate::soc::tmu::Tmu;

/// How often the sensors are looked at while nothing else happens.
const SENSING: Time = 10_000_000;

impl Soc for Chip {
    fn effects(&mut self) -> &mut Effects {
        &mut self.effects
    }

    fn next_event(&mut self, now: Time) -> Option<Time> {
        let found = match self.next_event {
            Some(found) => found,
            None => {
                let timers = (0..CORES).filter_map(|core| self.timers.next_event(core, &self.mct.counter, now));
                let devices: [&dyn Device; 5] = [&self.mct, &self.uart, &self.pmu, &self.hsi2c, &self.watchdog];
                let devices = devices.into_iter().filter_map(Device::next_event);
                let sensors = self.tmus.iter().any(Tmu::is_watched).then_some(now + SENSING);
                timers.chain(devices).chain(sensors).min()
            }
        };
        self.next_event = Some(found);
        found.map(|at| at.max(now + 1))
    }

    fn advance(&mut self, now: Time) {
        self.integrate(now);
        let effects = &mut self.effects;
        let devices: [&mut dyn Device; 5] =
            [&mut self.mct, &mut self.uart, &mut self.pmu, &mut self.hsi2c, &mut self.watchdog];
        devices.into_iter().for_each(|device| device.advance(now, effects));
        if self.watchdog.barked && self.pmu.lets_watchdog_reset() {
            self.effects.requests.push(Request::End(Ending::Watchdog));
        }
        self.check_points(now, None);
        self.settle();
        (0..CORES).for_each(|core| self.drive_timers(core, now));
    }

    fn khz(&self, core: usize) -> u32 {
        self.cmu.khz(core / 4)
    }

    fn account(&mut self, core: usize, busy: Time) {
        self.busy[core] += busy;
    }

    fn powered_off(&mut self, core: usize) {
        self.pmu.powered_off(core);
        self.next_event = None;
    }

    fn starts(&mut self, core: &mut Core) {
        // No two cores come up with the same, and none with zero (ARM DDI 0406C, B8.1.2). Firmware that drops to SVC is
        // not known to set it either, and then nobody can.
        let random = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(core.index as u64 + 3);
        self.timers.randomise_offset(core.index, random >> 16);
        if self.closed_coherency {
            core.cp15.nsacr &= !NSACR_NS_SMP;
        }
    }

    fn start_mode(&self) -> ResetMode {
        match self.entry {
            Entry::Svc => ResetMode::NonSecureSvc,
            Entry::Hyp | Entry::Go => ResetMode::Hyp,
        }
    }

    fn receive(&mut self, bytes: &[u8], now: Time) {
        self.uart.receive(bytes, now, &mut self.effects);
        self.settle();
        self.next_event = None;
    }

    fn flush(&mut self) {
        self.uart.flush(&mut self.effects);
    }
}
