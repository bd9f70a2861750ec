//! Loops that never sleep move to where the policy wants them.

use abi::Call;
use arch::host;
use sched::CpuId;

use super::world::World;
use crate::inbox::Message;

/// Four loops on two big (0, 1) and two LITTLE (2, 3) CPUs, `milliseconds` old.
fn four_loops(policy: &str, milliseconds: u64) -> World {
    let world = World::new(policy);
    for cpu in 1..4 {
        let child = world.spawn(0, 1 << cpu);
        world.settle();
        world.call(0, Call::SetAffinity, [child, 0xff, 0, 0]);
        world.settle();
    }
    world.pass(milliseconds);
    world
}

/// The same; those on the big CPUs stop after `big_ms`. Returns who runs where after.
fn loops(policy: &str, big_ms: u64) -> (World, [Option<u32>; 4]) {
    let world = four_loops(policy, big_ms);
    for cpu in 0..2 {
        if world.running(cpu).is_some() {
            world.call(cpu, Call::FutexWait, [host::USER_DATA.start, 0, 0, 0]);
        }
    }
    world.settle();
    let running = [0, 1, 2, 3].map(|cpu| world.running(cpu));
    (world, running)
}

#[test]
fn pinned_leaves_the_big_cpus_idle() {
    let (world, running) = loops("policy=pinned", 100);
    assert_eq!(running.map(|task| task.is_some()), [false, false, true, true]);
    assert_eq!(world.kernel.counters().refused, 0);
}

#[test]
fn pull_and_gear_bring_the_loops_to_the_big_cpus_at_once() {
    for policy in ["policy=pull", "policy=gear"] {
        let (world, running) = loops(policy, 100);
        assert_eq!(running.map(|task| task.is_some()), [true, true, false, false], "{policy}");
        assert_eq!(world.kernel.counters().refused, 0);
    }
}

/// Of CPUs that fall idle at the same moment all ask the same one, and all but one in vain. They must not rest for
/// that.
#[test]
fn an_idle_cpu_that_asked_in_vain_asks_again_soon() {
    let world = four_loops("policy=pull", 100);
    for _ in 0..3 {
        world.kernel.inboxes[0].push(Message::Nothing);
    }
    world.kernel.poke(CpuId::new(0));
    world.settle();
    world.call(0, Call::FutexWait, [host::USER_DATA.start, 0, 0, 0]);
    world.settle();
    world.pass(1);
    assert!(world.running(0).is_some(), "a LITTLE CPU has a loop that would be faster here");
}

#[test]
fn makespan_rotates_and_mean_does_not() {
    let moves = |policy: &str| {
        let (world, _) = loops(policy, 400);
        world.kernel.counters().migrations
    };
    assert!(moves("policy=gear goal=makespan") >= moves("policy=gear goal=mean") + 8);
}
