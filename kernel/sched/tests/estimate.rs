//! What is remembered of a task's jobs while it sleeps.

use sched::{Arrival, Capacity, CpuMask, Departure, Entity, Nanos, RunQueue, Schedulable, TaskId, Weight};

struct Task(Entity);

impl Schedulable for Box<Task> {
    fn entity(&self) -> &Entity {
        &self.0
    }
    fn entity_mut(&mut self) -> &mut Entity {
        &mut self.0
    }
    fn id(&self) -> TaskId {
        TaskId::new(1)
    }
    fn affinity(&self) -> CpuMask {
        CpuMask::ALL
    }
}

/// Runs alone from one time to another, then sleeps.
fn job(mut task: Box<Task>, milliseconds: [u64; 2]) -> Box<Task> {
    let [from, to] = milliseconds.map(Nanos::from_millis);
    let mut queue: RunQueue<Box<Task>, 4> = RunQueue::new(Capacity::FULL);
    queue.enqueue(task, from, Arrival::Woken);
    task = queue.pick(from).expect("it waits");
    queue.account(task.entity_mut(), to);
    queue.leave(task.entity_mut(), to, Departure::Sleeps);
    task
}

/// Linux' `util_est_update`: up at once, down by a quarter of the difference with each job.
#[test]
fn a_quarter_of_what_was_known_is_forgotten_with_each_smaller_job() {
    let mut task = job(Box::new(Task(Entity::new(Weight::NORMAL))), [10, 210]);
    let known = task.entity().estimate();
    assert!(known > 900 && known == task.entity().utilisation(), "{known}: at once");
    let mut expected = known;
    for begin in [1_000, 2_000, 3_000, 4_000] {
        task = job(task, [begin, begin + 2]);
        let now = task.entity().utilisation();
        assert!(now < 100, "it has slept for long: {now}");
        expected -= (expected - now) / 4;
        assert_eq!(task.entity().estimate(), expected);
    }
    task = job(task, [5_000, 5_200]);
    assert_eq!(task.entity().estimate(), task.entity().utilisation(), "and up again at once");
}

/// Of tasks that begin together the last one waits each time. What is expected of it falls all the same.
#[test]
fn who_always_waits_is_not_taken_for_what_it_was_at_first() {
    let mut tasks: Vec<_> = (0..4).map(|_| job(Box::new(Task(Entity::new(Weight::NORMAL))), [10, 210])).collect();
    let mut queue: RunQueue<Box<Task>, 4> = RunQueue::new(Capacity::FULL);
    for round in 1..=20 {
        let mut now = Nanos::from_millis(1_000 * round);
        tasks.drain(..).for_each(|task| queue.enqueue(task, now, Arrival::Woken));
        while let Some(mut task) = queue.pick(now) {
            now += Nanos::from_millis(2);
            queue.account(task.entity_mut(), now);
            queue.leave(task.entity_mut(), now, Departure::Sleeps);
            tasks.push(task);
        }
    }
    for task in &tasks {
        let (expected, now) = (task.entity().estimate(), task.entity().utilisation());
        assert!(expected <= now + 1024 / 100 + 1, "{expected}, and its jobs come to {now}");
    }
}
