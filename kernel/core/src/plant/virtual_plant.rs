//! A stand-in for boards without clocks and sensors.
//!
//! An emulator has no operating points, draws no power and never gets warm. The virtual plant closes the loop there: it
//! takes requests for clocks, which the kernel carries out by narrower windows ([`crate::pace`]), and lets the power
//! that the price list names for what the CPUs did flow through the thermal network of the chip. All of it in the time
//! of the emulated machine's clock, in whole numbers, so that a run repeats to the digit.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use abi::types::MAX_CPUS;
use sched::heat::network::MAX_NODES;
use sched::{
    CoreType, CpuFacts, CpuMask, Energy, HeatFacts, IdleCost, Machine, MilliCelsius, Nanos, Picojoules, Profile,
};
use spin::Mutex;

use super::Plant;

/// What a [`VirtualPlant`] pretends to be.
#[derive(Clone, Copy, Debug)]
pub struct PlantFacts {
    /// The CPUs of the board, with the operating points of the chip that they stand for.
    pub machine: &'static Machine,
    /// Speed and power at each of them.
    pub profile: &'static Profile,
    /// Its heat; the fan stands still.
    pub heat: &'static HeatFacts,
    /// How long a clock takes to change.
    pub latency: Nanos,
}

/// The longest step of the integration in nanoseconds. The quickest node of the Exynos5422's network has a time
/// constant of a second.
const STEP: u64 = 20_000_000;
/// After so many steps without a look everything has cooled down as far as it matters, and the rest is left out.
const MOST_STEPS: u64 = 2_000;

/// Clocks, power and heat of a machine that has none.
pub struct VirtualPlant {
    facts: PlantFacts,
    levels: [AtomicUsize; 2],
    state: Mutex<State>,
}

struct State {
    ambient: MilliCelsius,
    /// Of each node above ambient, in 2^-30 K.
    excess: [i64; MAX_NODES],
}

impl VirtualPlant {
    /// A plant that stands at the temperature of the air, at the highest clocks.
    #[must_use]
    pub const fn new(facts: PlantFacts) -> VirtualPlant {
        let levels = [AtomicUsize::new(facts.profile.big.len() - 1), AtomicUsize::new(facts.profile.little.len() - 1)];
        let state = State { ambient: MilliCelsius::from_celsius(25), excess: [0; MAX_NODES] };
        VirtualPlant { facts, levels, state: Mutex::new(state) }
    }

    /// The power that goes into each node, in microwatts.
    fn power(&self, elapsed: Nanos, drawn: &[Picojoules; MAX_CPUS]) -> [i64; MAX_NODES] {
        let network = self.facts.heat.network;
        let mut power = [0; MAX_NODES];
        let is_big = |facts: &&CpuFacts| facts.kind.core == CoreType::Big;
        let bigs = self.facts.machine.cpus.iter().filter(is_big).count().max(1);
        // A machine with fewer big cores than the chip: each stands for several of them.
        let each = (network.big.len() / bigs).max(1);
        let mut nodes = network.big.chunks(each);
        for (facts, drawn) in self.facts.machine.cpus.iter().zip(drawn) {
            // pJ · 1000 / ns = µW.
            let microwatts = (drawn.get() * 1_000 / elapsed.as_nanos()) as i64;
            let heated =
                if is_big(&facts) { nodes.next().unwrap_or(&[]) } else { core::slice::from_ref(&network.little) };
            heated.iter().for_each(|node| power[*node] += microwatts / heated.len() as i64);
        }
        for core in CoreType::BOTH {
            let idle = self.facts.profile.idle(core).get(self.level(core)).map_or(0, |idle| i64::from(idle.get()));
            match core {
                CoreType::Big => {
                    network.big.iter().for_each(|node| power[*node] += idle / network.big.len() as i64);
                }
                CoreType::Little => power[network.little] += idle,
            }
        }
        power
    }

    /// One step of explicit integration.
    fn step(&self, excess: &mut [i64; MAX_NODES], power: &[i64; MAX_NODES], microseconds: i64) {
        let network = self.facts.heat.network;
        let mut flow = *power;
        for link in network.links {
            let through = through(link.conductance, excess[link.from] - excess[link.to]);
            flow[link.from] -= through;
            flow[link.to] += through;
        }
        let fan = network.fan.first().copied().unwrap_or(0);
        flow[network.sink] -= through(fan, excess[network.sink]);
        for (node, facts) in network.nodes.iter().enumerate() {
            // µW · µs / (mJ/K) = 10^-9 K, and 2^30 is 10^9 · 1.0737.
            let nanokelvin = flow[node] * microseconds / i64::from(facts.capacity);
            excess[node] += nanokelvin + ((nanokelvin * 4_834) >> 16);
        }
    }
}

/// The power in microwatts through a conductance in mW/K at a difference in 2^-30 K.
fn through(conductance: u32, difference: i64) -> i64 {
    (i64::from(conductance) * 1_000 * difference) >> 30
}

impl Plant for VirtualPlant {
    fn name(&self) -> &'static str {
        "virtual"
    }

    fn energy(&self, present: CpuMask) -> Energy {
        Energy::new(self.facts.machine, present, self.facts.profile, IdleCost::Always)
    }

    fn heat(&self) -> &'static HeatFacts {
        self.facts.heat
    }

    fn latency(&self) -> Nanos {
        self.facts.latency
    }

    fn set_level(&self, core: CoreType, level: usize) -> Option<Nanos> {
        self.levels[core.index()].store(level, Relaxed);
        None
    }

    fn level(&self, core: CoreType) -> usize {
        self.levels[core.index()].load(Relaxed)
    }

    fn advance(&self, elapsed: Nanos, drawn: &[Picojoules; MAX_CPUS]) {
        if elapsed == Nanos::ZERO {
            return;
        }
        let mut state = self.state.lock();
        let power = self.power(elapsed, drawn);
        let steps = elapsed.as_nanos().div_ceil(STEP).min(MOST_STEPS);
        let microseconds = (elapsed.as_nanos() / steps).min(STEP) / 1_000;
        for _ in 0..steps {
            self.step(&mut state.excess, &power, microseconds as i64);
        }
    }

    fn temperatures(&self, readings: &mut [Option<MilliCelsius>]) -> usize {
        let state = self.state.lock();
        let sensors = self.facts.heat.network.sensors;
        for (reading, node) in readings.iter_mut().zip(sensors) {
            let excess = i32::try_from((state.excess[*node] * 1_000) >> 30).unwrap_or(i32::MAX / 2);
            *reading = Some(MilliCelsius::new(state.ambient.get() + excess));
        }
        sensors.len().min(readings.len())
    }

    fn set_ambient(&self, ambient: MilliCelsius) {
        self.state.lock().ambient = ambient;
    }
}

#[cfg(test)]
mod tests {
    use super::super::standing_for;
    use super::*;

    use sched::CpuId;

    const BIG: CpuId = CpuId::new(4);

    static PLANT_FACTS: PlantFacts = PlantFacts {
        machine: &soc::exynos5422::MACHINE,
        profile: &soc::exynos5422::LOOPER,
        heat: &soc::exynos5422::HEAT,
        latency: soc::exynos5422::OPP_LATENCY,
    };

    fn drawing(milliwatts: u32, span: Nanos) -> [Picojoules; MAX_CPUS] {
        let mut drawn = [Picojoules::ZERO; MAX_CPUS];
        drawn[BIG.index()] = sched::Microwatts::from_milliwatts(milliwatts).over(span);
        drawn
    }

    fn sensors(plant: &VirtualPlant) -> [i32; 4] {
        let mut readings = [None; 4];
        assert_eq!(plant.temperatures(&mut readings), 4);
        readings.map(|reading| reading.expect("it answers").get())
    }

    /// What does not change is the balance: all power leaves through the sink.
    #[test]
    fn settles_where_as_much_heat_leaves_as_comes() {
        let plant = VirtualPlant::new(PLANT_FACTS);
        plant.set_level(CoreType::Big, 0);
        plant.set_level(CoreType::Little, 0);
        let second = Nanos::from_millis(1_000);
        (0..2_000).for_each(|_| plant.advance(second, &drawing(1_000, second)));
        let idle: u32 = CoreType::BOTH.iter().map(|core| PLANT_FACTS.profile.idle(*core)[0].get() / 1_000).sum();
        let network = PLANT_FACTS.heat.network;
        let sink = (plant.state.lock().excess[network.sink] * 1_000) >> 30;
        let expected = i64::from(1_000 + idle) * 1_000 / i64::from(network.fan[0]);
        assert!((sink - expected).abs() < expected / 100, "the sink is {sink} mK above the air, expected {expected}");
        let [busy, beside, .., far] = sensors(&plant);
        assert!(busy > beside && beside > far, "{:?}", sensors(&plant));
    }

    #[test]
    fn steps_of_any_length_come_to_the_same() {
        let (fine, rough) = (VirtualPlant::new(PLANT_FACTS), VirtualPlant::new(PLANT_FACTS));
        let (short, long) = (Nanos::from_millis(10), Nanos::from_millis(5_000));
        (0..500).for_each(|_| fine.advance(short, &drawing(1_000, short)));
        rough.advance(long, &drawing(1_000, long));
        for (one, other) in sensors(&fine).into_iter().zip(sensors(&rough)) {
            assert!((one - other).abs() < 150, "{one} and {other} thousandths of a degree");
        }
    }

    #[test]
    fn cools_down_to_the_air_and_never_below() {
        let plant = VirtualPlant::new(PLANT_FACTS);
        plant.set_ambient(MilliCelsius::from_celsius(40));
        let second = Nanos::from_millis(1_000);
        (0..30).for_each(|_| plant.advance(second, &drawing(4_000, second)));
        let hot = sensors(&plant)[0];
        assert!(hot > 60_000);
        plant.advance(Nanos::from_millis(20_000), &drawing(0, second));
        let cooler = sensors(&plant)[0];
        assert!((40_000..hot - 5_000).contains(&cooler), "{hot} and then {cooler}");
    }

    #[test]
    fn fewer_cores_heat_the_whole_chip() {
        static TWO: [CpuFacts; 4] =
            standing_for(&soc::vexpress_a15::MACHINE, &soc::exynos5422::CORTEX_A15, &soc::exynos5422::CORTEX_A7);
        static CHIP: Machine = Machine { name: "two", cpus: &TWO };
        let plant = VirtualPlant::new(PlantFacts { machine: &CHIP, ..PLANT_FACTS });
        let mut drawn = [Picojoules::ZERO; MAX_CPUS];
        drawn[..2].fill(Picojoules::new(1_000_000_000_000));
        assert!(CoreType::BOTH.iter().all(|core| plant.set_level(*core, 0).is_none()), "at once");
        let power = plant.power(Nanos::from_millis(1_000), &drawn);
        let idle = i64::from(PLANT_FACTS.profile.idle(CoreType::Big)[0].get()) / 4;
        assert_eq!(power[..4], [500_000 + idle; 4]);
    }
}
