//! Linux' default: above a trip one level down at each poll while it gets hotter, below it one level back.

use super::{HeatFacts, MilliCelsius};

#[derive(Clone, Debug)]
pub(super) struct StepWise {
    /// By how many levels each cluster is held back.
    states: [u8; 2],
    last: MilliCelsius,
}

impl StepWise {
    pub fn new() -> Self {
        Self { states: [0; 2], last: MilliCelsius::new(0) }
    }

    pub fn poll(&mut self, facts: &HeatFacts, hottest: MilliCelsius, free: [usize; 2]) -> [usize; 2] {
        let rising = hottest > self.last;
        let falling = hottest < self.last;
        self.last = hottest;
        let above = facts.trips.iter().rev().find(|trip| hottest >= trip.at);
        let let_go = |trip: &super::Trip| hottest.get() < trip.at.get() - trip.hysteresis.get();
        for (cluster, state) in self.states.iter_mut().enumerate() {
            match above {
                Some(trip) if *state < trip.depth[cluster] => *state += u8::from(rising),
                // Deeper than the highest trip below asks for: as for a trip that the temperature has left.
                Some(trip) if *state > trip.depth[cluster] => *state -= u8::from(falling),
                Some(_) => {}
                None if facts.trips.first().is_none_or(let_go) => *state = state.saturating_sub(1),
                None => *state -= u8::from(falling && *state > 0),
            }
        }
        let [big, little] = free;
        [big.saturating_sub(usize::from(self.states[0])), little.saturating_sub(usize::from(self.states[1]))]
    }
}
