//! Which policies a run is made with, and what they believe.

use sched::{
    CoreType, CpuFacts, CpuKind, Goal, Governor, GovernorKind, HeatKind, IdleCost, Machine, Nanos, Policy, PolicyKind,
    PressureKind, Profile,
};
use soc::exynos5422;

use crate::plant::{IdlePower, Plant, profile, profile_names};
use crate::scenario::Scenario;

/// Who sets the clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clocks {
    /// Nobody: they stay at these operating points, by index: big, LITTLE.
    Fixed([usize; 2]),
    /// One of the policy's governors.
    Governed(GovernorKind),
}

/// The policies of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Placement.
    pub policy: Policy,
    /// Clocks.
    pub clocks: Clocks,
    /// Who holds the clocks back on account of heat.
    pub heat: HeatKind,
    /// How the policy learns of the capacity that heat takes away.
    pub pressure: PressureKind,
    /// Whether a plan may give a task part of its time on one CPU and the rest on the next.
    pub split: bool,
    /// Whether jobs are held back so that a cluster's CPUs sleep together.
    pub rests: bool,
    /// Whether placement is told how hot each core is.
    pub rotates: bool,
    /// Whether tasks' cycles and instructions are counted.
    pub counters: bool,
    /// Whether a task is credited with more as soon as it overruns what is known of it.
    pub hurries: bool,
    /// What the policy believes of speed and power; without it, what is true for the first class of work.
    pub belief: Option<&'static Profile>,
    /// Whether the run is recorded in detail.
    pub record: bool,
}

impl Setup {
    /// A placement policy at full clocks, with true beliefs.
    #[must_use]
    pub fn new(kind: PolicyKind, goal: Goal) -> Self {
        let clocks = Clocks::Governed(GovernorKind::Performance);
        let (heat, pressure) = (HeatKind::None, PressureKind::None);
        Self {
            policy: Policy { kind, goal },
            clocks,
            heat,
            pressure,
            split: false,
            rests: false,
            rotates: true,
            counters: true,
            hurries: true,
            belief: None,
            record: false,
        }
    }

    /// The setup that `text` names: a placement policy, then, separated by slashes and in any order, what differs from
    /// what goes with it: a goal, a governor, `heat:…`, `pressure:…`, `whole` (no task is cut in two), `rest` (jobs are
    /// held back so that clusters can be switched off), `still` (placement ignores how hot each core is), `uncounted`,
    /// `unhurried` (no fast ramp), `fixed:BIG:LITTLE` (MHz), `belief:CLASS`.
    ///
    /// | policy | goes with it |
    /// |---|---|
    /// | `pinned`, `pull`, `gear` | goal mean, governor performance |
    /// | `gear/energy` | governor planner |
    /// | `eas`, `walt` | governor schedutil, and the belief of the device tree, as on Linux |
    ///
    /// # Errors
    /// What was expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut words = text.split('/');
        let name = words.next().unwrap_or_default();
        let kind = PolicyKind::parse(name)
            .ok_or_else(|| format!("expected a policy (pinned, pull, gear, eas, walt), found \"{name}\""))?;
        let (goals, rest): (Vec<&str>, Vec<&str>) = words.partition(|word| Goal::parse(word).is_some());
        if goals.len() > usize::from(kind == PolicyKind::Gear) {
            return Err(format!("expected a goal for gear alone, and one at most; found \"{text}\""));
        }
        let goal = goals.first().and_then(|word| Goal::parse(word)).unwrap_or(Goal::Mean);
        let mut setup = Self::new(kind, goal);
        match (kind, goal) {
            (PolicyKind::Eas | PolicyKind::Walt, _) => {
                setup = setup.governed(GovernorKind::Schedutil);
                setup.belief = Some(&exynos5422::DEVICE_TREE);
            }
            (PolicyKind::Gear, Goal::Energy) => {
                setup = setup.governed(GovernorKind::Planner);
                setup.split = true;
            }
            _ => {}
        }
        for (at, word) in rest.iter().enumerate() {
            setup.apply(word)?;
            if rest[..at].iter().any(|before| subject(before) == subject(word)) {
                return Err(format!("expected one word of its kind, found a second one in \"{word}\""));
            }
        }
        Ok(setup)
    }

    fn apply(&mut self, word: &str) -> Result<(), String> {
        let (key, value) = word.split_once(':').unwrap_or((word, ""));
        match key {
            "whole" if !self.split => return Err("expected whole with gear/energy, which alone cuts tasks".to_owned()),
            "whole" => self.split = false,
            "rest" => (self.rests, self.split) = (true, false),
            "pressure" => {
                self.pressure = PressureKind::parse(value)
                    .ok_or_else(|| format!("expected pressure:none, instant, pelt or a time; found \"{word}\""))?;
            }
            "heat" => {
                self.heat = HeatKind::parse(value)
                    .ok_or_else(|| format!("expected heat:none, step-wise, ipa or look-ahead; found \"{word}\""))?;
            }
            "uncounted" => self.counters = false,
            "unhurried" => self.hurries = false,
            "still" => self.rotates = false,
            "belief" => {
                let known = profile(value);
                self.belief = Some(known.ok_or_else(|| format!("expected belief:CLASS, of {}", profile_names()))?);
            }
            "fixed" => {
                let wrong = || format!("expected fixed:BIG:LITTLE in MHz, found \"{word}\"");
                let (big, little) = value.split_once(':').ok_or_else(wrong)?;
                let level = |kind: &CpuKind, text: &str| {
                    let megahertz: u32 = text.parse().ok()?;
                    kind.opps.iter().position(|opp| opp.frequency.get() == megahertz * 1_000)
                };
                let big = level(&exynos5422::CORTEX_A15, big).ok_or_else(wrong)?;
                let little = level(&exynos5422::CORTEX_A7, little).ok_or_else(wrong)?;
                self.clocks = Clocks::Fixed([big, little]);
            }
            _ => {
                let governor = GovernorKind::parse(word).ok_or_else(|| {
                    format!("expected a goal, a governor, whole, rest, uncounted, unhurried, fixed:BIG:LITTLE or belief:CLASS; found \"{word}\"")
                })?;
                self.clocks = Clocks::Governed(governor);
            }
        }
        Ok(())
    }

    /// Whether all that it asks for can make a difference in a scenario. A word that does nothing would have rows that
    /// are alike mean something.
    ///
    /// # Errors
    /// What was expected.
    pub fn suits(&self, scenario: &Scenario) -> Result<(), String> {
        let heat = match (self.heat, self.pressure, self.rotates) {
            (HeatKind::None, PressureKind::None, true) => return Ok(()),
            (HeatKind::None, PressureKind::None, false) => "still",
            (HeatKind::None, ..) => "pressure:…",
            _ => "heat:…",
        };
        match scenario.heat {
            Some(_) => Ok(()),
            None => Err(format!(
                "expected a scenario with heat for {heat}: one with a table [heat], or the benchmark soak; {} has none",
                scenario.name
            )),
        }
    }

    /// The same with a governor.
    fn governed(self, kind: GovernorKind) -> Self {
        Self { clocks: Clocks::Governed(kind), ..self }
    }

    pub(crate) fn profile(&self, plant: &Plant) -> &'static Profile {
        self.belief.unwrap_or(plant.classes[0])
    }

    pub(crate) fn idle_cost(&self, plant: &Plant) -> IdleCost {
        match plant.idle {
            IdlePower::None => IdleCost::Ignored,
            IdlePower::Sleeps if self.rests => IdleCost::Gated,
            IdlePower::Lingers(_) | IdlePower::Sleeps => IdleCost::Always,
            IdlePower::Gated => IdleCost::Gated,
        }
    }

    /// The machine as the policy believes it to be: its capacities agree with the profile.
    pub(crate) fn machine(&self, plant: &Plant) -> &'static Machine {
        let profile = self.profile(plant);
        if std::ptr::eq(profile, &raw const exynos5422::DEVICE_TREE) {
            return plant.machine;
        }
        calibrated(plant.machine, profile)
    }

    /// Machines come up with their clocks as high as they go, unless somebody has fixed them.
    pub(crate) fn first_level(&self, plant: &Plant, core: CoreType) -> usize {
        let top = plant.levels(core) - 1;
        match self.clocks {
            Clocks::Fixed(levels) => levels[core.index()].min(top),
            Clocks::Governed(_) => top,
        }
    }

    pub(crate) fn governor(&self, plant: &Plant, core: CoreType) -> Governor {
        let kind = match self.clocks {
            Clocks::Governed(kind) => kind,
            Clocks::Fixed(_) => GovernorKind::Performance,
        };
        Governor::new(kind, Nanos::new(plant.costs.clock), self.first_level(plant, core))
    }

    /// Whether clocks can be changed.
    pub(crate) fn scales(&self) -> bool {
        !matches!(self.clocks, Clocks::Fixed(_))
    }

    /// Whether there is a plan.
    pub(crate) fn plans(&self) -> bool {
        self.policy.kind == PolicyKind::Gear && self.policy.goal == Goal::Energy
            || self.clocks == Clocks::Governed(GovernorKind::Planner)
    }
}

/// What a word of a setup is about: two words about the same contradict each other.
fn subject(word: &str) -> &str {
    match word.split_once(':').map_or(word, |(key, _)| key) {
        key if key == "fixed" || GovernorKind::parse(key).is_some() => "clocks",
        key => key,
    }
}

/// `machine` with the work per cycle that gives the top speeds of `profile`. Facts are static for the policy, so they
/// are made once a run and stay; that is a few hundred bytes.
fn calibrated(machine: &'static Machine, profile: &Profile) -> &'static Machine {
    let kinds = CoreType::BOTH.map(|core| {
        let like = machine.cpus.iter().map(|cpu| cpu.kind).find(|kind| kind.core == core)?;
        let speed = profile.points(core).last().map_or(0, |point| u64::from(point.speed.get()));
        let kilohertz = like.opps.last().map_or(1, |opp| u64::from(opp.frequency.get()));
        // So fine that the capacity comes out right: 2^20 for the big core of the table.
        let per_mhz = (speed << 36) / (1 << 14) / kilohertz;
        let dmips_per_mhz = u32::try_from(per_mhz).unwrap_or(u32::MAX);
        Some(&*Box::leak(Box::new(CpuKind { core, dmips_per_mhz, opps: like.opps })))
    });
    let cpus = machine.cpus.iter().map(|cpu| {
        let kind = kinds[cpu.kind.core.index()].unwrap_or(cpu.kind);
        CpuFacts { mpidr: cpu.mpidr, kind }
    });
    let cpus: &'static [CpuFacts] = Box::leak(cpus.collect());
    Box::leak(Box::new(Machine { name: machine.name, cpus }))
}

#[cfg(test)]
mod tests;
