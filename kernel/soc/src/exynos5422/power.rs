//! Power by the device tree's coefficients, and the table of all profiles.

use sched::energy::derive;
use sched::{Microwatts, Point, Profile, Rate};

use super::measured::{CACHE_KILLER, CACHE_RESIDENT, ENCRYPT, GZIP, HASH, IDLE_BIG, IDLE_LITTLE};
use super::{CORTEX_A7, CORTEX_A15};
use crate::validate;

/// `dynamic-power-coefficient` in µW/MHz/V² (`exynos5422-cpus.dtsi`). They were chosen for about three times between
/// the kinds at equal frequency and voltage, and are a compromise: light work fits, compute-bound work takes up to 2.2
/// times as much on the A15 (measured rows of [`super::measured`]).
pub const COEFFICIENT_A15: u32 = 310;
/// Likewise, of the Cortex-A7.
pub const COEFFICIENT_A7: u32 = 90;

/// 539 · 1.4 GHz / (1024 · 2.0 GHz): `capacity-dmips-mhz` of exynos5422-cpus.dtsi.
const DEVICE_TREE_TOP: Rate = Rate::new((539 * 1400 * Rate::FULL.get() as u64 / (1024 * 2000)) as u32);
/// A shell loop took 28 s on the A15 and 62 s on the A7 (chiefio.wordpress.com, "Odroid XU4 CPU Scheduler").
const LOOPER_TOP: Rate = Rate::new(28 * Rate::FULL.get() / 62);

static BIG: [Point; 19] = derive(CORTEX_A15.opps, COEFFICIENT_A15, Rate::FULL);
static LITTLE: [Point; 13] = derive(CORTEX_A7.opps, COEFFICIENT_A7, DEVICE_TREE_TOP);
static LOOPER_LITTLE: [Point; 13] = derive(CORTEX_A7.opps, COEFFICIENT_A7, LOOPER_TOP);

/// What Linux' energy model knows.
pub static DEVICE_TREE: Profile = Profile {
    name: "device-tree",
    source: "torvalds/linux: arch/arm/boot/dts/samsung/exynos5422-cpus.dtsi, exynos5800.dtsi",
    big: &BIG,
    little: &LITTLE,
    idle_big: &IDLE_BIG,
    idle_little: &IDLE_LITTLE,
};

/// Power of the device tree, speed ratio of the looper.
pub static LOOPER: Profile = Profile {
    name: "looper",
    source: "power: as device-tree; ratio: chiefio.wordpress.com, Odroid XU4 CPU Scheduler",
    big: &BIG,
    little: &LOOPER_LITTLE,
    idle_big: &IDLE_BIG,
    idle_little: &IDLE_LITTLE,
};

// Every profile is checked when the crate is built: see [`crate::validate`].
const _: () = {
    let mut index = 0;
    while index < PROFILES.len() {
        validate::profile(PROFILES[index], &CORTEX_A15, &CORTEX_A7);
        index += 1;
    }
    validate::profile(LEAKY[0], &CORTEX_A15, &CORTEX_A7);
    validate::profile(LEAKY[1], &CORTEX_A15, &CORTEX_A7);
};

/// All classes of work of which speed and power are known.
pub static PROFILES: [&Profile; 7] = [&DEVICE_TREE, &LOOPER, &HASH, &ENCRYPT, &GZIP, &CACHE_RESIDENT, &CACHE_KILLER];

/// The device tree with static power: 200 and 400 mW of the big cluster at its highest voltage, a fifth of that of the
/// LITTLE one. They show what follows from leakage of that size; nobody has measured it apart, so they are no class of
/// work in [`PROFILES`].
pub static LEAKY: [&Profile; 2] = [
    &Profile { name: "leaky-200", idle_big: &LEAK_BIG[0], idle_little: &LEAK_LITTLE[0], ..LEAKING },
    &Profile { name: "leaky-400", idle_big: &LEAK_BIG[1], idle_little: &LEAK_LITTLE[1], ..LEAKING },
];

const LEAKING: Profile = Profile {
    name: "",
    source: "as device-tree; static power: assumed",
    big: &BIG,
    little: &LITTLE,
    idle_big: &[],
    idle_little: &[],
};

static LEAK_BIG: [[Microwatts; 19]; 2] = [leakage(CORTEX_A15.opps, 200), leakage(CORTEX_A15.opps, 400)];
static LEAK_LITTLE: [[Microwatts; 13]; 2] = [leakage(CORTEX_A7.opps, 40), leakage(CORTEX_A7.opps, 80)];

/// Static power of a cluster, from `at_top` mW at the highest voltage: S · (V / Vmax)². The size is an assumption (0.1
/// to 0.4 W for the A15 cluster, a fifth of that for the A7), as no source separates leakage from the clock tree; the
/// measured idle rows hold both. Where a faster clock has a lower voltage in the device tree the figure stays.
const fn leakage<const N: usize>(opps: &[sched::Opp], at_top: u64) -> [Microwatts; N] {
    assert!(opps.len() == N, "one figure for each operating point");
    let mut idle = [Microwatts::ZERO; N];
    let mut most = 0;
    let mut index = 0;
    while index < N {
        if opps[index].voltage.get() as u64 > most {
            most = opps[index].voltage.get() as u64;
        }
        index += 1;
    }
    let mut volts = 0;
    index = 0;
    while index < N {
        if opps[index].voltage.get() as u64 > volts {
            volts = opps[index].voltage.get() as u64;
        }
        idle[index] = Microwatts::new((at_top * 1_000 * volts / most * volts / most) as u32);
        index += 1;
    }
    idle
}
