//! Linux' power allocator: how much power may be used follows from the distance to the limit, who gets it from who asks
//! for it.
//!
//! `P = sustainable + k_p · e + k_i · Σ e`, with a gain for too hot and the double of it for too cool, the sum taken
//! over errors of too hot only (the kernel's defaults). The request of a cluster is its power at the present clock, so
//! one that is held back asks for less than it would like: the source says so itself.

use super::{Activity, HeatFacts, MilliCelsius, cluster_power};
use crate::{CoreType, Energy};

#[derive(Clone, Debug)]
pub(super) struct Ipa {
    /// Milliwatts per kelvin: too hot, too cool, and for the sum.
    too_hot: i64,
    too_cool: i64,
    integral_gain: i64,
    /// Kelvin · polls, in thousandths; never positive.
    integral: i64,
    most: [u32; 2],
}

impl Ipa {
    /// Knows no machine yet.
    pub const NEW: Self = Self { too_hot: 0, too_cool: 0, integral_gain: 0, integral: 0, most: [0; 2] };

    pub fn start(&mut self, facts: &HeatFacts, energy: &Energy) {
        let range = i64::from(facts.limit.get() - facts.switch_on.get()).max(1_000) / 1_000;
        let too_hot = i64::from(facts.sustainable.get()) / 1_000 / range;
        let most = CoreType::BOTH.map(|core| {
            let cluster = energy.cluster(core);
            cluster_power(energy, core, cluster.top(), cluster.cpus.len() as u32 * 1024)
        });
        *self = Self { too_hot, too_cool: 2 * too_hot, integral_gain: (2 * too_hot / 10).max(1), integral: 0, most };
    }

    pub fn poll(
        &mut self,
        facts: &HeatFacts,
        hottest: MilliCelsius,
        activity: &Activity,
        energy: &Energy,
    ) -> [usize; 2] {
        if hottest < facts.switch_on {
            self.integral = 0;
            return CoreType::BOTH.map(|core| energy.cluster(core).top());
        }
        let budget = self.budget(facts, hottest);
        let busy = CoreType::BOTH.map(|core| activity.busy_in(energy.cluster(core).cpus));
        let power = |core: CoreType| cluster_power(energy, core, activity.levels[core.index()], busy[core.index()]);
        let grants = self.split(budget, CoreType::BOTH.map(power));
        CoreType::BOTH.map(|core| highest_within(energy, core, grants[core.index()], busy[core.index()]))
    }

    /// In microwatts.
    fn budget(&mut self, facts: &HeatFacts, hottest: MilliCelsius) -> u64 {
        let error = i64::from(facts.limit.get() - hottest.get());
        if error < 0 {
            self.integral += error;
        }
        let gain = if error < 0 { self.too_hot } else { self.too_cool };
        let most: u32 = self.most.iter().sum();
        let power = i64::from(facts.sustainable.get()) + gain * error + self.integral_gain * self.integral;
        power.clamp(0, i64::from(most)).unsigned_abs()
    }

    /// In proportion to the requests; what one cannot use, the other one gets.
    fn split(&self, budget: u64, request: [u32; 2]) -> [u64; 2] {
        let total: u64 = request.iter().map(|power| u64::from(*power)).sum::<u64>().max(1);
        let share = |index: usize| budget * u64::from(request[index]) / total;
        let most = self.most.map(u64::from);
        let grants = [share(0).min(most[0]), share(1).min(most[1])];
        let left = budget.saturating_sub(grants[0] + grants[1]);
        [0, 1].map(|index| (grants[index] + left).min(most[index]).max(grants[index]))
    }
}

/// The highest level at which the cluster's present load stays within the grant.
fn highest_within(energy: &Energy, core: CoreType, grant: u64, busy: u32) -> usize {
    let fits = |level: &usize| u64::from(cluster_power(energy, core, *level, busy)) <= grant;
    (0..=energy.cluster(core).top()).rev().find(fits).unwrap_or(0)
}
