//! The fluid bound: no schedule of equal loops on unequal CPUs can end earlier.

use abi::types::MAX_CPUS;

/// Capacity of the CPU that the time of one loop alone was taken on.
const FULL: u64 = 1024;

/// The earliest time at which `loops` equal loops can all have ended on CPUs of these capacities (0: absent), when one
/// alone takes `alone` on a CPU of capacity 1024. Any unit of time, the same for both.
///
/// For speeds s1 >= s2 >= … the bound is `alone` x max(n / sum s, max over k <= min(n, m) of k / (s1 + … + sk)), the
/// first term only for n >= m; the level algorithm attains it (Horvath, Lam, Sethi, J. ACM 24(1), 1977).
pub fn fluid_bound(alone: u64, loops: usize, capacities: &[u32; MAX_CPUS]) -> u64 {
    let mut speeds = *capacities;
    speeds.sort_unstable_by(|a, b| b.cmp(a));
    let mut bound = 0;
    let mut sum = 0;
    for (index, &speed) in speeds.iter().take_while(|&&speed| speed > 0).take(loops).enumerate() {
        sum += u64::from(speed);
        bound = bound.max(alone * FULL * (index as u64 + 1) / sum);
    }
    (alone * FULL * loops as u64).checked_div(sum).map_or(bound, |shared| bound.max(shared))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO_AND_TWO: [u32; MAX_CPUS] = [1024, 1024, 462, 462, 0, 0, 0, 0];

    #[test]
    fn one_loop_takes_its_time() {
        assert_eq!(fluid_bound(1000, 1, &TWO_AND_TWO), 1000);
        assert_eq!(fluid_bound(1000, 2, &TWO_AND_TWO), 1000);
    }

    #[test]
    fn as_many_loops_as_cores() {
        assert_eq!(fluid_bound(1000, 4, &TWO_AND_TWO), 1378);
        assert_eq!(fluid_bound(1000, 8, &[462, 462, 462, 462, 1024, 1024, 1024, 1024]), 1378);
    }

    #[test]
    fn more_loops_than_cores_share_all_the_speed() {
        assert_eq!(fluid_bound(1000, 8, &TWO_AND_TWO), 2756);
    }

    #[test]
    fn no_cpu_no_bound() {
        assert_eq!(fluid_bound(1000, 3, &[0; MAX_CPUS]), 0);
    }
}
