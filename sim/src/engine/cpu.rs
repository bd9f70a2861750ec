//! One CPU: what runs, and since when.

use sched::{Arrival, Capacity, Clamp, CoreType, CpuId, Departure, Nanos, RunQueue, TaskId};

use super::{TICK, World};
use crate::event::Event;
use crate::meter::Meter;
use crate::plant::Plant;
use crate::task::{LATENCIES, MOST_TASKS, Token};

pub(super) struct Cpu {
    pub core: CoreType,
    pub queue: RunQueue<Token, MOST_TASKS>,
    pub running: Option<Token>,
    /// The bounds of those who run or wait here.
    clamps: Vec<(TaskId, Clamp)>,
    /// Until when the running task's work is booked.
    pub charged: u64,
    /// Tells the plan for the present step from older ones.
    pub generation: u64,
    ticking: bool,
    /// When it will look again at what it runs, at the latest.
    kicked: u64,
    pub meter: Meter,
    /// Since measuring began, and since the start.
    pub busy_time: u64,
    pub busy_total: u64,
    last: Option<TaskId>,
    busy: bool,
}

impl Cpu {
    pub fn new(id: CpuId, plant: &Plant) -> Self {
        Self {
            core: plant.core(id),
            queue: RunQueue::new(Capacity::FULL),
            running: None,
            clamps: Vec::new(),
            charged: 0,
            generation: 0,
            ticking: false,
            kicked: u64::MAX,
            meter: Meter::default(),
            busy_time: 0,
            busy_total: 0,
            last: None,
            busy: false,
        }
    }

    /// Queues a task.
    pub fn receive(&mut self, token: Token, now: Nanos, how: Arrival) {
        self.clamps.push((token.0.id, token.0.signals.clamp));
        self.queue.enqueue(token, now, how);
    }

    /// Takes a waiting task to hand it over.
    pub fn give(&mut self, now: Nanos, wanted: impl Fn(&Token) -> bool) -> Option<Token> {
        let token = self.queue.take_where(now, wanted)?;
        self.forget(token.0.id);
        Some(token)
    }

    fn forget(&mut self, task: TaskId) {
        if let Some(position) = self.clamps.iter().position(|(known, _)| *known == task) {
            self.clamps.swap_remove(position);
        }
    }

    /// The bounds of all who run or wait here, the greatest of each.
    pub fn clamp(&self) -> Clamp {
        self.clamps.iter().map(|(_, clamp)| *clamp).reduce(Clamp::with).unwrap_or(Clamp::NONE)
    }
}

impl World<'_> {
    pub(super) fn cpu(&mut self, id: CpuId) -> &mut Cpu {
        &mut self.cpus[id.index()]
    }

    /// Lets a CPU look again at what it runs, after `delay`.
    pub(super) fn kick(&mut self, id: CpuId, delay: u64) {
        let time = self.now + delay + self.wake_up_time(id);
        let cpu = self.cpu(id);
        if time < cpu.kicked {
            cpu.kicked = time;
            self.agenda.plan(time, Event::Reschedule(id));
        }
    }

    pub(super) fn reschedule(&mut self, id: CpuId) {
        self.cpu(id).kicked = u64::MAX;
        if self.cpu(id).running.is_some() {
            self.preempt(id);
        } else {
            self.settle(id);
        }
    }

    /// Lets the running task give way if another one deserves the CPU more.
    fn preempt(&mut self, id: CpuId) {
        self.account(id);
        let cpu = self.cpu(id);
        if cpu.running.as_ref().is_some_and(|task| cpu.queue.should_preempt(&task.0.entity)) {
            self.give_way(id, false);
            self.settle(id);
        }
    }

    /// Sets the running task down behind those that deserve the CPU more, or behind everybody.
    pub(super) fn give_way(&mut self, id: CpuId, yields: bool) {
        self.advance(id);
        let now = self.time();
        let cpu = self.cpu(id);
        if cpu.queue.is_empty() {
            return;
        }
        self.end_stint(id);
        let cpu = self.cpu(id);
        let Some(task) = cpu.running.take() else { return };
        let next = cpu.queue.give_way(task, now, yields);
        self.install(id, next);
    }

    /// Does what takes no time until something does that takes time, or nothing is left to do.
    pub(super) fn settle(&mut self, id: CpuId) {
        loop {
            if self.cpu(id).running.is_none() {
                let now = self.time();
                match self.cpu(id).queue.pick(now) {
                    Some(task) => self.install(id, task),
                    None if self.next_in_line(id) => continue,
                    None => return self.go_idle(id),
                }
            }
            match &self.cpu(id).running {
                Some(task) if task.0.has_work() => return self.plan_end(id),
                Some(_) => self.step(id),
                None => {}
            }
        }
    }

    /// Puts a task on the CPU.
    fn install(&mut self, id: CpuId, mut token: Token) {
        let task = &mut token.0;
        if std::mem::take(&mut task.waking) {
            let microseconds = (self.now - task.ready_at) / 1_000;
            let bucket = (64 - microseconds.leading_zeros() as usize).min(LATENCIES - 1);
            self.books[task.id.raw() as usize].latency[bucket] += 1;
        }
        if self.cpu(id).last != Some(task.id) {
            task.overhead += self.plant.costs.switch;
            self.books[task.id.raw() as usize].switches += 1;
            self.counts.switches += 1;
            self.record.event(self.now, id, sched::trace::Event::Switch { task: task.id });
        }
        let now = self.now;
        let cpu = self.cpu(id);
        cpu.last = Some(task.id);
        cpu.charged = now;
        cpu.running = Some(token);
        self.set_busy(id, true);
        self.start_ticking(id);
    }

    fn go_idle(&mut self, id: CpuId) {
        let now = self.time();
        let cpu = self.cpu(id);
        cpu.generation += 1;
        cpu.queue.idle(now);
        self.begin_rest(id);
        let cpu = self.cpu(id);
        if cpu.busy {
            cpu.last = None;
            self.record.event(self.now, id, sched::trace::Event::Idle);
            self.set_busy(id, false);
        }
        self.look_for_work(id);
        self.drive(self.cpus[id.index()].core);
    }

    /// Books whether a CPU works, and what it draws from now on.
    fn set_busy(&mut self, id: CpuId, busy: bool) {
        let was = std::mem::replace(&mut self.cpu(id).busy, busy);
        self.set_power(id);
        if was != busy {
            self.cluster_load_changed(self.cpus[id.index()].core, busy);
        }
    }

    /// Takes the running task off the CPU.
    pub(super) fn take_running(&mut self, id: CpuId, how: Departure) -> Option<Token> {
        self.advance(id);
        self.end_stint(id);
        let now = self.time();
        let cpu = self.cpu(id);
        let mut token = cpu.running.take()?;
        cpu.forget(token.0.id);
        cpu.queue.leave(&mut token.0.entity, now, how);
        cpu.generation += 1;
        cpu.last = None;
        Some(token)
    }

    /// Ticks lie on a grid that is shifted from CPU to CPU, so that not all of them decide at one moment.
    fn start_ticking(&mut self, id: CpuId) {
        let offset = TICK / self.cpus.len() as u64 * id.index() as u64;
        if !std::mem::replace(&mut self.cpu(id).ticking, true) {
            let next = (self.now + TICK - offset) / TICK * TICK + offset;
            self.agenda.plan(next, Event::Tick(id));
        }
    }

    pub(super) fn tick(&mut self, id: CpuId) {
        self.advance(id);
        // A loop never stops by itself; what it does must become known all the same. Shorter stretches say too little
        // about its speed, as a switch or cold caches weigh too much in them.
        if self.cpu(id).running.as_ref().is_some_and(|task| task.0.stint >= TICK) {
            self.end_stint(id);
        }
        self.account(id);
        if self.cpu(id).running.is_none() {
            self.cpu(id).ticking = false;
            return;
        }
        self.agenda.plan(self.now + TICK, Event::Tick(id));
        self.dissolve_line(id);
        self.send_home(id);
        self.consider_moving(id);
        self.drive(self.cpus[id.index()].core);
        if self.cpu(id).running.is_some() {
            self.preempt(id);
        } else {
            self.settle(id);
        }
    }
}
