//! Clocks, heat and the plan on the host twin, with a plant that does as it is told.

use std::boxed::Box;
use std::sync::Mutex;
use std::vec::Vec;

use abi::Call;
use sched::{CoreType, CpuFacts, CpuMask, Energy, HeatFacts, IdleCost, Machine, MilliCelsius, Nanos};

use super::world::World;
use crate::govern::TOO_HOT;
use crate::plant::{Plant, standing_for};

static CPUS: [CpuFacts; 4] =
    standing_for(&soc::vexpress_a15::MACHINE, &soc::exynos5422::CORTEX_A15, &soc::exynos5422::CORTEX_A7);
static CHIP: Machine = Machine { name: "chip", cpus: &CPUS };

/// The temperature is what the test says, and every request for a clock is remembered.
pub struct Oven {
    celsius: Mutex<i32>,
    requests: Mutex<Vec<(CoreType, usize)>>,
}

impl Oven {
    pub fn at(celsius: i32) -> &'static Oven {
        Box::leak(Box::new(Oven { celsius: Mutex::new(celsius), requests: Mutex::new(Vec::new()) }))
    }

    fn set(&self, celsius: i32) {
        *self.celsius.lock().expect("no test panics with it") = celsius;
    }

    pub fn requests(&self) -> Vec<(CoreType, usize)> {
        self.requests.lock().expect("no test panics with it").clone()
    }
}

impl Plant for Oven {
    fn name(&self) -> &'static str {
        "oven"
    }

    fn energy(&self, present: CpuMask) -> Energy {
        Energy::new(&CHIP, present, &soc::exynos5422::LOOPER, IdleCost::Always)
    }

    fn heat(&self) -> &'static HeatFacts {
        &soc::exynos5422::HEAT
    }

    fn latency(&self) -> Nanos {
        soc::exynos5422::OPP_LATENCY
    }

    fn set_level(&self, core: CoreType, level: usize) -> Option<Nanos> {
        self.requests.lock().expect("no test panics with it").push((core, level));
        None
    }

    fn level(&self, core: CoreType) -> usize {
        let last = self.requests().into_iter().rev().find(|(of, _)| *of == core);
        last.map_or(0, |(_, level)| level)
    }

    fn temperatures(&self, readings: &mut [Option<MilliCelsius>]) -> usize {
        let celsius = *self.celsius.lock().expect("no test panics with it");
        readings[..4].fill(Some(MilliCelsius::from_celsius(celsius)));
        4
    }
}

/// Lets the temperature rise as slowly as silicon does, so that the sensors are believed.
fn heat_up(world: &World, oven: &Oven, to: i32) {
    let from = *oven.celsius.lock().expect("no test panics with it");
    for celsius in from..=to {
        oven.set(celsius);
        world.pass(100);
    }
}

#[test]
fn goals_of_speed_keep_the_clocks_at_the_top() {
    let oven = Oven::at(30);
    let world = World::with_plant("policy=gear goal=makespan", Some(oven));
    world.pass(300);
    let climate = world.kernel.climate(world.now());
    assert_eq!((climate.clock_khz, climate.clock_changes), ([2_000_000, 1_400_000], [0, 0]));
    assert_eq!(oven.requests().len(), 2, "the first request of each cluster");
}

#[test]
fn a_chip_below_zero_says_so() {
    let world = World::with_plant("policy=gear", Some(Oven::at(-20)));
    assert_eq!(world.kernel.climate(world.now()).temperature_mc, -20_000);
}

#[test]
fn heat_caps_the_clocks_and_the_policy_feels_it() {
    let oven = Oven::at(60);
    let world = World::with_plant("policy=gear goal=makespan heat=step-wise pressure=instant", Some(oven));
    heat_up(&world, oven, 80);
    let hot = world.kernel.climate(world.now());
    assert!(hot.cap_khz[0] < 2_000_000 && hot.clock_khz[0] <= hot.cap_khz[0], "{hot:?}");
    assert!(hot.pressure[0] > 0 && hot.temperature_mc == 80_000, "{hot:?}");
    for celsius in (40..80).rev() {
        oven.set(celsius);
        world.pass(100);
    }
    let cool = world.kernel.climate(world.now());
    assert_eq!((cool.cap_khz[0], cool.pressure[0]), (2_000_000, 0));
    assert_eq!(cool.clock_khz[0], 2_000_000);
}

#[test]
fn pressure_fades_as_it_was_chosen() {
    let pressure = |kind: &str| {
        let oven = Oven::at(60);
        let world = World::with_plant(&format!("heat=step-wise pressure={kind}"), Some(oven));
        heat_up(&world, oven, 80);
        world.kernel.climate(world.now()).pressure[0]
    };
    let (instant, averaged) = (pressure("instant"), pressure("periodic:500"));
    assert_eq!(pressure("none"), 0);
    assert!(averaged > 0 && averaged <= instant, "{averaged} of {instant}");
}

#[test]
fn a_parked_cpu_has_nothing_to_run_but_what_is_bound_to_it() {
    let oven = Oven::at(80);
    let world = World::with_plant("policy=pinned heat=none", Some(oven));
    for _ in 0..3 {
        world.spawn(0, 0b1111);
    }
    let bound = world.spawn(0, 0b10);
    world.settle();
    heat_up(&world, oven, 91);
    let parked = CpuMask::from_bits(world.kernel.climate(world.now()).parked);
    assert!(!parked.is_empty(), "above the limit big CPUs are parked whatever the clocks do");
    world.pass(50);
    for cpu in parked.iter() {
        let running = world.running(cpu.index());
        assert!(running.is_none() || running == Some(bound), "CPU {cpu} still runs {running:?}");
    }
    assert_eq!(world.kernel.counters().refused, 0);
}

#[test]
fn the_critical_temperature_ends_the_system() {
    let oven = Oven::at(80);
    let world = World::with_plant("heat=none", Some(oven));
    let how = world.ends(|| heat_up(&world, oven, 120));
    assert_eq!(how, format!("the system ended: Halt({TOO_HOT})"));
    assert!(world.printed().contains("HEAT temperature_mc=115000 action=halted"));
}

#[test]
fn schedutil_lets_the_clock_of_a_resting_cluster_down_and_up_again() {
    let oven = Oven::at(30);
    let world = World::with_plant("policy=eas governor=schedutil", Some(oven));
    let until = world.now() + Nanos::from_millis(400);
    world.call(0, Call::SleepUntil, [until.as_nanos() as u32, (until.as_nanos() >> 32) as u32, 0, 0]);
    world.pass(500);
    let lowest = oven.requests().into_iter().map(|(_, level)| level).min();
    assert!(lowest.is_some_and(|level| level < 6), "a sleeper needs no fast clock: {:?}", oven.requests());
    world.pass(500);
    let climate = world.kernel.climate(world.now());
    assert!(climate.clock_khz.contains(&2_000_000), "a loop climbs to the top: {climate:?}");
}

#[test]
fn work_costs_what_the_price_list_says() {
    let oven = Oven::at(30);
    let world = World::with_plant("policy=pinned", Some(oven));
    let before = world.kernel.climate(world.now()).energy_uj;
    world.pass(1_000);
    let used = world.kernel.climate(world.now()).energy_uj - before;
    let energy = oven.energy(CpuMask::first_n(4));
    let [big, little] = CoreType::BOTH.map(|core| *energy.cluster(core).level(usize::MAX));
    let expected = u64::from(big.busy.get() + big.idle.get() + little.idle.get());
    assert!(used.abs_diff(expected) < expected / 50, "{used} µJ, expected {expected}");
}

#[test]
fn without_a_plant_nothing_is_governed() {
    let world = World::new("goal=energy");
    world.pass(100);
    assert_eq!(world.kernel.climate(world.now()), abi::types::Climate::default());
    assert_eq!(world.kernel.plant_name(), "none");
}
