//! Random system calls on random CPUs: no task is lost or runs twice, affinity holds, no verdict is refused.

use std::collections::BTreeSet;

use abi::Call;
use arch::host;
use proptest::prelude::*;

use super::world::World;

const MESSAGE: u32 = host::USER_DATA.start;
const WORD: u32 = host::USER_DATA.start + 0x100;

#[derive(Clone, Debug)]
enum Step {
    Spawn(u32),
    Exit,
    Yield,
    Sleep(u32),
    Restrict(usize, u32),
    Bound(usize, u32, u32),
    Wait,
    Wake(u32),
    Send,
    Receive,
    Pass,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (1_u32..16).prop_map(Step::Spawn),
        Just(Step::Exit),
        Just(Step::Yield),
        (0_u32..5_000_000).prop_map(Step::Sleep),
        (any::<usize>(), 1_u32..16).prop_map(|(task, mask)| Step::Restrict(task, mask)),
        (any::<usize>(), 0_u32..1200, 0_u32..1200).prop_map(|(task, min, max)| Step::Bound(task, min, max)),
        Just(Step::Wait),
        (1_u32..4).prop_map(Step::Wake),
        Just(Step::Send),
        Just(Step::Receive),
        Just(Step::Pass),
    ]
}

/// Plays one step in the task that runs on `cpu`. The first task never ends nor sleeps for ever.
fn play(world: &World, cpu: usize, channel: u32, known: &[u32], step: &Step) -> Option<u32> {
    let me = world.running(cpu)?;
    let first = me == known[0];
    let outcome = match *step {
        Step::Spawn(mask) => world.call(cpu, Call::Spawn, [super::world::ENTRY, 0, 0, mask]),
        Step::Exit if !first => world.call(cpu, Call::Exit, [0; 4]),
        Step::Yield => world.call(cpu, Call::Yield, [0; 4]),
        Step::Sleep(time) => {
            let until = world.now().as_nanos() + u64::from(time);
            world.call(cpu, Call::SleepUntil, [until as u32, (until >> 32) as u32, 0, 0])
        }
        Step::Restrict(task, mask) => world.call(cpu, Call::SetAffinity, [known[task % known.len()], mask, 0, 0]),
        Step::Bound(task, min, max) => world.call(cpu, Call::SetClamp, [known[task % known.len()], min, max, 0]),
        Step::Wait if !first => world.call(cpu, Call::FutexWait, [WORD, 0, 0, 0]),
        Step::Wake(count) => world.call(cpu, Call::FutexWake, [WORD, count, 0, 0]),
        Step::Send if !first => world.call(cpu, Call::ChannelSend, [channel, MESSAGE, 8, 0]),
        Step::Receive if !first => world.call(cpu, Call::ChannelReceive, [channel, MESSAGE, 8, 0]),
        Step::Exit | Step::Wait | Step::Send | Step::Receive | Step::Pass => None,
    };
    if matches!(step, Step::Spawn(_)) { outcome?.ok() } else { None }
}

fn check(world: &World) {
    let mut seen = BTreeSet::new();
    for cpu in 0..4 {
        let running = world.kernel.cpus.with(host::irqs_off(cpu), |cpu| {
            cpu.current.as_ref().map(|task| (task.number.raw(), task.shared.affinity().contains(cpu.id)))
        });
        if let Some((task, _)) = running {
            assert!(seen.insert(task), "task {task} runs twice");
        }
    }
    assert_eq!(world.kernel.counters().refused, 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost(policy in 0_usize..4, steps in prop::collection::vec((0_usize..4, step()), 1..400)) {
        let policies = ["policy=pinned", "policy=pull", "policy=gear", "policy=gear goal=makespan"];
        let world = World::new(policies[policy]);
        let channel = world.call(0, Call::ChannelCreate, [2, 8, 0, 0]).expect("does not block").expect("there is room");
        let mut known = vec![world.running(0).expect("the first task runs")];
        for (cpu, step) in &steps {
            known.extend(play(&world, *cpu, channel, &known, step));
            world.settle();
            if matches!(step, Step::Pass) {
                world.pass(2);
            }
            check(&world);
        }
        // Everyone who waits is let go; then every task that did not exit must get a CPU again.
        world.pass(20);
        let first = known[0];
        for _ in 0..200 {
            if (0..4).any(|cpu| world.running(cpu) == Some(first)) {
                break;
            }
            world.pass(1);
        }
        let cpu = (0..4).find(|cpu| world.running(*cpu) == Some(first)).expect("the first task is never lost");
        world.call(cpu, Call::FutexWake, [WORD, u32::MAX, 0, 0]);
        world.call(cpu, Call::ChannelClose, [channel, 0, 0, 0]);
        world.settle();
        let ended = |task: u32| world.kernel.tasks.ended(task, |_| ()).is_ok();
        let mut waiting: BTreeSet<u32> = known.iter().copied().filter(|task| !ended(*task)).collect();
        for _ in 0..2000 {
            for cpu in 0..4 {
                if let Some(task) = world.running(cpu) {
                    waiting.remove(&task);
                }
            }
            world.pass(1);
        }
        prop_assert!(waiting.is_empty(), "tasks {waiting:?} never ran again");
        check(&world);
    }
}
