//! What the policy is told besides the state of the CPUs, and its slow loop: the counterpart of the kernel's `govern.rs`.

use sched::planner::Limits;
use sched::signals::Waker;
use sched::{CoreType, CpuId, Demand, Hints, Listed, Nanos, Stint};

use super::World;
use crate::event::Event;
use crate::setup::Clocks;
use crate::task::{Task, Token};

/// The time between two looks at the plan.
pub(super) const SLOW_LOOP: u64 = 10_000_000;

/// Instructions that the fastest CPU does in a nanosecond at its top, of any class of work: what is counted as one
/// does not matter, as only ratios are made of it.
const INSTRUCTIONS: u64 = 2;

/// How long a task has been running or ready, in all its life, and since when it is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Presence {
    before: u64,
    since: Option<u64>,
}

impl Presence {
    fn total(&self, now: u64) -> Nanos {
        Nanos::new(self.before + self.since.map_or(0, |since| now - since))
    }
}

impl World<'_> {
    /// A task has been woken: a job begins that was due then.
    pub(super) fn job_began(&mut self, token: &mut Token, waker: Option<CpuId>, due: u64) {
        let now = self.now;
        let waker = waker.and_then(|cpu| self.cpus[cpu.index()].running.as_ref());
        let task = &mut token.0;
        self.presence[task.id.raw() as usize].since = Some(now);
        task.job = 0;
        let period = |waker: &Token| waker.0.signals.rhythm().period();
        task.signals.woke(Nanos::new(due), waker.map_or(Waker::Clock, |waker| Waker::Task(period(waker))));
        if let Some(waker) = waker {
            let awake = self.presence[waker.0.id.raw() as usize].total(now);
            task.companion.woken(waker.0.id, awake);
        }
        self.publish(&token.0, 0, sched::Rate::ZERO);
    }

    /// A task goes to sleep: its job is done.
    pub(super) fn job_ended(&mut self, task: &mut Task) {
        let now = self.now;
        let presence = &mut self.presence[task.id.raw() as usize];
        let job = presence.since.map_or(0, |since| now - since);
        presence.before += job;
        presence.since = None;
        task.signals.slept();
        if let Some(waker) = task.companion.waker() {
            let awake = self.presence[waker.raw() as usize].total(now);
            task.companion.slept(Nanos::new(job), awake);
        }
        self.publish(task, 0, sched::Rate::ZERO);
    }

    /// The running task stops, or its clock changes: what it ran is told to its signals.
    pub(super) fn end_stint(&mut self, id: CpuId) {
        let core = self.cpus[id.index()].core;
        let listed = Listed::at(self.energy.cluster(core), self.clusters[core.index()].level);
        let counters = self.setup.counters;
        let Some(token) = &mut self.cpus[id.index()].running else { return };
        let task = &mut token.0;
        let busy = std::mem::take(&mut task.stint);
        let work = std::mem::take(&mut task.stint_work);
        if busy == 0 {
            return;
        }
        let (cycles, instructions) = match counters {
            true => (busy * u64::from(listed.frequency.get()) / 1_000_000, (work >> 14) * INSTRUCTIONS),
            false => (0, 0),
        };
        let busy = Nanos::new(busy);
        let sharing = self.clusters[core.index()].busy_cpus();
        self.clusters[core.index()].last = Some(task.id);
        let account = &mut self.books[task.id.raw() as usize].account;
        account.charge(&self.energy, core, self.clusters[core.index()].level, sharing, busy);
        task.signals.ran(&Stint { core, listed, busy, cycles, instructions });
    }

    /// Makes known what is to be known of the running task of a CPU.
    pub(super) fn publish_running(&mut self, id: CpuId) {
        let core = self.cpus[id.index()].core;
        let speed = self.energy.cluster(core).level(self.clusters[core.index()].level).speed;
        if let Some(token) = self.cpus[id.index()].running.take() {
            self.publish(&token.0, token.0.stint, speed);
            self.cpus[id.index()].running = Some(token);
        }
    }

    fn publish(&mut self, task: &Task, running: u64, speed: sched::Rate) {
        let number = task.id.raw() as usize;
        let signals = &task.signals;
        let period = signals.rhythm().period().map_or(0, Nanos::as_nanos);
        let used = (task.job << 14).checked_div(period).unwrap_or(0);
        self.hints[number] = Hints {
            estimate: task.entity.estimate(),
            clamp: signals.clamp,
            floor: if self.setup.hurries { signals.floor(Nanos::new(running), speed) } else { 0 },
            used: u32::try_from(used).unwrap_or(u32::MAX),
            progress: signals.progress(),
            beside: task.companion.beside(),
        };
        if self.setup.plans() {
            self.demands[number] = Some(signals.demand(task.id, &task.entity, task.affinity, self.time()));
        }
    }

    /// The time after which the running task has had its part of this CPU, if the plan has it go on elsewhere then.
    pub(super) fn part_left(&self, id: CpuId) -> Option<u64> {
        let task = &self.cpus[id.index()].running.as_ref().filter(|_| self.setup.split)?.0;
        let home = self.govern.plan().home(task.id).filter(|home| home.cpu == id && home.then.is_some())?;
        let period = task.signals.rhythm().period()?.as_nanos();
        // Rounded up, so that it has not had a nanosecond too little when it is asked.
        let part = ((u64::from(home.share) * period) >> 14) + (period >> 14) + 1;
        part.checked_sub(task.job).filter(|left| *left > 0)
    }

    /// Looks whether the plan still holds, and makes a new one if it does not.
    pub(super) fn slow_loop(&mut self) {
        self.agenda.plan(self.now + SLOW_LOOP, Event::Govern);
        let ids = self.plant.present;
        for id in ids.iter() {
            self.account(id);
        }
        let demands: Vec<Demand> = self.demands.iter().flatten().copied().collect();
        let all = Limits::all(&self.energy);
        let top = CoreType::BOTH.map(|core| all.top[core.index()].min(self.clusters[core.index()].cap));
        let limits = Limits { top, cpus: all.cpus & !self.closed, split: self.setup.split, ..all };
        self.govern.decide(self.time(), &demands, &self.energy, &limits);
        self.effort = self.effort.max(self.govern.plan().effort());
        CoreType::BOTH.into_iter().for_each(|core| self.drive(core));
    }

    /// Lets the governor of a cluster look at its load.
    pub(super) fn drive(&mut self, core: CoreType) {
        if matches!(self.setup.clocks, Clocks::Fixed(_)) {
            return;
        }
        let mut governor = self.governors[core.index()].clone();
        let cap = self.clusters[core.index()].cap;
        let wanted = governor.update(self.time(), self.energy.cluster(core), self, cap);
        self.governors[core.index()] = governor;
        if let Some(level) = wanted {
            self.request(core, level);
        }
    }
}

#[cfg(test)]
mod tests {
    use sched::{Rate, TaskId};

    use super::*;
    use crate::Setup;

    /// As the kernel does, or what `sim` shows of parked CPUs is not what the kernel will do.
    #[test]
    fn no_task_is_at_home_on_a_parked_cpu() {
        let scenario = crate::bench::parse("periodic:n=12,duty=40").expect("known").expect("right");
        let setup = Setup::parse("gear/energy").expect("it is a setup");
        let mut world = World::new(&scenario, &setup);
        let demand = |number: u32| Some(Demand::steady(TaskId::new(number), Rate::new(6_554)));
        world.demands = (0..12).map(demand).collect();
        world.closed = world.plant.cluster(CoreType::Big).without(CpuId::new(4));
        world.slow_loop();
        let homes = world.govern.plan().homes();
        assert!(!homes.is_empty());
        assert!(homes.iter().all(|home| !world.closed.contains(home.cpu)), "{homes:?}");
    }
}
