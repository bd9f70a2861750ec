//! Jobs for which time is reserved.

use super::*;
use crate::plan::{Home, Reservation};
use crate::{Beat, CpuId, Plan, Rate};

const PERIOD: Nanos = Nanos::from_millis(10);

/// A job that begins at `begin` milliseconds, is due at `due` and has `budget` microseconds.
fn job(begin: u64, due: u64, budget: u64) -> Option<Reservation> {
    let (begin, due) = (Nanos::from_millis(begin), Nanos::from_millis(due));
    Some(Reservation { begin, due, period: PERIOD, budget: Nanos::from_micros(budget) })
}

fn arrives(cpu: &mut Cpu, mut task: Box<Task>, reservation: Option<Reservation>) {
    task.entity.reserve(reservation);
    cpu.queue.enqueue(task, cpu.now, Arrival::Woken);
    let running = cpu.running.as_mut().expect("somebody runs");
    cpu.queue.account(&mut running.entity, cpu.now);
    if cpu.queue.should_preempt(&running.entity) {
        cpu.requeue(Arrival::Preempted);
    }
}

#[test]
fn jobs_go_before_all_others_and_by_when_they_are_due() {
    let mut cpu = Cpu::with(&[Weight::nice(-20)]);
    cpu.now = Nanos::from_millis(100);
    arrives(&mut cpu, task(1, Weight::NORMAL), job(100, 130, 5_000));
    assert_eq!(cpu.running().id, 1, "however heavy the other is");
    arrives(&mut cpu, task(2, Weight::nice(19)), job(100, 120, 5_000));
    assert_eq!(cpu.running().id, 2, "it is due earlier");
    arrives(&mut cpu, task(3, Weight::NORMAL), job(100, 140, 5_000));
    assert_eq!(cpu.running().id, 2);
    let order: Vec<_> = (0..3).map(|_| cpu.leave(Departure::Sleeps).id).collect();
    assert_eq!((order, cpu.running().id), (std::vec![2, 1, 3], 0));
}

#[test]
fn beyond_its_budget_a_job_is_like_any_other_work() {
    let mut cpu = Cpu::with(&[Weight::NORMAL]);
    cpu.now = Nanos::from_millis(100);
    arrives(&mut cpu, task(1, Weight::NORMAL), job(100, 110, 2_500));
    cpu.tick();
    cpu.tick();
    assert_eq!(cpu.running().id, 1);
    (0..20).for_each(|_| cpu.tick());
    let progress = cpu.progress();
    assert!((10..=14).contains(&progress[1]), "its budget and half of the rest of 22 ms: {progress:?}");
}

#[test]
fn nothing_new_is_reserved_before_its_time() {
    let mut entity = Entity::new(Weight::NORMAL);
    entity.reserve(job(100, 110, 2_000));
    assert_eq!((entity.budget, entity.due), (2_000_000, VirtualTime::at(Nanos::from_millis(110))));
    entity.budget = 300_000;
    entity.reserve(job(104, 114, 2_000));
    assert_eq!((entity.budget, entity.due), (300_000, VirtualTime::at(Nanos::from_millis(110))), "it woke too early");
    entity.reserve(job(110, 120, 2_000));
    assert_eq!((entity.budget, entity.due), (2_000_000, VirtualTime::at(Nanos::from_millis(120))));
    entity.budget = 700_000;
    entity.reserve(job(110, 121, 2_000));
    assert_eq!(
        (entity.budget, entity.due),
        (700_000, VirtualTime::at(Nanos::from_millis(121))),
        "the same job elsewhere"
    );
    entity.reserve(None);
    assert_eq!(entity.budget, 0);
}

/// The words that due times are compared in come round after 73 minutes; what was granted last may be longer ago than half of that.
#[test]
fn a_task_is_granted_its_first_time_whenever_that_is() {
    for minutes in [1, 36, 40, 70, 100, 10_000] {
        let mut entity = Entity::new(Weight::NORMAL);
        for begin in [minutes * 60_000, 2 * minutes * 60_000] {
            entity.reserve(job(begin, begin + 10, 2_000));
            assert_eq!(entity.budget, 2_000_000, "at {begin} ms");
            entity.budget = 0;
        }
    }
}

/// Where the plan has no time for it a task would wait for all for whom it has.
#[test]
fn who_waits_elsewhere_without_time_reserved_is_to_go_home() {
    let [home, then, elsewhere] = [4, 5, 6].map(CpuId::new);
    let beat = Some(Beat { period: PERIOD, phase: Nanos::ZERO });
    let mut plan = Plan { feasible: true, ..Plan::none() };
    let whole =
        Home { task: TaskId::new(1), cpu: home, share: 1_000, then: None, reserve: Rate::new(500), hungry: false };
    let cut = Home { task: TaskId::new(2), then: Some(then), ..whole };
    plan.homes.extend([whole, cut]);
    let mut waits = [1, 2, 3].map(|id| task(id, Weight::NORMAL));
    let ways = |plan: &Plan, waits: &[Box<Task>; 3]| {
        [home, then, elsewhere].map(|cpu| [0, 1, 2].map(|index| plan.way_home(&waits[index], beat, cpu).is_some()))
    };
    let expected = [[false, false, false], [true, false, false], [true, true, false]];
    assert_eq!(ways(&plan, &waits), expected, "whole, cut and unknown to the plan, on each CPU");
    assert_eq!(plan.way_home(&waits[1], beat, elsewhere), Some(home));
    assert_eq!(plan.way_home(&waits[1], None, elsewhere), None, "without a rhythm none is reserved at home either");
    waits[0].entity.reserve(job(100, 110, 2_000));
    assert_eq!(plan.way_home(&waits[0], beat, elsewhere), None, "time is reserved for it here");
    plan.feasible = false;
    assert_eq!(ways(&plan, &waits), [[false; 3]; 3]);
}

proptest! {
    /// Earliest due first is as good as any order can be: jobs that fit a CPU are in time, and a loop beside them has what is left.
    #[test]
    fn what_fits_is_in_time(seeds in prop::collection::vec((4_u64..60, 1_u64..100, 0_u64..60), 2..10)) {
        let wanted: u64 = seeds.iter().map(|(_, share, _)| share).sum();
        let mut cpu = Cpu::with(&[Weight::nice(-20)]);
        cpu.now = Nanos::from_millis(1_000);
        // Period, work and next begin of each, in microseconds; together nine tenths of the CPU.
        let jobs: Vec<(u64, u64)> = seeds.iter().map(|(period, share, _)| {
            (period * 1_000, (period * 900 * share / wanted).max(1))
        }).collect();
        let mut begins: Vec<u64> = seeds.iter().map(|(.., phase)| 1_000_000 + phase * 1_000).collect();
        let mut left: Vec<u64> = jobs.iter().map(|_| 0).collect();
        let mut asleep: Vec<Option<Box<Task>>> = (1..).zip(&jobs).map(|(id, _)| Some(task(id, Weight::NORMAL))).collect();
        let mut tick = 1_000_000;
        while tick < 1_600_000 {
            let now = cpu.now.as_micros();
            let running = cpu.running().id as usize;
            let ends = (running > 0).then(|| now + left[running - 1]);
            let next = begins.iter().copied().chain(ends).chain([tick]).min().expect("there is a tick");
            if running > 0 {
                left[running - 1] -= next - now;
            }
            cpu.now = Nanos::from_micros(next);
            if ends == Some(next) {
                let task = cpu.leave(Departure::Sleeps);
                asleep[running - 1] = Some(task);
            } else if let Some(number) = begins.iter().position(|begin| *begin == next) {
                let (period, work) = jobs[number];
                let late = asleep[number].is_none();
                prop_assert!(!late, "task {number} of {jobs:?} is late at {next}");
                let (begin, span) = (Nanos::from_micros(next), Nanos::from_micros(period));
                let budget = Nanos::from_micros(work + 1);
                let reservation = Reservation { begin, due: begin + span, period: span, budget };
                left[number] = work;
                begins[number] += period;
                let task = asleep[number].take().expect("it sleeps");
                arrives(&mut cpu, task, Some(reservation));
            } else {
                tick += 1_000;
                let running = cpu.running.as_mut().expect("somebody runs");
                cpu.queue.account(&mut running.entity, cpu.now);
                if cpu.queue.should_preempt(&running.entity) {
                    cpu.requeue(Arrival::Preempted);
                }
            }
        }
        let had = cpu.progress()[0] - 999;
        prop_assert!(had >= 40, "the loop had {had} ms of a tenth of 600: {jobs:?}");
    }
}
