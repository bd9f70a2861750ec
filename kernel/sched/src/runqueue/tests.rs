use std::boxed::Box;
use std::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::{CpuMask, TaskId, Weight};

mod reserved;
mod starvation;

const TICK: Nanos = Nanos::from_millis(1);

struct Task {
    id: u32,
    entity: Entity,
}

impl Schedulable for Task {
    fn entity(&self) -> &Entity {
        &self.entity
    }
    fn entity_mut(&mut self) -> &mut Entity {
        &mut self.entity
    }
    fn id(&self) -> TaskId {
        TaskId::new(self.id)
    }
    fn affinity(&self) -> CpuMask {
        CpuMask::ALL
    }
}

impl Schedulable for Box<Task> {
    fn entity(&self) -> &Entity {
        (**self).entity()
    }
    fn entity_mut(&mut self) -> &mut Entity {
        (**self).entity_mut()
    }
    fn id(&self) -> TaskId {
        (**self).id()
    }
    fn affinity(&self) -> CpuMask {
        (**self).affinity()
    }
}

fn task(id: u32, weight: Weight) -> Box<Task> {
    Box::new(Task { id, entity: Entity::new(weight) })
}

/// A CPU with its clock.
struct Cpu {
    queue: RunQueue<Box<Task>, 64>,
    running: Option<Box<Task>>,
    now: Nanos,
}

impl Cpu {
    fn new() -> Self {
        Self { queue: RunQueue::new(Capacity::FULL), running: None, now: Nanos::from_millis(1) }
    }

    fn with(weights: &[Weight]) -> Self {
        let mut cpu = Self::new();
        for (id, &weight) in (0..).zip(weights) {
            cpu.queue.enqueue(task(id, weight), cpu.now, Arrival::New);
        }
        cpu.next();
        cpu
    }

    fn next(&mut self) {
        self.running = self.queue.pick(self.now);
    }

    fn running(&mut self) -> &mut Box<Task> {
        self.running.as_mut().expect("somebody runs")
    }

    fn requeue(&mut self, how: Arrival) {
        let (queue, now) = (&mut self.queue, self.now);
        self.running = self.running.take().map(|task| queue.give_way(task, now, how == Arrival::Yielded));
    }

    fn leave(&mut self, how: Departure) -> Box<Task> {
        let mut task = self.running.take().expect("somebody runs");
        self.queue.leave(&mut task.entity, self.now, how);
        self.next();
        task
    }

    /// Lets the time of a tick go by and, if the rules say so, the running task give way.
    fn tick(&mut self) {
        self.now += TICK;
        let Some(running) = &mut self.running else { return self.queue.idle(self.now) };
        self.queue.account(&mut running.entity, self.now);
        if self.queue.should_preempt(&running.entity) {
            self.requeue(Arrival::Preempted);
        }
    }

    /// The progress of each task in milliseconds, in the order of their names. The CPU is empty afterwards.
    fn progress(mut self) -> Vec<u64> {
        let waiting = core::iter::from_fn(|| self.queue.take_where(self.now, |_| true));
        let mut tasks: Vec<_> = self.running.into_iter().chain(waiting).collect();
        tasks.sort_by_key(|task| task.id);
        tasks.iter().map(|task| task.entity.progress().as_millis()).collect()
    }
}

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
        let mut cpu = Cpu::with(&vec_of(count));
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

fn vec_of(count: u32) -> Vec<Weight> {
    (0..count).map(|_| Weight::NORMAL).collect()
}

#[test]
fn giving_way_is_to_be_queued_and_picked() {
    let mut one = Cpu::with(&vec_of(5));
    let mut other = Cpu::with(&vec_of(5));
    for step in 0..500_u64 {
        for cpu in [&mut one, &mut other] {
            cpu.now += Nanos::from_micros(step % 7 * 311);
        }
        let how = if step % 3 == 0 { Arrival::Yielded } else { Arrival::Preempted };
        one.requeue(how);
        let task = other.running.take().expect("somebody runs");
        other.queue.enqueue(task, other.now, how);
        other.next();
        assert_eq!(one.running().id, other.running().id, "step {step}");
    }
    assert_eq!(one.progress(), other.progress());
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
fn an_idle_cpu_forgets_and_a_busy_one_saturates() {
    let mut cpu = Cpu::with(&[Weight::NORMAL]);
    assert_eq!(cpu.queue.utilisation(), 512, "half of an idle CPU is assumed of a new task");
    (0..400).for_each(|_| cpu.tick());
    assert!(cpu.queue.utilisation() >= 1020);
    cpu.leave(Departure::Sleeps);
    (0..34).for_each(|_| cpu.tick());
    assert!((500..=515).contains(&cpu.queue.utilisation()), "{}", cpu.queue.utilisation());
}

#[test]
fn load_moves_with_the_task() {
    let mut from = Cpu::with(&[Weight::NORMAL]);
    (0..400).for_each(|_| from.tick());
    let task = from.leave(Departure::Moves);
    assert_eq!((from.queue.utilisation(), from.queue.weight()), (0, 0));
    let mut to = Cpu::new();
    to.now = from.now;
    to.queue.enqueue(task, to.now, Arrival::Moved);
    assert!(to.queue.utilisation() >= 1020 && to.queue.weight() == 1024);
    to.next();
    assert_eq!(to.running().entity.last_moved(), to.now);
}

#[test]
fn the_task_that_waits_longest_is_given_away() {
    let mut cpu = Cpu::with(&[Weight::NORMAL; 4]);
    (0..3).for_each(|_| cpu.tick());
    assert_eq!(cpu.running().id, 1, "task 0 stands at the end again");
    let taken = cpu.queue.take_where(cpu.now, |task| task.id != 2).map(|task| task.id);
    assert_eq!(taken, Some(3));
    assert!(cpu.queue.take_where(cpu.now, |task| task.id == 9).is_none());
}

proptest! {
    /// In any course of events no task is lost, doubled or left out, and the books balance.
    #[test]
    fn tasks_are_conserved(steps in prop::collection::vec((0_u8..8, 0_u64..5_000), 1..300)) {
        let mut cpu = Cpu::new();
        let mut away: Vec<(Arrival, Box<Task>)> = Vec::new();
        let mut born = 0;
        for (kind, micros) in steps {
            cpu.now += Nanos::from_micros(micros);
            match kind {
                0 | 1 if born < 60 => {
                    away.push((Arrival::New, task(born, Weight::nice((born % 40) as i8 - 20))));
                    born += 1;
                }
                2 if cpu.running.is_some() => {
                    let task = cpu.leave(Departure::Sleeps);
                    away.push((Arrival::Woken, task));
                }
                3 if cpu.running.is_some() => {
                    let task = cpu.leave(Departure::Moves);
                    away.push((Arrival::Moved, task));
                }
                4 => cpu.requeue(Arrival::Yielded),
                5 => cpu.tick(),
                6 => {
                    let taken = cpu.queue.take_where(cpu.now, |task| task.id % 2 == 0);
                    away.extend(taken.map(|task| (Arrival::Moved, task)));
                }
                _ => {
                    if let Some((how, task)) = away.pop() {
                        cpu.queue.enqueue(task, cpu.now, how);
                        if cpu.running.is_none() {
                            cpu.next();
                        }
                    }
                }
            }
            let here = cpu.queue.len() + usize::from(cpu.running.is_some());
            prop_assert_eq!(here + away.len(), born as usize);
            prop_assert!(cpu.running.is_some() || cpu.queue.is_empty(), "an idle CPU has no queue");
        }
        let mut weight = 0;
        let mut names: Vec<_> = away.iter().map(|(_, task)| task.id).collect();
        let total = cpu.queue.weight();
        let waiting = core::iter::from_fn(|| cpu.queue.take_where(cpu.now, |_| true));
        for task in waiting.chain(cpu.running.take()) {
            weight += task.entity.weight().get();
            names.push(task.id);
        }
        names.sort_unstable();
        prop_assert_eq!(names, (0..born).collect::<Vec<_>>());
        prop_assert_eq!(weight, total);
    }

    /// Equal loops drift apart by no more than a slice and a tick each, whenever they arrive.
    #[test]
    fn equal_loops_stay_together(count in 2_u32..10, ticks in 1_u32..500) {
        let mut cpu = Cpu::with(&vec_of(count));
        (0..ticks).for_each(|_| cpu.tick());
        let progress = cpu.progress();
        let (least, most) = (progress.iter().min(), progress.iter().max());
        prop_assert!(most.zip(least).is_some_and(|(most, least)| most - least <= 4), "{progress:?}");
    }
}

/// The fair share of each, in milliseconds of a CPU that all wanted for `total`.
fn shares(weights: &[Weight], total: u64) -> Vec<u64> {
    let sum: u64 = weights.iter().map(|weight| u64::from(weight.get())).sum();
    weights.iter().map(|weight| total * u64::from(weight.get()) / sum).collect()
}

proptest! {
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
