//! The chip around the cores: who answers at an address, and how the blocks act on each other.

use super::monitor;
use super::others::Others;
use super::watch::{OperatingPoints, Waits};
use super::{CORES, Entry, Options};
use crate::bus::{Access, Answer, BusFault, Call, Lines, Memory, Misuse, Platform, Size, Time, TimerRegister};
use crate::cpu::Core;
use crate::findings::FindingKind;
use crate::machine::host;
use crate::power::{Energy, Heat};
use crate::soc::cci::Cci;
use crate::soc::chipid::{ChipId, Watchdog};
use crate::soc::cmu::Cmu;
use crate::soc::combiner::Combiner;
use crate::soc::device::{Device, Effects};
use crate::soc::gic::{CpuInterface, Distributor, Gic, Layout};
use crate::soc::hsi2c::Hsi2c;
use crate::soc::iram;
use crate::soc::mct::{self, Mct};
use crate::soc::pmu::Pmu;
use crate::soc::pwm::Pwm;
use crate::soc::s2mps11::S2mps11;
use crate::soc::timers::{self, Timers};
use crate::soc::tmu::{self, Tmu};
use crate::soc::uart::Uart;

const UART_INTERRUPT: u32 = 32 + 53;
const UART_CLOCK: u32 = 53_200_000;
const UART_FIFO: usize = 16;

/// Everything of the board but cores and memory.
#[derive(Debug)]
pub struct Chip {
    pub(super) gic: Gic,
    pub(super) timers: Timers,
    pub(super) mct: Mct,
    pub(super) combiner: Combiner,
    pub(super) uart: Uart,
    pub(super) pmu: Pmu,
    pub(super) cmu: Cmu,
    pub(super) cci: Cci,
    pub(super) tmus: [Tmu; tmu::SENSORS],
    pub(super) pwm: Pwm,
    pub(super) hsi2c: Hsi2c,
    pub(super) watchdog: Watchdog,
    pub(super) others: Others,
    pub(super) effects: Effects,
    pub(super) waits: Waits,
    pub(super) points: OperatingPoints,
    pub(super) heat: Heat,
    pub(super) energy: Energy,
    /// Execution of each core since power was last integrated.
    pub(super) busy: [Time; CORES],
    pub(super) integrated: Time,
    pub(super) entry: Entry,
    pub(super) closed_coherency: bool,
    pub(super) stuck: Vec<u32>,
    pub(super) lie: Option<i32>,
    pub(super) trace: bool,
    /// When a device next does something; `None` in the outside if that has to be found anew.
    pub(super) next_event: Option<Option<Time>>,
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
    pub(super) fn settle(&mut self) {
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

    /// Brings the timers' interrupts of `core` to their levels.
    pub(super) fn drive_timers(&mut self, core: usize, now: Time) {
        let levels = self.timers.levels(core, &self.mct.counter, now);
        for (interrupt, level) in timers::INTERRUPTS.into_iter().zip(levels) {
            self.gic.drive_private(core, interrupt, level);
        }
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
            Call::Breakpoint(iram::TRAP_NUMBER) => {
                let what = "the mailbox sent the core into the boot loader's old code";
                self.effects.find(FindingKind::Mailbox, at, what);
                core.power_off();
                Answer::EndSlice
            }
            _ => host::call(call, core, memory, at, &mut self.effects),
        }
    }

    fn misuse(&mut self, misuse: Misuse, address: u32, at: &Access) {
        self.effects.findings.push(misuse.finding(address, at));
    }

    fn coherent(&self, core: usize) -> bool {
        self.cci.coherent(core / 4)
    }
}
