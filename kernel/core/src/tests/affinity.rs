//! A task is where its mask allows, whatever else happens.

use abi::{Call, Error};
use arch::host;

use super::world::World;

#[test]
fn a_running_task_leaves_when_it_is_forbidden_to_stay() {
    let world = World::new("policy=gear");
    let me = world.running(0).expect("it runs");
    world.call(0, Call::SetAffinity, [me, 0b1000, 0, 0]);
    world.settle();
    assert_eq!((world.running(0), world.running(3)), (None, Some(me)));
    assert_eq!(world.result(3), Ok(0));
    assert_eq!(world.call(3, Call::GetAffinity, [me, 0, 0, 0]), Some(Ok(0b1000)));
}

#[test]
fn another_task_is_moved_while_it_runs_waits_or_sleeps() {
    let world = World::new("policy=pinned");
    let runs = world.spawn(0, 0b10);
    let waits = world.spawn(0, 0b10);
    let sleeps = world.spawn(0, 0b100);
    world.settle();
    let wake_at = world.now().as_nanos() + 5_000_000;
    world.call(2, Call::SleepUntil, [wake_at as u32, 0, 0, 0]);
    assert_eq!(world.running(1), Some(runs));
    for task in [runs, waits, sleeps] {
        assert_eq!(world.call(0, Call::SetAffinity, [task, 0b1000, 0, 0]), Some(Ok(0)));
    }
    world.settle();
    world.pass(10);
    assert_eq!((world.running(1), world.running(2)), (None, None));
    let mut seen = Vec::new();
    for _ in 0..40 {
        world.pass(1);
        seen.extend(world.running(3));
    }
    assert!([runs, waits, sleeps].iter().all(|task| seen.contains(task)));
}

#[test]
fn masks_that_name_no_cpu_are_refused() {
    let world = World::new("policy=pinned");
    let me = world.running(0).expect("it runs");
    for mask in [0, 0b1_0000, 0xffff_ff00] {
        assert_eq!(world.call(0, Call::SetAffinity, [me, mask, 0, 0]), Some(Err(Error::BadArgument)));
    }
    assert_eq!(world.call(0, Call::Spawn, [super::world::ENTRY, 0, 0, 0b10_0000]), Some(Err(Error::BadArgument)));
    assert_eq!(world.call(0, Call::SetAffinity, [me + 1000, 1, 0, 0]), Some(Err(Error::NoSuchTask)));
    assert!(!host::has_pending(0));
}
