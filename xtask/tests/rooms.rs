//! Who may know whom: the table of rooms, held against what `cargo metadata` says the crates really use.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

/// A room of the kernel and the crates it may use in what it ships.
const KERNEL_ROOMS: &[(&str, &[&str])] = &[
    ("sched", &["heapless"]),
    ("soc", &["sched"]),
    ("arch", &["aarch32-cpu", "aarch32-rt", "tock-registers", "spin"]),
    ("drivers", &["tock-registers", "embedded-hal"]),
    ("abi", &[]),
    ("kernel", &["sched", "abi", "arch", "spin", "heapless", "defmt"]),
    ("workloads", &["abi"]),
    ("tests", &["abi", "workloads"]),
    ("plan-cost", &["sched", "soc"]),
    ("vexpress-a15", BOARD),
    ("qemu-virt", BOARD),
    ("odroid-xu4", BOARD),
];

/// A board joins the rooms. It reads the boot arguments from a device tree, and starts the self-test as it starts a
/// workload.
const BOARD: &[&str] = &["kernel", "arch", "drivers", "soc", "workloads", "tests", "fdt"];

/// What the tests and benches of any room may use besides: host crates, the room that starts QEMU, the facts of real
/// machines, and the reader of the device trees that these are held against.
const FOR_TESTS: &[&str] = &["proptest", "criterion", "anyhow", "qemu", "soc", "fdt"];

/// Whose tests hold what a kernel recorded against the rules of simulated runs, and by what.
const CHECKS_TRACES: (&str, &str) = ("tests", "sim");

/// Rooms that run on the host only and stay strangers to the kernel.
const HOST_ROOMS: &[&str] = &["model", "qemu", "xtask"];

/// The room that runs the policy on a model of the chip, and what it may use of the kernel.
const SIMULATOR: (&str, &[&str]) = ("sim", &["sched", "soc"]);

/// Rooms in which nothing can be unsafe, not even by exception.
const SAFE_ROOMS: &[&str] = &["sched", "soc", "kernel", "sim"];

/// Takes interrupts off on one core alone, which keeps nobody out on eight.
const UNSOUND_FEATURE: &str = "critical-section-single-core";

fn metadata(options: &[&str]) -> Metadata {
    let mut command = MetadataCommand::new();
    command.other_options(options.iter().map(|option| (*option).to_owned()).collect::<Vec<_>>());
    command.exec().expect("cargo metadata works where cargo test does")
}

fn rooms() -> Vec<Package> {
    metadata(&["--no-deps"]).packages
}

fn uses(room: &Package, wanted: impl Fn(DependencyKind) -> bool) -> impl Iterator<Item = &str> {
    room.dependencies.iter().filter(move |used| wanted(used.kind)).map(|used| used.name.as_str())
}

fn may_use(room: &str) -> Option<&'static [&'static str]> {
    KERNEL_ROOMS.iter().find(|(name, _)| *name == room).map(|(_, crates)| *crates)
}

#[test]
fn every_crate_is_a_room_of_the_table() {
    let found: BTreeSet<_> = rooms().iter().map(|room| room.name.to_string()).collect();
    let kernel = KERNEL_ROOMS.iter().map(|(name, _)| *name);
    let table = kernel.chain(HOST_ROOMS.iter().copied()).chain([SIMULATOR.0]).map(str::to_owned).collect();
    assert_eq!(found, table);
}

#[test]
fn kernel_rooms_use_only_what_the_table_grants() {
    for room in rooms() {
        let Some(granted) = may_use(&room.name) else { continue };
        for used in uses(&room, |kind| kind != DependencyKind::Development) {
            assert!(granted.contains(&used), "{} must not know {used}", room.name);
        }
        for used in uses(&room, |kind| kind == DependencyKind::Development) {
            let checks = (room.name.as_str(), used) == CHECKS_TRACES;
            let allowed = granted.contains(&used) || FOR_TESTS.contains(&used) || checks;
            assert!(allowed, "the tests of {} must not know {used}", room.name);
        }
    }
}

#[test]
fn host_rooms_know_no_room_of_the_kernel() {
    for room in rooms().iter().filter(|room| HOST_ROOMS.contains(&room.name.as_str())) {
        for used in uses(room, |_| true) {
            assert!(may_use(used).is_none(), "{} must not know {used}", room.name);
        }
    }
}

#[test]
fn the_simulator_knows_the_policy_and_the_facts_alone() {
    let (name, granted) = SIMULATOR;
    for room in rooms().iter().filter(|room| room.name.as_str() == name) {
        for used in uses(room, |_| true).filter(|used| may_use(used).is_some()) {
            assert!(granted.contains(&used), "{name} must not know {used}");
        }
    }
}

#[test]
fn every_room_obeys_the_lints_of_the_house() {
    for room in rooms() {
        let manifest = read(room.manifest_path.as_std_path());
        assert!(manifest.contains("[lints]\nworkspace = true"), "{} has lints of its own", room.name);
    }
    let house = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml"));
    for lint in ["unsafe_code", "unsafe_op_in_unsafe_fn", "undocumented_unsafe_blocks", "missing_safety_doc"] {
        assert!(house.contains(&format!("\n{lint} = \"deny\"")), "{lint} is not denied");
    }
}

#[test]
fn pure_rooms_forbid_unsafe_code() {
    for room in rooms().iter().filter(|room| SAFE_ROOMS.contains(&room.name.as_str())) {
        let manifest = room.manifest_path.as_std_path();
        let source = read(&manifest.with_file_name("src").join("lib.rs"));
        assert!(source.contains("#![forbid(unsafe_code)]"), "{} does not forbid unsafe code", room.name);
    }
}

#[test]
fn no_crate_of_the_image_takes_one_core_for_all() {
    let metadata = metadata(&["--filter-platform", "armv7a-none-eabihf"]);
    let resolve = metadata.resolve.expect("asked for with dependencies");
    for node in resolve.nodes {
        let unsound = node.features.iter().any(|feature| feature.as_str() == UNSOUND_FEATURE);
        assert!(!unsound, "{} has {UNSOUND_FEATURE}", node.id);
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
