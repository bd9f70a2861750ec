//! Clocks, supplies and sensors of the chip: the drivers behind the kernel's plant.
#![expect(unsafe_code, reason = "claims the devices")]

use core::ops::RangeInclusive;

use drivers::exynos::clock::{ClockManagement, Cluster, Speed};
use drivers::exynos::hsi2c::{Hsi2c, Rates};
use drivers::exynos::pins::Pins;
use drivers::exynos::s2mps11::{Buck, Pmic, Rail};
use drivers::exynos::scaling::{Part, Point, Rails, Scaling};
use drivers::exynos::tmu::Sensor;
use kernel::{Clocks, CoreType, MilliCelsius, Nanos, RealFacts, RealPlant, Sensors, Trouble};
use soc::exynos5422::{self as facts, blocks, clocks};

/// The plant of this board.
pub type Plant = RealPlant<Scales, Thermometers>;

static FACTS: RealFacts = RealFacts {
    name: "exynos5422",
    machine: &facts::LOOPER_MACHINE,
    profile: &facts::LOOPER,
    heat: &facts::HEAT,
    latency: facts::SCALING_LATENCY,
};

const A15_POINTS: [Point; 19] = points(CoreType::Big);
const A7_POINTS: [Point; 13] = points(CoreType::Little);

static RAILS: Rails = Rails {
    rails: [rail(&clocks::RAIL_A15), rail(&clocks::RAIL_A7), rail(&clocks::RAIL_INTERCONNECT)],
    spread: clocks::SPREAD.get(),
};

/// The levels at which the boot loader handed over, and expects to find the chip after a reset.
pub const HAND_OVER: [usize; 2] = [level_of(&A15_POINTS), level_of(&A7_POINTS)];

const BUS: Rates = Rates { peripheral: facts::PERIPHERAL_HZ, bus: facts::PMIC_BUS_HZ };
/// The pins of the PMIC's bus, and their function.
const BUS_PINS: [usize; 2] = [0, 1];
const BUS_FUNCTION: u32 = 3;

const fn rail(facts: &clocks::Rail) -> Rail {
    Rail::new(Buck::number(facts.buck), facts.lowest.get(), facts.highest.get())
}

const fn level_of(points: &[Point]) -> usize {
    let mut level = 0;
    while points[level].speed.kilohertz() != clocks::HAND_OVER.get() {
        level += 1;
    }
    level
}

/// The operating points of a cluster as the driver takes them.
const fn points<const N: usize>(core: CoreType) -> [Point; N] {
    let (makings, opps) = (clocks::points(core), facts::opps(core));
    assert!(makings.len() == N && opps.len() == N, "one clock for each operating point");
    let mut points = [Point { speed: Speed::new(1, 1, 0, 0), microvolts: 0 }; N];
    let mut index = 0;
    while index < N {
        let clocks::ClockPoint { multiplier, divider, scaler, dividers } = makings[index];
        let speed = Speed::new(multiplier, divider, scaler, dividers);
        assert!(speed.kilohertz() == opps[index].frequency.get(), "the clock of the operating point");
        points[index] = Point { speed, microvolts: opps[index].voltage.get() };
        index += 1;
    }
    points
}

/// Clocks and supplies.
pub struct Scales {
    scaling: Scaling,
    pins: Pins,
}

/// The five sensors.
pub struct Thermometers([Sensor; 5]);

/// Claims the chip's clocks, supplies and sensors.
///
/// # Safety
///
/// They are mapped, and nobody else has claimed them.
pub unsafe fn claim() -> Plant {
    // SAFETY: the caller's promise; the addresses are the chip's.
    let (clock_management, bus, pins, sensors) = unsafe {
        (
            ClockManagement::claim(blocks::CLOCK_MANAGEMENT_BASE, clocks::BYPASS.get()),
            Hsi2c::claim(blocks::PMIC_I2C_BASE, BUS),
            Pins::claim(blocks::PMIC_PINS_BASE),
            blocks::THERMAL_BASES.map(|base| Sensor::claim(base)),
        )
    };
    let pmic = Pmic::new(bus, blocks::PMIC_ADDRESS);
    let scaling = Scaling::new(clock_management, pmic, [&A15_POINTS, &A7_POINTS], &RAILS);
    RealPlant::new(FACTS, Scales { scaling, pins }, Thermometers(sensors))
}

impl Clocks for Scales {
    fn begin(&mut self) {
        for pin in BUS_PINS {
            self.pins.give(pin, BUS_FUNCTION);
        }
        self.scaling.begin();
    }

    fn keep(&mut self) {
        self.scaling.keep();
    }

    fn step(&mut self, wanted: [usize; 2]) -> Option<Nanos> {
        self.scaling.step(wanted, arch::time::now).map(Nanos::new)
    }

    fn levels(&self) -> [usize; 2] {
        self.scaling.levels()
    }

    fn ranges(&self) -> [RangeInclusive<usize>; 2] {
        self.scaling.ranges()
    }

    fn trouble(&mut self) -> Option<Trouble> {
        let trouble = self.scaling.trouble()?;
        let (part, cluster) = match trouble.part {
            Part::Clock(cluster) => ("clock", Some(cluster)),
            Part::Supply(cluster) => ("supply", Some(cluster)),
            Part::Interconnect => ("interconnect_supply", None),
        };
        let core = cluster.map(|cluster| match cluster {
            Cluster::A15 => CoreType::Big,
            Cluster::A7 => CoreType::Little,
        });
        Some(Trouble { part, core, why: trouble.why })
    }
}

impl Sensors for Thermometers {
    fn begin(&mut self) {
        let stored = self.0.each_ref().map(Sensor::stored_trim);
        for (sensor, at) in self.0.iter_mut().zip(blocks::THERMAL_TRIM_IS_AT) {
            sensor.start(stored[at], facts::heat::POWER_CUT.get() / 1_000);
        }
    }

    fn read(&mut self, readings: &mut [Option<MilliCelsius>]) -> usize {
        for (reading, sensor) in readings.iter_mut().zip(&self.0) {
            *reading = sensor.millicelsius().map(MilliCelsius::new);
        }
        self.0.len().min(readings.len())
    }
}
