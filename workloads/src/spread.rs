//! The spread of many times: added to by any task, summed up once.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Steps for each doubling: a value is known to an eighth.
const STEPS: u32 = 8;
const PLACES: usize = (32 * STEPS) as usize;

/// A histogram of times in nanoseconds, up to four seconds.
#[derive(Debug)]
pub struct Spread {
    places: [AtomicU32; PLACES],
    count: AtomicU32,
    sum: AtomicU64,
    most: AtomicU32,
}

impl Spread {
    /// Empty.
    pub const fn new() -> Spread {
        Spread {
            places: [const { AtomicU32::new(0) }; PLACES],
            count: AtomicU32::new(0),
            sum: AtomicU64::new(0),
            most: AtomicU32::new(0),
        }
    }

    /// Forgets all; nobody may be adding.
    pub fn clear(&self) {
        self.places.iter().for_each(|place| place.store(0, Ordering::Relaxed));
        self.count.store(0, Ordering::Relaxed);
        self.sum.store(0, Ordering::Relaxed);
        self.most.store(0, Ordering::Relaxed);
    }

    /// Adds a time in nanoseconds.
    pub fn add(&self, nanoseconds: u64) {
        let value = u32::try_from(nanoseconds).unwrap_or(u32::MAX);
        self.places[place_of(value)].fetch_add(1, Ordering::Relaxed);
        self.count.fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(u64::from(value), Ordering::Relaxed);
        self.most.fetch_max(value, Ordering::Relaxed);
    }

    /// How many were added.
    pub fn count(&self) -> u32 {
        self.count.load(Ordering::Relaxed)
    }

    /// The greatest.
    pub fn most(&self) -> u64 {
        u64::from(self.most.load(Ordering::Relaxed))
    }

    /// The mean; 0 of none.
    pub fn mean(&self) -> u64 {
        self.sum.load(Ordering::Relaxed).checked_div(u64::from(self.count())).unwrap_or(0)
    }

    /// A bound that this many of 10,000 do not exceed, at most an eighth too high; 0 of none.
    pub fn quantile(&self, of_ten_thousand: u32) -> u64 {
        let wanted = (u64::from(self.count()) * u64::from(of_ten_thousand)).div_ceil(10_000).max(1);
        let mut seen = 0;
        for (place, count) in self.places.iter().enumerate() {
            seen += u64::from(count.load(Ordering::Relaxed));
            if seen >= wanted {
                return end_of(place).min(self.most());
            }
        }
        0
    }
}

impl Default for Spread {
    fn default() -> Self {
        Spread::new()
    }
}

fn place_of(value: u32) -> usize {
    if value < STEPS {
        return value as usize;
    }
    let doubling = value.ilog2();
    ((doubling - 2) * STEPS + (value >> (doubling - 3)) - STEPS) as usize
}

/// The greatest value of a place.
fn end_of(place: usize) -> u64 {
    let (doubling, step) = (place as u32 / STEPS, u64::from(place as u32 % STEPS));
    if doubling == 0 { step } else { ((u64::from(STEPS) + step + 1) << (doubling - 1)) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_its_place() {
        for value in (0..5000).chain([65_535, 65_536, 1_000_000, u32::MAX / 2, u32::MAX]) {
            let place = place_of(value);
            assert!(place < PLACES && end_of(place) >= u64::from(value), "{value}");
            assert!(end_of(place) <= u64::from(value) * 9 / 8, "{value}");
            assert!(place == 0 || end_of(place - 1) < u64::from(value), "{value}");
        }
    }

    #[test]
    fn quantiles_of_a_hundred() {
        let spread = Spread::new();
        assert_eq!((spread.quantile(5_000), spread.mean()), (0, 0));
        (1..=100).for_each(|value| spread.add(value * 1_000));
        assert!((50_000..=56_250).contains(&spread.quantile(5_000)));
        assert_eq!((spread.quantile(10_000), spread.most(), spread.mean()), (100_000, 100_000, 50_500));
        spread.clear();
        assert_eq!((spread.count(), spread.most()), (0, 0));
    }
}
