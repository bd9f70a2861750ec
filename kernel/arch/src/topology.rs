//! Who a core is: the affinity fields of MPIDR, and the board's order of them.

use crate::MAX_CPUS;

/// Affinity levels 2-0 of MPIDR (ARM DDI 0406C B4.1.106) say who a core is; the other bits say how it is built.
const AFFINITY: u32 = 0x00ff_ffff;

/// The table in which the start-up code looks for the affinity of its core; what is behind `cpus` matches no core.
///
/// # Panics
///
/// At compile time, if there are no CPUs or more than [`MAX_CPUS`], or two with the same affinity.
pub(crate) const fn affinities(cpus: &[u32]) -> [u32; MAX_CPUS] {
    assert!(!cpus.is_empty() && cpus.len() <= MAX_CPUS, "a board has one to eight CPUs");
    let mut affinities = [!0; MAX_CPUS];
    let mut cpu = 0;
    while cpu < cpus.len() {
        affinities[cpu] = cpus[cpu] & AFFINITY;
        let mut other = 0;
        while other < cpu {
            assert!(affinities[other] != affinities[cpu], "two CPUs have the same MPIDR");
            other += 1;
        }
        cpu += 1;
    }
    affinities
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the cores of an Exynos5422 read, boot core first: multiprocessor bit set, cluster in level 1.
    const EXYNOS5422: [u32; 8] =
        [0x8000_0100, 0x8000_0101, 0x8000_0102, 0x8000_0103, 0x8000_0000, 0x8000_0001, 0x8000_0002, 0x8000_0003];

    #[test]
    fn every_core_of_two_clusters_has_its_own_place() {
        let table = affinities(&EXYNOS5422);
        for (cpu, mpidr) in EXYNOS5422.into_iter().enumerate() {
            // As the start-up code does it.
            let found = table.iter().position(|&affinity| affinity == mpidr & AFFINITY);
            assert_eq!(found, Some(cpu));
        }
    }

    #[test]
    fn the_rest_of_the_table_matches_nobody() {
        let table = affinities(&EXYNOS5422[..4]);
        assert!(table[4..].iter().all(|&entry| entry & !AFFINITY != 0));
    }

    #[test]
    #[should_panic(expected = "the same MPIDR")]
    fn cores_that_differ_in_other_bits_are_the_same() {
        affinities(&[0x8000_0001, 0xc000_0001]);
    }

    #[test]
    #[should_panic(expected = "one to eight")]
    fn a_ninth_core_is_one_too_many() {
        affinities(&[0; 9]);
    }
}
