//! Which readings are believed.
//!
//! A sensor that is read at the wrong moment, or whose line is disturbed, gives 0, 255 or anything. Neither may such a
//! sample throttle or release the machine, nor may a real rise be taken for one. A reading is believed when silicon can be
//! that hot, and when it could have got there since the last one that was believed. Three readings in a row that agree with
//! each other are believed even so: then it is the past that was wrong.

use crate::{MilliCelsius, Nanos};

/// The most sensors of a machine.
pub const MAX_SENSORS: usize = 5;

/// Silicon works between these.
const RANGE: core::ops::RangeInclusive<i32> = -25_000..=125_000;
/// A core heats by no more than this in a second at any power that it can draw, in thousandths of a degree ...
const FASTEST: u64 = 25_000;
/// ... on top of quantisation and noise.
const NOISE: i32 = 3_000;
/// Readings that differ by less agree.
const AGREE: i32 = 4_000;
/// So many that agree overrule the past.
const CONVINCING: u8 = 3;
/// A sensor that has said nothing credible for so long is lost.
const LOST_AFTER: Nanos = Nanos::from_millis(2_000);

#[derive(Clone, Copy, Debug)]
struct Sensor {
    /// What is believed, and since when; [`None`] before the first credible reading.
    believed: Option<(MilliCelsius, Nanos)>,
    /// The last one that was not believed, and how many in a row agree with it.
    doubted: MilliCelsius,
    agreeing: u8,
}

impl Sensor {
    const NEW: Self = Self { believed: None, doubted: MilliCelsius::new(0), agreeing: 0 };

    fn take(&mut self, now: Nanos, reading: MilliCelsius) {
        if !RANGE.contains(&reading.get()) {
            return;
        }
        if self.could_be(now, reading) || self.convinces(reading) {
            self.believed = Some((reading, now));
            self.agreeing = 0;
        }
    }

    fn could_be(&self, now: Nanos, reading: MilliCelsius) -> bool {
        let Some((believed, at)) = self.believed else { return false };
        let span = u64::from(now.since(at));
        let reach = i32::try_from(span / 1_000 * FASTEST / 1_000_000).unwrap_or(i32::MAX / 2);
        (reading.get() - believed.get()).abs() <= NOISE + reach.min(100_000)
    }

    fn convinces(&mut self, reading: MilliCelsius) -> bool {
        let agrees = (reading.get() - self.doubted.get()).abs() <= AGREE;
        self.agreeing = if agrees { self.agreeing + 1 } else { 1 };
        self.doubted = reading;
        self.agreeing >= CONVINCING
    }
}

/// All sensors of a machine.
#[derive(Clone, Debug)]
pub struct Sensors {
    sensors: [Sensor; MAX_SENSORS],
    count: usize,
    /// When the first poll was.
    since: Option<Nanos>,
}

impl Sensors {
    /// None has been read yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { sensors: [Sensor::NEW; MAX_SENSORS], count: 0, since: None }
    }

    /// One round of readings.
    pub fn take(&mut self, now: Nanos, readings: &[Option<MilliCelsius>]) {
        self.since.get_or_insert(now);
        self.count = readings.len().min(MAX_SENSORS);
        for (sensor, reading) in self.sensors.iter_mut().zip(readings) {
            if let Some(reading) = reading {
                sensor.take(now, *reading);
            }
        }
    }

    /// What is believed of one sensor.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<MilliCelsius> {
        let sensor = self.sensors[..self.count].get(index)?;
        sensor.believed.map(|(temperature, _)| temperature)
    }

    /// The highest temperature that is believed; zero before the first.
    #[must_use]
    pub fn hottest(&self) -> MilliCelsius {
        (0..self.count).filter_map(|index| self.get(index)).max().unwrap_or_default()
    }

    /// Whether every sensor has been silent, or has talked nonsense, for two seconds.
    #[must_use]
    pub fn is_blind(&self, now: Nanos) -> bool {
        let fresh = |at: Nanos| now.saturating_sub(at) < LOST_AFTER;
        let begun = self.since.is_some_and(fresh);
        let heard = |sensor: &Sensor| sensor.believed.is_some_and(|(_, at)| fresh(at));
        !begun && !self.sensors[..self.count].iter().any(heard)
    }
}

impl Default for Sensors {
    fn default() -> Self {
        Self::new()
    }
}
