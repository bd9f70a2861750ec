//! A small world for the policy: CPUs that do nothing but run loops and short jobs, in steps of one tick.
//!
//! It carries every verdict out at once and checks that none breaks a rule. There is no cost to a move here: what
//! is tested is where the rules lead.

use sched::{
    Arrival, CapacityTable, CoreType, CpuFacts, CpuId, CpuKind, CpuMask, CpuView, Cpus, Departure, Entity, Kilohertz,
    Machine, Microvolts, Nanos, Opp, Policy, Pull, RunQueue, RunningView, Schedulable, Shift, TaskId, Wake, Weight,
    Why,
};

/// The time of a step.
pub const TICK: Nanos = Nanos::from_millis(1);

const OPPS: &[Opp] = &[Opp { frequency: Kilohertz::from_mhz(1000), voltage: Microvolts::new(1_000_000) }];
/// The speeds that the looper saw: 28 s on a big CPU, 62 s on a LITTLE one.
static BIG: CpuKind = CpuKind { core: CoreType::Big, dmips_per_mhz: 62, opps: OPPS };
static LITTLE: CpuKind = CpuKind { core: CoreType::Little, dmips_per_mhz: 28, opps: OPPS };

const fn cpu(mpidr: u32, kind: &'static CpuKind) -> CpuFacts {
    CpuFacts { mpidr, kind }
}

pub static TWO_AND_TWO: Machine =
    Machine { name: "2+2", cpus: &[cpu(0, &BIG), cpu(1, &BIG), cpu(2, &LITTLE), cpu(3, &LITTLE)] };

/// As on the Odroid XU4 the LITTLE CPUs come first.
pub static FOUR_AND_FOUR: Machine = Machine {
    name: "4+4",
    cpus: &[
        cpu(0, &LITTLE),
        cpu(1, &LITTLE),
        cpu(2, &LITTLE),
        cpu(3, &LITTLE),
        cpu(4, &BIG),
        cpu(5, &BIG),
        cpu(6, &BIG),
        cpu(7, &BIG),
    ],
};

/// What a task does.
#[derive(Clone, Copy, Debug)]
pub enum Life {
    /// Runs without a pause until this much work is done.
    Loop(Nanos),
    /// Does this much work, sleeps until the next multiple of the period, and so on.
    Periodic { work: Nanos, period: Nanos },
}

#[derive(Debug)]
pub struct Task {
    pub id: TaskId,
    pub affinity: CpuMask,
    pub entity: Entity,
    pub life: Life,
    /// Progress at which it ends or sleeps next.
    until: Nanos,
    pub moves: u32,
    pub end: Nanos,
}

impl Schedulable for Task {
    fn entity(&self) -> &Entity {
        &self.entity
    }
    fn entity_mut(&mut self) -> &mut Entity {
        &mut self.entity
    }
    fn id(&self) -> TaskId {
        self.id
    }
    fn affinity(&self) -> CpuMask {
        self.affinity
    }
}

/// A task, wherever it is: it moves and is never copied, as in the kernel.
pub type Token = &'static mut Task;

struct Cpu {
    queue: RunQueue<Token, 64>,
    running: Option<Token>,
}

pub struct World {
    policy: Policy,
    capacities: CapacityTable,
    cpus: Vec<Cpu>,
    pub now: Nanos,
    asleep: Vec<(Nanos, CpuId, Token)>,
    pub ended: Vec<Token>,
    /// Every move between CPUs.
    pub moves: Vec<(Nanos, TaskId, Why)>,
    pub lapsed: u32,
    spawned: u32,
}

impl Cpus for World {
    fn online(&self) -> CpuMask {
        self.capacities.present()
    }
    fn idle(&self) -> CpuMask {
        self.online().iter().filter(|&cpu| self.view(cpu).tasks() == 0).collect()
    }
    fn capacities(&self) -> &CapacityTable {
        &self.capacities
    }
    fn view(&self, cpu: CpuId) -> CpuView {
        let Cpu { queue, running } = &self.cpus[cpu.index()];
        let queued = u32::try_from(queue.len()).expect("a short queue");
        CpuView { running: running.as_ref().map(RunningView::of), queued, utilisation: queue.utilisation() }
    }
}

impl World {
    pub fn new(machine: &'static Machine, present: CpuMask, policy: Policy) -> Self {
        let capacities = CapacityTable::new(machine, present);
        let queue = |index| RunQueue::new(capacities.capacity(CpuId::new(index)));
        let cpus = (0..machine.cpus.len()).map(|index| Cpu { queue: queue(index), running: None }).collect();
        let now = Nanos::from_millis(1);
        Self { policy, capacities, cpus, now, asleep: vec![], ended: vec![], moves: vec![], lapsed: 0, spawned: 0 }
    }

    /// A new task, created on CPU `waker`.
    pub fn spawn(&mut self, waker: CpuId, life: Life, affinity: CpuMask) -> TaskId {
        let id = TaskId::new(self.spawned);
        self.spawned += 1;
        let until = match life {
            Life::Loop(work) | Life::Periodic { work, .. } => work,
        };
        let entity = Entity::new(Weight::NORMAL);
        let task = Task { id, affinity, entity, life, until, moves: 0, end: Nanos::ZERO };
        self.ready(Box::leak(Box::new(task)), waker, waker, true);
        id
    }

    /// Runs until nothing is left, or for `limit`.
    pub fn run(&mut self, limit: Nanos) {
        let end = self.now + limit;
        while self.now < end && !(self.asleep.is_empty() && self.idle() == self.online()) {
            self.step();
        }
    }

    fn step(&mut self) {
        self.now += TICK;
        let (due, asleep) = std::mem::take(&mut self.asleep).into_iter().partition(|(time, ..)| *time <= self.now);
        self.asleep = asleep;
        for (_, previous, task) in due {
            self.ready(task, previous, previous, false);
        }
        for cpu in self.online().iter() {
            self.tick(cpu);
        }
    }

    fn ready(&mut self, task: Token, previous: CpuId, waker: CpuId, fresh: bool) {
        let (utilisation, affinity) = (task.entity.utilisation(), task.affinity);
        let wake = Wake { task: task.id, previous, waker, utilisation, affinity, fresh };
        let placement = sched::place(self.policy, &wake, self);
        assert!(self.online().contains(placement.cpu), "{placement:?}");
        assert!(affinity.contains(placement.cpu) || placement.why == Why::Affinity, "{placement:?}");
        self.arrive(task, placement.cpu, if fresh { Arrival::New } else { Arrival::Woken });
    }

    fn arrive(&mut self, task: Token, to: CpuId, how: Arrival) {
        let cpu = &mut self.cpus[to.index()];
        cpu.queue.enqueue(task, self.now, how);
        match &mut cpu.running {
            None => self.next(to),
            Some(running) => {
                cpu.queue.account(&mut running.entity, self.now);
                self.give_way(to, Arrival::Preempted);
            }
        }
    }

    fn give_way(&mut self, cpu: CpuId, how: Arrival) {
        let Cpu { queue, running } = &mut self.cpus[cpu.index()];
        if let Some(task) = running.take_if(|task| queue.should_preempt(&task.entity)) {
            queue.enqueue(task, self.now, how);
            self.next(cpu);
        }
    }

    fn next(&mut self, me: CpuId) {
        let cpu = &mut self.cpus[me.index()];
        assert!(cpu.running.is_none(), "a CPU that runs something does not look for more");
        cpu.running = cpu.queue.pick(self.now);
        if cpu.running.is_none()
            && let Some(pull) = sched::on_idle(self.policy, me, self)
        {
            self.pull(me, pull);
        }
    }

    fn pull(&mut self, me: CpuId, pull: Pull) {
        let from = &mut self.cpus[pull.from.index()];
        if pull.running {
            self.hand_over(pull.from, me, pull.why);
        } else if let Some(task) = from.queue.take_where(self.now, |task| task.affinity.contains(me)) {
            self.moved(task, me, pull.why);
        } else {
            self.lapsed += 1;
        }
    }

    fn tick(&mut self, me: CpuId) {
        let cpu = &mut self.cpus[me.index()];
        let Some(task) = &mut cpu.running else { return cpu.queue.idle(self.now) };
        cpu.queue.account(&mut task.entity, self.now);
        if task.entity.progress() >= task.until {
            return self.finish(me);
        }
        let view = RunningView::of(task);
        let queued = u32::try_from(cpu.queue.len()).expect("a short queue");
        match sched::on_tick(self.policy, me, self.now, &view, queued, self) {
            None => self.give_way(me, Arrival::Preempted),
            Some(Shift::Push { to, why }) => self.hand_over(me, to, why),
            Some(Shift::Exchange { with, expected, why }) => self.exchange(me, with, expected, why),
        }
    }

    fn finish(&mut self, me: CpuId) {
        let (task, departure) = self.take_running(me, |life| match life {
            Life::Loop(_) => Departure::Exits,
            Life::Periodic { .. } => Departure::Sleeps,
        });
        match task.life {
            Life::Loop(_) => {
                task.end = self.now;
                self.ended.push(task);
            }
            Life::Periodic { work, period } => {
                task.until = task.entity.progress() + work;
                let next = (self.now.as_nanos() / period.as_nanos() + 1) * period.as_nanos();
                self.asleep.push((Nanos::new(next), me, task));
            }
        }
        assert!(departure != Departure::Moves);
        self.next(me);
    }

    fn take_running(&mut self, from: CpuId, how: impl Fn(Life) -> Departure) -> (Token, Departure) {
        let Cpu { queue, running } = &mut self.cpus[from.index()];
        let task = running.take().expect("the caller saw a running task");
        let how = how(task.life);
        queue.leave(&mut task.entity, self.now, how);
        (task, how)
    }

    fn hand_over(&mut self, from: CpuId, to: CpuId, why: Why) {
        let (task, _) = self.take_running(from, |_| Departure::Moves);
        self.moved(task, to, why);
        self.next(from);
    }

    fn exchange(&mut self, me: CpuId, with: CpuId, expected: TaskId, why: Why) {
        if self.cpus[with.index()].running.as_ref().is_none_or(|task| task.id != expected) {
            self.lapsed += 1;
            return;
        }
        let (mine, _) = self.take_running(me, |_| Departure::Moves);
        let (theirs, _) = self.take_running(with, |_| Departure::Moves);
        self.moved(mine, with, why);
        self.moved(theirs, me, why);
    }

    fn moved(&mut self, task: Token, to: CpuId, why: Why) {
        assert!(task.affinity.contains(to), "{why} would break the affinity");
        task.moves += 1;
        self.moves.push((self.now, task.id, why));
        self.arrive(task, to, Arrival::Moved);
    }
}
