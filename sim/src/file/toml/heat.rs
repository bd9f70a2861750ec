//! The surroundings, and what happens in them.

use std::fmt::Display;
use std::ops::RangeInclusive;

use sched::Nanos;
use soc::exynos5422::HEAT;
use toml::Spanned;

use super::Reader;
use super::tables::{HeatEvent, HeatTable};
use crate::file::Wrong;
use crate::heat::{Disturbance, Surroundings};

/// Of the air, and of the chip at the start: what the network of the chip is made for, with room to spare.
const DEGREES: RangeInclusive<f64> = -40.0..=150.0;
/// What a sensor may show, be it ever so broken: its code has 8 bits.
const SHOWN: RangeInclusive<f64> = -128.0..=255.0;
/// Deviation of what sensors show.
const NOISE: RangeInclusive<f64> = 0.0..=50.0;

impl Reader<'_> {
    pub(super) fn surroundings(&self, heat: &HeatTable) -> Result<Surroundings, Wrong> {
        let degrees =
            |value: &Option<Spanned<f64>>| value.as_ref().map(|value| self.within(value, DEGREES)).transpose();
        Ok(Surroundings {
            ambient: degrees(&heat.ambient)?.unwrap_or(25.0),
            start: degrees(&heat.start)?,
            fan: heat.fan.as_ref().map(|level| self.fan(level)).transpose()?,
            noise: heat.noise.as_ref().map_or(Ok(0.0), |noise| self.within(noise, NOISE))?,
            ..Surroundings::default()
        })
    }

    pub(super) fn heat_event(&self, event: &HeatEvent) -> Result<(Nanos, Disturbance), Wrong> {
        let at = self.time(&event.at)?;
        let sensor = |sensor| self.within(sensor, 0..=HEAT.network.sensors.len() - 1);
        let disturbance = match (&event.ambient, &event.fan, &event.sensor, &event.shows, event.silent) {
            (Some(degrees), None, None, None, None) => Disturbance::Ambient(self.within(degrees, DEGREES)?),
            (None, Some(level), None, None, None) => Disturbance::Fan(self.fan(level)?),
            (None, None, Some(number), Some(shows), None) => {
                Disturbance::Shows(sensor(number)?, self.within(shows, SHOWN)?)
            }
            (None, None, Some(number), None, Some(true)) => Disturbance::Silent(sensor(number)?),
            (None, None, Some(number), None, Some(false)) => Disturbance::Well(sensor(number)?),
            _ => {
                let what = "expected one of ambient, fan, or sensor with shows or silent";
                return Err(self.wrong(event.at.span(), what.to_owned()));
            }
        };
        Ok((at, disturbance))
    }

    fn fan(&self, level: &Spanned<usize>) -> Result<usize, Wrong> {
        self.within(level, 0..=HEAT.network.fan.len() - 1)
    }

    /// A number that is in its range; what is no number is in none.
    fn within<T: Copy + PartialOrd + Display>(&self, value: &Spanned<T>, range: RangeInclusive<T>) -> Result<T, Wrong> {
        let (least, most, found) = (range.start(), range.end(), *value.get_ref());
        let what = || format!("expected a number from {least} to {most}, found {found}");
        if range.contains(&found) { Ok(found) } else { Err(self.wrong(value.span(), what())) }
    }
}
