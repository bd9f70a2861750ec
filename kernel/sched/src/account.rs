//! Who has used how much energy.
//!
//! Whoever runs is charged what its CPU takes beyond idle for as long. What the cluster takes for being clocked is
//! shared by those who run at that time. If it stays clocked when nobody does, whoever ran last is charged: it is for
//! him that it was switched on (the tail energy of Pathak, Hu and Zhang, EuroSys 2012). Where the price list does not
//! count idle power ([`IdleCost::Ignored`]) nobody is charged for it. Sums are kept in picojoules, so the accounts add
//! up to the whole, which a power sensor can check.

use crate::{CoreType, Energy, IdleCost, Nanos, Picojoules};

/// What one task has used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// By kind of core: while it ran, beyond idle.
    pub busy: [Picojoules; 2],
    /// Its share of what the clusters took idle.
    pub idle: [Picojoules; 2],
}

impl Account {
    /// Nothing used yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { busy: [Picojoules::ZERO; 2], idle: [Picojoules::ZERO; 2] }
    }

    /// Charges a stretch of running: for `span` at `level`, while so many CPUs of the cluster were busy, this one
    /// included.
    pub fn charge(&mut self, energy: &Energy, core: CoreType, level: usize, busy_cpus: u32, span: Nanos) {
        let facts = energy.cluster(core).level(level);
        self.busy[core.index()] += facts.busy.over(span);
        if energy.idle != IdleCost::Ignored {
            let share = facts.idle.over(span).get() / u64::from(busy_cpus.max(1));
            self.idle[core.index()] += Picojoules::new(share);
        }
    }

    /// Charges what a cluster took that was clocked at `level` for `span` without work, after this task, the last one,
    /// had left it.
    pub fn charge_rest(&mut self, energy: &Energy, core: CoreType, level: usize, span: Nanos) {
        if energy.idle != IdleCost::Ignored {
            self.idle[core.index()] += energy.cluster(core).level(level).idle.over(span);
        }
    }

    /// All of it.
    #[must_use]
    pub fn total(&self) -> Picojoules {
        let [big, little] = CoreType::BOTH.map(|core| self.busy[core.index()].get() + self.idle[core.index()].get());
        Picojoules::new(big + little)
    }

    /// Adds another task's.
    pub fn add(&mut self, other: &Self) {
        for index in 0..2 {
            self.busy[index] += other.busy[index];
            self.idle[index] += other.idle[index];
        }
    }
}

/// A factor between price list and power sensor for each cluster, where there is one (the Odroid XU3 has an INA231 on
/// either rail, the XU4 has none): accounts times this add up to the measured energy.
#[derive(Clone, Copy, Debug)]
pub struct Calibration {
    /// In 1/1024, by kind of core.
    factor: [u32; 2],
}

impl Calibration {
    /// The price list is taken as it is.
    #[must_use]
    pub const fn new() -> Self {
        Self { factor: [1024; 2] }
    }

    /// Over some time a sensor has measured `measured` on a cluster, and the accounts have come to `counted`. Moves the
    /// factor by a quarter of the difference; nonsense, more than four times off, changes nothing.
    pub fn learn(&mut self, core: CoreType, measured: Picojoules, counted: Picojoules) {
        let ratio = u128::from(measured.get()) * 1024 / u128::from(counted.get().max(1));
        let Ok(ratio @ 256..=4096) = u32::try_from(ratio) else { return };
        let factor = &mut self.factor[core.index()];
        *factor = (*factor * 3 + ratio).div_ceil(4);
    }

    /// An account with the factors applied.
    #[must_use]
    pub fn apply(&self, account: &Account) -> Picojoules {
        let of = |core: CoreType| {
            let index = core.index();
            let counted = u128::from(account.busy[index].get() + account.idle[index].get());
            u64::try_from(counted * u128::from(self.factor[index]) / 1024).unwrap_or(u64::MAX)
        };
        Picojoules::new(of(CoreType::Big) + of(CoreType::Little))
    }
}

impl Default for Calibration {
    fn default() -> Self {
        Self::new()
    }
}
