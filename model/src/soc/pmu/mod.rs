//! The power-management unit: power of cores and clusters, reset, power-off (sheet §3.1-3.4, §3.9).
//!
//! Its core numbers are the model's: 0-3 the A15s, 4-7 the A7s. How a core comes up differs by cluster:
//!
//! - An A15 comes out of its reset by itself and enters the firmware's mailbox.
//! - An A7 runs the boot ROM, which says so in SPARE2 and waits; only a software reset of that core lets it go on. A
//!   reset that comes before the ROM is ready is lost.

#[cfg(test)]
mod tests;

use crate::bus::{Access, BusFault, Size, Time};
use crate::findings::FindingKind;
use crate::soc::device::{Device, Effects, Ending, Request, Words};
use crate::soc::iram;

const SWRESET: u32 = 0x0400;
const RST_STAT: u32 = 0x0404;
const AUTO_WDT_RESET_DISABLE: u32 = 0x0408;
const MASK_WDT_RESET_REQUEST: u32 = 0x040c;
/// Address and flag of the resume path that the mailbox checks.
pub const INFORM1: u32 = 0x0804;
const INFORM3: u32 = 0x080c;
const SPARE2: u32 = 0x0908;
const CORES: u32 = 0x2000;
const CORES_END: u32 = 0x2400;
const COMMON: [u32; 2] = [0x2500, 0x2580];
const L2: [u32; 2] = [0x2600, 0x2680];
/// Offsets in a block of configuration, status and option.
const CONFIGURATION: u32 = 0;
const STATUS: u32 = 4;
const OPTION: u32 = 8;
const PS_HOLD_CONTROL: u32 = 0x330c;

const POWER: u32 = 3;
/// COMMON option: a core that is powered up takes the shared part with it.
const USE_L2_COMMON_UP_STATE: u32 = 1 << 30;
const PS_HOLD: u32 = 1 << 8;
const THERMAL_TRIP: u32 = 1 << 31;
/// Until a core's power is stable; nobody published the real number.
const POWER_UP: Time = 60_000;
/// Until the boot ROM of an A7 has said that it is there.
const BOOT_ROM: Time = 15_000;
/// Number of the core that boots.
pub const BOOT_CORE: usize = 4;

/// Where one core is on its way up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Off,
    /// Power comes up until then.
    Rising(Time),
    /// The boot ROM of an A7 runs until then.
    BootRom(Time),
    /// An A7 waits for its reset.
    Parked,
    On,
    /// Told to lose its power when it next sleeps.
    Falling,
}

/// How the model may misbehave here.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    /// Bit n: core n never comes up.
    pub missing: u32,
    /// Bit n: core n is powered and never arrives anywhere.
    pub silent: u32,
}

/// The PMU.
#[derive(Clone, Debug)]
pub struct Pmu {
    registers: Words,
    stages: [Stage; 8],
    faults: Faults,
}

impl Pmu {
    /// As the boot loader leaves it: the A7 cluster and its first core on.
    #[must_use]
    pub fn new(faults: Faults) -> Self {
        let mut registers = Words::new(0x5000)
            .with(0x0820, 0x0039_000b)
            .with(INFORM3, 3)
            .with(SPARE2, 0x5a5a_0001)
            .with(PS_HOLD_CONTROL, 0x5300);
        let on = [CORES + 0x80 * BOOT_CORE as u32, COMMON[1], L2[1]];
        for block in on {
            registers.set(block, POWER);
            registers.set(block + STATUS, POWER);
        }
        let mut stages = [Stage::Off; 8];
        stages[BOOT_CORE] = Stage::On;
        Self { registers, stages, faults }
    }

    /// Bit n: core n has power.
    #[must_use]
    pub fn powered(&self) -> u32 {
        let on = |stage: &Stage| !matches!(stage, Stage::Off | Stage::Rising(_));
        self.stages.iter().enumerate().fold(0, |mask, (core, stage)| mask | u32::from(on(stage)) << core)
    }

    /// Whether the watchdog's reset reaches the chip.
    #[must_use]
    pub fn lets_watchdog_reset(&self) -> bool {
        self.registers.get(AUTO_WDT_RESET_DISABLE) & 1 == 0 && self.registers.get(MASK_WDT_RESET_REQUEST) & 1 == 0
    }

    /// Whether a thermal trip takes the power away.
    #[must_use]
    pub fn obeys_thermal_trip(&self) -> bool {
        self.registers.get(PS_HOLD_CONTROL) & THERMAL_TRIP != 0
    }

    /// Whether the core is told to stop and still has power.
    #[must_use]
    pub fn is_falling(&self, core: usize) -> bool {
        self.stages[core] == Stage::Falling
    }

    /// A core that was told to stop has gone to sleep.
    pub fn powered_off(&mut self, core: usize) {
        self.stages[core] = Stage::Off;
        self.registers.set(CORES + 0x80 * core as u32 + STATUS, 0);
    }

    fn write_core(&mut self, offset: u32, value: u32, at: &Access, effects: &mut Effects) {
        let core = ((offset - CORES) / 0x80) as usize;
        if offset % 0x80 != CONFIGURATION {
            return;
        }
        let wanted = value & POWER == POWER;
        let stage = self.stages[core];
        if stage == Stage::Off && wanted {
            let comes = self.cluster_is_up(core) && self.faults.missing >> core & 1 == 0;
            self.stages[core] = if comes { Stage::Rising(at.time + POWER_UP) } else { Stage::Off };
        } else if stage == Stage::On && !wanted {
            self.stages[core] = Stage::Falling;
            effects.requests.push(Request::Stop { core });
        }
    }

    /// Raises the shared part of the core's cluster, if that is set to follow its cores. Whether it is up.
    fn cluster_is_up(&mut self, core: usize) -> bool {
        let cluster = core / 4;
        let common = COMMON[cluster];
        if self.registers.get(common + OPTION) & USE_L2_COMMON_UP_STATE != 0 {
            for block in [common, L2[cluster]] {
                self.registers.set(block + CONFIGURATION, POWER);
                self.registers.set(block + STATUS, POWER);
            }
        }
        self.registers.get(common + STATUS) & POWER == POWER
    }

    fn write_reset(&mut self, value: u32, at: &Access, effects: &mut Effects) {
        if value & 1 != 0 {
            effects.requests.push(Request::End(Ending::Reset));
        }
        for c in 0..4 {
            let pulse = 1 << (8 + c) | 1 << (20 + c);
            if value & pulse != pulse {
                continue;
            }
            let core = 4 + c;
            match self.stages[core] {
                Stage::Parked => self.arrive(core, effects),
                Stage::Rising(_) | Stage::BootRom(_) => {
                    let what = format!("A7 core {c} is reset before its boot ROM is ready");
                    effects.find(FindingKind::ResetTooEarly, at, what);
                }
                _ => {}
            }
        }
    }

    fn arrive(&mut self, core: usize, effects: &mut Effects) {
        self.stages[core] = Stage::On;
        if self.faults.silent >> core & 1 == 0 {
            effects.requests.push(Request::Start { core, entry: iram::PAGE, argument: 0 });
        }
    }
}

impl Device for Pmu {
    fn read(&mut self, offset: u32, _: Size, at: &Access, effects: &mut Effects) -> Result<u32, BusFault> {
        self.advance(at.time, effects);
        Ok(self.registers.get(offset))
    }

    fn write(
        &mut self,
        offset: u32,
        size: Size,
        value: u32,
        at: &Access,
        effects: &mut Effects,
    ) -> Result<(), BusFault> {
        effects.expect_word(size, "PMU", offset, at);
        self.advance(at.time, effects);
        match offset {
            SWRESET => {
                self.write_reset(value, at, effects);
                return Ok(());
            }
            RST_STAT => return Ok(()),
            PS_HOLD_CONTROL if value & PS_HOLD == 0 => effects.requests.push(Request::End(Ending::PowerOff)),
            _ => {}
        }
        let is_core = (CORES..CORES_END).contains(&offset);
        let is_block = (CORES..0x2700).contains(&offset);
        if is_block && offset % 0x80 == STATUS {
            return Ok(());
        }
        self.registers.set(offset, value);
        if is_core {
            self.write_core(offset, value, at, effects);
        } else if is_block && offset % 0x80 == CONFIGURATION {
            self.registers.set(offset + STATUS, value & POWER);
        }
        Ok(())
    }

    fn next_event(&self) -> Option<Time> {
        let due = |stage: &Stage| match stage {
            Stage::Rising(at) | Stage::BootRom(at) => Some(*at),
            _ => None,
        };
        self.stages.iter().filter_map(due).min()
    }

    fn advance(&mut self, now: Time, effects: &mut Effects) {
        for core in 0..self.stages.len() {
            match self.stages[core] {
                Stage::Rising(at) if at <= now => {
                    self.registers.set(CORES + 0x80 * core as u32 + STATUS, POWER);
                    if core >= 4 && core != BOOT_CORE {
                        self.stages[core] = Stage::BootRom(at + BOOT_ROM);
                    } else {
                        self.arrive(core, effects);
                    }
                }
                Stage::BootRom(at) if at <= now => {
                    self.stages[core] = Stage::Parked;
                    self.registers.set(SPARE2, 1);
                }
                _ => {}
            }
        }
    }
}
