//! Linux' default governor: a step deeper at each poll while it gets hotter above a trip, a step back while it gets
//! cooler.
//!
//! As `drivers/thermal/gov_step_wise.c` and the trip thresholds of `thermal_core.c` are since Linux 6.10: a trip that
//! was crossed counts until the temperature has fallen below it by its hysteresis; above it a falling temperature gives
//! back one state, but not the last one; below it the trip asks for its lowest state and then for nothing. Of what the
//! trips ask for the most is in force. Kinder than the board in one way: its device tree has a `polling-delay-passive`
//! of 0, so that Linux looks again only when a sensor interrupts; here it looks at every poll. One zone stands for the
//! four: the hottest sensor.

use super::{HeatFacts, MilliCelsius, Trip};
use crate::CoreType;

/// The most trips that it follows.
const MAX_TRIPS: usize = 4;

/// A trip as it stands.
#[derive(Clone, Copy, Debug)]
struct Watch {
    /// Crossed, and not left since.
    crossed: bool,
    /// The states it asks for.
    targets: [Option<u8>; 2],
}

#[derive(Clone, Debug)]
pub(super) struct StepWise {
    watches: [Watch; MAX_TRIPS],
    /// By how many levels each cluster is held back.
    states: [u8; 2],
    last: MilliCelsius,
}

impl StepWise {
    pub const NEW: Self = Self {
        watches: [Watch { crossed: false, targets: [None; 2] }; MAX_TRIPS],
        states: [0; 2],
        last: MilliCelsius::new(0),
    };

    pub fn poll(&mut self, facts: &HeatFacts, hottest: MilliCelsius, free: [usize; 2]) -> [usize; 2] {
        let trend = hottest.get() - self.last.get();
        self.last = hottest;
        for (watch, trip) in self.watches.iter_mut().zip(facts.trips) {
            let threshold = trip.at.get() - if watch.crossed { trip.hysteresis.get() } else { 0 };
            watch.crossed = hottest.get() >= threshold;
            for core in CoreType::BOTH.map(CoreType::index) {
                watch.targets[core] = target(trip, core, watch, self.states[core], trend);
            }
        }
        let most = |core: usize| self.watches.iter().filter_map(|watch| watch.targets[core]).max();
        self.states = CoreType::BOTH.map(|core| most(core.index()).unwrap_or(0));
        [0, 1].map(|core: usize| free[core].saturating_sub(usize::from(self.states[core])))
    }
}

/// The state that a trip asks for now.
fn target(trip: &Trip, core: usize, watch: &Watch, state: u8, trend: i32) -> Option<u8> {
    let (least, most) = trip.states[core];
    match (watch.crossed, trend.signum()) {
        (true, 1) => Some((state + 1).clamp(least, most)),
        (true, -1) => Some(state.saturating_sub(1).clamp(most.min(least + 1), most)),
        (false, -1) => (state > least).then_some(least),
        _ => watch.targets[core],
    }
}
