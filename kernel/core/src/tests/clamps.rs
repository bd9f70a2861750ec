//! Bounds of utilisation: who has them, and that clocks heed them.

use abi::{Call, Error};
use sched::{Clamp, CoreType, CpuId, CpuMask, Cpus};

use super::governing::Oven;
use super::world::World;

fn set(world: &World, task: u32, min: u32, max: u32) -> Option<Result<u32, Error>> {
    world.call(0, Call::SetClamp, [task, min, max, 0])
}

/// The bounds of a task, asked for by the one that runs on CPU 0.
fn get(world: &World, task: u32) -> Result<(u32, u32), Error> {
    let min = world.call(0, Call::GetClamp, [task, 0, 0, 0]).expect("nobody waits")?;
    Ok((min, world.kernel.cpus.with(arch::host::irqs_off(0), |cpu| cpu.running().context.register(1))))
}

#[test]
fn bounds_are_inherited_at_the_start_and_kept() {
    let world = World::new("policy=pinned");
    let me = world.running(0).expect("it runs");
    assert_eq!(get(&world, me), Ok((0, 1024)));
    assert_eq!(set(&world, me, 100, 500), Some(Ok(0)));
    let child = world.spawn(0, 0b10);
    assert_eq!(set(&world, me, 0, 1024), Some(Ok(0)));
    let other = world.spawn(0, 0b10);
    assert_eq!([me, child, other].map(|task| get(&world, task)), [Ok((0, 1024)), Ok((100, 500)), Ok((0, 1024))]);
    assert_eq!(set(&world, child, 1024, 1024), Some(Ok(0)));
    assert_eq!(get(&world, child), Ok((1024, 1024)));
}

#[test]
fn a_new_task_in_an_old_place_has_no_bounds_of_the_old_one() {
    let world = World::new("policy=pinned");
    let first = world.spawn(0, 0b10);
    world.settle();
    set(&world, first, 7, 8);
    world.call(1, Call::Exit, [0; 4]);
    assert!(world.call(0, Call::Join, [first, 0, 0, 0]).is_some(), "it has ended");
    let second = world.spawn(0, 0b10);
    assert_eq!(first & 0x1ff, second & 0x1ff, "the same place");
    assert_eq!((get(&world, first), get(&world, second)), (Err(Error::NoSuchTask), Ok((0, 1024))));
}

#[test]
fn bounds_that_are_none_are_refused_and_change_nothing() {
    let world = World::new("policy=pinned");
    let me = world.running(0).expect("it runs");
    set(&world, me, 10, 20);
    for (min, max) in [(0, 1025), (1025, 1025), (21, 20), (1, 0), (u32::MAX, u32::MAX), (0, 0x8000_0000)] {
        assert_eq!(set(&world, me, min, max), Some(Err(Error::BadArgument)));
    }
    assert_eq!(set(&world, me + 1000, 0, 1024), Some(Err(Error::NoSuchTask)));
    assert_eq!((get(&world, me), get(&world, 0)), (Ok((10, 20)), Err(Error::NoSuchTask)));
}

#[test]
fn a_cpu_has_the_greater_of_the_bounds_of_those_who_run_or_wait() {
    let world = World::new("policy=pinned");
    let clamp = |cpu: usize| {
        world
            .kernel
            .cpus
            .with(arch::host::irqs_off(0), |me| world.kernel.eyes(me, CpuMask::ALL).load(CpuId::new(cpu)).clamp)
    };
    let tasks = [(100, 200), (50, 400), (0, 300)].map(|(min, max)| {
        let task = world.spawn(0, 0b10);
        set(&world, task, min, max);
        task
    });
    world.pass(2);
    assert_eq!((clamp(0), clamp(1)), (Clamp::NONE, Clamp { min: 100, max: 400 }));
    set(&world, tasks[1], 0, 1024);
    world.pass(2);
    assert_eq!(clamp(1), Clamp { min: 100, max: 1024 });
    while world.running(1).is_some() {
        world.call(1, Call::Exit, [0; 4]);
    }
    assert_eq!(clamp(1), Clamp::NONE, "nobody is there any more");
}

/// The clock of the big cluster under `schedutil` while a loop with these bounds runs there and nobody else.
fn clock(min: u32, max: u32) -> u32 {
    let world = World::with_plant("policy=eas governor=schedutil", Some(Oven::at(30)));
    let me = world.running(0).expect("it runs");
    world.call(0, Call::SetAffinity, [me, 1, 0, 0]);
    set(&world, me, min, max);
    world.pass(800);
    world.kernel.climate(world.now()).clock_khz[CoreType::Big.index()]
}

#[test]
fn a_loop_gets_no_faster_clock_than_its_bounds_allow() {
    assert_eq!(clock(0, 1024), 2_000_000);
    assert_eq!(clock(0, 512), 1_000_000);
    assert_eq!(clock(0, 100), 500_000, "no slower clock is cheaper");
}

/// A task that works for three milliseconds of twenty needs no fast clock, unless one is due to it.
#[test]
fn a_due_clock_is_there_while_the_task_is_awake() {
    let most = |min: u32| {
        let oven = Oven::at(30);
        let world = World::with_plant("policy=eas governor=schedutil", Some(oven));
        let me = world.running(0).expect("it runs");
        world.call(0, Call::SetAffinity, [me, 1, 0, 0]);
        set(&world, me, min, 1024);
        let mut early = 0;
        for job in 0..40 {
            if job == 20 {
                early = oven.requests().len();
            }
            world.pass(2);
            // Late enough after the last tick for the governor to look again when the CPU falls idle.
            arch::host::advance(900_000);
            let until = world.now().as_nanos() + 18_000_000;
            world.call(0, Call::SleepUntil, [until as u32, (until >> 32) as u32, 0, 0]);
            world.pass(18);
        }
        let late = oven.requests().into_iter().skip(early).filter(|(core, _)| *core == CoreType::Big);
        late.map(|(_, level)| level).max()
    };
    assert!(most(0).is_none_or(|level| level < 6), "{:?}", most(0));
    assert_eq!(most(1024), Some(18), "it comes and goes with the task");
}
