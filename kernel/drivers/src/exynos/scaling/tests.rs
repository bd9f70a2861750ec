//! Both clusters over a clock unit and a PMIC that do as they are told, or not.

use std::boxed::Box;
use std::collections::BTreeMap;
use std::vec::Vec;

use super::*;
use crate::exynos::hsi2c::{Hsi2c, Rates, bench::Bench};
use crate::exynos::s2mps11::Buck;
use crate::exynos::tests::clock;
use crate::words::script::{Did, Script};

const A7: usize = 0x2_8000;
/// 200, 800, 1700, 1800 and 2000 MHz with the voltages of the Exynos5422; the fourth needs less than the third.
const BIG: [Point; 5] = [
    point(200, 3, 3, 900_000),
    point(200, 3, 1, 900_000),
    point(425, 6, 0, 1_250_000),
    point(225, 3, 0, 1_237_500),
    point(250, 3, 0, 1_312_500),
];
/// 300, 700, 800 and 1400 MHz.
const LITTLE: [Point; 4] =
    [point(200, 2, 3, 900_000), point(175, 3, 1, 1_000_000), point(200, 3, 1, 1_100_000), point(175, 3, 0, 1_275_000)];

const fn point(multiplier: u32, divider: u32, scaler: u32, microvolts: u32) -> Point {
    Point { speed: Speed::new(multiplier, divider, scaler, 0x0330_0020), microvolts }
}

const RAILS: Rails = Rails {
    rails: [
        Rail::new(Buck::number(2), 900_000, 1_312_500),
        Rail::new(Buck::number(6), 900_000, 1_275_000),
        Rail::new(Buck::number(3), 1_000_000, 1_012_500),
    ],
    spread: 300_000,
};

type Memory = BTreeMap<usize, u32>;

fn works(words: &mut Memory, did: Did) {
    if let Did::Wrote(offset, value) = did {
        match offset & 0xfff {
            0x200 => _ = words.insert(offset + 0x200, if value >> 16 & 1 == 1 { 2 << 16 } else { 1 << 16 }),
            0x100 => _ = words.insert(offset, value | 1 << 29),
            _ => {}
        }
    }
}

fn never_locks(words: &mut Memory, did: Did) {
    match did {
        Did::Wrote(offset @ 0x100, value) => _ = words.insert(offset, value & !(1 << 29)),
        did => works(words, did),
    }
}

/// Clusters as a boot loader leaves them: 800 MHz at these selectors of A15s, A7s and interconnect.
struct World {
    clocks: &'static Script,
    pmic: &'static Bench,
    scaling: Scaling<Either>,
}

/// The two devices have one type of words.
enum Either {
    Clocks(&'static Script),
    Bus(&'static Bench),
}

impl Words for Either {
    fn read(&self, offset: usize) -> u32 {
        match self {
            Self::Clocks(device) => device.read(offset),
            Self::Bus(device) => device.read(offset),
        }
    }

    fn write(&self, offset: usize, value: u32) {
        match self {
            Self::Clocks(device) => device.write(offset, value),
            Self::Bus(device) => device.write(offset, value),
        }
    }
}

impl World {
    fn new(selectors: [u8; 3], react: fn(&mut Memory, Did)) -> Self {
        let cluster = |base| {
            [(base + 0x100, 0xa0c8_0301), (base + 0x200, 1), (base + 0x400, 1 << 16), (base + 0x500, 0x0330_0020)]
        };
        let words: Vec<_> = [(0x1_021c, 0x0003_3300)].into_iter().chain(cluster(0)).chain(cluster(A7)).collect();
        let clocks: &'static Script = Box::leak(Box::new(Script::new(&words, react)));
        let pmic: &'static Bench = Box::leak(Box::default());
        let registers = [0x28, 0x34, 0x2a];
        pmic.state()
            .chip
            .extend(registers.into_iter().zip(selectors).chain(registers.map(|register| (register - 1, 0xc0))));
        let bus = Hsi2c::over(Either::Bus(pmic), Rates { peripheral: 66_000_000, bus: 100_000 });
        let unit = ClockManagement::over(Either::Clocks(clocks), 800_000);
        let mut scaling = Scaling::new(unit, Pmic::new(bus, 0x66), [&BIG, &LITTLE], &RAILS);
        scaling.begin();
        World { clocks, pmic, scaling }
    }

    /// Steps until nothing is left to do, and holds clocks against voltages after each.
    fn reach(&mut self, wanted: [usize; 2]) -> [usize; 2] {
        let now = clock();
        for _ in 0..100_000 {
            let more = self.scaling.step(wanted, &now);
            self.check();
            if more.is_none() {
                return self.scaling.levels();
            }
        }
        panic!("it never ends");
    }

    fn volts(&self, register: u8) -> u32 {
        650_000 + 6_250 * u32::from(self.pmic.state().chip[&register])
    }

    fn kilohertz(&self, cluster: Cluster) -> u32 {
        self.scaling.clocks.kilohertz(cluster)
    }

    fn check(&self) {
        for (cluster, points, register) in [(Cluster::A15, &BIG[..], 0x28), (Cluster::A7, &LITTLE[..], 0x34)] {
            let (clock, volts) = (self.kilohertz(cluster), self.volts(register));
            let fastest =
                points.iter().filter(|point| point.microvolts <= volts).map(|point| point.speed.kilohertz()).max();
            assert!(clock <= fastest.unwrap_or(0).max(800_000), "{clock} kHz at {volts} µV");
            let level = self.scaling.levels()[usize::from(cluster == Cluster::A7)];
            assert!(points[level].speed.kilohertz() <= clock, "level {level} at {clock} kHz overstates");
        }
        assert!(self.volts(0x28).abs_diff(self.volts(0x2a)) <= 300_000);
    }

    fn troubles(&mut self) -> Vec<(Part, &'static str)> {
        std::iter::from_fn(|| self.scaling.trouble()).map(|trouble| (trouble.part, trouble.why)).collect()
    }
}

/// U-Boot's: 1.3 V, 1.025 V, 1.0125 V.
const MAINLINE: [u8; 3] = [0x68, 0x3c, 0x3a];
/// 1.0 V, 1.025 V, 1.0 V.
const OLD: [u8; 3] = [0x38, 0x3c, 0x38];

#[test]
fn everything_gets_to_the_top_and_back() {
    for selectors in [MAINLINE, OLD] {
        let mut world = World::new(selectors, works);
        assert_eq!((world.scaling.levels(), world.scaling.ranges()), ([1, 2], [0..=1, 0..=2]));
        assert_eq!(world.reach([4, 3]), [4, 3]);
        assert_eq!((world.kilohertz(Cluster::A15), world.kilohertz(Cluster::A7)), (2_000_000, 1_400_000));
        assert_eq!([0x28, 0x34, 0x2a].map(|register| world.volts(register)), [1_312_500, 1_275_000, 1_012_500]);
        assert_eq!(world.reach([0, 0]), [0, 0]);
        assert_eq!([0x28, 0x34, 0x2a].map(|register| world.volts(register)), [900_000, 900_000, 1_012_500]);
        for wanted in [[3, 1], [2, 3], [3, 0], [1, 2], [4, 3]] {
            assert_eq!(world.reach(wanted), wanted);
        }
        assert_eq!(world.troubles(), []);
    }
}

/// Who comes back when he is told has little to do, and is there within the time that the governors count on.
#[test]
fn who_comes_when_it_is_due_is_soon_there() {
    let mut world = World::new(MAINLINE, works);
    world.reach([4, 3]);
    for (wanted, longest) in [([0, 3], 900_000), ([4, 3], 900_000), ([0, 0], 1_700_000), ([4, 3], 1_700_000)] {
        let (mut time, mut steps) = (0, 0);
        while let Some(due) = world.scaling.step(wanted, || time) {
            world.check();
            (time, steps) = (due, steps + 1);
        }
        assert_eq!(world.scaling.levels(), wanted);
        assert!(time <= longest && steps <= 12, "{wanted:?}: {time} ns, {steps} steps");
    }
}

#[test]
fn a_mind_that_changes_on_the_way_breaks_nothing() {
    let mut world = World::new(OLD, works);
    let now = clock();
    for step in 0..20_000_usize {
        let wanted = [step / 7 % 5, step / 11 % 4];
        world.scaling.step(wanted, &now);
        world.check();
    }
    assert_eq!(world.reach([4, 3]), [4, 3]);
    assert_eq!(world.troubles(), []);
}

#[test]
fn clocks_go_down_while_the_bus_is_busy() {
    let mut world = World::new(MAINLINE, works);
    world.reach([4, 3]);
    let now = || 0;
    assert!(world.scaling.step([0, 0], now).is_some() && world.scaling.step([0, 0], now).is_some());
    assert_eq!(world.scaling.levels(), [0, 0], "two steps, and no voltage was waited for");
}

#[test]
fn without_a_pmic_clocks_only_go_down() {
    let mut world = World::new(MAINLINE, works);
    world.pmic.state().deaf = true;
    assert_eq!(world.reach([4, 3]), [1, 2]);
    assert_eq!(world.scaling.ranges(), [0..=1, 0..=2]);
    let silent = [Part::Supply(Cluster::A15), Part::Supply(Cluster::A7), Part::Interconnect];
    assert_eq!(world.troubles(), silent.map(|part| (part, "no_answer")));
    assert_eq!(world.reach([0, 0]), [0, 0]);
    assert_eq!(world.reach([4, 3]), [1, 2], "what the boot loader left is known to work");
    assert_eq!(world.pmic.state().written, []);
}

#[test]
fn a_pmic_that_refuses_leaves_what_its_voltage_allows() {
    let mut world = World::new(MAINLINE, works);
    world.pmic.state().stubborn = std::vec![0x28, 0x2a, 0x34];
    assert_eq!(world.reach([4, 3]), [3, 2], "1.3 V are good for 1800 MHz");
    assert_eq!(world.troubles().len(), 2);
    assert_eq!(world.reach([0, 0]), [0, 0]);
    assert_eq!(world.reach([4, 3]), [3, 2]);
}

#[test]
fn an_interconnect_that_refuses_holds_the_a15s_below_its_reach() {
    let mut world = World::new(OLD, works);
    assert_eq!(world.reach([1, 2]), [1, 2]);
    world.pmic.state().stubborn = std::vec![0x2a];
    assert_eq!(world.reach([4, 3]), [3, 3], "1.0 V and 0.3 V are good for 1800 MHz");
    assert_eq!(world.troubles(), [(Part::Interconnect, "voltage_refused")]);
    assert_eq!(world.scaling.ranges(), [0..=3, 0..=3]);
}

#[test]
fn a_bus_that_dies_on_the_way_down_leaves_true_facts() {
    let mut world = World::new(MAINLINE, works);
    world.reach([4, 3]);
    world.pmic.state().stuck = true;
    assert_eq!(world.reach([0, 3]), [0, 3]);
    assert_eq!(world.troubles(), [(Part::Supply(Cluster::A15), "bus_stuck")]);
    assert_eq!(world.reach([4, 3]), [1, 3], "the voltage is one of the two, so the lower one counts");
}

#[test]
fn a_pll_that_does_not_lock_freezes_its_cluster_alone() {
    let mut world = World::new(MAINLINE, never_locks);
    assert_eq!(world.reach([4, 3]), [1, 3]);
    assert_eq!(world.scaling.ranges(), [1..=1, 0..=3]);
    assert_eq!(world.troubles(), [(Part::Clock(Cluster::A15), "pll_unlocked")]);
    assert_eq!(world.volts(0x28), 900_000, "and it needs no more than that");
    let writes = world.clocks.writes().len();
    assert_eq!(world.reach([0, 3]), [1, 3]);
    assert_eq!(world.clocks.writes().len(), writes, "it is left alone");
}

#[test]
fn kept_clocks_are_kept() {
    let mut world = World::new(MAINLINE, works);
    world.scaling.keep();
    assert_eq!(world.reach([4, 3]), [1, 2]);
    assert_eq!(world.scaling.ranges(), [1..=1, 2..=2]);
    assert_eq!(
        (world.clocks.writes(), world.pmic.state().written.clone(), world.troubles()),
        (std::vec![], std::vec![], std::vec![])
    );
}
