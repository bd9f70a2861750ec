//! Clocks that take their time, and clocks that refuse.

use core::ops::RangeInclusive;
use std::boxed::Box;
use std::sync::{Arc, Mutex};

use sched::{CoreType, CpuFacts, Machine, MilliCelsius, Nanos};

use super::world::World;
use crate::plant::{Clocks, Plant, RealFacts, RealPlant, Sensors, Trouble, standing_for};

static CPUS: [CpuFacts; 4] =
    standing_for(&soc::vexpress_a15::MACHINE, &soc::exynos5422::CORTEX_A15, &soc::exynos5422::LOOPER_A7);
static CHIP: Machine = Machine { name: "chip", cpus: &CPUS };
static FACTS: RealFacts = RealFacts {
    name: "gears",
    machine: &CHIP,
    profile: &soc::exynos5422::LOOPER,
    heat: &soc::exynos5422::HEAT,
    latency: soc::exynos5422::SCALING_LATENCY,
};

/// What the clocks take to move by one level.
const STEP: Nanos = Nanos::from_micros(200);

/// Clocks that move one level a step, as far as they are let.
#[derive(Default)]
struct Gears {
    levels: [usize; 2],
    lowest: [usize; 2],
    highest: [usize; 2],
    trouble: Option<Trouble>,
    /// Nothing moves.
    jammed: bool,
    begun: bool,
}

struct Handle(Arc<Mutex<Gears>>);

impl Handle {
    fn with<R>(&self, act: impl FnOnce(&mut Gears) -> R) -> R {
        act(&mut self.0.lock().expect("no test panics with it"))
    }
}

impl Clocks for Handle {
    fn begin(&mut self) {
        self.with(|gears| gears.begun = true);
    }

    fn keep(&mut self) {
        self.with(|gears| (gears.lowest, gears.highest) = (gears.levels, gears.levels));
    }

    fn step(&mut self, wanted: [usize; 2]) -> Option<Nanos> {
        self.with(|gears| {
            let mut moved = false;
            for (core, wanted) in wanted.into_iter().enumerate() {
                let target = wanted.clamp(gears.lowest[core], gears.highest[core]);
                let level = &mut gears.levels[core];
                if *level != target && !gears.jammed {
                    *level = if target > *level { *level + 1 } else { *level - 1 };
                    moved = true;
                }
            }
            moved.then(|| Nanos::new(arch::time::now()) + STEP)
        })
    }

    fn levels(&self) -> [usize; 2] {
        self.with(|gears| gears.levels)
    }

    fn ranges(&self) -> [RangeInclusive<usize>; 2] {
        self.with(|gears| [0, 1].map(|core| gears.lowest[core]..=gears.highest[core]))
    }

    fn trouble(&mut self) -> Option<Trouble> {
        self.with(|gears| gears.trouble.take())
    }
}

struct Warm;

impl Sensors for Warm {
    fn begin(&mut self) {}

    fn read(&mut self, readings: &mut [Option<MilliCelsius>]) -> usize {
        readings[..4].fill(Some(MilliCelsius::from_celsius(40)));
        4
    }
}

/// Clocks that stand at 800 MHz and reach as far as the test says.
fn plant(highest: [usize; 2]) -> (&'static RealPlant<Handle, Warm>, Handle) {
    let gears = Arc::new(Mutex::new(Gears { levels: [6, 6], highest, ..Gears::default() }));
    let plant = RealPlant::new(FACTS, Handle(Arc::clone(&gears)), Warm);
    (Box::leak(Box::new(plant)), Handle(gears))
}

const ALL: [usize; 2] = [18, 12];

fn capacities(world: &World) -> [u32; 4] {
    let capacities = world.kernel.view.capacities();
    [0, 1, 2, 3].map(|cpu| capacities.capacity(sched::CpuId::new(cpu)).get())
}

#[test]
fn clocks_begin_at_the_top() {
    let (plant, gears) = plant(ALL);
    let world = World::with_plant("", Some(plant));
    assert_eq!((gears.levels(), capacities(&world)), (ALL, [1024, 1024, 462, 462]));
    assert_eq!(world.kernel.climate(world.now()).clock_khz, [2_000_000, 1_400_000]);
}

/// 800 MHz is all that either gives: the machine is worth that, and its fastest CPU is full.
#[test]
fn what_cannot_be_reached_is_not_promised() {
    let (plant, _gears) = plant([6, 6]);
    let world = World::with_plant("", Some(plant));
    assert_eq!(capacities(&world), [1024, 1024, 661, 661]);
    let climate = world.kernel.climate(world.now());
    assert_eq!((climate.clock_khz, climate.cap_khz, climate.pressure), ([800_000; 2], [800_000; 2], [0, 0]));
}

#[test]
fn kept_clocks_have_one_level_and_nobody_moves_them() {
    let (plant, gears) = plant(ALL);
    let world = World::with_plant("clocks=keep governor=powersave", Some(plant));
    world.pass(300);
    assert_eq!((gears.levels(), capacities(&world)), ([6, 6], [1024, 1024, 661, 661]));
    assert!(!gears.with(|gears| gears.begun), "nothing was even made ready");
    assert_eq!(
        world.kernel.governance.energy().map(|energy| energy.clusters().each_ref().map(|c| c.levels().len())),
        Some([1, 1])
    );
    assert_eq!(world.kernel.climate(world.now()).clock_khz, [800_000; 2]);
}

/// The level in force is what the clocks came to, not what was asked for. Who asks first has to come back for the rest.
#[test]
fn a_change_goes_on_step_by_step() {
    let (plant, gears) = plant(ALL);
    let world = World::with_plant("", Some(plant));
    assert_eq!(plant.set_level(CoreType::Big, 0), Some(world.now() + STEP));
    assert_eq!((plant.level(CoreType::Big), gears.levels()), (17, [17, 12]), "one step at once");
    assert_eq!(plant.set_level(CoreType::Little, 0), None, "somebody comes back already");
    assert_eq!(gears.levels(), [16, 11], "which is no reason to wait");
    let steps = core::iter::repeat_with(|| plant.carry_on()).take_while(Option::is_some).count();
    assert_eq!((gears.levels(), steps), ([0, 0], 16), "and one more that finds nothing to do");
    assert!(plant.set_level(CoreType::Big, 1).is_some(), "nobody comes back any more");
}

/// Eighteen steps of a fifth of a millisecond each, where ticks are a millisecond apart and stand still while nobody
/// runs.
#[test]
fn a_cpu_attends_to_the_change_that_it_asked_for() {
    let (plant, gears) = plant(ALL);
    let world = World::with_plant("governor=powersave", Some(plant));
    world.pass(1);
    assert!((1..18).contains(&gears.levels()[0]), "it has begun: {:?}", gears.levels());
    let until = world.now() + Nanos::from_millis(500);
    world.call(0, abi::Call::SleepUntil, [until.as_nanos() as u32, 0, 0, 0]);
    for _ in 0..40 {
        arch::host::advance(100_000);
        world.settle();
    }
    assert_eq!((world.running(0), gears.levels()[0]), (None, 0));
    assert_eq!(plant.level(CoreType::Big), 0, "and it is known");
}

#[test]
fn at_the_end_clocks_go_where_the_board_wants_them() {
    let (plant, gears) = plant(ALL);
    let _world = World::with_plant("governor=powersave", Some(plant));
    plant.bring_to([6, 6]);
    assert_eq!(gears.levels(), [6, 6]);
}

#[test]
fn clocks_that_fail_on_the_way_are_told_once_and_press_on_the_policy() {
    let (plant, gears) = plant(ALL);
    let world = World::with_plant("governor=schedutil pressure=instant", Some(plant));
    let why = Trouble { part: "supply", core: Some(CoreType::Big), why: "no_answer" };
    let until = world.now() + Nanos::from_millis(400);
    world.call(0, abi::Call::SleepUntil, [until.as_nanos() as u32, 0, 0, 0]);
    world.pass(300);
    gears.with(|gears| (gears.highest[0], gears.trouble) = (10, Some(why)));
    world.pass(500);
    let climate = world.kernel.climate(world.now());
    assert!(climate.clock_khz[0] <= 1_200_000 && climate.cap_khz[0] == 1_200_000, "{climate:?}");
    assert!(climate.pressure[0] > 400, "{climate:?}");
    let line = "CLOCK part=supply class=big state=failed why=no_answer";
    assert_eq!(world.printed().matches(line).count(), 1, "{}", world.printed());
}

#[test]
fn a_request_that_nothing_comes_of_changes_no_fact() {
    let (plant, gears) = plant(ALL);
    let world = World::with_plant("governor=powersave", Some(plant));
    gears.with(|gears| gears.jammed = true);
    world.pass(300);
    let after = world.kernel.climate(world.now());
    let levels = gears.levels();
    let khz = [(CoreType::Big, 0), (CoreType::Little, 1)].map(|(core, index)| {
        let energy = world.kernel.governance.energy().expect("there is a plant");
        energy.cluster(core).level(levels[index]).opp.frequency.get()
    });
    assert_eq!(after.clock_khz, khz);
    assert!(levels != [0, 0], "the lowest were asked for");
}
