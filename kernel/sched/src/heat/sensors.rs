//! Which readings are believed.
//!
//! A sensor that is read at the wrong moment, or whose line is disturbed, gives 0, 255 or anything; one that has died
//! shows the same for ever. Neither may throttle or release the machine, nor may a real rise be taken for such. A
//! reading is believed when silicon can be that hot, and when it could have got there since the last one that was
//! believed: that holds for every real rise, at once. Three readings in a row that agree with each other are believed
//! even so, for then it is the past that was wrong, but only if they are not far from what the [observer](super)
//! expects there, by the power and by what all sensors have in common. A sensor that has talked nonsense for a while
//! must agree with itself for a second before it is believed again. A reading that stands still while the others move
//! is not believed until it moves.

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
/// So many that agree overrule the past, ...
const CONVINCING: u8 = 3;
/// ... but of a sensor that was not believed for so many readings so many ...
const DISTRUSTED: u8 = 5;
const REFORMED: u8 = 10;
/// ... if they are no further than this from what is expected, ...
const STRANGE: i32 = 10_000;
/// ... or, before anything is, from the middle of all sensors: one core at 2 GHz beside three that rest is 18 K hotter.
const SPREAD: i32 = 25_000;
/// A reading stands still if it is the same while the middle of all sensors has moved by this much.
const STILL: i32 = 4_000;
/// A sensor that has said nothing credible for so long is lost.
const LOST_AFTER: Nanos = Nanos::from_millis(2_000);

#[derive(Clone, Copy, Debug)]
struct Sensor {
    /// What is believed, and since when; [`None`] before the first credible reading.
    believed: Option<(MilliCelsius, Nanos)>,
    /// Whether the last reading was.
    heard: bool,
    /// The last one that was not believed, how many in a row agree with it, and how many there have been in a row.
    doubted: MilliCelsius,
    agreeing: u8,
    refused: u8,
    /// The last reading, and where the middle of all was when it was new.
    shown: MilliCelsius,
    middle: i32,
    stands_still: bool,
}

impl Sensor {
    const NEW: Self = Self {
        believed: None,
        heard: false,
        doubted: MilliCelsius::new(0),
        agreeing: 0,
        refused: 0,
        shown: MilliCelsius::new(0),
        middle: 0,
        stands_still: false,
    };

    fn take(&mut self, now: Nanos, reading: MilliCelsius, middle: i32, near: bool) {
        self.watch(reading, middle);
        let possible = credible(Some(reading)).is_some() && !self.stands_still;
        self.heard = possible && (self.could_be(now, reading) || self.convinces(reading) && near);
        if self.heard {
            self.believed = Some((reading, now));
            (self.agreeing, self.refused) = (0, 0);
        } else {
            self.refused = self.refused.saturating_add(1);
        }
    }

    fn watch(&mut self, reading: MilliCelsius, middle: i32) {
        if self.believed.is_none() || reading != self.shown {
            (self.shown, self.middle, self.stands_still) = (reading, middle, false);
        }
        self.stands_still |= (middle - self.middle).abs() >= STILL;
    }

    fn could_be(&self, now: Nanos, reading: MilliCelsius) -> bool {
        let Some((believed, at)) = self.believed.filter(|_| self.refused < DISTRUSTED) else { return false };
        let span = u64::from(now.since(at));
        let reach = i32::try_from(span / 1_000 * FASTEST / 1_000_000).unwrap_or(i32::MAX / 2);
        (reading.get() - believed.get()).abs() <= NOISE + reach.min(100_000)
    }

    fn convinces(&mut self, reading: MilliCelsius) -> bool {
        let agrees = (reading.get() - self.doubted.get()).abs() <= AGREE;
        self.agreeing = if agrees { self.agreeing.saturating_add(1) } else { 1 };
        self.doubted = reading;
        let enough = if self.refused < DISTRUSTED { CONVINCING } else { REFORMED };
        self.agreeing >= enough
    }
}

/// All sensors of a machine.
#[derive(Clone, Debug)]
pub struct Sensors {
    sensors: [Sensor; MAX_SENSORS],
    count: usize,
    /// When the first poll was.
    since: Option<Nanos>,
    /// Whether any reading was new.
    moved: bool,
}

impl Sensors {
    /// None has been read yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { sensors: [Sensor::NEW; MAX_SENSORS], count: 0, since: None, moved: false }
    }

    /// One round of readings; [`None`] for a sensor that did not answer. `expected` says what each should show, if
    /// anybody knows.
    pub fn take(
        &mut self,
        now: Nanos,
        readings: &[Option<MilliCelsius>],
        expected: impl Fn(usize) -> Option<MilliCelsius>,
    ) {
        self.since.get_or_insert(now);
        self.count = readings.len().min(MAX_SENSORS);
        let middle = middle(readings.iter().map(|reading| credible(*reading)));
        let surprise = |index: usize| Some(credible(readings[index])? - expected(index)?.get());
        let common = self::middle((0..self.count).map(surprise));
        self.moved = false;
        for (index, (sensor, reading)) in self.sensors.iter_mut().zip(readings).enumerate() {
            self.moved |= reading.is_some_and(|reading| reading != sensor.shown);
            sensor.heard = false;
            if let Some(reading) = reading {
                let near = match (surprise(index), common) {
                    (Some(surprise), Some(common)) => (surprise - common).abs() <= STRANGE,
                    _ => middle.is_none_or(|middle| (reading.get() - middle).abs() <= SPREAD),
                };
                sensor.take(now, *reading, middle.unwrap_or(0), near);
            }
        }
    }

    /// What is believed of one sensor.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<MilliCelsius> {
        let sensor = self.sensors[..self.count].get(index)?;
        sensor.believed.map(|(temperature, _)| temperature)
    }

    /// What one sensor has shown in this round, if that is believed.
    #[must_use]
    pub fn heard(&self, index: usize) -> Option<MilliCelsius> {
        self.get(index).filter(|_| self.sensors[index].heard)
    }

    /// For how long nothing that one sensor shows has been believed.
    #[must_use]
    pub fn silence(&self, index: usize, now: Nanos) -> Nanos {
        let since = self.sensors.get(index).and_then(|sensor| sensor.believed).map(|(_, at)| at);
        now.saturating_sub(since.or(self.since).unwrap_or(now))
    }

    /// Whether it is so long that what was believed is worth nothing any more.
    #[must_use]
    pub fn is_lost(&self, index: usize, now: Nanos) -> bool {
        self.silence(index, now) >= LOST_AFTER
    }

    /// Whether any sensor has shown something new in this round.
    #[must_use]
    pub fn moved(&self) -> bool {
        self.moved
    }

    /// The highest temperature that is believed; zero before the first.
    #[must_use]
    pub fn hottest(&self) -> MilliCelsius {
        (0..self.count).filter_map(|index| self.get(index)).max().unwrap_or_default()
    }

    /// Whether every sensor is lost.
    #[must_use]
    pub fn is_blind(&self, now: Nanos) -> bool {
        (0..self.count).all(|index| self.is_lost(index, now))
    }
}

impl Default for Sensors {
    fn default() -> Self {
        Self::new()
    }
}

/// A reading that could be, in thousandths of a degree.
fn credible(reading: Option<MilliCelsius>) -> Option<i32> {
    reading.map(MilliCelsius::get).filter(|reading| RANGE.contains(reading))
}

/// The middle one of those that there are; of two the lower.
pub(super) fn middle(values: impl Iterator<Item = Option<i32>>) -> Option<i32> {
    let mut sorted: heapless::Vec<i32, MAX_SENSORS> = values.flatten().take(MAX_SENSORS).collect();
    sorted.sort_unstable();
    sorted.get(sorted.len().saturating_sub(1) / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four sensors that have shown 60 degrees for a second, all expected to do so.
    struct Bench {
        sensors: Sensors,
        polls: u64,
    }

    impl Bench {
        fn new() -> Self {
            let mut bench = Self { sensors: Sensors::new(), polls: 0 };
            (0..10).for_each(|_| bench.poll([60; 4]));
            bench
        }

        fn poll(&mut self, celsius: [i32; 4]) {
            self.polls += 1;
            let readings = celsius.map(|celsius| Some(MilliCelsius::from_celsius(celsius)));
            self.sensors
                .take(Nanos::from_millis(100 * self.polls), &readings, |_| Some(MilliCelsius::from_celsius(60)));
        }

        fn heard(&self, index: usize) -> Option<i32> {
            self.sensors.heard(index).map(|reading| reading.get() / 1_000)
        }
    }

    #[test]
    fn a_jump_is_believed_after_three_polls_if_it_is_not_far_from_what_is_expected() {
        let mut bench = Bench::new();
        for poll in 1..=3 {
            bench.poll([60, 60, 69, 60]);
            assert_eq!(bench.heard(2), (poll == 3).then_some(69), "poll {poll}");
        }
        for _ in 0..50 {
            bench.poll([60, 60, 90, 60]);
            assert_eq!(bench.heard(2), None, "no core gets 30 K hotter than the others at once");
        }
    }

    /// The clock may have stood still, or the machine: what all show is true.
    #[test]
    fn a_jump_of_all_is_believed_after_three_polls() {
        let mut bench = Bench::new();
        for poll in 1..=3 {
            bench.poll([100, 101, 99, 100]);
            assert_eq!(bench.heard(0), (poll == 3).then_some(100), "poll {poll}");
        }
    }

    /// As fast as 2.7 W can heat a core, and more: each reading is believed at once.
    #[test]
    fn a_ramp_is_believed_at_each_step() {
        let mut bench = Bench::new();
        for celsius in (62..=120).step_by(2) {
            bench.poll([60, 60, celsius, 60]);
            assert_eq!(bench.heard(2), Some(celsius));
        }
    }

    #[test]
    fn one_that_stands_still_while_others_move_is_not_believed_until_it_moves() {
        let mut bench = Bench::new();
        for celsius in 61..=70 {
            bench.poll([celsius, 60, celsius, celsius]);
        }
        assert_eq!((bench.heard(0), bench.heard(1)), (Some(70), None));
        // And back: it is still the same reading.
        for celsius in (60..70).rev() {
            bench.poll([celsius, 60, celsius, celsius]);
        }
        assert_eq!(bench.heard(1), None);
        (0..12).for_each(|poll| bench.poll([60, 61 + poll % 2, 60, 60]));
        assert!(bench.heard(1).is_some(), "it lives");
    }

    #[test]
    fn who_babbles_is_believed_again_after_a_second_of_sense() {
        let mut bench = Bench::new();
        for reading in [255, 0, -70, 200, 30, 126, 99, 0] {
            bench.poll([60, reading, 60, 60]);
        }
        for poll in 0..12 {
            bench.poll([60, 61, 60, 60]);
            assert_eq!(bench.heard(1).is_some(), poll >= 9, "poll {poll}");
        }
    }
}
