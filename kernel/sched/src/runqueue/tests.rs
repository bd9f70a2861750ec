//! A CPU on which tasks run by the queue's rules, and what holds there.

use std::boxed::Box;
use std::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::{CpuMask, TaskId, Weight};

mod coming_and_going;
mod reserved;
mod sharing;
mod starvation;

const TICK: Nanos = Nanos::from_millis(1);

struct Task {
    id: u32,
    entity: Entity,
}

impl Schedulable for Box<Task> {
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

fn task(id: u32, weight: Weight) -> Box<Task> {
    Box::new(Task { id, entity: Entity::new(weight) })
}

fn equal_weights(count: u32) -> Vec<Weight> {
    (0..count).map(|_| Weight::NORMAL).collect()
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
