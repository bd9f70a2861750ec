//! Ours: the fastest pair of levels that stays below the limit, now and later.
//!
//! At each poll the thermal model is brought in line with the sensors, and then asked where every sensor will be after 0.2 s,
//! 1.6 s, 6.4 s, 26 s and 100 s at a candidate's power. Candidates form one chain from both clusters at the top to both at the bottom, each
//! step taken where a watt saved costs least speed; so a higher temperature never raises either cap, and the split of the power is
//! the best one instead of one in proportion to what is asked for.
//!
//! What the model does not know, a warmer room, a fan that has stopped, work that draws more power than the price list says, shows as
//! a difference between prediction and reading. It is booked as a warmer heat sink and, more slowly, as warmer air.

use heapless::Vec;

use super::model::{Span, Temperatures};
use super::network::MAX_NODES;
use super::{Activity, HeatFacts, Sensors, cluster_power};
use crate::energy::MAX_LEVELS;
use crate::{CoreType, Energy, MilliCelsius};

/// Spans of 100 ms · 2^n that are looked at.
const HORIZONS: [usize; 5] = [1, 4, 6, 8, 10];
/// How far below the limit predictions must stay, in thousandths of a degree: sensors are noisy and round.
const MARGIN: i32 = 700;
/// How much further below, before a cap is raised again.
const HYSTERESIS: i32 = 500;
/// Polls between two raises; for a small one, of which sensors that show whole degrees ask for many, longer.
const PATIENCE: u32 = 10;
const PATIENCE_FOR_LITTLE: u32 = 60;
/// How many steps of the chain are a small raise.
const LITTLE: usize = 2;
/// Polls for which a slow excess must show before a small step down: the sink's time is tens of seconds.
const PERSISTENCE: u32 = 8;
/// The first so many horizons are soon; what exceeds the limit there is acted on at once.
const SOON: usize = 2;
/// By what part of the difference between reading and prediction, as a power of two, the estimates move: of a sensor's node, of the
/// sink, of the air. Faster, and the rounding of the sensors to whole degrees makes the caps swing.
const CORE_SHIFT: u32 = 3;
const SINK_SHIFT: u32 = 3;
const AIR_SHIFT: u32 = 6;

#[derive(Clone, Debug)]
pub(super) struct LookAhead {
    shortest: Span,
    horizons: Vec<Span, { HORIZONS.len() }>,
    /// Pairs of levels, fastest first.
    chain: Vec<[u8; 2], { 2 * MAX_LEVELS }>,
    position: usize,
    waited: u32,
    /// For how many polls a lower one has been due.
    exceeded: u32,
    /// Above the ambient air.
    estimate: Temperatures,
    air: i32,
    begun: bool,
    /// The most CPUs that were busy lately, in 1/1024; forgets slowly, so that a pause does not look like less work.
    busy: [u32; 2],
}

impl LookAhead {
    pub fn new(facts: &HeatFacts, energy: &Energy) -> Self {
        let fan = facts.network.fan.len().saturating_sub(1);
        let shortest = Span::shortest(facts.network, fan);
        let mut span = shortest.clone();
        let mut horizons = Vec::new();
        for doubling in 1..=HORIZONS[HORIZONS.len() - 1] {
            span = span.doubled();
            if HORIZONS.contains(&doubling) {
                // There is room for each of HORIZONS.
                let _ = horizons.push(span.clone());
            }
        }
        Self {
            shortest,
            horizons,
            chain: chain(energy),
            position: 0,
            waited: 0,
            exceeded: 0,
            estimate: [0; MAX_NODES],
            air: 25_000,
            begun: false,
            busy: [0; 2],
        }
    }

    pub fn poll(&mut self, facts: &HeatFacts, sensors: &Sensors, activity: &Activity, energy: &Energy) -> [usize; 2] {
        self.observe(facts, sensors, activity, energy);
        for (known, busy) in self.busy.iter_mut().zip(activity.busy) {
            *known = busy.max(*known - *known / 32);
        }
        let limit = facts.limit.get() - MARGIN;
        let coolest = self.chain.len() - 1;
        let all = HORIZONS.len();
        let wanted = (0..coolest).find(|position| self.stays_below(limit, *position, all, facts, energy));
        self.position = match wanted.unwrap_or(coolest) {
            wanted if wanted < self.position => self.raise(limit - HYSTERESIS, facts, energy),
            wanted if wanted > self.position => self.lower(wanted, limit, facts, energy),
            stays => {
                (self.waited, self.exceeded) = (0, 0);
                stays
            }
        };
        self.chain[self.position].map(usize::from)
    }

    /// At once, unless it is a small step for the sake of the distant future: then when it has been due for a while.
    fn lower(&mut self, wanted: usize, limit: i32, facts: &HeatFacts, energy: &Energy) -> usize {
        self.waited = 0;
        self.exceeded += 1;
        let urgent = wanted - self.position > LITTLE || !self.stays_below(limit, self.position, SOON, facts, energy);
        if urgent || self.exceeded >= PERSISTENCE {
            self.exceeded = 0;
            return wanted;
        }
        self.position
    }

    /// Up after a while, if then there is still room.
    fn raise(&mut self, limit: i32, facts: &HeatFacts, energy: &Energy) -> usize {
        self.exceeded = 0;
        self.waited += 1;
        if self.waited < PATIENCE {
            return self.position;
        }
        let all = HORIZONS.len();
        let better = (0..self.position).find(|position| self.stays_below(limit, *position, all, facts, energy));
        let worth = |better: &usize| self.waited >= PATIENCE_FOR_LITTLE || self.position - better > LITTLE;
        let Some(better) = better.filter(worth) else { return self.position };
        self.waited = 0;
        better
    }

    /// Whether no sensor exceeds `limit` at the first so many horizons.
    fn stays_below(&self, limit: i32, position: usize, until: usize, facts: &HeatFacts, energy: &Energy) -> bool {
        let levels = self.chain[position];
        let power = CoreType::BOTH.map(|core| {
            let index = core.index();
            cluster_power(energy, core, usize::from(levels[index]), self.busy[index]) / 1_000
        });
        let hottest = |span: &Span| {
            let at = |node: &usize| span.cooled(*node, &self.estimate) + span.heated(*node, power) + self.air;
            facts.network.sensors.iter().map(at).max().unwrap_or(0)
        };
        self.horizons.iter().take(until).all(|span| hottest(span) <= limit)
    }

    /// Moves the estimate on by a poll and towards the readings.
    fn observe(&mut self, facts: &HeatFacts, sensors: &Sensors, activity: &Activity, energy: &Energy) {
        if !self.begun {
            return self.begin(facts, sensors);
        }
        let power = CoreType::BOTH.map(|core| {
            let index = core.index();
            cluster_power(energy, core, activity.levels[index], activity.busy[index]) / 1_000
        });
        let nodes = facts.network.nodes.len().min(MAX_NODES);
        let before = self.estimate;
        for node in 0..nodes {
            self.estimate[node] = self.shortest.cooled(node, &before) + self.shortest.heated(node, power);
        }
        let (mut total, mut count) = (0, 0);
        for (index, node) in facts.network.sensors.iter().enumerate() {
            let Some(reading) = sensors.get(index) else { continue };
            let error = reading.get() - self.air - self.estimate[*node];
            self.estimate[*node] += error >> CORE_SHIFT;
            total += error;
            count += 1;
        }
        if count > 0 {
            let error = total / count;
            self.estimate[facts.network.sink] += error >> SINK_SHIFT;
            self.estimate[facts.network.little] += error >> CORE_SHIFT;
            self.air = (self.air + (error >> AIR_SHIFT)).clamp(-20_000, 80_000);
        }
    }

    /// Everything has the temperature of its sensor, the rest that of the coolest.
    fn begin(&mut self, facts: &HeatFacts, sensors: &Sensors) {
        let readings = || (0..facts.network.sensors.len()).filter_map(|index| sensors.get(index));
        let Some(coolest) = readings().map(MilliCelsius::get).min() else { return };
        self.air = self.air.min(coolest);
        self.estimate = [coolest - self.air; MAX_NODES];
        for (index, node) in facts.network.sensors.iter().enumerate() {
            if let Some(reading) = sensors.get(index) {
                self.estimate[*node] = reading.get() - self.air;
            }
        }
        self.begun = true;
    }
}

/// From both clusters at the top to both at the bottom; each step lowers the cluster that saves most power for the speed lost.
fn chain(energy: &Energy) -> Vec<[u8; 2], { 2 * MAX_LEVELS }> {
    let mut levels = CoreType::BOTH.map(|core| energy.cluster(core).top());
    let mut chain = Vec::new();
    // Two clusters of at most MAX_LEVELS each make no more steps than there is room for.
    let _ = chain.push(levels.map(|level| level as u8));
    let value = |core: CoreType, level: usize| {
        let cluster = energy.cluster(core);
        let (high, low) = (cluster.level(level), cluster.level(level - 1));
        let cpus = cluster.cpus.len() as u64;
        let busy = u64::from(high.busy.get()).saturating_sub(u64::from(low.busy.get())) * cpus;
        let idle = u64::from(high.idle.get()).saturating_sub(u64::from(low.idle.get()));
        let speed = u64::from(high.speed.get()).saturating_sub(u64::from(low.speed.get())) * cpus;
        ((busy + idle) << 10) / speed.max(1)
    };
    loop {
        let lowered = |core: &CoreType| levels[core.index()] > 0;
        let gain = |core: &CoreType| value(*core, levels[core.index()]);
        let Some(core) = CoreType::BOTH.into_iter().filter(lowered).max_by_key(gain) else { break };
        levels[core.index()] -= 1;
        let _ = chain.push(levels.map(|level| level as u8));
    }
    chain
}
