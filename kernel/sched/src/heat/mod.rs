//! How far heat holds the clocks back.
//!
//! Three controllers answer the same question, the highest level of each cluster, from the same readings: Linux' step-wise
//! governor, its power allocator (IPA), and a look-ahead on a thermal model. What all of them share stands here, below
//! whichever is chosen, because it must not fail with it: implausible readings are not believed ([`sensors`]); without
//! a clock to turn down, or when that does not help, big CPUs are parked one by one; at the critical temperature
//! the answer says so.

mod ipa;
mod look_ahead;
mod model;
pub mod network;
pub mod sensors;
mod step_wise;

use core::fmt;

pub use network::{Link, Network, Node};
pub use sensors::{MAX_SENSORS, Sensors};

use crate::{CoreType, CpuMask, Energy, Microwatts, MilliCelsius, Nanos};

/// The controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeatKind {
    /// Nothing is held back before the critical temperature nears.
    None,
    /// One level down for each poll above a trip, one back below it (`drivers/thermal/gov_step_wise.c`).
    StepWise,
    /// A PI controller for the power, split in proportion to what is asked for (`drivers/thermal/gov_power_allocator.c`).
    Ipa,
    /// The fastest pair of levels that stays below the limit at several points of the future.
    LookAhead,
}

impl HeatKind {
    /// The controller of that name, as in the boot argument `heat=`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "none" => Some(Self::None),
            "step-wise" => Some(Self::StepWise),
            "ipa" => Some(Self::Ipa),
            "look-ahead" => Some(Self::LookAhead),
            _ => None,
        }
    }
}

impl fmt::Display for HeatKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::None => "none",
            Self::StepWise => "step-wise",
            Self::Ipa => "ipa",
            Self::LookAhead => "look-ahead",
        })
    }
}

/// A passive trip of the step-wise governor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trip {
    /// Where it begins to act.
    pub at: MilliCelsius,
    /// How far below that it lets go.
    pub hysteresis: MilliCelsius,
    /// By how many levels each cluster is held back at most, by [`CoreType::index`].
    pub depth: [u8; 2],
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
    /// How many CPUs of each cluster were busy since then, in 1/1024.
    pub busy: [u32; 2],
    /// Whether clocks can be changed at all.
    pub scales: bool,
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

/// Above the limit by this much, big CPUs are parked, one at each poll; where clocks cannot be changed, from the limit on.
const PARK_ABOVE: i32 = 4_000;
/// So far below that they come back, one at a time ...
const RETURN_BELOW: i32 = 8_000;
/// ... and not more often than this.
const RETURN_AFTER: Nanos = Nanos::from_millis(2_000);

/// Watches the temperature.
#[derive(Clone, Debug)]
pub struct Heat {
    facts: &'static HeatFacts,
    sensors: Sensors,
    controller: Controller,
    parked: CpuMask,
    /// When a CPU was parked or came back last.
    parking: Nanos,
}

#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one in a system, and nothing to allocate from")]
enum Controller {
    None,
    StepWise(step_wise::StepWise),
    Ipa(ipa::Ipa),
    LookAhead(look_ahead::LookAhead),
}

impl Heat {
    /// A watch that begins cool.
    #[must_use]
    pub fn new(kind: HeatKind, facts: &'static HeatFacts, energy: &Energy) -> Self {
        let controller = match kind {
            HeatKind::None => Controller::None,
            HeatKind::StepWise => Controller::StepWise(step_wise::StepWise::new()),
            HeatKind::Ipa => Controller::Ipa(ipa::Ipa::new(facts, energy)),
            HeatKind::LookAhead => Controller::LookAhead(look_ahead::LookAhead::new(facts, energy)),
        };
        Self { facts, sensors: Sensors::new(), controller, parked: CpuMask::EMPTY, parking: Nanos::ZERO }
    }

    /// The sensors as they are believed.
    #[must_use]
    pub fn sensors(&self) -> &Sensors {
        &self.sensors
    }

    /// To be called once every [`HeatFacts::poll`]. `readings` has one entry for each sensor; [`None`] for one that did not answer.
    pub fn poll(
        &mut self,
        now: Nanos,
        readings: &[Option<MilliCelsius>],
        activity: &Activity,
        energy: &Energy,
    ) -> Caps {
        self.sensors.take(now, readings);
        let free = CoreType::BOTH.map(|core| energy.cluster(core).top());
        let blind = self.sensors.is_blind(now);
        let hottest = self.sensors.hottest();
        let top = match &mut self.controller {
            // Nothing is known of the temperature: as slow as possible is the only safe answer.
            _ if blind => [0; 2],
            Controller::None => free,
            Controller::StepWise(step_wise) => step_wise.poll(self.facts, hottest, free),
            Controller::Ipa(ipa) => ipa.poll(self.facts, hottest, activity, energy),
            Controller::LookAhead(look_ahead) => look_ahead.poll(self.facts, &self.sensors, activity, energy),
        };
        self.park(now, hottest, blind, activity.scales, energy.cluster(CoreType::Big).cpus);
        Caps { top, parked: self.parked, critical: hottest >= self.facts.critical }
    }

    /// The last resort, which needs no clock.
    fn park(&mut self, now: Nanos, hottest: MilliCelsius, blind: bool, scales: bool, big: CpuMask) {
        let above = if scales { PARK_ABOVE } else { 0 };
        let threshold = self.facts.limit.get() + above;
        if hottest.get() > threshold || blind && !scales {
            if let Some(cpu) = (big & !self.parked).iter().last() {
                self.parked.insert(cpu);
                self.parking = now;
            }
        } else if hottest.get() < threshold - RETURN_BELOW
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
