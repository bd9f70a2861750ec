//! Who gets how much, and when.

use super::*;

#[test]
fn equal_tasks_get_equal_shares_a_slice_at_a_time() {
    let mut cpu = Cpu::with(&[Weight::NORMAL; 3]);
    let order: Vec<_> = (0..18)
        .map(|_| {
            let id = cpu.running().id;
            cpu.tick();
            id
        })
        .collect();
    assert_eq!(order, [0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 0, 0, 1, 1, 1, 2, 2, 2]);
    assert_eq!(cpu.progress(), [6, 6, 6]);
}

#[test]
fn weights_divide_the_cpu() {
    let mut cpu = Cpu::with(&[Weight::nice(0), Weight::nice(5), Weight::nice(-5)]);
    (0..10_000).for_each(|_| cpu.tick());
    let total = u64::from(1024 + Weight::nice(5).get() + Weight::nice(-5).get());
    for (progress, nice) in cpu.progress().into_iter().zip([0, 5, -5]) {
        let fair = 10_000 * u64::from(Weight::nice(nice).get()) / total;
        assert!(progress.abs_diff(fair) <= 10, "nice {nice}: {progress} ms of {fair}");
    }
}

/// Whatever came before, a yield goes behind all who wait (field report V25).
#[test]
fn equal_tasks_that_yield_alternate_strictly() {
    for count in [2_u32, 3, 64] {
        let mut cpu = Cpu::with(&equal_weights(count));
        (0..7).for_each(|_| cpu.tick());
        let mut order = Vec::new();
        for _ in 0..5 * count {
            cpu.now += Nanos::from_micros(3);
            order.push(cpu.running().id);
            cpu.requeue(Arrival::Yielded);
        }
        let (first, rest) = order.split_at(count as usize);
        assert!(rest.chunks(count as usize).all(|round| round == first), "{order:?}");
    }
}

#[test]
fn yields_do_not_starve_and_do_not_pay() {
    // Task 0 yields after each tick of its own, task 1 never does.
    let mut cpu = Cpu::with(&[Weight::NORMAL; 2]);
    for _ in 0..400 {
        let yields = cpu.running().id == 0;
        cpu.tick();
        if yields && cpu.running().id == 0 {
            cpu.requeue(Arrival::Yielded);
        }
    }
    let progress = cpu.progress();
    assert!((80..=130).contains(&progress[0]), "a tick for each slice of the other: {progress:?}");
}

#[test]
fn a_task_that_ran_alone_owes_nothing_to_a_later_one() {
    let mut cpu = Cpu::with(&[Weight::NORMAL]);
    (0..1_000).for_each(|_| cpu.tick());
    cpu.queue.enqueue(task(1, Weight::NORMAL), cpu.now, Arrival::New);
    (0..100).for_each(|_| cpu.tick());
    let progress = cpu.progress();
    assert!(progress[1].abs_diff(50) <= 3, "{progress:?}");
}

#[test]
fn a_sleeper_has_at_most_a_slice_of_credit() {
    let mut cpu = Cpu::with(&[Weight::NORMAL; 2]);
    let sleeper = cpu.leave(Departure::Sleeps);
    (0..1_000).for_each(|_| cpu.tick());
    cpu.queue.enqueue(sleeper, cpu.now, Arrival::Woken);
    assert!(cpu.queue.should_preempt(&cpu.running.as_ref().expect("one runs").entity), "it has slept long");
    cpu.requeue(Arrival::Preempted);
    assert_eq!(cpu.running().id, 0);
    (0..60).for_each(|_| cpu.tick());
    let progress = cpu.progress();
    assert!((30..=36).contains(&progress[0]), "{progress:?}");
}

#[test]
fn a_short_sleep_does_not_wipe_out_what_was_consumed() {
    // Task 0 runs for two ticks, sleeps for 10 µs, and so on; task 1 is a loop.
    let mut cpu = Cpu::with(&[Weight::NORMAL; 2]);
    for _ in 0..1_000 {
        cpu.tick();
        if cpu.running().id == 0 {
            let sleeper = cpu.leave(Departure::Sleeps);
            cpu.now += Nanos::from_micros(10);
            cpu.queue.enqueue(sleeper, cpu.now, Arrival::Woken);
        }
    }
    let progress = cpu.progress();
    assert!(progress[1] >= 480, "the loop keeps its half: {progress:?}");
}

#[test]
fn a_thousand_tasks_each_get_their_turn() {
    let mut queue = RunQueue::<Box<Task>, 1000>::new(Capacity::FULL);
    let mut now = Nanos::from_millis(1);
    for id in 0..1000 {
        queue.enqueue(task(id, Weight::NORMAL), now, Arrival::New);
    }
    let mut running = queue.pick(now).expect("a thousand wait");
    for _ in 0..6_000 {
        now += TICK;
        queue.account(&mut running.entity, now);
        if queue.should_preempt(&running.entity) {
            running = queue.give_way(running, now, false);
        }
    }
    let waiting = core::iter::from_fn(|| queue.take_where(now, |_| true));
    let progress: Vec<_> = waiting.chain([running]).map(|task| task.entity.progress().as_millis()).collect();
    assert_eq!(progress.len(), 1000);
    let (least, most) = (progress.iter().min(), progress.iter().max());
    assert!(least >= Some(&3) && most <= Some(&9), "6 ms each, within a slice: {least:?} to {most:?}");
}

/// The fair share of each, in milliseconds of a CPU that all wanted for `total`.
fn shares(weights: &[Weight], total: u64) -> Vec<u64> {
    let sum: u64 = weights.iter().map(|weight| u64::from(weight.get())).sum();
    weights.iter().map(|weight| total * u64::from(weight.get()) / sum).collect()
}

proptest! {
    /// Equal loops drift apart by no more than a slice and a tick each, whenever they arrive.
    #[test]
    fn equal_loops_stay_together(count in 2_u32..10, ticks in 1_u32..500) {
        let mut cpu = Cpu::with(&equal_weights(count));
        (0..ticks).for_each(|_| cpu.tick());
        let progress = cpu.progress();
        let (least, most) = (progress.iter().min(), progress.iter().max());
        prop_assert!(most.zip(least).is_some_and(|(most, least)| most - least <= 4), "{progress:?}");
    }

    /// EEVDF's promise: nobody is ever more than a slice (and the tick that ends it) away from its share.
    #[test]
    fn lag_is_bounded(levels in prop::collection::vec(-5_i8..6, 2..12), total in 50_u64..400) {
        let weights: Vec<_> = levels.iter().map(|level| Weight::nice(*level)).collect();
        let mut cpu = Cpu::with(&weights);
        for _ in 0..total {
            cpu.tick();
        }
        let progress = cpu.progress();
        for ((had, share), level) in progress.iter().zip(shares(&weights, total)).zip(&levels) {
            prop_assert!(had.abs_diff(share) <= 6, "nice {}: had {} of {}: {:?}", level, had, share, progress);
        }
    }
}
