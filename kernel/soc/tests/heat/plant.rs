//! A plant in floating point, and a controller that works on it.

use sched::{
    Activity, Caps, CoreType, CpuMask, Energy, Heat, HeatKind, IdleCost, MAX_CPUS, MilliCelsius, Nanos, Profile,
};
use soc::exynos5422::{self, HEAT};

const POLL: f64 = 0.1;

pub struct Plant {
    pub temperature: Vec<f64>,
    pub air: f64,
    pub fan: usize,
}

impl Plant {
    pub fn new(air: f64, fan: usize) -> Self {
        Self { temperature: vec![air; HEAT.network.nodes.len()], air, fan }
    }

    pub fn advance(&mut self, seconds: f64, big: f64, little: f64) {
        let network = HEAT.network;
        let step = 0.005;
        for _ in 0..(seconds / step).round() as u32 {
            let mut flow = vec![0.0; network.nodes.len()];
            for link in network.links {
                let heat =
                    f64::from(link.conductance) / 1000.0 * (self.temperature[link.from] - self.temperature[link.to]);
                flow[link.from] -= heat;
                flow[link.to] += heat;
            }
            flow[network.sink] -=
                f64::from(network.fan[self.fan]) / 1000.0 * (self.temperature[network.sink] - self.air);
            for node in network.big {
                flow[*node] += big / 4.0;
            }
            flow[network.little] += little;
            for ((temperature, flow), node) in self.temperature.iter_mut().zip(&flow).zip(network.nodes) {
                *temperature += flow * step * 1000.0 / f64::from(node.capacity);
            }
        }
    }

    pub fn hottest(&self) -> f64 {
        HEAT.network.sensors.iter().map(|node| self.temperature[*node]).fold(f64::MIN, f64::max)
    }
}

pub struct Run<'a> {
    pub policy: &'a Energy,
    pub truth: &'a Energy,
    pub plant: Plant,
    pub heat: Heat,
    pub levels: [usize; 2],
    pub polls: u64,
    pub peak: f64,
    pub changes: u32,
    pub speed: f64,
    pub caps: Option<Caps>,
    /// The share of its time that a CPU of each cluster works; and whether there is a clock.
    pub busy: [f64; 2],
    pub scales: bool,
}

impl<'a> Run<'a> {
    pub fn new(kind: HeatKind, policy: &'a Energy, truth: &'a Energy, plant: Plant) -> Self {
        let levels = CoreType::BOTH.map(|core| truth.cluster(core).top());
        let heat = Heat::new(kind, &HEAT, policy);
        Self {
            policy,
            truth,
            plant,
            heat,
            levels,
            polls: 0,
            peak: 0.0,
            changes: 0,
            speed: 0.0,
            caps: None,
            busy: [1.0; 2],
            scales: true,
        }
    }

    pub fn power(&self, core: CoreType, level: usize) -> f64 {
        let level = self.truth.cluster(core).level(level);
        (f64::from(level.busy.get()) * self.working(core) + f64::from(level.idle.get())) / 1e6
    }

    /// CPUs of a cluster that work, on average.
    pub fn working(&self, core: CoreType) -> f64 {
        let parked = self.caps.map_or(CpuMask::EMPTY, |caps| caps.parked);
        (self.truth.cluster(core).cpus & !parked).len() as f64 * self.busy[core.index()]
    }

    pub fn activity(&self) -> Activity {
        let mut busy = [0; MAX_CPUS];
        for core in CoreType::BOTH {
            let cpus = self.truth.cluster(core).cpus;
            cpus.iter().for_each(|cpu| busy[cpu.index()] = (self.working(core) / cpus.len() as f64 * 1024.0) as u32);
        }
        Activity { levels: self.levels, busy, scales: self.scales }
    }

    pub fn poll_with(&mut self, readings: &[Option<MilliCelsius>]) {
        let activity = self.activity();
        let now = Nanos::from_millis(self.polls * 100 + 100);
        let caps = self.heat.poll(now, readings, &activity, self.policy);
        for (level, cap) in self.levels.iter_mut().zip(caps.top).filter(|_| self.scales) {
            self.changes += u32::from(*level != cap);
            *level = cap;
        }
        self.caps = Some(caps);
        let [big, little] = CoreType::BOTH.map(|core| self.power(core, self.levels[core.index()]));
        self.plant.advance(POLL, big, little);
        self.peak = self.peak.max(self.plant.hottest());
        let speed = |core: CoreType| f64::from(self.truth.cluster(core).level(self.levels[core.index()]).speed.get());
        self.speed += (speed(CoreType::Big) + speed(CoreType::Little)) * 4.0 / 16.0;
        self.polls += 1;
    }

    /// Sensors that show whole degrees, as the TMU does.
    pub fn run(&mut self, polls: u32) -> &mut Self {
        for _ in 0..polls {
            let degrees = |node: &usize| Some(MilliCelsius::from_celsius(self.plant.temperature[*node].round() as i32));
            let readings: Vec<_> = HEAT.network.sensors.iter().map(degrees).collect();
            self.poll_with(&readings);
        }
        self
    }
}

pub fn energy(profile: &Profile) -> Energy {
    Energy::new(&exynos5422::MACHINE, CpuMask::ALL, profile, IdleCost::Always)
}

/// The fastest pair of levels that stays below the limit for ever.
pub fn best_constant(truth: &Energy, air: f64, fan: usize) -> f64 {
    let mut best: f64 = 0.0;
    for big in 0..truth.cluster(CoreType::Big).levels().len() {
        for little in 0..truth.cluster(CoreType::Little).levels().len() {
            let mut plant = Plant::new(air, fan);
            let run = Run::new(HeatKind::None, truth, truth, Plant::new(air, fan));
            let (p, q) = (run.power(CoreType::Big, big), run.power(CoreType::Little, little));
            // Coarse: the network settles with its sink, which is known in closed form.
            plant.temperature.fill(air + (p + q) * 1000.0 / f64::from(HEAT.network.fan[fan]));
            plant.advance(12.0, p, q);
            if plant.hottest() <= f64::from(HEAT.limit.get()) / 1000.0 {
                let speed = |core: CoreType, level| f64::from(truth.cluster(core).level(level).speed.get());
                best = best.max((speed(CoreType::Big, big) + speed(CoreType::Little, little)) * 4.0 / 16.0);
            }
        }
    }
    best
}
