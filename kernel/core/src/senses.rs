//! Sensors that fall silent, and clocks that fail: told once, in one line each.

use core::fmt;

use sched::MilliCelsius;
use sched::heat::MAX_SENSORS;

use crate::kernel::Kernel;
use crate::plant::Plant;

/// A sensor that has not answered so many polls in a row is said to be silent.
const SILENT_AFTER: u8 = 10;

/// Which sensors answer.
pub(crate) struct Senses {
    /// For how many polls each has not; it stops at [`SILENT_AFTER`].
    missed: [u8; MAX_SENSORS],
    blind: bool,
}

/// What has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// This sensor has fallen silent.
    Silent(usize),
    /// None is believed any more, so the clocks are as low as they go.
    Blind,
    /// Some are again.
    Sees,
}

impl fmt::Display for News {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            News::Silent(sensor) => write!(f, "HEAT sensor={sensor} state=silent"),
            News::Blind => f.write_str("HEAT sensors=not_believed action=lowest_clocks"),
            News::Sees => f.write_str("HEAT sensors=believed action=none"),
        }
    }
}

impl Senses {
    /// All of them, so far.
    pub const fn new() -> Senses {
        Senses { missed: [0; MAX_SENSORS], blind: false }
    }

    /// Takes note of a poll; `blind` says that no sensor is believed. What is new is told.
    pub fn watch(&mut self, readings: &[Option<MilliCelsius>], blind: bool, mut tell: impl FnMut(News)) {
        for (sensor, (missed, reading)) in self.missed.iter_mut().zip(readings).enumerate() {
            match reading {
                Some(_) => *missed = 0,
                None if *missed < SILENT_AFTER => {
                    *missed += 1;
                    if *missed == SILENT_AFTER {
                        tell(News::Silent(sensor));
                    }
                }
                None => {}
            }
        }
        if core::mem::replace(&mut self.blind, blind) != blind {
            tell(if blind { News::Blind } else { News::Sees });
        }
    }
}

impl Kernel {
    /// A line for each thing of the plant that has failed.
    pub(crate) fn tell_troubles(&self, plant: &dyn Plant) {
        while let Some(trouble) = plant.trouble() {
            self.print(format_args!("CLOCK {trouble}"));
        }
    }

    /// A line for each cluster: what its clock has been brought to.
    pub(crate) fn tell_clocks(&self) {
        let Some(energy) = self.governance.energy() else { return };
        for cluster in energy.clusters().iter().filter(|cluster| !cluster.cpus.is_empty()) {
            let khz = |level: usize| cluster.level(level).opp.frequency.get();
            let level = self.plant().map_or(usize::MAX, |plant| plant.level(cluster.core));
            self.print(format_args!(
                "CLOCK class={} khz={} lowest_khz={} highest_khz={}",
                cluster.core,
                khz(level),
                khz(0),
                khz(usize::MAX),
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::vec::Vec;

    fn polls(senses: &mut Senses, count: usize, readings: &[Option<MilliCelsius>], blind: bool) -> Vec<News> {
        let mut news = Vec::new();
        (0..count).for_each(|_| senses.watch(readings, blind, |new| news.push(new)));
        news
    }

    #[test]
    fn a_silent_sensor_is_told_once_and_again_after_it_has_answered() {
        let warm = Some(MilliCelsius::from_celsius(40));
        let mut senses = Senses::new();
        assert_eq!(polls(&mut senses, 9, &[warm, None], false), []);
        assert_eq!(polls(&mut senses, 50, &[warm, None], false), [News::Silent(1)]);
        assert_eq!(polls(&mut senses, 1, &[warm, warm], false), []);
        assert_eq!(polls(&mut senses, 50, &[None, None], false), [News::Silent(0), News::Silent(1)]);
    }

    #[test]
    fn blindness_is_told_when_it_comes_and_goes() {
        let mut senses = Senses::new();
        assert_eq!(polls(&mut senses, 5, &[None], true), [News::Blind]);
        assert_eq!(polls(&mut senses, 2, &[None], false), [News::Sees]);
    }
}
