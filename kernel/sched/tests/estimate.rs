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
