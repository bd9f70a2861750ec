//! How far heat holds the clocks back.
//!
//! Three controllers answer the same question, the highest level of each cluster, from the same readings: Linux'
//! step-wise governor, its power allocator (IPA), and a look-ahead on a thermal model. What all of them share stands
//! here, below whichever is chosen, because it must not fail with it: implausible readings are not believed
//! ([`sensors`]); without a clock to turn down, or when that does not help, big CPUs are parked one by one; at the
//! critical temperature the answer says so.

pub(crate) mod cooler;
mod ipa;
mod look_ahead;
mod model;
pub mod network;
mod observer;
pub mod sensors;
mod step_wise;

pub use look_ahead::{Chain, chain};
pub use network::{Link, Network, Node};
pub use sensors::{MAX_SENSORS, Sensors};

use ipa::Ipa;
use look_ahead::LookAhead;
use model::Span;
use observer::Observer;
use step_wise::StepWise;

use crate::words::words;
use crate::{CoreType, CpuId, CpuMask, Energy, MAX_CPUS, Microwatts, MilliCelsius, Nanos};

/// The controller (boot argument `heat=`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeatKind {
    /// Nothing is held back before the critical temperature nears.
    None,
    /// A level down for each poll of a rising temperature above a trip, one back for a falling one
    /// (`drivers/thermal/gov_step_wise.c`).
    StepWise,
    /// A PI controller for the power, split in proportion to what is asked for
    /// (`drivers/thermal/gov_power_allocator.c`).
    Ipa,
    /// The fastest pair of levels that stays below the limit at several points of the future.
    LookAhead,
}

words!(HeatKind { None = "none", StepWise = "step-wise", Ipa = "ipa", LookAhead = "look-ahead" });

/// A passive trip of the step-wise governor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trip {
    /// Where it begins to act.
    pub at: MilliCelsius,
    /// How far below that it lets go.
    pub hysteresis: MilliCelsius,
    /// By how many levels each cluster is held back, at least and at most, by [`CoreType::index`]: the states of its
    /// cooling device.
    pub states: [(u8, u8); 2],
}

/// The thermal facts of a machine.
#[derive(Debug)]
pub struct HeatFacts {
    /// Where heat flows.
    pub network: &'static Network,
    /// The trips of the step-wise governor, lowest first.
    pub trips: &'static [Trip],
    /// Where IPA begins to control; it aims at the limit.
    pub switch_on: MilliCelsius,
    /// What can be dissipated for ever at the limit, for IPA.
    pub sustainable: Microwatts,
    /// The temperature that no sensor should exceed.
    pub limit: MilliCelsius,
    /// Where the system must be brought to rest.
    pub critical: MilliCelsius,
    /// Between two polls.
    pub poll: Nanos,
}

/// What the machine does at a poll.
#[derive(Clone, Copy, Debug)]
pub struct Activity {
    /// The level of each cluster since the last poll, by [`CoreType::index`].
    pub levels: [usize; 2],
    /// For how much of the time each CPU was busy since then, in 1/1024.
    pub busy: [u32; MAX_CPUS],
    /// Whether clocks can be changed at all.
    pub scales: bool,
}

impl Activity {
    /// How many of these CPUs were busy, in 1/1024.
    #[must_use]
    pub fn busy_in(&self, cpus: CpuMask) -> u32 {
        cpus.iter().filter_map(|cpu| self.busy.get(cpu.index())).sum()
    }
}

/// What heat allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// The highest level of each cluster, by [`CoreType::index`].
    pub top: [usize; 2],
    /// CPUs that must not run anything.
    pub parked: CpuMask,
    /// The critical temperature is reached: stop.
    pub critical: bool,
}

/// Above the limit by this much, big CPUs are parked, one at each poll; where clocks cannot be changed, from the limit
/// on.
const PARK_ABOVE: i32 = 4_000;
/// So far below that they come back, one at a time ...
const RETURN_BELOW: i32 = 8_000;
/// ... and not more often than this.
const RETURN_AFTER: Nanos = Nanos::from_millis(2_000);

/// Watches the temperature.
///
/// All zeros before [`Heat::start`], so that a static one takes no room in an image.
#[derive(Clone, Debug)]
pub struct Heat {
    kind: HeatKind,
    facts: Option<&'static HeatFacts>,
    sensors: Sensors,
    observer: Observer,
    step_wise: StepWise,
    ipa: Ipa,
    look_ahead: LookAhead,
    parked: CpuMask,
    /// When a CPU was parked or came back last.
    parking: Nanos,
}

impl Heat {
    /// A watch that holds nothing back until it is [started](Self::start).
    #[must_use]
    pub const fn idle() -> Self {
        Self {
            kind: HeatKind::None,
            facts: None,
            sensors: Sensors::new(),
            observer: Observer::NEW,
            step_wise: StepWise::NEW,
            ipa: Ipa::NEW,
            look_ahead: LookAhead::NEW,
            parked: CpuMask::EMPTY,
            parking: Nanos::ZERO,
        }
    }

    /// A watch that begins cool.
    #[must_use]
    pub fn new(kind: HeatKind, facts: &'static HeatFacts, energy: &Energy) -> Self {
        let mut heat = Self::idle();
        heat.start(kind, facts, energy);
        heat
    }

    /// Begins to watch a machine that has not been watched before.
    pub fn start(&mut self, kind: HeatKind, facts: &'static HeatFacts, energy: &Energy) {
        (self.kind, self.facts) = (kind, Some(facts));
        // Nobody says how fast the fan turns: in the middle. What is wrong with that shows as warmer or cooler air.
        let poll = Span::shortest(facts.network, facts.network.fan.len() / 2);
        self.observer.start(&poll);
        self.ipa.start(facts, energy);
        self.look_ahead.start(&poll, energy);
    }

    /// The sensors as they are believed.
    #[must_use]
    pub fn sensors(&self) -> &Sensors {
        &self.sensors
    }

    /// To be called once every [`HeatFacts::poll`]. `readings` has one entry for each sensor; [`None`] for one that did
    /// not answer.
    pub fn poll(
        &mut self,
        now: Nanos,
        readings: &[Option<MilliCelsius>],
        activity: &Activity,
        energy: &Energy,
    ) -> Caps {
        let free = CoreType::BOTH.map(|core| energy.cluster(core).top());
        let Some(facts) = self.facts else { return Caps { top: free, parked: CpuMask::EMPTY, critical: false } };
        self.observer.advance(facts.network, activity, energy);
        let expected = |sensor: usize| self.observer.temperature(*facts.network.sensors.get(sensor)?);
        self.sensors.take(now, readings, expected);
        self.observer.correct(facts.network, &self.sensors);
        let blind = self.sensors.is_blind(now) || self.observer.is_contradicted();
        let hottest = self.hottest(now);
        let top = match self.kind {
            // Nothing is known of the temperature: as slow as possible is the only safe answer.
            _ if blind => [0; 2],
            HeatKind::None => free,
            HeatKind::StepWise => self.step_wise.poll(facts, hottest, free),
            HeatKind::Ipa => self.ipa.poll(facts, hottest, activity, energy),
            HeatKind::LookAhead => self.look_ahead.poll(now, facts, &self.observer, &self.sensors, activity, energy),
        };
        self.park(hottest.get() - facts.limit.get(), now, blind, activity.scales, energy.cluster(CoreType::Big).cpus);
        Caps { top, parked: self.parked, critical: hottest >= facts.critical }
    }

    /// The highest temperature where there is a sensor, as far as is known; zero before the first poll.
    #[must_use]
    pub fn hottest(&self, now: Nanos) -> MilliCelsius {
        let nodes = self.facts.map_or(&[][..], |facts| facts.network.sensors);
        let known = nodes.iter().enumerate().filter_map(|(sensor, node)| match self.sensors.get(sensor) {
            Some(believed) if !self.sensors.is_lost(sensor, now) => Some(believed),
            _ => self.observer.temperature(*node),
        });
        known.max().unwrap_or_default()
    }

    /// How far the sensor of a CPU is below the limit; [`None`] where there is none or nothing is known yet.
    #[must_use]
    pub fn room(&self, cpu: CpuId, energy: &Energy) -> Option<MilliCelsius> {
        let facts = self.facts?;
        let cpus = energy.cluster(CoreType::Big).cpus;
        let rank = cpus.iter().position(|big| big == cpu)?;
        // A machine with fewer big cores than the chip: each stands for several of them.
        let each = (facts.network.big.len() / cpus.len()).max(1);
        let node = facts.network.big.get(rank * each)?;
        let temperature = self.observer.temperature(*node).filter(|_| facts.network.sensors.contains(node))?;
        Some(MilliCelsius::new(facts.limit.get() - temperature.get()))
    }

    /// The last resort, which needs no clock.
    fn park(&mut self, excess: i32, now: Nanos, blind: bool, scales: bool, big: CpuMask) {
        let threshold = if scales { PARK_ABOVE } else { 0 };
        if excess > threshold || blind && !scales {
            if let Some(cpu) = (big & !self.parked).iter().last() {
                self.parked.insert(cpu);
                self.parking = now;
            }
        } else if excess < threshold - RETURN_BELOW
            && now.saturating_sub(self.parking) >= RETURN_AFTER
            && let Some(cpu) = self.parked.first()
        {
            self.parked = self.parked.without(cpu);
            self.parking = now;
        }
    }
}

/// What a cluster takes at a level with so many CPUs busy, in 1/1024.
fn cluster_power(energy: &Energy, core: CoreType, level: usize, busy: u32) -> u32 {
    let cluster = energy.cluster(core);
    if cluster.cpus.is_empty() {
        return 0;
    }
    let facts = cluster.level(level);
    ((u64::from(facts.busy.get()) * u64::from(busy)) >> 10) as u32 + facts.idle.get()
}
