//! The constant tables of the Exynos5422 against the device tree that Linux boots an Odroid XU4 with.
//!
//! The tree is taken from Debian's kernel package for armhf, fetched once into the target folder with apt's own means.
//! Where that cannot be had the test says so and passes; `EXYNOS5422_DTB=<file>` names another copy.

mod blocks;
mod fetch;
mod reader;

use reader::{Kind, Tree};
use sched::{CoreType, CpuKind, Opp, Point};
use soc::exynos5422::{CORTEX_A7, CORTEX_A15, DEVICE_TREE, MACHINE, power};

/// The operating points of a kind as constants.
fn same_opps(kind: &Kind, constant: &CpuKind) {
    let constants: Vec<Opp> = constant.opps.to_vec();
    assert_eq!(kind.opps, constants, "{}: frequencies and voltages", constant.core);
    assert_eq!(kind.dmips_per_mhz, constant.dmips_per_mhz, "{}: capacity-dmips-mhz", constant.core);
}

fn same_points(points: &[Point], constants: &[Point], core: CoreType) {
    assert_eq!(points.len(), constants.len());
    for (level, (point, constant)) in points.iter().zip(constants).enumerate() {
        assert_eq!(point, constant, "{core}: speed and power at level {level}");
    }
}

#[test]
fn the_constants_are_those_of_the_device_tree() {
    let bytes = match fetch::device_tree("exynos5422-odroidxu4.dtb") {
        Ok(bytes) => bytes,
        Err(reason) => return println!("SKIPPED: no device tree of the Odroid XU4 to compare with: {reason}"),
    };
    let tree = Tree::read(&bytes).expect("Debian's device tree is in order");

    let affinities: Vec<u32> = MACHINE.cpus.iter().map(|cpu| cpu.mpidr).collect();
    assert_eq!(tree.affinities(), affinities, "CPUs in boot order");

    let [big, little] = [0x000, 0x100].map(|affinity| tree.kind_of(affinity).expect("a CPU of either kind"));
    same_opps(big, &CORTEX_A15);
    same_opps(little, &CORTEX_A7);
    assert_eq!((big.coefficient, little.coefficient), (power::COEFFICIENT_A15, power::COEFFICIENT_A7));

    let top = big.top_speed().max(little.top_speed());
    same_points(&big.points(top), DEVICE_TREE.big, CoreType::Big);
    same_points(&little.points(top), DEVICE_TREE.little, CoreType::Little);
}

#[test]
fn a_broken_tree_is_an_error_and_no_panic() {
    assert!(Tree::read(&[]).is_err());
    assert!(Tree::read(&[0xd0, 0x0d, 0xfe, 0xed, 0, 0, 0, 1]).is_err());
}
