//! The best that any schedule could do.

use crate::{CapacityTable, CpuMask, Nanos};

/// The earliest end of `jobs` equal jobs of `work` each (in run time on a CPU of full capacity), if they could
/// move at no cost and at any moment; zero if no CPU is present.
///
/// With speeds s1 ≥ s2 ≥ … of m CPUs this is the greater of work · jobs / (s1 + … + sm), if there are at least m
/// jobs, and work · k / (s1 + … + sk) for every k up to both numbers: k jobs cannot use more than the k fastest
/// CPUs. The level algorithm attains it (Horvath, Lam and Sethi, JACM 24(1), 1977).
#[must_use]
pub fn fluid_bound(work: Nanos, jobs: usize, capacities: &CapacityTable) -> Nanos {
    let mut left = capacities.present();
    let (mut fastest, mut speed, mut bound) = (0, 0, 0);
    while let Some(cpu) = capacities.largest_in(left).filter(|_| fastest < jobs as u64) {
        left = left & !CpuMask::of(cpu);
        fastest += 1;
        speed += u64::from(capacities.capacity(cpu).get());
        // With every CPU in use the remaining jobs share them all.
        let sharing = if left.is_empty() { jobs as u64 } else { fastest };
        bound = bound.max((work.as_nanos() * sharing * 1024).div_ceil(speed));
    }
    Nanos::new(bound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::FOUR_AND_FOUR;

    fn milliseconds(jobs: usize, present: u32) -> u64 {
        let table = CapacityTable::new(&FOUR_AND_FOUR, CpuMask::from_bits(present));
        fluid_bound(Nanos::from_millis(28_000), jobs, &table).as_millis()
    }

    /// The looper of scheduling.md, 28 s on a big CPU and 62 s on a LITTLE one, worked out by hand.
    #[test]
    fn matches_the_looper() {
        let near =
            |value: u64, expected: u64| assert!(value.abs_diff(expected) <= expected / 500, "{value} {expected}");
        near(milliseconds(1, 0xff), 28_000);
        near(milliseconds(4, 0xff), 28_000);
        near(milliseconds(5, 0xff), 31_450);
        near(milliseconds(7, 0xff), 36_600);
        near(milliseconds(8, 0xff), 38_580);
        near(milliseconds(16, 0xff), 77_160);
    }

    #[test]
    fn follows_what_is_present() {
        assert_eq!(milliseconds(4, 0b1010_1010), 28_000, "LITTLE CPUs alone are the full ones");
        assert_eq!(milliseconds(3, 0b1), 84_000);
        assert_eq!((milliseconds(0, 0xff), milliseconds(3, 0)), (0, 0));
    }
}
