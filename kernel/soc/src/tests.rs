//! Checks that every machine of this crate must pass.

use sched::{CapacityTable, CoreType, CpuId, CpuKind, CpuMask, MAX_CPUS, Machine};

use crate::{exynos5422, qemu_virt, validate, vexpress_a15};

static MACHINES: [&Machine; 3] = [&exynos5422::MACHINE, &qemu_virt::MACHINE, &vexpress_a15::MACHINE];

fn capacities(machine: &Machine) -> [u32; MAX_CPUS] {
    let table = CapacityTable::new(machine, CpuMask::ALL);
    core::array::from_fn(|index| table.capacity(CpuId::new(index)).get())
}

/// The three names of a core lead to one another: affinity, dense index, and the bit by which the GIC targets it.
#[test]
fn affinity_index_and_target_bit_agree_both_ways() {
    for machine in MACHINES {
        assert!(machine.cpus.len() <= MAX_CPUS, "{}", machine.name);
        for (index, facts) in machine.cpus.iter().enumerate() {
            // Bit 31 reads as one in MPIDR, and 30 and 24 tell of uniprocessors and threads.
            for flags in [0, 0x8000_0000, 0xc100_0000] {
                assert_eq!(machine.index_of(facts.mpidr | flags), Some(index), "{}", machine.name);
            }
            let target = CpuMask::of(CpuId::new(index));
            assert_eq!((target.bits(), target.first()), (1 << index, Some(CpuId::new(index))));
            assert_eq!(machine.cpus[index].mpidr, facts.mpidr);
        }
        assert_eq!(machine.index_of(0x8000_0200), None, "a core of no cluster we know");
    }
}

#[test]
fn low_affinity_alone_does_not_name_a_core() {
    let machine = &exynos5422::MACHINE;
    assert_eq!(machine.index_of(0x8000_0100), Some(0), "the first A7 boots");
    assert_eq!(machine.index_of(0x8000_0000), Some(4), "the first A15");
    assert_eq!(machine.cpus[4].kind.core, CoreType::Big);
}

#[test]
fn capacities_are_scaled_by_frequency() {
    assert_eq!(capacities(&exynos5422::MACHINE), [377, 377, 377, 377, 1024, 1024, 1024, 1024]);
    assert_eq!(capacities(&vexpress_a15::MACHINE), [1024, 1024, 462, 462, 0, 0, 0, 0]);
    assert_eq!(capacities(&qemu_virt::MACHINE), [1024, 1024, 1024, 1024, 462, 462, 462, 462]);
    assert_eq!(1024 * 28 / 62, 462, "what the looper saw");
    let [a7, a15] = [&exynos5422::LOOPER_A7, &exynos5422::CORTEX_A15].map(CpuKind::top_speed);
    assert_eq!(a7 * 1024 / a15, 462, "and what the board is worth");
}

/// Dynamic power is proportional to f·V². It rises with frequency even where a voltage is out of line.
#[test]
fn a_faster_operating_point_never_takes_less_power() {
    let power = |opp: &sched::Opp| {
        let millivolts = u64::from(opp.voltage.get()) / 1000;
        u64::from(opp.frequency.get()) * millivolts * millivolts
    };
    for machine in MACHINES {
        for kind in machine.cpus.iter().map(|cpu| cpu.kind) {
            assert!(!kind.opps.is_empty(), "{}", machine.name);
            let pairs = || kind.opps.windows(2);
            assert!(pairs().all(|pair| pair[0].frequency < pair[1].frequency), "{}", machine.name);
            assert!(pairs().all(|pair| power(&pair[0]) < power(&pair[1])), "{}", machine.name);
        }
    }
}

#[test]
fn the_cortex_a7_stops_at_its_stable_maximum() {
    let top = |kind: &CpuKind| kind.opps.last().map(|opp| opp.frequency.get());
    assert_eq!(top(&exynos5422::CORTEX_A7), Some(1_400_000));
    assert_eq!(top(&exynos5422::CORTEX_A15), Some(2_000_000));
}

/// By the device tree's figures a Cortex-A7 from 1100 MHz on costs more for its work than a Cortex-A15 up to 800 MHz;
/// by none of the measured ones.
#[test]
fn the_device_tree_alone_reverses_the_clusters() {
    for profile in exynos5422::PROFILES {
        let a15_at_800 = &profile.big[6];
        let reversed = profile.little.iter().position(|point| validate::dearer_than(point, a15_at_800));
        let expected = if profile.name == "device-tree" { Some(9) } else { None };
        if profile.name != "looper" {
            assert_eq!(reversed, expected, "{}", profile.name);
        }
    }
}

/// Dominated operating points: those of a voltage step below its top, and 1600 and 1700 MHz, whose voltage is above
/// that of 1800.
#[test]
fn dominated_operating_points_are_flagged() {
    let dominated = |points: &[sched::Point]| -> std::vec::Vec<usize> {
        (0..points.len()).filter(|index| validate::undercut(points, *index)).collect()
    };
    assert_eq!(dominated(exynos5422::DEVICE_TREE.big), [14, 15]);
    assert_eq!(dominated(exynos5422::DEVICE_TREE.little), std::vec::Vec::<usize>::new());
    // Below 400 MHz the measured A7 has no lower voltage to offer.
    assert_eq!(dominated(exynos5422::HASH.little), [0, 1]);
}

/// The slowest clock is not the cheapest one when idle power counts.
#[test]
fn critical_speeds() {
    use sched::{Energy, IdleCost};
    let energy = Energy::new(&exynos5422::MACHINE, CpuMask::ALL, &exynos5422::HASH, IdleCost::Gated);
    let megahertz = |core: CoreType, active| {
        let cluster = energy.cluster(core);
        cluster.level(cluster.critical(active)).opp.frequency.get() / 1000
    };
    for active in 1..=4 {
        let (big, little) = (megahertz(CoreType::Big, active), megahertz(CoreType::Little, active));
        assert_eq!((big, little), (700, 500), "{active} active");
    }
}
