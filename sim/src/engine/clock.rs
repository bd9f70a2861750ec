//! Clocks and power of the clusters.

use sched::{CoreType, CpuId, Nanos, TaskId};

use super::World;
use crate::event::Event;
use crate::meter::Meter;
use crate::plant::{IdlePower, Plant};

/// The CPUs that share a clock and a supply.
pub(super) struct Cluster {
    pub core: CoreType,
    /// The operating point in force.
    pub level: usize,
    /// The one that the clock is on its way to.
    target: usize,
    /// The one to go to after that.
    wanted: usize,
    /// Not to be exceeded, on account of heat.
    pub cap: usize,
    /// How many CPUs work.
    busy: u32,
    /// Tells the last time of idleness from older ones.
    pub generation: u64,
    /// Whether it has power; and from when on its CPUs can work after it came back.
    pub powered: bool,
    awake_at: u64,
    since: u64,
    off_since: u64,
    /// The task that stopped running here last, and until when it has been charged for the idle cluster.
    pub last: Option<TaskId>,
    rested: u64,
    /// Time at each operating point, in nanoseconds.
    pub residency: Vec<u64>,
    /// Time without power.
    pub off_time: u64,
    /// What it draws whatever its CPUs do.
    pub meter: Meter,
}

impl Cluster {
    pub fn new(plant: &Plant, core: CoreType) -> Self {
        let levels = plant.levels(core);
        Self {
            core,
            level: levels - 1,
            target: levels - 1,
            wanted: levels - 1,
            cap: levels - 1,
            busy: 0,
            generation: 0,
            powered: false,
            awake_at: 0,
            since: 0,
            off_since: 0,
            last: None,
            rested: 0,
            residency: vec![0; levels],
            off_time: 0,
            meter: Meter::default(),
        }
    }

    /// How many CPUs work.
    pub fn busy_cpus(&self) -> u32 {
        self.busy
    }

    /// Books the time at the present operating point.
    pub fn settle(&mut self, now: u64) {
        self.residency[self.level] += now - self.since;
        self.since = now;
        if !self.powered {
            self.off_time += now - self.off_since;
            self.off_since = now;
        }
    }
}

impl World<'_> {
    pub(super) fn start_clocks(&mut self) {
        for core in CoreType::BOTH {
            let level = self.setup.first_level(self.plant, core);
            let cluster = &mut self.clusters[core.index()];
            (cluster.level, cluster.target, cluster.wanted) = (level, level, level);
            self.record.level(0, core, level);
            self.set_capacities(core);
        }
    }

    /// Asks for an operating point. It comes into force when the clock is stable; meanwhile the old one holds.
    pub(super) fn request(&mut self, core: CoreType, level: usize) {
        let settles = self.now + self.plant.costs.clock;
        let cluster = &mut self.clusters[core.index()];
        cluster.wanted = level.min(cluster.cap);
        if cluster.target == cluster.level && cluster.wanted != cluster.level {
            cluster.target = cluster.wanted;
            self.agenda.plan(settles, Event::ClockSettled(core));
        }
    }

    pub(super) fn clock_settled(&mut self, core: CoreType) {
        let cpus = self.plant.cluster(core);
        for cpu in cpus.iter() {
            self.account(cpu);
            self.end_stint(cpu);
        }
        self.charge_rest(core);
        let now = self.now;
        let cluster = &mut self.clusters[core.index()];
        cluster.settle(now);
        cluster.level = cluster.target;
        let wanted = cluster.wanted;
        self.counts.clock_changes[core.index()] += 1;
        self.record.level(now, core, self.clusters[core.index()].level);
        self.set_capacities(core);
        for cpu in cpus.iter() {
            self.set_power(cpu);
            self.plan_end(cpu);
        }
        self.set_idle_power(core);
        self.request(core, wanted);
    }

    /// Tells the run queues how fast their CPUs are believed to be now.
    fn set_capacities(&mut self, core: CoreType) {
        if self.plant.cluster(core).is_empty() {
            return;
        }
        let capacity = self.energy.cluster(core).level(self.clusters[core.index()].level).speed.capacity();
        for cpu in self.plant.cluster(core).iter() {
            self.cpu(cpu).queue.set_capacity(capacity);
        }
    }

    /// What a CPU draws from now on.
    pub(super) fn set_power(&mut self, id: CpuId) {
        let now = self.now;
        let cpu = &self.cpus[id.index()];
        let level = self.clusters[cpu.core.index()].level;
        let power = cpu.running.as_ref().map_or(0, |task| self.plant.busy_power(task.0.class, cpu.core, level));
        self.cpu(id).meter.set(now, power);
    }

    /// One CPU more, or one less, works.
    pub(super) fn cluster_load_changed(&mut self, core: CoreType, busy: bool) {
        self.charge_rest(core);
        let now = self.now;
        let cluster = &mut self.clusters[core.index()];
        cluster.busy = if busy { cluster.busy + 1 } else { cluster.busy - 1 };
        if cluster.busy == 0 {
            cluster.generation += 1;
            match self.plant.idle {
                IdlePower::Lingers(time) => self.agenda.plan(now + time, Event::PowerDown(core, cluster.generation)),
                IdlePower::Sleeps => self.consider_power_down(core),
                IdlePower::Gated | IdlePower::None => self.power_down(core, self.clusters[core.index()].generation),
            }
        } else if !cluster.powered {
            cluster.settle(now);
            cluster.powered = true;
            self.set_idle_power(core);
        }
    }

    pub(super) fn power_down(&mut self, core: CoreType, generation: u64) {
        self.charge_rest(core);
        let now = self.now;
        let cluster = &mut self.clusters[core.index()];
        if cluster.busy == 0 && cluster.generation == generation && cluster.powered {
            cluster.settle(now);
            (cluster.powered, cluster.off_since) = (false, now);
            self.set_idle_power(core);
        }
    }

    /// Charges the task that was here last for the time that the cluster has been clocked without work.
    pub(super) fn charge_rest(&mut self, core: CoreType) {
        let cluster = &mut self.clusters[core.index()];
        let span = Nanos::new(self.now - std::mem::replace(&mut cluster.rested, self.now));
        if let (true, 0, Some(task)) = (cluster.powered, cluster.busy, cluster.last) {
            self.books[task.raw() as usize].account.charge_rest(&self.energy, core, cluster.level, span);
        }
    }

    fn set_idle_power(&mut self, core: CoreType) {
        let now = self.now;
        let cluster = &self.clusters[core.index()];
        let power = if cluster.powered { self.plant.idle_power(core, cluster.level) } else { 0 };
        self.clusters[core.index()].meter.set(now, power);
    }

    /// How long a CPU takes to come up, if its cluster has no power. The cluster begins to draw at once.
    pub(super) fn wake_up_time(&mut self, id: CpuId) -> u64 {
        let core = self.cpus[id.index()].core;
        if !matches!(self.plant.idle, IdlePower::Lingers(_) | IdlePower::Sleeps) {
            return 0;
        }
        self.charge_rest(core);
        let (now, delay) = (self.now, self.plant.costs.power_up[core.index()]);
        let cluster = &mut self.clusters[core.index()];
        if !cluster.powered {
            cluster.settle(now);
            (cluster.powered, cluster.awake_at) = (true, now + delay);
            cluster.generation += 1;
            self.set_idle_power(core);
            self.end_rest(core);
        }
        self.clusters[core.index()].awake_at.saturating_sub(now)
    }

    /// Sets the highest operating point that heat allows.
    pub(super) fn set_cap(&mut self, core: CoreType, cap: usize) {
        let cluster = &mut self.clusters[core.index()];
        cluster.cap = cap;
        if cluster.wanted > cap {
            self.request(core, cap);
        }
    }
}
