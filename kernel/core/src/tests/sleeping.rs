//! Time: ticks, sleepers, alarms.

use abi::Call;
use arch::host;

use super::world::World;

fn sleep_until(world: &World, cpu: usize, time: u64) -> Option<abi::Result<u32>> {
    world.call(cpu, Call::SleepUntil, [time as u32, (time >> 32) as u32, 0, 0])
}

#[test]
fn an_idle_cpu_has_no_tick_and_a_busy_one_has_one_a_millisecond() {
    let world = World::new("policy=pinned");
    for cpu in 1..4 {
        assert_eq!(host::alarm(cpu), None);
    }
    let before = world.kernel.counters().ticks;
    world.pass(20);
    assert_eq!(world.kernel.counters().ticks - before, 20);
}

#[test]
fn a_sleeper_wakes_on_time_and_on_a_grid() {
    let world = World::new("policy=pinned");
    let start = world.now().as_nanos();
    for round in 1..=10 {
        let deadline = start + round * 3_000_000;
        assert_eq!(sleep_until(&world, 0, deadline), None);
        assert_eq!(host::alarm(0), Some(deadline));
        world.pass(2);
        assert_eq!(world.running(0), None);
        world.pass(1);
        assert_eq!(world.result(0), Ok(0));
        assert_eq!(world.now().as_nanos(), deadline);
    }
}

#[test]
fn a_deadline_in_the_past_returns_at_once() {
    let world = World::new("policy=pinned");
    let now = world.now().as_nanos();
    for deadline in [0, now - 1, now] {
        assert_eq!(sleep_until(&world, 0, deadline), Some(Ok(0)));
    }
}

#[test]
fn the_clock_comes_in_two_words() {
    let world = World::new("policy=pinned");
    host::set_time(0x5_1234_5678);
    world.call(0, Call::Clock, [0; 4]);
    let words = world
        .kernel
        .cpus
        .with(host::irqs_off(0), |cpu| [cpu.running().context.register(0), cpu.running().context.register(1)]);
    assert_eq!(words, [0x1234_5678, 5]);
}

#[test]
fn two_equal_tasks_alternate_when_they_yield() {
    let world = World::new("policy=pinned");
    let first = world.running(0).expect("it runs");
    let second = world.spawn(0, 0b1);
    for _ in 0..20 {
        world.call(0, Call::Yield, [0; 4]);
        assert_eq!(world.running(0), Some(second));
        world.call(0, Call::Yield, [0; 4]);
        assert_eq!(world.running(0), Some(first));
    }
}

#[test]
fn the_slice_of_a_task_that_never_yields_ends() {
    let world = World::new("policy=pinned");
    let first = world.running(0).expect("it runs");
    let second = world.spawn(0, 0b1);
    let mut turns = [0, 0];
    for _ in 0..300 {
        world.pass(1);
        turns[usize::from(world.running(0) == Some(second))] += 1;
    }
    assert!(world.running(0).is_some_and(|task| task == first || task == second));
    assert!(turns.iter().all(|turns| (140..=160).contains(turns)), "{turns:?}");
}

#[test]
fn statistics_add_up_to_the_time_that_passed() {
    let world = World::new("policy=pinned");
    let me = world.running(0).expect("it runs");
    let start = world.now().as_nanos();
    world.pass(50);
    assert_eq!(world.call(0, Call::Statistics, [me, host::USER_DATA.start, 0, 0]), Some(Ok(0)));
    let word = |at: u32| {
        let bytes = host::user_read(host::USER_DATA.start + at, 8);
        u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
    };
    let elapsed = world.now().as_nanos() - start;
    assert_eq!(word(0) + word(8), elapsed);
    assert_eq!(word(16), elapsed);
}
