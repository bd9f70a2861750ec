//! Where tasks go. The counterpart of the kernel's `moves.rs`, without mail: a verdict is carried out at once, and what a
//! message takes is added to the first run in the new place.

use sched::trace::Event as Traced;
use sched::{Arrival, CpuId, CpuMask, Departure, RunningView, Schedulable, Shift, TaskId, Wake, Why};

use super::World;
use crate::task::Token;

impl World<'_> {
    /// Makes a parked task ready. `waker` is the CPU whose running task did it; without one it was a timer.
    pub(super) fn wake(&mut self, number: u32, waker: Option<CpuId>) {
        let Some(mut token) = self.parked[number as usize].take() else { return };
        let time = self.time();
        let due = self.timers[number as usize].take().unwrap_or(self.now);
        let task = &mut token.0;
        (task.waking, task.ready_at) = (true, self.now);
        let fresh = std::mem::take(&mut task.fresh);
        self.job_began(&mut token, waker, due);
        let task = &mut token.0;
        let cradle = if fresh { self.specs[number as usize].cradle } else { CpuMask::ALL };
        let wake = Wake {
            task: task.id,
            previous: task.cpu,
            waker: waker.unwrap_or(task.cpu),
            utilisation: if fresh { task.entity.utilisation() } else { task.entity.utilisation_asleep(time) },
            affinity: task.affinity & cradle,
            fresh,
        };
        let verdict = sched::place(self.setup.policy, &wake, self);
        let online = self.plant.present & !self.closed;
        let allowed = wake.affinity & online;
        let permitted = online.contains(verdict.cpu) && (allowed.is_empty() || allowed.contains(verdict.cpu));
        let to = if permitted { verdict.cpu } else { allowed.first().unwrap_or(wake.previous) };
        if !permitted {
            self.refuse(wake.waker, wake.task, verdict.cpu, verdict.why);
        }
        let event = match fresh {
            true => Traced::Spawn { task: wake.task, cpu: to, why: verdict.why },
            false => Traced::Wake { task: wake.task, cpu: to, why: verdict.why },
        };
        self.record.event(self.now, wake.waker, event);
        if fresh {
            token.0.cpu = to;
        }
        self.send(token, to, if fresh { Arrival::New } else { Arrival::Woken }, verdict.why);
        self.drive(self.plant.core(to));
        let delay = if waker == Some(to) || waker.is_none() { 0 } else { self.plant.costs.interrupt };
        self.kick(to, delay);
    }

    fn refuse(&mut self, by: CpuId, task: TaskId, to: CpuId, why: Why) {
        self.counts.refused += 1;
        self.record.event(self.now, by, Traced::Refused { task, to, why });
    }

    fn lapse(&mut self, by: CpuId, why: Why) {
        self.counts.lapsed += 1;
        self.record.event(self.now, by, Traced::Lapsed { by, why });
    }

    /// Puts a task into the queue of a CPU.
    pub(super) fn send(&mut self, mut token: Token, to: CpuId, how: Arrival, why: Why) {
        let task = &mut token.0;
        if self.setup.plans() {
            let beat = task.signals.rhythm().beat();
            task.entity.reserve(beat.and_then(|beat| self.govern.plan().reservation(task.id, to, beat)));
        }
        let from = std::mem::replace(&mut task.cpu, to);
        if from != to {
            let crosses = self.plant.core(from) != self.plant.core(to);
            task.overhead += if crosses { self.plant.costs.far } else { self.plant.costs.near };
            let books = &mut self.books[task.id.raw() as usize];
            books.moves += 1;
            books.crossings += u64::from(crosses);
            self.counts.moves += 1;
            self.record.event(self.now, to, Traced::Migrate { task: task.id, from, to, why });
        }
        let now = self.time();
        self.cpu(to).receive(token, now, how);
    }

    /// On the tick: should the running task be somewhere else?
    pub(super) fn consider_moving(&mut self, id: CpuId) {
        let cpu = &self.cpus[id.index()];
        let Some(running) = cpu.running.as_ref().map(RunningView::of) else { return };
        let queued = u32::try_from(cpu.queue.len()).unwrap_or(u32::MAX);
        match sched::on_tick(self.setup.policy, id, self.time(), &running, queued, self) {
            None => {}
            Some(Shift::Push { to, why }) if self.may_move(id, running.affinity, to) => self.hand_over(id, to, why),
            Some(Shift::Exchange { with, expected, why }) if self.may_move(id, running.affinity, with) => {
                self.exchange(id, with, expected, why);
            }
            Some(Shift::Push { to, why } | Shift::Exchange { with: to, why, .. }) => {
                self.refuse(id, running.task, to, why);
            }
        }
    }

    fn may_move(&self, from: CpuId, affinity: CpuMask, to: CpuId) -> bool {
        to != from && (affinity & self.plant.present & !self.closed).contains(to)
    }

    /// Gives the running task of one CPU to another.
    fn hand_over(&mut self, from: CpuId, to: CpuId, why: Why) {
        if let Some(token) = self.take_running(from, Departure::Moves) {
            self.send(token, to, Arrival::Moved, why);
            self.kick(to, self.plant.costs.interrupt);
            self.kick(from, 0);
        }
    }

    fn exchange(&mut self, me: CpuId, with: CpuId, expected: TaskId, why: Why) {
        let other = self.cpus[with.index()].running.as_ref();
        let premise = other.is_some_and(|task| task.id() == expected && task.affinity().contains(me));
        if !premise {
            return self.lapse(me, why);
        }
        let (mine, theirs) = (self.take_running(me, Departure::Moves), self.take_running(with, Departure::Moves));
        for (token, to) in [(mine, with), (theirs, me)] {
            if let Some(token) = token {
                self.send(token, to, Arrival::Moved, why);
            }
        }
        self.kick(with, self.plant.costs.interrupt);
    }

    /// On the tick: whoever waits without time reserved goes where the plan has some for it.
    pub(super) fn send_home(&mut self, id: CpuId) {
        if !self.setup.plans() {
            return;
        }
        let (now, awake) = (self.time(), self.plant.present & !self.closed);
        loop {
            let plan = self.govern.plan();
            let beat = |token: &Token| token.0.signals.rhythm().beat();
            let home = |token: &Token| plan.way_home(token, beat(token), id).filter(|home| awake.contains(*home));
            let Some(token) = self.cpus[id.index()].give(now, |token| home(token).is_some()) else { return };
            let to = home(&token).unwrap_or(id);
            self.send(token, to, Arrival::Moved, Why::Planned);
            self.kick(to, self.plant.costs.interrupt);
        }
    }

    /// An idle CPU looks for a task elsewhere.
    pub(super) fn look_for_work(&mut self, id: CpuId) {
        if self.closed.contains(id) {
            return;
        }
        let Some(pull) = sched::on_idle(self.setup.policy, id, self) else { return };
        if pull.from == id || !self.plant.present.contains(pull.from) {
            return self.refuse(id, TaskId::new(0), pull.from, pull.why);
        }
        let allowed = |token: &Token| token.affinity().contains(id);
        let from = &mut self.cpus[pull.from.index()];
        if pull.running && from.running.as_ref().is_some_and(allowed) {
            return self.hand_over(pull.from, id, pull.why);
        }
        let now = self.time();
        match self.cpu(pull.from).give(now, allowed) {
            Some(token) => {
                self.send(token, id, Arrival::Moved, pull.why);
                self.kick(id, self.plant.costs.interrupt);
            }
            None => self.lapse(id, pull.why),
        }
    }
}
