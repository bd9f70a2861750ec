//! How long a core executed, at which frequency.

use std::collections::BTreeMap;

use crate::bus::Time;

/// Time that one core executed, by its clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    by_khz: BTreeMap<u32, Time>,
    /// The frequency that was added to last, kept out of the map: it rarely changes.
    current: (u32, Time),
}

impl Usage {
    /// Adds `busy` nanoseconds at `khz`.
    pub fn add(&mut self, khz: u32, busy: Time) {
        if khz != self.current.0 {
            self.settle();
            self.current = (khz, 0);
        }
        self.current.1 += busy;
    }

    /// Nanoseconds of execution.
    #[must_use]
    pub fn busy(&self) -> Time {
        self.by_khz.values().sum::<Time>() + self.current.1
    }

    /// Nanoseconds by kHz, the slowest first.
    #[must_use]
    pub fn residency(&self) -> Vec<(u32, Time)> {
        let mut settled = self.clone();
        settled.settle();
        settled.by_khz.into_iter().collect()
    }

    fn settle(&mut self) {
        if self.current.1 > 0 {
            *self.by_khz.entry(self.current.0).or_default() += self.current.1;
            self.current.1 = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_add_up_by_frequency() {
        let mut usage = Usage::default();
        usage.add(800_000, 10);
        usage.add(2_000_000, 5);
        usage.add(800_000, 1);
        assert_eq!(usage.busy(), 16);
        assert_eq!(usage.residency(), [(800_000, 11), (2_000_000, 5)]);
    }
}
