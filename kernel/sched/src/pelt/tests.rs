use super::series::HALF_LIFE;
use super::*;
use proptest::prelude::*;

const LITTLE: Capacity = Capacity::new(462);
const PERIOD_NS: u32 = PERIOD << 10;

#[test]
fn ramps_as_the_closed_form_says() {
    let mut load = Load::new();
    for _ in 0..HALF_LIFE {
        load.ran(PERIOD_NS, Capacity::FULL);
    }
    assert!((510..=514).contains(&load.utilisation()), "{load:?}");
    for _ in 0..HALF_LIFE {
        load.rested(PERIOD_NS, Capacity::FULL);
    }
    assert!((254..=258).contains(&load.utilisation()), "{load:?}");
}

/// 1.6 ms of full-speed work in each 16 ms, done at the given capacity.
fn periodic(capacity: Capacity) -> u32 {
    let run = 1_600_000 / capacity.get() * 1024;
    let mut load = Load::new();
    for _ in 0..100 {
        load.ran(run, capacity);
        load.rested(16_000_000 - run, Capacity::FULL);
    }
    load.utilisation()
}

#[test]
fn the_same_work_gives_the_same_signal_on_any_cpu() {
    let (big, little) = (periodic(Capacity::FULL), periodic(LITTLE));
    assert!(big.abs_diff(little) <= 3, "{big} and {little}");
}

#[test]
fn a_loop_saturates_on_a_slow_cpu_and_then_forgets_its_stretch() {
    let mut load = Load::new();
    for _ in 0..2_000 {
        load.ran(1_000_000, LITTLE);
    }
    assert!(load.utilisation() >= 1020, "{load:?}");
    load.rested(1_000_000, Capacity::FULL);
    assert!(load.utilisation() >= 995, "one second of stretch would have wiped it out: {load:?}");
}

#[test]
fn one_long_step_equals_many_short_ones() {
    let (mut once, mut often) = (Load::new(), Load::new());
    once.ran(50 * PERIOD_NS + 12_345, Capacity::FULL);
    for _ in 0..50 {
        often.ran(PERIOD_NS, Capacity::FULL);
    }
    often.ran(12_345, Capacity::FULL);
    assert!(once.utilisation().abs_diff(often.utilisation()) <= 2, "{once:?} {often:?}");
}

#[test]
fn a_waiting_task_is_runnable_but_not_running() {
    let mut load = Load::new();
    load.waited(400_000_000, Capacity::FULL);
    assert_eq!(load.utilisation(), 0);
    assert!(load.runnable() >= 1020);
}

#[test]
fn coming_and_going_cancel_out() {
    let (mut cpu, mut task) = (Load::new(), Load::new());
    cpu.ran(20_000_000, Capacity::FULL);
    task.ran(20_000_000, LITTLE);
    let before = cpu.utilisation();
    cpu.attach(&task);
    assert!(cpu.utilisation() > before);
    cpu.detach(&task);
    assert!(cpu.utilisation().abs_diff(before) <= 1);
}

proptest! {
    #[test]
    fn averages_stay_in_range(steps in prop::collection::vec((0_u32..100_000_000, 0..4), 1..100)) {
        let mut load = Load::new();
        for (elapsed, kind) in steps {
            match kind {
                0 => load.ran(elapsed, Capacity::FULL),
                1 => load.ran(elapsed, LITTLE),
                2 => load.waited(elapsed, LITTLE),
                _ => load.rested(elapsed, Capacity::FULL),
            }
            prop_assert!(load.utilisation() <= 1024 && load.runnable() <= 1024);
            prop_assert!(load.utilisation() <= load.runnable());
        }
    }
}
