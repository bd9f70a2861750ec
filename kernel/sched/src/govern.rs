//! The slow loop: keeps a plan that fits what is going on.
//!
//! To be called every 10 to 50 ms and when a task ends or is created. Most calls only check that the plan in force still
//! holds; see [`Plan::check`] for what makes a new one necessary.

use crate::planner::{self, Limits};
use crate::{Breach, Demand, Energy, Nanos, Plan};

/// Between two plans at least this much time goes by, unless there was none before.
pub const PAUSE: Nanos = Nanos::from_millis(10);

/// A new plan must save this much of the old one's power, in 1/1024, to replace one that still holds. To move two dozen tasks costs about a
/// millisecond of one CPU once; in a plan's [lifetime](crate::plan::LIFETIME) half a per cent of a watt is five times as much.
const WORTH_MOVING: u32 = 5;

/// Keeps the plan.
#[derive(Clone, Debug, Default)]
pub struct Govern {
    plan: Plan,
    /// Where the next one is made.
    fresh: Plan,
    asked: Nanos,
    plans: u32,
    /// Time for which no plan held, up to the last call.
    without: Nanos,
    holds: bool,
}

/// What a call came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The plan holds.
    Kept,
    /// It was confirmed: a new one would hardly be better.
    Confirmed,
    /// There is a new one, for this reason.
    Replaced(Breach),
}

impl Govern {
    /// Without a plan.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            plan: Plan::none(),
            fresh: Plan::none(),
            asked: Nanos::ZERO,
            plans: 0,
            without: Nanos::ZERO,
            holds: false,
        }
    }

    /// The plan in force.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// How many plans were made.
    #[must_use]
    pub fn plans(&self) -> u32 {
        self.plans
    }

    /// For how long no plan has held, in all.
    #[must_use]
    pub fn without(&self) -> Nanos {
        self.without
    }

    /// Looks whether the plan still holds for `demands` within `limits`, and makes a new one if not.
    pub fn decide(&mut self, now: Nanos, demands: &[Demand], energy: &Energy, limits: &Limits) -> Outcome {
        let since = now.saturating_sub(self.asked);
        if !self.holds {
            self.without += since;
        }
        self.asked = now;
        let breach = match self.plan.check(now, demands, limits.top) {
            Ok(()) => {
                self.holds = self.plan.feasible;
                return Outcome::Kept;
            }
            Err(breach) => breach,
        };
        if self.plans > 0 && now.saturating_sub(self.plan.made) < PAUSE {
            self.holds = false;
            return Outcome::Kept;
        }
        let Self { plan, fresh, .. } = self;
        planner::plan_into(fresh, energy, demands, limits, plan, now);
        self.plans += 1;
        self.holds = fresh.feasible;
        let saved = u64::from(self.plan.power.get()).saturating_sub(u64::from(fresh.power.get()));
        let hardly_better = saved * 1024 < u64::from(self.plan.power.get()) * u64::from(WORTH_MOVING);
        if breach == Breach::Age && self.plan.feasible && hardly_better {
            self.plan.made = now;
            return Outcome::Confirmed;
        }
        core::mem::swap(&mut self.plan, &mut self.fresh);
        Outcome::Replaced(breach)
    }
}
