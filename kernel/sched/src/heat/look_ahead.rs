//! Ours: the fastest pair of levels that stays below the limit, and where that leaves something over, two in turn.
//!
//! At each poll the observer is asked where every sensor will be after 0.2, 0.8, 3.2 and 26 s at a candidate's power.
//! Candidates form one chain from both clusters at the top to both at the bottom, each step taken where a watt saved
//! costs least speed; so the split of the power is the best one instead of one in proportion to what is asked for. A
//! step up that can last need not last for ever: silicon follows a step of power within seconds, its heat sink within
//! minutes, and work follows the mean. So two neighbours of the chain alternate, about as slowly as the silicon lets
//! them.

use core::ops::Range;

use heapless::Vec;

use super::model::Span;
use super::observer::Observer;
use super::{Activity, HeatFacts, MAX_SENSORS, Sensors};
use crate::energy::{Cluster, MAX_LEVELS};
use crate::{CoreType, Energy, MAX_CPUS, Nanos};

/// Spans of 100 ms · 2^n that are looked at.
const HORIZONS: [usize; 4] = [1, 3, 5, 8];
/// Which of them say whether there is too much power,
const NOW: Range<usize> = 0..1;
/// far too much,
const SOON: Range<usize> = 0..2;
/// little enough after a step down: what is hot cools no faster than it does,
const LATER: Range<usize> = 1..3;
/// room for a step up that can be taken back,
const STEP: Range<usize> = 0..2;
/// and for more than that.
const ALL: Range<usize> = 0..HORIZONS.len();
/// How far below the limit, in thousandths of a degree, where a sensor is not believed: so much for each second, up to
/// so much.
const DOUBT_PER_SECOND: u64 = 20;
const MOST_DOUBT: u64 = 400;
/// How far below the limit it aims, in thousandths of a degree: what it is mistaken by, and what sensors round.
const CARE: i32 = 80;
/// Polls from any step to one up.
const PATIENCE: u32 = 14;
/// Polls for which a small excess must show before a step down.
const PERSISTENCE: u32 = 2;
/// How far above the limit, in thousandths of a degree, is more than a small one.
const SMALL: i32 = 200;
/// A cluster that is busy for less, in 1/1024 of a CPU's time, is as good as idle.
const WORK: u32 = 64;

/// Pairs of levels, by [`CoreType::index`].
pub type Chain = Vec<[u8; 2], { 2 * MAX_LEVELS }>;

#[derive(Clone, Debug)]
pub(super) struct LookAhead {
    horizons: [Span; HORIZONS.len()],
    /// Pairs of levels, fastest first.
    chain: Chain,
    position: usize,
    /// Polls since the last step.
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
        self.waited = self.waited.saturating_add(1);
        if self.stays_below(self.position, 0, NOW, &outlook) {
            self.exceeded = 0;
            self.raise(&outlook);
        } else {
            self.lower(&outlook);
        }
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
                let limit = facts.limit.get() - doubt[sensor];
                room[sensor] = limit - CARE - observer.air - span.cooled(*node, &observer.estimate);
            }
        }
        room
    }

    /// At once, or if it is too hot by little, when that shows again: what sensors show is noisy and rounded.
    fn lower(&mut self, outlook: &Outlook<'_>) {
        self.exceeded += 1;
        if self.exceeded >= PERSISTENCE || !self.stays_below(self.position, -SMALL, SOON, outlook) {
            let coolest = self.chain.len() - 1;
            let cooler = (self.position + 1..coolest).find(|position| self.stays_below(*position, 0, LATER, outlook));
            (self.position, self.waited, self.exceeded) = (cooler.unwrap_or(coolest), 0, 0);
        }
    }

    /// After a while, as far as can last, or one step that can be taken back.
    fn raise(&mut self, outlook: &Outlook<'_>) {
        if self.waited < PATIENCE {
            return;
        }
        let sustained = (0..self.position).find(|position| self.stays_below(*position, 0, ALL, outlook));
        let next = || self.next(outlook).filter(|position| self.stays_below(*position, 0, STEP, outlook));
        if let Some(faster) = sustained.or_else(next) {
            (self.position, self.waited) = (faster, 0);
        }
    }

    /// The next faster pair that makes a difference to a CPU with work.
    fn next(&self, outlook: &Outlook<'_>) -> Option<usize> {
        let levels = |position: usize| {
            CoreType::BOTH.map(|core| outlook.works(core).then_some(self.chain[position][core.index()]))
        };
        (0..self.position).rev().find(|position| levels(*position) != levels(self.position))
    }

    /// Whether no sensor comes nearer to its limit than `distance`, in thousandths of a degree, at these horizons.
    fn stays_below(&self, position: usize, distance: i32, when: Range<usize>, outlook: &Outlook<'_>) -> bool {
        let network = outlook.facts.network;
        let levels = self.chain[position].map(usize::from);
        let powers = outlook.observer.powers(network, outlook.energy, levels, &outlook.busy);
        self.horizons[when.clone()].iter().zip(&outlook.room[when]).all(|(span, room)| {
            let mut sensors = network.sensors.iter().zip(room);
            sensors.all(|(node, room)| span.heated(*node, &powers) + distance <= *room)
        })
    }
}

impl Outlook<'_> {
    /// Whether a cluster has work worth mentioning.
    fn works(&self, core: CoreType) -> bool {
        let cpus = self.energy.cluster(core).cpus;
        cpus.iter().map(|cpu| self.busy[cpu.index()]).sum::<u32>() >= WORK
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

/// From both clusters at the top to both at the bottom; each step lowers the cluster that saves most power for the
/// speed lost, to the level where it does. A level between two others that together give its speed for less power is
/// left out. The first pair within a power budget is so the best split of it, or close.
#[must_use]
pub fn chain(energy: &Energy) -> Chain {
    let mut levels = CoreType::BOTH.map(|core| energy.cluster(core).top());
    let mut chain = Chain::new();
    // Two clusters of at most MAX_LEVELS each make no more steps than there is room for.
    let _ = chain.push(levels.map(|level| level as u8));
    loop {
        let steps = CoreType::BOTH.into_iter().filter_map(|core| {
            let cluster = energy.cluster(core);
            let gain = |low: usize| saving(cluster, levels[core.index()], low);
            let low = (0..levels[core.index()]).max_by_key(|low| gain(*low))?;
            Some((gain(low), core, low))
        });
        let Some((_, core, low)) = steps.max_by_key(|(gain, ..)| *gain) else { break };
        levels[core.index()] = low;
        let _ = chain.push(levels.map(|level| level as u8));
    }
    chain
}

/// The power saved for each unit of speed lost when a whole cluster at work goes from one level to a lower one.
fn saving(cluster: &Cluster, high: usize, low: usize) -> u64 {
    let (high, low) = (cluster.level(high), cluster.level(low));
    let cpus = cluster.cpus.len() as u64;
    let busy = u64::from(high.busy.get()).saturating_sub(u64::from(low.busy.get())) * cpus;
    let idle = u64::from(high.idle.get()).saturating_sub(u64::from(low.idle.get()));
    let speed = u64::from(high.speed.get()).saturating_sub(u64::from(low.speed.get())) * cpus;
    ((busy + idle) << 10) / speed.max(1)
}
