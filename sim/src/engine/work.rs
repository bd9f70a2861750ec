//! The work of the running tasks: how far it has come, and when it ends.

use sched::CpuId;

use super::World;
use crate::event::Event;

impl World<'_> {
    /// Plans the end of what the running task does, at the present speed.
    pub(super) fn plan_end(&mut self, id: CpuId) {
        let speed = self.speed(id);
        let cpu = &mut self.cpus[id.index()];
        let Some(task) = &cpu.running else { return };
        let work = task.0.remaining.div_ceil(speed);
        cpu.generation += 1;
        let (time, generation) = (cpu.charged + task.0.overhead + task.0.busy + work, cpu.generation);
        self.agenda.plan(time, Event::StepDone(id, generation));
        if let Some(part) = self.part_left(id) {
            self.agenda.plan(self.now + part, Event::PartDone(id, generation));
        }
    }

    pub(super) fn part_done(&mut self, id: CpuId, generation: u64) {
        if self.cpu(id).generation == generation {
            self.account(id);
            self.consider_moving(id);
            self.settle(id);
        }
    }

    pub(super) fn step_done(&mut self, id: CpuId, generation: u64) {
        if self.cpu(id).generation == generation {
            self.advance(id);
            self.settle(id);
        }
    }

    /// How fast the running task works.
    fn speed(&self, id: CpuId) -> u64 {
        let cpu = &self.cpus[id.index()];
        let class = cpu.running.as_ref().map_or(0, |task| task.0.class);
        self.plant.speed(class, cpu.core, self.clusters[cpu.core.index()].level)
    }

    /// Books the work of the running task since this was last done.
    pub(super) fn advance(&mut self, id: CpuId) {
        let speed = self.speed(id);
        let now = self.now;
        let cpu = &mut self.cpus[id.index()];
        let Some(token) = &mut cpu.running else { return };
        let elapsed = now - cpu.charged;
        cpu.charged = now;
        cpu.busy_time += elapsed;
        cpu.busy_total += elapsed;
        let task = &mut token.0;
        let books = &mut self.books[task.id.raw() as usize];
        books.ran[cpu.core.index()] += elapsed;
        books.energy += u128::from(cpu.meter.microwatts()) * u128::from(elapsed);
        let overhead = task.overhead.min(elapsed);
        task.overhead -= overhead;
        let busy = task.busy.min(elapsed - overhead);
        task.busy -= busy;
        let work = task.remaining.min((elapsed - overhead - busy) * speed);
        task.remaining -= work;
        books.work += work + busy * speed;
        task.job += elapsed;
        task.stint += elapsed;
        task.stint_work += work + busy * speed;
    }

    /// Books the work of the running task, also with the policy.
    pub(super) fn account(&mut self, id: CpuId) {
        self.advance(id);
        let now = self.time();
        let cpu = self.cpu(id);
        match &mut cpu.running {
            Some(task) => cpu.queue.account(&mut task.0.entity, now),
            None => cpu.queue.idle(now),
        }
        self.publish_running(id);
    }
}
