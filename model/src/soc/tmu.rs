//! The five thermal sensors (torvalds/linux:drivers/thermal/samsung/exynos_tmu.c; sheet §8.1).
//!
//! A sensor says code = T - 25 + e25 with e25 burnt in at the factory. For sensors 2, 3 and the GPU's that number is in
//! another sensor's register, and here all five differ: who reads the wrong one is some degrees off.

use crate::bus::{Access, BusFault, Size};
use crate::soc::device::{Device, Effects, Words};

const TRIMINFO: u32 = 0x00;
const CONTROL: u32 = 0x20;
const STATUS: u32 = 0x28;
const CURRENT_TEMP: u32 = 0x40;
const THD_TEMP_RISE: u32 = 0x50;
const THD_TEMP_FALL: u32 = 0x54;
const INTEN: u32 = 0x70;
const INTSTAT: u32 = 0x74;
const INTCLEAR: u32 = 0x78;
const EMUL_CON: u32 = 0x80;

const CORE_ENABLE: u32 = 1;
const TRIP_ENABLE: u32 = 1 << 12;

/// Sensors: four at the A15 cores, one at the GPU.
pub const SENSORS: usize = 5;
/// Their bases.
pub const BASES: [u32; SENSORS] = [0x1006_0000, 0x1006_4000, 0x1006_8000, 0x1006_c000, 0x100a_0000];
/// Their interrupts.
const INTERRUPTS: [u32; SENSORS] = [97, 215, 216, 217, 247];
/// Factory code at 25 °C of each sensor.
const CODES_AT_25: [i32; SENSORS] = [55, 56, 54, 57, 53];
/// At whose base a sensor's factory code is.
const TRIM_IS_AT: [usize; SENSORS] = [0, 1, 3, 4, 2];

/// One sensor.
#[derive(Clone, Debug)]
pub struct Tmu {
    registers: Words,
    index: usize,
    /// Temperature of its place, in thousandths of a degree, as it was last told.
    millicelsius: i32,
    /// The last code that was compared with the thresholds.
    last: u32,
    /// It never measures anything.
    pub silent: bool,
}

/// The five sensors.
#[must_use]
pub fn sensors() -> [Tmu; SENSORS] {
    [0, 1, 2, 3, 4].map(Tmu::new)
}

impl Tmu {
    fn new(index: usize) -> Self {
        let owner = TRIM_IS_AT.iter().position(|&at| at == index).expect("every base holds one code");
        let trim = CODES_AT_25[owner] as u32 | 0x73 << 8;
        Self { registers: Words::new(0x100).with(TRIMINFO, trim), index, millicelsius: 25_000, last: 0, silent: false }
    }

    /// The place of the sensor has this temperature now.
    pub fn sense(&mut self, millicelsius: i32, effects: &mut Effects) {
        self.millicelsius = millicelsius;
        self.compare(effects);
    }

    /// Whether the chip has to lose its power at once.
    #[must_use]
    pub fn trips(&self) -> bool {
        let limit = self.registers.get(THD_TEMP_RISE) >> 24;
        let armed = CORE_ENABLE | TRIP_ENABLE;
        self.registers.get(CONTROL) & armed == armed && limit != 0 && self.code() >= limit
    }

    /// Whether somebody waits for a threshold.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.registers.get(CONTROL) & CORE_ENABLE != 0 && self.registers.get(INTEN) != 0
    }

    fn code(&self) -> u32 {
        let emulation = self.registers.get(EMUL_CON);
        if emulation & 1 != 0 {
            return emulation >> 8 & 0xff;
        }
        (self.millicelsius.div_euclid(1000) - 25 + CODES_AT_25[self.index]).clamp(1, 0xff) as u32
    }

    fn compare(&mut self, effects: &mut Effects) {
        if self.registers.get(CONTROL) & CORE_ENABLE == 0 {
            return;
        }
        let (code, last) = (self.code(), self.last);
        self.last = code;
        let crossed = |register: u32, rising: bool| {
            let thresholds = self.registers.get(register);
            (0..4).filter(move |level| {
                let threshold = thresholds >> (8 * level) & 0xff;
                let was = if rising { last < threshold } else { last > threshold };
                let is = if rising { code >= threshold } else { code <= threshold };
                threshold != 0 && was && is
            })
        };
        let rise = crossed(THD_TEMP_RISE, true).fold(0, |bits, level| bits | 1 << (4 * level));
        let fall = crossed(THD_TEMP_FALL, false).fold(0, |bits, level| bits | 1 << (16 + 4 * level));
        let stat = self.registers.get(INTSTAT) | rise | fall;
        self.registers.set(INTSTAT, stat);
        effects.line(INTERRUPTS[self.index], stat & self.registers.get(INTEN) != 0);
    }
}

impl Device for Tmu {
    fn read(&mut self, offset: u32, _: Size, _: &Access, _: &mut Effects) -> Result<u32, BusFault> {
        let enabled = self.registers.get(CONTROL) & CORE_ENABLE != 0;
        Ok(match offset {
            STATUS => 1,
            CURRENT_TEMP if enabled && !self.silent => self.code(),
            CURRENT_TEMP => 0,
            _ => self.registers.get(offset),
        })
    }

    fn write(&mut self, offset: u32, _: Size, value: u32, _: &Access, effects: &mut Effects) -> Result<(), BusFault> {
        match offset {
            TRIMINFO | STATUS | CURRENT_TEMP => {}
            INTCLEAR | INTSTAT => self.registers.set(INTSTAT, self.registers.get(INTSTAT) & !value),
            _ => self.registers.set(offset, value),
        }
        self.compare(effects);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Access = Access { core: 4, time: 0, pc: 0, secure: false };

    fn write(tmu: &mut Tmu, effects: &mut Effects, offset: u32, value: u32) {
        tmu.write(offset, Size::Word, value, &AT, effects).expect("answers");
    }

    #[test]
    fn a_sensor_reads_its_temperature_with_the_trim_from_the_right_place() {
        let mut sensors = sensors();
        let mut effects = Effects::default();
        let trims: Vec<u32> = sensors.iter().map(|tmu| tmu.registers.get(TRIMINFO) & 0xff).collect();
        for (index, tmu) in sensors.iter_mut().enumerate() {
            write(tmu, &mut effects, CONTROL, 1);
            tmu.sense(71_900, &mut effects);
            let code = tmu.read(CURRENT_TEMP, Size::Word, &AT, &mut effects).expect("answers");
            assert_eq!(code + 25 - trims[TRIM_IS_AT[index]], 71);
        }
    }

    #[test]
    fn crossing_a_threshold_interrupts_once() {
        let [mut tmu, ..] = sensors();
        let mut effects = Effects::default();
        write(&mut tmu, &mut effects, CONTROL, 1);
        write(&mut tmu, &mut effects, THD_TEMP_RISE, 100);
        write(&mut tmu, &mut effects, INTEN, 1);
        tmu.sense(69_000, &mut effects);
        assert_eq!(effects.lines.last(), Some(&(97, false)));
        tmu.sense(70_000, &mut effects);
        assert_eq!(effects.lines.last(), Some(&(97, true)));
        write(&mut tmu, &mut effects, INTCLEAR, 1);
        tmu.sense(71_000, &mut effects);
        assert_eq!(effects.lines.last(), Some(&(97, false)));
    }

    #[test]
    fn an_emulated_temperature_trips() {
        let [mut tmu, ..] = sensors();
        let mut effects = Effects::default();
        write(&mut tmu, &mut effects, THD_TEMP_RISE, 150 << 24);
        write(&mut tmu, &mut effects, CONTROL, 1 | 1 << 12);
        assert!(!tmu.trips());
        write(&mut tmu, &mut effects, EMUL_CON, 0x57f0 << 16 | 151 << 8 | 1);
        assert!(tmu.trips());
    }
}
