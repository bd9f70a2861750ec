//! Power-management IC S2MPS11: the bucks that supply CPUs and interconnect (`include/linux/mfd/samsung/s2mps11.h`,
//! `drivers/regulator/s2mps11.c`).
//!
//! A wrong voltage is the one thing that a program can break this board with. So a voltage is written only as a
//! [`Setting`], which only the [`Rail`] makes that it is for, and only within that rail's limits; and what was written
//! is read back before anybody relies on it.
//!
//! Nothing waits: [`Pmic::begin_change`] and [`Pmic::begin_read`] begin, [`Pmic::ended`] goes on with what was begun.

use super::hsi2c::{BusError, Hsi2c};
use crate::words::{Mapped, Words};

/// The lowest voltage of a selector, and the step to the next one, in microvolts.
const BASE: u32 = 650_000;
const STEP: u32 = 6_250;
/// In a buck's first register: it is on.
const ON: u8 = 0b11 << 6;
/// The slowest ramp that can be set, in microvolts a microsecond. Whichever is in force, the rail is there then.
const SLOWEST_RAMP: u32 = 6_250;
/// Control and settling behind the ramp, in nanoseconds.
const SETTLING: u64 = 20_000;

/// One of the bucks that go in steps of 6.25 mV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buck {
    control: u8,
    voltage: u8,
}

impl Buck {
    /// Buck 1, 2, 3, 4 or 6.
    ///
    /// # Panics
    ///
    /// For any other number: a wrong constant of a board.
    #[must_use]
    pub const fn number(number: u32) -> Self {
        match number {
            1..=4 => Self { control: 0x23 + 2 * number as u8, voltage: 0x24 + 2 * number as u8 },
            6 => Self { control: 0x33, voltage: 0x34 },
            _ => panic!("not a buck with steps of 6.25 mV"),
        }
    }
}

/// A buck and what it may give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rail {
    buck: Buck,
    lowest: u32,
    highest: u32,
}

impl Rail {
    /// A rail that stays between these voltages, in microvolts.
    ///
    /// # Panics
    ///
    /// If they are no voltages of a CPU: a wrong constant of a board.
    #[must_use]
    pub const fn new(buck: Buck, lowest: u32, highest: u32) -> Self {
        // 1.35 V is above every operating point of the chips that this IC supplies, and below what they survive.
        assert!(lowest >= 800_000 && highest <= 1_350_000 && lowest <= highest, "limits of a CPU's supply");
        Self { buck, lowest, highest }
    }

    /// The setting for at least `microvolts`; [`None`] if that is outside of what the rail may give.
    #[must_use]
    pub const fn setting(&self, microvolts: u32) -> Option<Setting> {
        if microvolts < self.lowest || microvolts > self.highest {
            return None;
        }
        let selector = (microvolts - BASE).div_ceil(STEP);
        if BASE + selector * STEP > self.highest {
            return None;
        }
        Some(Setting { register: self.buck.voltage, selector: selector as u8 })
    }
}

/// A voltage that a rail may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    register: u8,
    selector: u8,
}

impl Setting {
    /// The voltage in microvolts.
    #[must_use]
    pub const fn microvolts(&self) -> u32 {
        microvolts(self.selector)
    }
}

const fn microvolts(selector: u8) -> u32 {
    BASE + STEP * selector as u32
}

/// Why a voltage is not known, or not what it was to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PmicError {
    /// The bus failed.
    Bus(BusError),
    /// The buck is off, though something runs on it: this is not the IC, or not the board, that the driver knows.
    Off,
    /// It was written, and something else was read back.
    Refused,
}

impl PmicError {
    /// One word for a machine line.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Bus(error) => error.word(),
            Self::Off => "buck_off",
            Self::Refused => "voltage_refused",
        }
    }
}

/// Where an operation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Idle,
    /// The setting is on its way, from this voltage.
    Writing(Setting, u32),
    /// The register's number is on its way, and what for.
    Pointing(u8, Purpose),
    Reading(Purpose),
    /// The rail is on its way to this voltage until this time.
    Ramping(u32, u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// To see that the buck is on; its voltage is in this register.
    Control(u8),
    Voltage,
    /// To see that the setting was taken, with the ramp from this voltage before it.
    Check(Setting, u32),
}

/// The IC at the end of its bus.
#[derive(Debug)]
pub struct Pmic<W = Mapped> {
    bus: Hsi2c<W>,
    address: u32,
    stage: Stage,
}

impl<W: Words> Pmic<W> {
    /// The IC with that address on a bus that is its own.
    #[must_use]
    pub const fn new(bus: Hsi2c<W>, address: u32) -> Self {
        Self { bus, address, stage: Stage::Idle }
    }

    /// Whether something was begun and has not ended.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.stage != Stage::Idle
    }

    /// Makes the bus ready.
    pub fn reset(&mut self) {
        self.bus.reset();
        self.stage = Stage::Idle;
    }

    /// Begins to read what a rail is set to. `now` is a time in nanoseconds, here and below.
    pub fn begin_read(&mut self, rail: &Rail, now: u64) {
        self.point(rail.buck.control, Purpose::Control(rail.buck.voltage), now);
    }

    /// Begins to change a rail that is at `from` microvolts.
    pub fn begin_change(&mut self, from: u32, to: Setting, now: u64) {
        self.bus.begin_write(self.address, &[to.register, to.selector], true, now);
        self.stage = Stage::Writing(to, from);
    }

    /// When it is worth to go on with what was begun, in the time that it was begun with.
    #[must_use]
    pub fn due(&self) -> u64 {
        match self.stage {
            Stage::Ramping(_, until) => until,
            _ => self.bus.due(),
        }
    }

    /// Goes on with what was begun; [`None`] while it has not ended. Then the rail's voltage in microvolts: it is
    /// there.
    pub fn ended(&mut self, now: u64) -> Option<Result<u32, PmicError>> {
        let ended = match self.stage {
            Stage::Idle => return None,
            Stage::Ramping(voltage, until) => (now >= until).then_some(Ok(voltage)),
            _ => match self.bus.ended(now)? {
                Ok(()) => self.go_on(now).transpose(),
                Err(error) => Some(Err(PmicError::Bus(error))),
            },
        };
        match ended {
            Some(Ok(_)) => self.stage = Stage::Idle,
            // Whatever hangs is ended with it, and the next operation begins on a bus that is ready.
            Some(Err(_)) => self.reset(),
            None => {}
        }
        ended
    }

    /// A transfer is over: the next one, or the end.
    fn go_on(&mut self, now: u64) -> Result<Option<u32>, PmicError> {
        match self.stage {
            Stage::Writing(setting, from) => self.point(setting.register, Purpose::Check(setting, from), now),
            Stage::Pointing(_, purpose) => {
                self.bus.begin_read(self.address, now);
                self.stage = Stage::Reading(purpose);
            }
            Stage::Reading(purpose) => return self.understand(purpose, now),
            Stage::Idle | Stage::Ramping(..) => {}
        }
        Ok(None)
    }

    fn understand(&mut self, purpose: Purpose, now: u64) -> Result<Option<u32>, PmicError> {
        let byte = self.bus.received().map_err(PmicError::Bus)?;
        match purpose {
            Purpose::Control(_) if byte & ON == 0 => return Err(PmicError::Off),
            Purpose::Control(voltage) => self.point(voltage, Purpose::Voltage, now),
            Purpose::Voltage => return Ok(Some(microvolts(byte))),
            Purpose::Check(setting, _) if byte != setting.selector => return Err(PmicError::Refused),
            Purpose::Check(setting, from) => {
                let ramp = u64::from(setting.microvolts().abs_diff(from).div_ceil(SLOWEST_RAMP)) * 1_000;
                self.stage = Stage::Ramping(setting.microvolts(), now + ramp + SETTLING);
            }
        }
        Ok(None)
    }

    fn point(&mut self, register: u8, purpose: Purpose, now: u64) {
        self.bus.begin_write(self.address, &[register], false, now);
        self.stage = Stage::Pointing(register, purpose);
    }
}

#[cfg(test)]
mod tests;
