use super::*;
use crate::exynos::tests::clock;
use crate::words::script::{Did, Script};
use std::collections::BTreeMap;
use std::vec::Vec;

const TWO_GHZ: Speed = Speed::new(250, 3, 0, 0x0377_0040);
const FAST_A7: Speed = Speed::new(175, 3, 0, 0x0350_0030);
const SLOW_A7: Speed = Speed::new(200, 2, 3, 0x0330_0020);
const A7: usize = 0x2_8000;

/// As the boot loader leaves it, in working order.
fn healthy(words: &mut BTreeMap<usize, u32>, did: Did) {
    if let Did::Wrote(offset, value) = did {
        match offset & 0xfff {
            SOURCE => {
                _ = words.insert(
                    offset - SOURCE + SOURCE_STATUS,
                    if value & CORE_FROM_BYPASS != 0 { 2 << 16 } else { 1 << 16 },
                )
            }
            PLL_CONTROL => _ = words.insert(offset, value | LOCKED),
            _ => {}
        }
    }
}

fn handed_over(react: fn(&mut BTreeMap<usize, u32>, Did)) -> Script {
    let cluster = |base: usize, dividers| {
        [
            (base + PLL_CONTROL, 0xa0c8_0301),
            (base + SOURCE, 1),
            (base + SOURCE_STATUS, 1 << 16),
            (base + DIVIDERS, dividers),
        ]
    };
    let words: Vec<_> = [(BYPASS_SOURCE, 0x0003_3300)]
        .into_iter()
        .chain(cluster(0, 0x0355_0020))
        .chain(cluster(A7, 0x0350_0720))
        .collect();
    Script::new(&words, react)
}

fn unit(words: &Script) -> ClockManagement<&Script> {
    ClockManagement { words, bypass_kilohertz: 800_000 }
}

#[test]
fn the_way_up_leads_over_the_bypass() {
    let device = handed_over(healthy);
    assert_eq!(unit(&device).kilohertz(Cluster::A15), 800_000);
    assert_eq!(unit(&device).set(Cluster::A15, &TWO_GHZ, clock()), Ok(()));
    let expected = [
        (DIVIDERS, 0x0355_0020),
        (SOURCE, 0x1_0001),
        (DIVIDERS, 0x0377_0040),
        (PLL_LOCK, 810),
        (PLL_CONTROL, 0x80fa_0300),
        (SOURCE, 1),
        (DIVIDERS, 0x0377_0040),
    ];
    assert_eq!(device.writes(), expected);
    assert_eq!(unit(&device).kilohertz(Cluster::A15), 2_000_000);
}

/// At 300 MHz a cluster may have the voltage for that only: the bypass must not run it at 800.
#[test]
fn the_bypass_is_never_faster_than_the_slower_of_two_clocks() {
    let device = handed_over(healthy);
    let clocks = unit(&device);
    for speed in [&SLOW_A7, &FAST_A7] {
        assert_eq!(clocks.set(Cluster::A7, speed, clock()), Ok(()));
        assert_eq!(clocks.kilohertz(Cluster::A7), speed.kilohertz());
    }
    let divided: Vec<_> = device.writes().into_iter().filter(|(offset, _)| *offset == A7 + DIVIDERS).collect();
    assert_eq!(divided.iter().map(|(_, value)| value & 7).collect::<Vec<_>>(), [2, 2, 0, 2, 2, 0]);
    assert_eq!(device.word(A7 + DIVIDERS), 0x0350_0730, "the others of that register stay as they were");
}

fn fails(react: fn(&mut BTreeMap<usize, u32>, Did), why: ClockError, kilohertz: u32) {
    let device = handed_over(react);
    assert_eq!(unit(&device).set(Cluster::A15, &TWO_GHZ, clock()), Err(why));
    assert_eq!(unit(&device).kilohertz(Cluster::A15), kilohertz, "{why:?}");
}

#[test]
fn a_pll_that_does_not_lock_leaves_the_cluster_on_the_bypass() {
    fails(
        |words, did| match did {
            Did::Wrote(PLL_CONTROL, value) => _ = words.insert(PLL_CONTROL, value & !LOCKED),
            did => healthy(words, did),
        },
        ClockError::Lock,
        800_000,
    );
}

#[test]
fn a_pll_that_keeps_its_factors_is_no_lock() {
    fails(
        |words, did| match did {
            Did::Wrote(PLL_CONTROL, _) => _ = words.insert(PLL_CONTROL, 0xa0c8_0301),
            did => healthy(words, did),
        },
        ClockError::Factors,
        800_000,
    );
}

#[test]
fn a_multiplexer_that_stays_leaves_everything_as_it_is() {
    fails(|_, _| {}, ClockError::Multiplexer, 800_000);
    let device = handed_over(|_, _| {});
    let _refused = unit(&device).set(Cluster::A15, &TWO_GHZ, clock());
    assert!(device.writes().iter().all(|(offset, _)| *offset != PLL_CONTROL), "the PLL under the cores is not touched");
}

#[test]
fn what_is_not_as_the_boot_loader_leaves_it_is_left_alone() {
    for (offset, value, why) in
        [(BYPASS_SOURCE, 0x0002_2200, ClockError::UnknownBypass), (SOURCE, 0x1_0001, ClockError::NotOnPll)]
    {
        let device = handed_over(healthy);
        (&device).write(offset, value);
        assert_eq!(unit(&device).set(Cluster::A15, &TWO_GHZ, clock()), Err(why));
        assert_eq!(device.writes().len(), 1, "{why:?}");
    }
}

#[test]
#[should_panic = "the lock takes bounded time"]
fn a_point_with_a_long_lock_is_none() {
    let _ = Speed::new(325, 7, 0, 0x0377_0020);
}
