//! How fast each CPU is, relative to the fastest one that came up.

use crate::{Capacity, CoreType, CpuId, CpuMask, MAX_CPUS, Machine};

/// CPUs of one capacity.
#[derive(Clone, Copy, Debug)]
struct Level {
    capacity: Capacity,
    cpus: CpuMask,
}

const NO_LEVEL: Level = Level { capacity: Capacity::ZERO, cpus: CpuMask::EMPTY };

/// The capacities of the CPUs that are present.
///
/// capacity = 1024 · (dmips per MHz · highest MHz) / (the same of the fastest CPU *present*): a machine
/// of which only the LITTLE half came up has CPUs of capacity 1024. A raw per-MHz value never leaves here.
#[derive(Clone, Debug)]
pub struct CapacityTable {
    capacities: [Capacity; MAX_CPUS],
    big: CpuMask,
    present: CpuMask,
    /// The distinct capacities, smallest first, so that a search looks at two or three sets, not at each CPU.
    levels: [Level; MAX_CPUS],
    level_count: usize,
}

impl CapacityTable {
    /// The table for the CPUs of `machine` that are in `present`. The others have capacity zero.
    #[must_use]
    pub fn new(machine: &Machine, present: CpuMask) -> Self {
        let present = present & CpuMask::first_n(machine.cpus.len());
        let speed = |cpu: CpuId| machine.cpus[cpu.index()].kind.top_speed();
        let fastest = present.iter().map(speed).max().unwrap_or(0).max(1);
        let mut capacities = [Capacity::ZERO; MAX_CPUS];
        for cpu in present.iter() {
            let capacity = u32::try_from(speed(cpu) * 1024 / fastest).unwrap_or(Capacity::FULL.get());
            // A CPU that is there can do something; a zero would divide the load by nothing.
            capacities[cpu.index()] = Capacity::new(capacity.max(1));
        }
        let is_big = |cpu: &CpuId| machine.cpus[cpu.index()].kind.core == CoreType::Big;
        let (levels, level_count) = levels(&capacities, present);
        Self { capacities, big: present.iter().filter(is_big).collect(), present, levels, level_count }
    }

    /// The capacity of `cpu`; zero if it is not present.
    #[inline]
    #[must_use]
    pub fn capacity(&self, cpu: CpuId) -> Capacity {
        self.capacities[cpu.index()]
    }

    /// The CPUs that the table was made for.
    #[inline]
    #[must_use]
    pub fn present(&self) -> CpuMask {
        self.present
    }

    /// The greatest capacity; zero if no CPU is present.
    #[inline]
    #[must_use]
    pub fn largest(&self) -> Capacity {
        self.levels().last().map_or(Capacity::ZERO, |level| level.capacity)
    }

    /// The sum of all capacities.
    #[must_use]
    pub fn total(&self) -> u32 {
        self.capacities.iter().map(|capacity| capacity.get()).sum()
    }

    /// The kind of `cpu`.
    #[inline]
    #[must_use]
    pub fn core_type(&self, cpu: CpuId) -> CoreType {
        if self.big.contains(cpu) { CoreType::Big } else { CoreType::Little }
    }

    /// The present CPUs of one kind.
    #[must_use]
    pub fn mask_of(&self, core: CoreType) -> CpuMask {
        match core {
            CoreType::Big => self.big,
            CoreType::Little => self.present & !self.big,
        }
    }

    /// The CPU of greatest capacity in `among`, lowest index first.
    #[must_use]
    pub fn largest_in(&self, among: CpuMask) -> Option<CpuId> {
        self.levels().iter().rev().find_map(|level| (level.cpus & among).first())
    }

    /// The CPUs of each capacity, least first.
    pub(crate) fn equals(&self) -> impl Iterator<Item = CpuMask> {
        self.levels().iter().map(|level| level.cpus)
    }

    fn levels(&self) -> &[Level] {
        &self.levels[..self.level_count]
    }
}

fn levels(capacities: &[Capacity; MAX_CPUS], present: CpuMask) -> ([Level; MAX_CPUS], usize) {
    let mut levels = [NO_LEVEL; MAX_CPUS];
    let mut count = 0;
    for cpu in present.iter() {
        let capacity = capacities[cpu.index()];
        if let Some(level) = levels[..count].iter_mut().find(|level| level.capacity == capacity) {
            level.cpus.insert(cpu);
        } else {
            levels[count] = Level { capacity, cpus: CpuMask::of(cpu) };
            count += 1;
        }
    }
    levels[..count].sort_unstable_by_key(|level| level.capacity);
    (levels, count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::TWO_AND_TWO;

    fn values(present: u32) -> [u32; 4] {
        let table = CapacityTable::new(&TWO_AND_TWO, CpuMask::from_bits(present));
        core::array::from_fn(|index| table.capacity(CpuId::new(index)).get())
    }

    #[test]
    fn scales_by_frequency_as_well_as_by_work_per_cycle() {
        assert_eq!(values(0b1111), [377, 377, 1024, 1024], "539 alone is not the capacity of an A7");
    }

    #[test]
    fn renormalises_to_what_is_present() {
        assert_eq!(values(0b0011), [1024, 1024, 0, 0]);
        assert_eq!(values(0b1100), [0, 0, 1024, 1024]);
        let nothing = CapacityTable::new(&TWO_AND_TWO, CpuMask::EMPTY);
        assert_eq!((nothing.largest(), nothing.total()), (Capacity::ZERO, 0));
        assert_eq!(nothing.largest_in(CpuMask::ALL), None);
    }

    #[test]
    fn finds_the_largest_and_who_are_equal() {
        let table = CapacityTable::new(&TWO_AND_TWO, CpuMask::ALL);
        let id = |index| Some(CpuId::new(index));
        assert_eq!(table.largest_in(CpuMask::ALL), id(2));
        assert_eq!(table.largest_in(CpuMask::from_bits(0b0011)), id(0));
        assert!(table.equals().eq([CpuMask::from_bits(0b0011), CpuMask::from_bits(0b1100)]), "least first");
        assert_eq!(table.mask_of(CoreType::Little), CpuMask::from_bits(0b0011));
        assert_eq!(table.core_type(CpuId::new(3)), CoreType::Big);
    }
}
