//! Heat in the run: it flows, sensors are read, the policy holds back clocks and parks CPUs.

use sched::{Activity, Arrival, CoreType, CpuId, CpuMask, Departure, Heat, MAX_CPUS, Pressure, Wake, Why, pressure};
use soc::exynos5422::HEAT;

use super::World;
use crate::event::Event;
use crate::heat::Body;
use crate::random::Random;
use crate::scenario::Scenario;
use crate::setup::Setup;
use crate::task::Token;

/// The time between two steps of the flow of heat.
const FLOW: u64 = 20_000_000;

/// Body and controller.
pub(super) struct Warmth {
    body: Body,
    random: Random,
    control: Heat,
    polled: u64,
    /// Energy of each CPU and cluster at the last step.
    cpus: Vec<u128>,
    clusters: [u128; 2],
    stepped: u64,
    /// Busy time of each CPU at the last poll.
    busy: Vec<u64>,
    pub critical: bool,
}

impl Warmth {
    pub fn new(scenario: &Scenario, setup: &Setup, energy: &sched::Energy) -> Option<Self> {
        let surroundings = scenario.heat.as_ref()?;
        let cpus = scenario.plant.machine.cpus.len();
        Some(Self {
            body: Body::new(HEAT.network, surroundings),
            random: Random::new(scenario.seed),
            control: Heat::new(setup.heat, &HEAT, energy),
            polled: 0,
            cpus: vec![0; cpus],
            clusters: [0; 2],
            stepped: 0,
            busy: vec![0; cpus],
            critical: false,
        })
    }
}

impl World<'_> {
    pub(super) fn start_heat(&mut self, scenario: &Scenario) {
        if self.warmth.is_some() {
            self.agenda.plan(FLOW, Event::Heat);
            for (number, (time, _)) in (0..).zip(&scenario.disturbances) {
                self.agenda.plan(time.as_nanos(), Event::Disturb(number));
            }
        }
    }

    pub(super) fn disturb(&mut self, number: u32) {
        if let Some(warmth) = &mut self.warmth {
            warmth.body.disturb(self.disturbances[number as usize].1);
        }
    }

    pub(super) fn heat_flows(&mut self) {
        self.agenda.plan(self.now + FLOW, Event::Heat);
        let Some(mut warmth) = self.warmth.take() else { return };
        self.flow(&mut warmth);
        let hottest = warmth.body.hottest();
        if self.now > self.begin {
            self.hottest = self.hottest.max(hottest);
        }
        if self.now - warmth.polled >= HEAT.poll.as_nanos() {
            self.record.temperatures(self.now, warmth.body.temperatures());
            self.poll(&mut warmth);
            warmth.polled = self.now;
        }
        self.warmth = Some(warmth);
    }

    /// What was drawn since the last step warms the nodes.
    fn flow(&mut self, warmth: &mut Warmth) {
        let now = self.now;
        let elapsed = (now - warmth.stepped).max(1);
        warmth.stepped = now;
        let watts = |energy: u128| energy as f64 / elapsed as f64 / 1e6;
        let mut big = Vec::new();
        let mut sums = [0.0; 2];
        for (cpu, before) in self.cpus.iter_mut().zip(&mut warmth.cpus) {
            let energy = cpu.meter.read(now);
            let power = watts(energy - std::mem::replace(before, energy));
            sums[cpu.core.index()] += power;
            if cpu.core == CoreType::Big {
                big.push(power);
            }
        }
        for (cluster, before) in self.clusters.iter_mut().zip(&mut warmth.clusters) {
            let energy = cluster.meter.read(now);
            let power = watts(energy - std::mem::replace(before, energy));
            sums[cluster.core.index()] += power;
            if cluster.core == CoreType::Big {
                let share = power / big.len().max(1) as f64;
                big.iter_mut().for_each(|node| *node += share);
            }
        }
        warmth.body.advance(elapsed as f64 / 1e9, &big, sums[CoreType::Little.index()]);
        self.record.power(now, sums);
    }

    fn poll(&mut self, warmth: &mut Warmth) {
        let elapsed = (self.now - warmth.polled).max(1);
        let mut busy = [0; MAX_CPUS];
        for (number, before) in warmth.busy.iter_mut().enumerate() {
            self.advance(CpuId::new(number));
            let total = self.cpus[number].busy_total;
            let time = total - std::mem::replace(before, total);
            busy[number] = u32::try_from((time << 10) / elapsed).unwrap_or(1024).min(1024);
        }
        let levels = CoreType::BOTH.map(|core| self.clusters[core.index()].level);
        let scales = self.setup.scales();
        let readings = warmth.body.read(&mut warmth.random);
        let activity = Activity { levels, busy, scales };
        let caps = warmth.control.poll(self.time(), &readings, &activity, &self.energy);
        warmth.critical |= caps.critical;
        for core in CoreType::BOTH {
            if scales {
                self.set_cap(core, caps.top[core.index()].min(warmth.body.caps[core.index()]));
            }
            let lost = pressure::lost(self.energy.cluster(core), self.clusters[core.index()].cap);
            let now = self.time();
            self.pressures[core.index()].set(now, lost);
        }
        if self.setup.rotates {
            let room = |cpu| warmth.control.room(CpuId::new(cpu), &self.energy);
            self.rooms = (0..self.cpus.len()).map(room).collect();
        }
        self.park_cpus(caps.parked);
        CoreType::BOTH.into_iter().for_each(|core| self.drive(core));
    }

    /// The capacity that heat takes from a CPU, as the policy is told.
    pub(super) fn pressure(&self, core: CoreType) -> u32 {
        self.pressures[core.index()].clone().value(self.time())
    }

    /// Keeps these CPUs empty from now on.
    fn park_cpus(&mut self, parked: CpuMask) {
        let before = std::mem::replace(&mut self.closed, parked & self.plant.present);
        for cpu in (self.closed & !before).iter() {
            let running = self.take_running(cpu, Departure::Moves);
            let now = self.time();
            let queue = &mut self.cpu(cpu).queue;
            let waiting: Vec<Token> = std::iter::from_fn(|| queue.take_where(now, |_| true)).collect();
            running.into_iter().chain(waiting).for_each(|token| self.replace(token));
            self.kick(cpu, 0);
        }
    }

    /// Finds another place for a task that may not stay where it is.
    fn replace(&mut self, token: Token) {
        let task = &token.0;
        let wake = Wake {
            task: task.id,
            previous: task.cpu,
            waker: task.cpu,
            utilisation: task.entity.utilisation(),
            affinity: task.affinity,
            fresh: false,
        };
        let verdict = sched::place(self.setup.policy, &wake, self);
        let online = self.plant.present & !self.closed;
        let to = if online.contains(verdict.cpu) { verdict.cpu } else { online.first().unwrap_or(verdict.cpu) };
        self.send(token, to, Arrival::Moved, Why::Affinity);
        self.kick(to, self.plant.costs.interrupt);
    }
}

/// The lost capacity of each cluster as the policy is told of it.
pub(super) fn pressures(setup: &Setup) -> [Pressure; 2] {
    CoreType::BOTH.map(|_| Pressure::new(setup.pressure))
}
