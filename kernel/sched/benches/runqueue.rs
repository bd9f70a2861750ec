//! What a run queue costs, and the question of the kernel list in 2016: is it worth keeping tasks in a tree ordered by
//! utilisation, to find the one to migrate, instead of walking a list?
//!
//! Three structures do the same with n tasks: our queue (heaps by deadline and by virtual time; the task to migrate is
//! looked for among all), a plain list (both are looked for), and a list with a tree ordered by utilisation beside it
//! (found at once, but every change of a task's utilisation has to be brought up to date). One round is what a
//! millisecond brings: a switch with the accounts of the task that ran; every so many rounds one task is taken away to
//! migrate and comes back.

use std::collections::BTreeMap;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use sched::{Arrival, Capacity, CpuMask, Entity, Nanos, RunQueue, Schedulable, TaskId, Weight};

const TICK: Nanos = Nanos::from_millis(1);
/// Switches for each migration: balancing runs every few milliseconds at most.
const SWITCHES: u32 = 8;

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

fn ours(tasks: u32) -> impl FnMut() {
    let mut queue = Box::new(RunQueue::<Box<Task>, 1024>::new(Capacity::FULL));
    let mut now = TICK;
    for id in 0..tasks {
        queue.enqueue(Box::new(Task { id, entity: Entity::new(Weight::NORMAL) }), now, Arrival::New);
    }
    let mut running = queue.pick(now);
    move || {
        for _ in 0..SWITCHES {
            now += TICK;
            let mut task = running.take().expect("somebody runs");
            queue.account(&mut task.entity, now);
            running = Some(queue.give_way(task, now, true));
        }
        if let Some(task) = queue.take_where(now, |task| task.entity.utilisation() < 900) {
            queue.enqueue(black_box(task), now, Arrival::Moved);
        }
    }
}

/// What a task is to the two simple structures: its virtual time, and a utilisation that changes as it runs.
#[derive(Clone, Copy)]
struct Plain {
    id: u32,
    vruntime: u64,
    utilisation: u32,
}

impl Plain {
    fn new(id: u32) -> Self {
        Self { id, vruntime: u64::from(id), utilisation: (id * 37) % 1024 }
    }

    fn runs(&mut self) {
        self.vruntime += 3_000_000;
        self.utilisation = (self.utilisation * 31 + 1024) / 32;
    }
}

/// Everything by walking.
fn list(tasks: u32) -> impl FnMut() {
    let mut waiting: Vec<Plain> = (0..tasks).map(Plain::new).collect();
    move || {
        for _ in 0..SWITCHES {
            let first = (0..waiting.len()).min_by_key(|&index| waiting[index].vruntime).expect("somebody waits");
            let mut task = waiting.swap_remove(first);
            task.runs();
            waiting.push(black_box(task));
        }
        let found = waiting.iter().position(|task| task.utilisation < 900);
        if let Some(index) = found {
            let task = waiting.swap_remove(index);
            waiting.push(black_box(task));
        }
    }
}

/// A tree by virtual time to pick from, and one by utilisation to migrate from.
fn utilisation_tree(tasks: u32) -> impl FnMut() {
    let all: Vec<Plain> = (0..tasks).map(Plain::new).collect();
    let mut waiting: BTreeMap<(u64, u32), Plain> = all.iter().map(|task| ((task.vruntime, task.id), *task)).collect();
    let mut by_utilisation: BTreeMap<(u32, u32), u64> =
        all.iter().map(|task| ((task.utilisation, task.id), task.vruntime)).collect();
    move || {
        for _ in 0..SWITCHES {
            let (_, mut task) = waiting.pop_first().expect("somebody waits");
            by_utilisation.remove(&(task.utilisation, task.id));
            task.runs();
            by_utilisation.insert((task.utilisation, task.id), task.vruntime);
            waiting.insert((task.vruntime, task.id), black_box(task));
        }
        let last = by_utilisation.range(..(900, 0)).next_back().map(|(&key, &vruntime)| (key, vruntime));
        if let Some(((utilisation, id), vruntime)) = last {
            let task = waiting.remove(&(vruntime, id)).expect("the trees hold the same tasks");
            by_utilisation.remove(&(utilisation, id));
            by_utilisation.insert((utilisation, id), vruntime);
            waiting.insert((vruntime, id), black_box(task));
        }
    }
}

fn compare(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("eight switches and a migration");
    for tasks in [4, 24, 100, 1000] {
        group.bench_with_input(BenchmarkId::new("ours", tasks), &tasks, |bencher, &tasks| bencher.iter(ours(tasks)));
        group.bench_with_input(BenchmarkId::new("list", tasks), &tasks, |bencher, &tasks| bencher.iter(list(tasks)));
        group.bench_with_input(BenchmarkId::new("utilisation tree", tasks), &tasks, |bencher, &tasks| {
            bencher.iter(utilisation_tree(tasks));
        });
    }
    group.finish();
}

criterion_group!(benches, compare);
criterion_main!(benches);
