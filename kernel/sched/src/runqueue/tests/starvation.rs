//! Whatever the others of a queue do, nobody waits for ever: loops, yields, short sleeps and moves of any weight, at
//! random.

use super::*;
use crate::virtual_time::RANGE;

/// What a task does when it has run for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Loops,
    Yields,
    Sleeps(u64),
    /// To another CPU, and back after a while.
    Moves(u64),
}

#[derive(Clone, Copy, Debug)]
struct Habit {
    nice: i8,
    /// For how long it runs, in nanoseconds.
    run: u64,
    then: Then,
}

/// One CPU and its tasks, each with what it does.
struct Life {
    cpu: Cpu,
    habits: Vec<Habit>,
    /// When what the task does now is done.
    left: Vec<u64>,
    away: Vec<(u64, Arrival, Box<Task>)>,
    waiting_since: Vec<Option<u64>>,
    longest_wait: Vec<u64>,
}

impl Life {
    fn new(habits: &[Habit]) -> Self {
        let away = (0..).zip(habits).map(|(id, habit)| (2_000_000, Arrival::New, task(id, Weight::nice(habit.nice))));
        Self {
            cpu: Cpu::new(),
            habits: habits.to_vec(),
            left: habits.iter().map(|habit| habit.run).collect(),
            away: away.collect(),
            waiting_since: habits.iter().map(|_| None).collect(),
            longest_wait: habits.iter().map(|_| 0).collect(),
        }
    }

    /// Takes the time on to `time`, at which nothing but what is due then happens.
    fn pass(&mut self, time: u64) {
        if let Some(running) = &self.cpu.running {
            self.left[running.id as usize] -= time - self.cpu.now.as_nanos();
        }
        self.cpu.now = Nanos::new(time);
    }

    fn run(&mut self, until: u64) {
        let mut tick = self.cpu.now.as_nanos();
        while self.cpu.now.as_nanos() < until {
            let ends = self.cpu.running.as_ref().map(|task| self.cpu.now.as_nanos() + self.left[task.id as usize]);
            let arrives = self.away.iter().map(|(time, ..)| *time).min();
            let next = ends.into_iter().chain(arrives).fold(tick, u64::min);
            self.pass(next);
            if ends == Some(next) {
                self.done();
            } else if arrives == Some(next) {
                self.arrival();
            } else {
                tick += TICK.as_nanos();
                self.look(true);
            }
            self.note();
        }
    }

    fn done(&mut self) {
        let id = self.cpu.running().id as usize;
        let Habit { run, then, .. } = self.habits[id];
        self.left[id] = run;
        let now = self.cpu.now.as_nanos();
        match then {
            Then::Loops => {}
            Then::Yields if self.cpu.queue.is_empty() => {}
            Then::Yields => self.cpu.requeue(Arrival::Yielded),
            Then::Sleeps(pause) => {
                let task = self.cpu.leave(Departure::Sleeps);
                self.away.push((now + pause, Arrival::Woken, task));
            }
            Then::Moves(pause) => {
                let task = self.cpu.leave(Departure::Moves);
                self.away.push((now + pause, Arrival::Moved, task));
            }
        }
    }

    fn arrival(&mut self) {
        let now = self.cpu.now.as_nanos();
        let due = self.away.iter().position(|(time, ..)| *time == now).expect("somebody is due");
        let (_, how, task) = self.away.swap_remove(due);
        self.waiting_since[task.id as usize] = Some(now);
        self.cpu.queue.enqueue(task, self.cpu.now, how);
        if self.cpu.running.is_none() {
            self.cpu.next();
        }
        self.look(false);
    }

    /// As the kernel does on a tick and after an arrival.
    fn look(&mut self, is_tick: bool) {
        let Some(running) = &mut self.cpu.running else { return self.cpu.queue.idle(self.cpu.now) };
        if is_tick || !self.cpu.queue.is_empty() {
            self.cpu.queue.account(&mut running.entity, self.cpu.now);
        }
        if self.cpu.queue.should_preempt(&running.entity) {
            self.cpu.requeue(Arrival::Preempted);
        }
    }

    /// How long a task has run, in nanoseconds.
    fn progress_of(mut self, id: u32) -> u64 {
        let now = self.cpu.now;
        if let Some(running) = &mut self.cpu.running {
            self.cpu.queue.account(&mut running.entity, now);
        }
        let waiting = core::iter::from_fn(|| self.cpu.queue.take_where(now, |_| true));
        let here = self.cpu.running.into_iter().chain(waiting);
        let mut all = here.chain(self.away.into_iter().map(|(.., task)| task));
        all.find(|task| task.id == id).map_or(0, |task| task.entity.progress().as_nanos())
    }

    /// Books who waits.
    fn note(&mut self) {
        let now = self.cpu.now.as_nanos();
        let running = self.cpu.running.as_ref().map(|task| task.id);
        for id in 0..self.habits.len() {
            let awake = self.away.iter().all(|(.., task)| task.id as usize != id);
            let waits = awake && running != u32::try_from(id).ok();
            if !waits {
                self.waiting_since[id] = None;
            }
            if waits {
                let since = *self.waiting_since[id].get_or_insert(now);
                self.longest_wait[id] = self.longest_wait[id].max(now - since);
            }
        }
    }
}

fn weight(habit: &Habit) -> u64 {
    u64::from(Weight::nice(habit.nice).get())
}

fn habit() -> impl Strategy<Value = Habit> {
    let then = prop_oneof![
        2 => Just(Then::Loops),
        2 => Just(Then::Yields),
        4 => (1_000_u64..3_000_000).prop_map(Then::Sleeps),
        1 => (1_000_u64..3_000_000).prop_map(Then::Moves),
    ];
    let nice = prop_oneof![4 => -5_i8..6, 1 => -20_i8..20];
    (nice, 20_000_u64..2_000_000, then).prop_map(|(nice, run, then)| Habit { nice, run, then })
}

/// The most that a task of this weight waits, in nanoseconds, among `tasks` that weigh `total` together.
///
/// The floor passes its deadline, at most three slices of its own ahead, when the queue has served `total` / weight
/// times as much, or twice that where the floor is ahead of the mean. Then everybody else has at most a slice before
/// it, of which a tick may be known late. A yield goes back by [`RANGE`] more.
fn longest_wait(habit: &Habit, tasks: usize, total: u64) -> u64 {
    let slice = SLICE.as_nanos();
    let own = 2 * 3 * slice * total / weight(habit);
    let others = (slice + 2 * TICK.as_nanos()) * tasks as u64;
    let given = if habit.then == Then::Yields { 2 * u64::from(RANGE) * total / 1024 } else { 0 };
    own + others + given
}

proptest! {
    /// However often the others sleep and come back, the wait is bounded by the slices of all.
    #[test]
    fn nobody_waits_longer_than_a_slice_of_each(habits in prop::collection::vec(habit(), 2..16)) {
        let total: u64 = habits.iter().map(weight).sum();
        let mut life = Life::new(&habits);
        life.run(4_000_000_000);
        for (habit, waited) in habits.iter().zip(&life.longest_wait) {
            let bound = longest_wait(habit, habits.len(), total);
            prop_assert!(*waited <= bound, "{habit:?} waited {waited} ns of {bound}: {habits:?}");
        }
    }

    /// A task that is always ready gets its share of what all the weights are, whether the others are always ready or
    /// sleep in between.
    #[test]
    fn a_loop_gets_its_share_beside_sleepers(others in prop::collection::vec(habit(), 1..12), nice in -5_i8..6) {
        let own = Habit { nice, run: 1_000_000, then: Then::Loops };
        let habits: Vec<_> = core::iter::once(own).chain(others).collect();
        let total: u64 = habits.iter().map(weight).sum();
        let mut life = Life::new(&habits);
        let span = 2_000_000_000;
        life.run(span);
        let share = span * weight(&own) / total;
        let allowance = 3 * SLICE.as_nanos() + longest_wait(&own, habits.len(), total) * weight(&own) / total;
        let progress = life.progress_of(0);
        prop_assert!(progress + allowance >= share, "had {progress} of {share} ns: {habits:?}");
    }
}

/// As it happened on a simulated machine: four that sleep for as long as the others of them run kept two others waiting
/// for seconds.
#[test]
fn sleepers_that_take_turns_leave_the_others_their_share() {
    let sleeper = |nice, run, pause| Habit { nice, run, then: Then::Sleeps(pause) };
    let habits = [
        sleeper(-3, 407_000, 1_110_000),
        sleeper(-2, 203_000, 906_000),
        sleeper(-5, 906_000, 1_295_000),
        sleeper(-5, 684_000, 995_000),
        Habit { nice: 3, run: 88_000, then: Then::Yields },
        Habit { nice: 2, run: 300_000, then: Then::Yields },
    ];
    let total: u64 = habits.iter().map(weight).sum();
    let mut life = Life::new(&habits);
    life.run(4_000_000_000);
    for (habit, waited) in habits.iter().zip(&life.longest_wait) {
        let bound = longest_wait(&Habit { then: Then::Loops, ..*habit }, habits.len(), total);
        assert!(*waited <= bound, "{habit:?} waited {waited} ns of {bound}");
    }
}

/// A yield goes one slice behind the latest of all, and the slice of the lightest task is long: a dozen of those would
/// wrap around.
#[test]
fn light_tasks_that_yield_leave_the_order_as_it_was() {
    let mut habits: Vec<_> = (0..40).map(|_| Habit { nice: 19, run: 50_000, then: Then::Yields }).collect();
    habits.push(Habit { nice: 0, run: 1_000_000, then: Then::Loops });
    let total: u64 = habits.iter().map(weight).sum();
    let mut life = Life::new(&habits);
    life.run(4_000_000_000);
    for (habit, waited) in habits.iter().zip(&life.longest_wait) {
        let bound = longest_wait(habit, habits.len(), total);
        assert!(*waited <= bound, "{habit:?} waited {waited} ns of {bound}");
    }
}

/// A timer task that needs little runs when its time has come: at once beside tasks that sleep and wake all the time,
/// and within a tick beside loops, whose slices are not cut any finer.
#[test]
fn who_needs_little_does_not_wait() {
    let timer = Habit { nice: 0, run: 10_000, then: Then::Sleeps(990_000) };
    let loops = std::vec![Habit { nice: 0, run: 1_000_000, then: Then::Loops }; 4];
    let short =
        |number: u64| Habit { nice: 0, run: 150_000 + 7_000 * number, then: Then::Sleeps(20_000 + 11_000 * number) };
    for (others, most) in [(loops, TICK.as_nanos()), ((0..12).map(short).collect(), 0)] {
        let habits: Vec<_> = others.into_iter().chain([timer]).collect();
        let mut life = Life::new(&habits);
        life.run(100_000_000);
        life.longest_wait.fill(0);
        life.run(5_000_000_000);
        assert!(life.longest_wait.last() <= Some(&most), "of all: {:?}", life.longest_wait);
    }
}
