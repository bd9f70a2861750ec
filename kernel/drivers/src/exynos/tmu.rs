//! Thermal-management unit: one sensor (`drivers/thermal/samsung/exynos_tmu.c`, the `exynos5420` variants).
//!
//! A sensor says a code, which is the temperature in °C but for an offset that was burnt in at the factory: the code at
//! 25 °C. For some sensors it lies in another one's registers, so it is read first and handed to [`Sensor::start`].
#![expect(unsafe_code, reason = "claims device registers")]

use crate::words::{Mapped, Words};

const TRIM: usize = 0x00;
const CONTROL: usize = 0x20;
const TEMPERATURE: usize = 0x40;
const RISING: usize = 0x50;
const FALLING: usize = 0x54;
const INTERRUPT_ENABLE: usize = 0x70;
const INTERRUPT_CLEAR: usize = 0x78;

/// In INTERRUPT_CLEAR: four levels on the way up, four on the way down.
const ALL_LEVELS: u32 = 0x1111_1111;
/// In CONTROL: the sensor runs; the highest rising threshold cuts the power.
const RUNS: u32 = 1;
const TRIPS: u32 = 1 << 12;
/// Reference voltage 16, slope 8, noise cancelling 4: the variant's constants.
const ANALOGUE: u32 = 16 << 24 | 4 << 13 | 8 << 8;
const ANALOGUE_FIELDS: u32 = 0x1f << 24 | 0b111 << 13 | 0xf << 8;
/// The code at 25 °C of a chip whose fuse says nothing sensible (`samsung,tmu_default_temp_offset`), and what is
/// sensible.
const USUAL_TRIM: u8 = 55;
const SENSIBLE_TRIMS: core::ops::RangeInclusive<u8> = 1..=100;

/// One sensor.
#[derive(Debug)]
pub struct Sensor<W = Mapped> {
    words: W,
    /// The code at 25 °C.
    trim: i32,
}

impl Sensor {
    /// Takes the device at `base`.
    ///
    /// # Safety
    ///
    /// At `base` is such a sensor, mapped as device memory, and nobody else drives it.
    #[must_use]
    pub const unsafe fn claim(base: usize) -> Self {
        // SAFETY: the caller's promise.
        Self::over(unsafe { Mapped::at(base) })
    }
}

impl<W: Words> Sensor<W> {
    pub(super) const fn over(words: W) -> Self {
        Self { words, trim: USUAL_TRIM as i32 }
    }

    /// The factory code that lies in this sensor's registers.
    pub fn stored_trim(&self) -> u8 {
        let code = self.words.read(TRIM) as u8;
        if SENSIBLE_TRIMS.contains(&code) { code } else { USUAL_TRIM }
    }

    /// Lets the sensor run with its factory code, so that it cuts the power at `trip` °C whatever the software does.
    pub fn start(&mut self, trim: u8, trip: i32) {
        self.trim = i32::from(trim);
        let words = &self.words;
        // Off while its thresholds change; they are compared with from the first measurement on.
        words.clear(CONTROL, RUNS | TRIPS);
        words.write(INTERRUPT_ENABLE, 0);
        words.write(INTERRUPT_CLEAR, ALL_LEVELS);
        words.write(FALLING, 0);
        words.write(RISING, u32::from(self.code(trip)) << 24);
        let control = words.read(CONTROL) & !ANALOGUE_FIELDS | ANALOGUE;
        words.write(CONTROL, control | TRIPS | RUNS);
    }

    /// Thousandths of a degree; [`None`] if the sensor is off or has measured nothing yet.
    pub fn millicelsius(&self) -> Option<i32> {
        let runs = self.words.read(CONTROL) & RUNS != 0;
        let code = (self.words.read(TEMPERATURE) & 0xff) as i32;
        (runs && code != 0).then_some((code - self.trim + 25) * 1_000)
    }

    fn code(&self, celsius: i32) -> u8 {
        (celsius - 25 + self.trim).clamp(1, 0xff) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::script::Script;

    #[test]
    fn a_started_sensor_reads_with_its_own_code_and_trips_by_itself() {
        let device = Script::new(&[(TRIM, 0x7337), (CONTROL, 0x0f00_e000)], |_, _| {});
        let mut sensor = Sensor::over(&device);
        assert_eq!(sensor.millicelsius(), None, "it is off");
        sensor.start(57, 120);
        assert_eq!(device.word(CONTROL), 16 << 24 | 4 << 13 | 8 << 8 | TRIPS | RUNS);
        assert_eq!(device.word(RISING), (120 - 25 + 57) << 24);
        assert_eq!(sensor.millicelsius(), None, "nothing measured yet");
        (&device).write(TEMPERATURE, 103);
        assert_eq!(sensor.millicelsius(), Some(71_000));
    }

    #[test]
    fn thresholds_change_while_it_is_off() {
        let device = Script::new(&[(CONTROL, RUNS | TRIPS), (TEMPERATURE, 200)], |_, _| {});
        Sensor::over(&device).start(55, 120);
        let writes = device.writes();
        let at = |wanted: usize| writes.iter().position(|(offset, _)| *offset == wanted).expect("it is written");
        assert_eq!(writes[0], (CONTROL, 0));
        assert!(at(RISING) < writes.iter().rposition(|(offset, _)| *offset == CONTROL).expect("twice"));
    }

    #[test]
    fn a_fuse_without_sense_gives_the_usual_code() {
        for (fuse, trim) in [(0x7337, 0x37), (0x7300, 55), (0x73ff, 55), (0x7364, 100)] {
            let device = Script::new(&[(TRIM, fuse)], |_, _| {});
            assert_eq!(Sensor::over(&device).stored_trim(), trim, "{fuse:#x}");
        }
    }
}
