//! The measurements of one operation, which tasks of different CPUs may add to.

use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use super::counter;

/// Measurements kept of each operation.
pub const ROUNDS: usize = 101;

/// A fixed number of measurements; further ones are dropped.
pub struct Samples {
    values: [AtomicU32; ROUNDS],
    taken: AtomicUsize,
}

/// Least and median of the measurements, in instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The least: the path that nothing disturbed.
    pub least: u32,
    /// The median.
    pub median: u32,
}

impl Samples {
    /// None yet.
    pub const fn new() -> Samples {
        Samples { values: [const { AtomicU32::new(0) }; ROUNDS], taken: AtomicUsize::new(0) }
    }

    /// Forgets all.
    pub fn clear(&self) {
        self.taken.store(0, Ordering::Relaxed);
    }

    /// Adds one.
    pub fn add(&self, value: u32) {
        let place = self.taken.fetch_add(1, Ordering::Relaxed);
        if let Some(slot) = self.values.get(place) {
            slot.store(value, Ordering::Relaxed);
        }
    }

    /// Measures an action `ROUNDS` times, in this task.
    pub fn measure(&self, mut action: impl FnMut()) {
        for _ in 0..ROUNDS {
            let start = counter::now();
            action();
            let end = counter::now();
            self.add(end.wrapping_sub(start));
        }
    }

    /// What they come to, less the price of measuring; `None` when there are none.
    pub fn summary(&self, overhead: u32) -> Option<Summary> {
        let taken = self.taken.load(Ordering::Relaxed).min(ROUNDS);
        let mut sorted = [0; ROUNDS];
        for (to, from) in sorted.iter_mut().zip(&self.values[..taken]) {
            *to = from.load(Ordering::Relaxed);
        }
        let sorted = &mut sorted[..taken];
        sorted.sort_unstable();
        let least = sorted.first()?.saturating_sub(overhead);
        Some(Summary { least, median: sorted[taken / 2].saturating_sub(overhead) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn least_and_median_of_what_was_added() {
        let samples = Samples::new();
        assert_eq!(samples.summary(0), None);
        for value in [9, 5, 7] {
            samples.add(value);
        }
        assert_eq!(samples.summary(2), Some(Summary { least: 3, median: 5 }));
        samples.clear();
        assert_eq!(samples.summary(0), None);
    }

    #[test]
    fn too_many_are_dropped() {
        let samples = Samples::new();
        for value in 0..2 * ROUNDS as u32 {
            samples.add(value);
        }
        assert_eq!(samples.summary(0), Some(Summary { least: 0, median: ROUNDS as u32 / 2 }));
    }
}
