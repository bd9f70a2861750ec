//! The chip around the cores: who answers at an address, and how the blocks act on each other.

use super::monitor;
use super::others::Others;
use super::watch::{OperatingPoints, Waits};
use super::{CORES, Entry, Options};
use crate::bus::{Access, Answer, BusFault, Call, Lines, Memory, Misuse, Platform, Size, Time, TimerRegister};
use crate::cpu::{Core, NSACR_NS_SMP, ResetMode};
use crate::findings::FindingKind;
use crate::machine::{BREAKPOINT, Soc, semihosting};
use crate::power::{Activity, Energy, Heat, Node, Power};
use crate::soc::cci::Cci;
use crate::soc::chipid::{ChipId, Watchdog};
use crate::soc::cmu::Cmu;
use crate::soc::combiner::Combiner;
use crate::soc::device::{Device, Effects, Ending, Request};
use crate::soc::gic::{CpuInterface, Distributor, Gic, Layout};
use crate::soc::hsi2c::Hsi2c;
use crate::soc::iram;
use crate::soc::mct::{self, Mct};
use crate::soc::pmu::{BOOT_CORE, Pmu};
use crate::soc::pwm::Pwm;
use crate::soc::s2mps11::{Rail, S2mps11};
use crate::soc::timers::{self, Timers};
use crate::soc::tmu::{self, Tmu};
use crate::soc::uart::Uart;

const UART_INTERRUPT: u32 = 32 + 53;
const UART_CLOCK: u32 = 53_200_000;
const UART_FIFO: usize = 16;
/// Above this no sensor trip has saved the chip.
const DESTRUCTION: f64 = 125.0;

/// Everything of the board but cores and memory.
#[derive(Debug)]
pub struct Chip {
    pub(super) gic: Gic,
    timers: Timers,
    pub(super) mct: Mct,
    combiner: Combiner,
    uart: Uart,
    pub(super) pmu: Pmu,
    cmu: Cmu,
    pub(super) cci: Cci,
    tmus: [Tmu; tmu::SENSORS],
    pwm: Pwm,
    hsi2c: Hsi2c,
    watchdog: Watchdog,
    others: Others,
    pub(super) effects: Effects,
    waits: Waits,
    points: OperatingPoints,
    heat: Heat,
    energy: Energy,
    /// Execution of each core since power was last integrated.
    busy: [Time; CORES],
    integrated: Time,
    entry: Entry,
    closed_coherency: bool,
    stuck: Vec<u32>,
    lie: Option<i32>,
    trace: bool,
    /// When a device next does something; `None` in the outside if that has to be found anew.
    next_event: Option<Option<Time>>,
}

impl Chip {
    /// The chip as U-Boot leaves it.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        let faults = &options.faults;
        let cmu = Cmu::with_broken_plls(faults.broken_plls);
        let mut pmic = S2mps11::new(options.boot_loader.rails());
        pmic.refuses = faults.refusing_pmic;
        let mut tmus = tmu::sensors();
        for (index, tmu) in tmus.iter_mut().enumerate() {
            tmu.silent = faults.silent_sensors >> index & 1 != 0;
        }
        let interfaces = options.gic_interfaces.to_vec();
        Self {
            gic: Gic::new(Layout { interfaces, interrupts: 256, priority_bits: 5, two_worlds: true }),
            timers: Timers::new(CORES, 0),
            mct: Mct::new(faults.dead_counter),
            combiner: Combiner::default(),
            uart: Uart::new(UART_FIFO, UART_INTERRUPT, UART_CLOCK, options.instant_uart),
            pmu: Pmu::new(faults.cores),
            cci: Cci::new(faults.closed_interconnect),
            tmus,
            pwm: Pwm::default(),
            watchdog: Watchdog::default(),
            others: Others::default(),
            effects: Effects::default(),
            waits: Waits::default(),
            points: OperatingPoints::new(&cmu, &pmic),
            hsi2c: Hsi2c::new(pmic, faults.deaf_pmic),
            cmu,
            heat: options.initial_celsius.map_or_else(Heat::default, Heat::all_at),
            energy: Energy::default(),
            busy: [0; CORES],
            integrated: 0,
            entry: options.entry,
            closed_coherency: faults.closed_coherency,
            stuck: faults.stuck_registers.clone(),
            lie: faults.lying_sensors,
            trace: options.trace,
            next_event: None,
        }
    }

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

    /// Lets the device at `address` act, if there is one.
    fn with_device<R>(&mut self, address: u32, act: impl FnOnce(&mut dyn Device, u32, &mut Effects) -> R) -> Option<R> {
        let effects = &mut self.effects;
        let (device, base): (&mut dyn Device, u32) = match address {
            0x1000_0000..0x1000_0100 => (&mut ChipId, 0x1000_0000),
            0x1001_0000..0x1004_0000 => (&mut self.cmu, 0x1001_0000),
            0x1004_0000..0x1004_5000 => (&mut self.pmu, 0x1004_0000),
            0x101c_0000..0x101c_0b00 => (&mut self.mct, 0x101c_0000),
            0x101d_0000..0x101d_0100 => (&mut self.watchdog, 0x101d_0000),
            0x1044_0000..0x1044_1000 => (&mut self.combiner, 0x1044_0000),
            0x1048_1000..0x1048_2000 => return Some(act(&mut Distributor(&mut self.gic), address & 0xfff, effects)),
            0x1048_2000..0x1048_4000 => return Some(act(&mut CpuInterface(&mut self.gic), address & 0x1fff, effects)),
            0x10d2_0000..0x10d2_a000 => (&mut self.cci, 0x10d2_0000),
            0x12c2_0000..0x12c2_0100 => (&mut self.uart, 0x12c2_0000),
            0x12ca_0000..0x12ca_1000 => (&mut self.hsi2c, 0x12ca_0000),
            0x12dd_0000..0x12dd_0100 => (&mut self.pwm, 0x12dd_0000),
            _ => match tmu::BASES.iter().position(|base| address.wrapping_sub(*base) < 0x100) {
                Some(index) => (&mut self.tmus[index], tmu::BASES[index]),
                None if Others::has(address) => (&mut self.others, 0),
                None => return None,
            },
        };
        Some(act(device, address - base, effects))
    }

    /// Passes on what a device did.
    fn settle(&mut self) {
        for (input, level) in mct::COMPARATOR_INPUTS.into_iter().zip(self.mct.comparators()) {
            self.combiner.drive(input, level, &mut self.effects);
        }
        for (interrupt, level) in self.effects.lines.drain(..) {
            if self.gic.level(interrupt) != level {
                self.gic.drive_shared(interrupt, level);
            }
        }
        self.next_event = None;
    }

    fn drive_timers(&mut self, core: usize, now: Time) {
        let levels = self.timers.levels(core, &self.mct.counter, now);
        for (interrupt, level) in timers::INTERRUPTS.into_iter().zip(levels) {
            self.gic.drive_private(core, interrupt, level);
        }
    }

    fn check_points(&mut self, now: Time, at: Option<&Access>) {
        self.points.check(&self.cmu, &self.hsi2c.pmic, now, at, &mut self.effects);
    }

    fn tell(&self, arrow: &str, address: u32, value: u32, at: &Access) {
        if self.trace {
            eprintln!("{:>12} ns core {} pc {:#010x} {address:#010x} {arrow} {value:#x}", at.time, at.core, at.pc);
        }
    }

    /// Clock or voltage may have changed by the access.
    fn after_access(&mut self, address: u32, at: &Access) {
        match address {
            0x1001_0000..0x1004_0000 => self.check_points(at.time, Some(at)),
            0x12ca_0000..0x12ca_1000 => {
                self.points.touch(at);
                self.check_points(at.time, Some(at));
            }
            _ if tmu::BASES.iter().any(|base| address.wrapping_sub(*base) < 0x100) => self.sense(at.time),
            _ => {}
        }
        self.settle();
    }

    /// Adds up power and heat until `now`.
    fn integrate(&mut self, now: Time) {
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
    fn sense(&mut self, now: Time) {
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

impl Platform for Chip {
    fn read(&mut self, address: u32, size: Size, at: &Access) -> Result<u32, BusFault> {
        let Some(value) = self.with_device(address, |device, offset, effects| device.read(offset, size, at, effects))
        else {
            self.effects.find(FindingKind::NothingThere, at, format!("nothing answers at {address:#010x}"));
            return Err(BusFault);
        };
        if let Ok(value) = value {
            self.waits.read(address, value, at, &mut self.effects);
            self.tell("->", address, value, at);
        }
        self.after_access(address, at);
        value
    }

    fn write(&mut self, address: u32, size: Size, value: u32, at: &Access) -> Result<(), BusFault> {
        self.waits.other(at.core);
        self.tell("<-", address, value, at);
        if self.stuck.contains(&address) {
            return Ok(());
        }
        if (0x1001_0000..0x1004_0000).contains(&address) {
            // Until now the old clock was true.
            self.integrate(at.time.max(self.integrated));
        }
        let done = self.with_device(address, |device, offset, effects| device.write(offset, size, value, at, effects));
        let Some(done) = done else {
            self.effects.find(FindingKind::NothingThere, at, format!("nothing answers at {address:#010x}"));
            return Err(BusFault);
        };
        self.after_access(address, at);
        done
    }

    fn timer_read(&mut self, register: TimerRegister, at: &Access) -> u64 {
        self.timers.read(register, &self.mct.counter, at, &mut self.effects)
    }

    fn timer_write(&mut self, register: TimerRegister, value: u64, at: &Access) {
        self.timers.write(register, value, &self.mct.counter, at, &mut self.effects);
        self.drive_timers(at.core, at.time);
        self.next_event = None;
    }

    fn lines(&mut self, core: usize, time: Time) -> Lines {
        self.drive_timers(core, time);
        self.gic.lines(core)
    }

    fn call(&mut self, call: Call, core: &mut Core, memory: &mut Memory, at: &Access) -> Answer {
        match call {
            Call::Smc(_) => monitor::call(self, core, at),
            Call::Svc(number) => semihosting::call(number, core, memory, &mut self.effects),
            Call::Breakpoint(iram::TRAP_NUMBER) => {
                let what = "the mailbox sent the core into the boot loader's old code";
                self.effects.find(FindingKind::Mailbox, at, what);
                core.power_off();
                Answer::EndSlice
            }
            Call::Breakpoint(BREAKPOINT) => {
                self.effects.requests.push(Request::Break { core: core.index, pc: at.pc });
                Answer::EndSlice
            }
            _ => Answer::Decline,
        }
    }

    fn misuse(&mut self, misuse: Misuse, address: u32, at: &Access) {
        self.effects.findings.push(misuse.finding(address, at));
    }

    fn coherent(&self, core: usize) -> bool {
        self.cci.coherent(core / 4)
    }
}

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

    fn receive(&mut self, bytes: &[u8], _: Time) {
        self.uart.receive(bytes, &mut self.effects);
        self.settle();
    }

    fn flush(&mut self) {
        self.uart.flush(&mut self.effects);
    }
}

/// How often the sensors are looked at while nothing else happens.
const SENSING: Time = 10_000_000;
