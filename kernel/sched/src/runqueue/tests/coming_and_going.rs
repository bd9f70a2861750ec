//! Tasks that give way, sleep, move and end, and the load that goes with them.

use super::*;

#[test]
fn giving_way_is_to_be_queued_and_picked() {
    let mut one = Cpu::with(&equal_weights(5));
    let mut other = Cpu::with(&equal_weights(5));
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
}
