//! Ours: the fastest pair of levels that stays below the limit, now and later.
//!
//! At each poll the observer is asked where every sensor will be after 0.2 s, 1.6 s, 6.4 s, 26 s and 100 s at a candidate's power.
//! Candidates form one chain from both clusters at the top to both at the bottom, each step taken where a watt saved costs least
//! speed; so a higher temperature never raises either cap, and the split of the power is the best one instead of one in proportion
//! to what is asked for.

use heapless::Vec;

use super::model::Span;
use super::observer::Observer;
use super::{Activity, HeatFacts, MAX_SENSORS, Sensors};
use crate::energy::MAX_LEVELS;
use crate::{CoreType, Energy, MAX_CPUS, Nanos};

/// Spans of 100 ms · 2^n that are looked at.
const HORIZONS: [usize; 5] = [1, 4, 6, 8, 10];
/// How far below the limit predictions must stay, in thousandths of a degree: sensors are noisy and round.
const MARGIN: i32 = 600;
/// How much further below where a sensor is not believed: so much more for each second, up to so much.
const DOUBT_PER_SECOND: u64 = 20;
const MOST_DOUBT: u64 = 400;
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

/// Pairs of levels, by [`CoreType::index`].
pub type Chain = Vec<[u8; 2], { 2 * MAX_LEVELS }>;

#[derive(Clone, Debug)]
pub(super) struct LookAhead {
    horizons: [Span; HORIZONS.len()],
    /// Pairs of levels, fastest first.
    chain: Chain,
    position: usize,
    waited: u32,
    /// For how many polls a lower one has been due.
    exceeded: u32,
    load: Load,
}

/// What has to be reckoned with, in 1/1024 of a CPU's time.
#[derive(Clone, Debug)]
struct Load {
    /// The most of each cluster lately; forgets slowly, so that a pause does not look like less work.
    most: [u32; 2],
    /// How it was spread over the CPUs.
    spread: [u32; MAX_CPUS],
}

/// What a poll needs to judge a candidate.
struct Outlook<'a> {
    facts: &'a HeatFacts,
    energy: &'a Energy,
    observer: &'a Observer,
    busy: [u32; MAX_CPUS],
    /// At each horizon, what is left for power at each sensor before it reaches the limit.
    room: [[i32; MAX_SENSORS]; HORIZONS.len()],
}

impl LookAhead {
    /// Knows no machine yet.
    pub const NEW: Self = Self {
        horizons: [Span::EMPTY; HORIZONS.len()],
        chain: Vec::new(),
        position: 0,
        waited: 0,
        exceeded: 0,
        load: Load { most: [0; 2], spread: [0; MAX_CPUS] },
    };

    /// Works out the horizons from the span of a poll, and the chain.
    pub fn start(&mut self, poll: &Span, energy: &Energy) {
        let mut span = poll.clone();
        let mut doublings = 0;
        for (horizon, wanted) in self.horizons.iter_mut().zip(HORIZONS) {
            while doublings < wanted {
                span = span.doubled();
                doublings += 1;
            }
            horizon.clone_from(&span);
        }
        self.chain = chain(energy);
    }

    pub fn poll(
        &mut self,
        now: Nanos,
        facts: &HeatFacts,
        observer: &Observer,
        sensors: &Sensors,
        activity: &Activity,
        energy: &Energy,
    ) -> [usize; 2] {
        let busy = self.load.follow(activity, energy);
        let room = self.room(now, facts, observer, sensors);
        let outlook = Outlook { facts, energy, observer, busy, room };
        let coolest = self.chain.len() - 1;
        let all = HORIZONS.len();
        let wanted = (0..coolest).find(|position| self.stays_below(*position, 0, all, &outlook));
        self.position = match wanted.unwrap_or(coolest) {
            wanted if wanted < self.position => self.raise(&outlook),
            wanted if wanted > self.position => self.lower(wanted, &outlook),
            stays => {
                (self.waited, self.exceeded) = (0, 0);
                stays
            }
        };
        self.chain[self.position].map(usize::from)
    }

    /// What the temperatures would leave for power if there were none.
    fn room(
        &self,
        now: Nanos,
        facts: &HeatFacts,
        observer: &Observer,
        sensors: &Sensors,
    ) -> [[i32; MAX_SENSORS]; HORIZONS.len()] {
        let doubt: [i32; MAX_SENSORS] = core::array::from_fn(|sensor| {
            let silent = if sensors.heard(sensor).is_some() { Nanos::ZERO } else { sensors.silence(sensor, now) };
            (silent.as_millis() * DOUBT_PER_SECOND / 1_000).min(MOST_DOUBT) as i32
        });
        let mut room = [[0; MAX_SENSORS]; HORIZONS.len()];
        for (room, span) in room.iter_mut().zip(&self.horizons) {
            for (sensor, node) in facts.network.sensors.iter().enumerate().take(MAX_SENSORS) {
                let limit = facts.limit.get() - MARGIN - doubt[sensor];
                room[sensor] = limit - observer.air - span.cooled(*node, &observer.estimate);
            }
        }
        room
    }

    /// At once, unless it is a small step for the sake of the distant future: then when it has been due for a while.
    fn lower(&mut self, wanted: usize, outlook: &Outlook<'_>) -> usize {
        self.waited = 0;
        self.exceeded += 1;
        let urgent = wanted - self.position > LITTLE || !self.stays_below(self.position, 0, SOON, outlook);
        if urgent || self.exceeded >= PERSISTENCE {
            self.exceeded = 0;
            return wanted;
        }
        self.position
    }

    /// Up after a while, if then there is still room.
    fn raise(&mut self, outlook: &Outlook<'_>) -> usize {
        self.exceeded = 0;
        self.waited += 1;
        if self.waited < PATIENCE {
            return self.position;
        }
        let all = HORIZONS.len();
        let better = (0..self.position).find(|position| self.stays_below(*position, HYSTERESIS, all, outlook));
        let worth = |better: &usize| self.waited >= PATIENCE_FOR_LITTLE || self.position - better > LITTLE;
        let Some(better) = better.filter(worth) else { return self.position };
        self.waited = 0;
        better
    }

    /// Whether no sensor comes nearer to its limit than `distance` at the first so many horizons.
    fn stays_below(&self, position: usize, distance: i32, until: usize, outlook: &Outlook<'_>) -> bool {
        let network = outlook.facts.network;
        let levels = self.chain[position].map(usize::from);
        let powers = outlook.observer.powers(network, outlook.energy, levels, &outlook.busy);
        self.horizons.iter().zip(&outlook.room).take(until).all(|(span, room)| {
            let mut sensors = network.sensors.iter().zip(room);
            sensors.all(|(node, room)| span.heated(*node, &powers) + distance <= *room)
        })
    }
}

impl Load {
    /// Takes in what was done since the last poll; returns what to reckon with from each CPU.
    fn follow(&mut self, activity: &Activity, energy: &Energy) -> [u32; MAX_CPUS] {
        for (spread, busy) in self.spread.iter_mut().zip(activity.busy) {
            *spread = *spread + busy / 8 - *spread / 8;
        }
        let mut reckoned = [0; MAX_CPUS];
        for core in CoreType::BOTH {
            let cpus = energy.cluster(core).cpus;
            let most = &mut self.most[core.index()];
            *most = activity.busy_in(cpus).max(*most - *most / 32);
            let spread: u32 = cpus.iter().map(|cpu| self.spread[cpu.index()]).sum();
            for cpu in cpus.iter() {
                let even = *most / cpus.len() as u32;
                let share = (self.spread[cpu.index()] * *most).checked_div(spread);
                reckoned[cpu.index()] = share.unwrap_or(even).min(1024);
            }
        }
        reckoned
    }
}

/// From both clusters at the top to both at the bottom; each step lowers the cluster that saves most power for the speed lost. The first pair within a
/// power budget is so the best split of it, or close.
#[must_use]
pub fn chain(energy: &Energy) -> Chain {
    let mut levels = CoreType::BOTH.map(|core| energy.cluster(core).top());
    let mut chain = Chain::new();
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
