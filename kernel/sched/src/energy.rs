//! What work costs: speed and power of each cluster at each operating point.
//!
//! A [`Profile`] holds the facts for one class of work, measured or derived from a device tree; crate `soc` has
//! several. [`Energy`] is made of one of them for the CPUs that are present, once, and everything that weighs energy
//! looks it up. The cost that decides is power divided by speed, the energy of a unit of work: on one machine a LITTLE
//! core at its highest points may cost more than a big one at its lowest, for one class of work and not for another.

use crate::{CoreType, CpuMask, Machine, Rate};

mod cluster;
mod profile;

pub use cluster::{Cluster, Level, MAX_LEVELS};
pub use profile::{Point, Profile, derive};

/// When a cluster's idle power is paid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdleCost {
    /// It is not counted, as in Linux' energy model.
    #[default]
    Ignored,
    /// As long as the cluster has tasks: it is never switched off between their jobs.
    Always,
    /// Only while one of its CPUs works: the cluster is switched off when all sleep.
    Gated,
}

/// The price list of a machine for one class of work.
#[derive(Clone, Debug)]
pub struct Energy {
    clusters: [Cluster; 2],
    /// When idle power is paid.
    pub idle: IdleCost,
    /// With [`IdleCost::Gated`], the part of the time for which a cluster that is switched off between jobs stays on
    /// besides their time, in 1/16384: its CPUs do not fall idle together, and it takes time to come back. 0 if power
    /// comes and goes at once.
    pub restless: u32,
    ratio: u32,
}

impl Energy {
    /// The list for the CPUs of `machine` that are in `present`. Speeds are scaled so that the fastest of them is
    /// [`Rate::FULL`], as in [`CapacityTable`](crate::CapacityTable).
    #[must_use]
    pub fn new(machine: &Machine, present: CpuMask, profile: &Profile, idle: IdleCost) -> Self {
        let present = present & CpuMask::first_n(machine.cpus.len());
        let of = |core: CoreType| present.iter().filter(|cpu| machine.cpus[cpu.index()].kind.core == core).collect();
        let masks: [CpuMask; 2] = CoreType::BOTH.map(of);
        let top = |core: CoreType| profile.points(core).last().map_or(Rate::ZERO, |point| point.speed);
        let tops = CoreType::BOTH.map(top);
        let full = CoreType::BOTH
            .into_iter()
            .filter(|core| !masks[core.index()].is_empty())
            .map(|core| tops[core.index()])
            .max()
            .filter(|speed| *speed > Rate::ZERO)
            .unwrap_or(Rate::FULL);
        let cluster = |core: CoreType| Cluster::new(machine, core, masks[core.index()], profile, full);
        let ratio = tops[1].get() * 1024 / tops[0].get().max(1);
        Self { clusters: CoreType::BOTH.map(cluster), idle, restless: 0, ratio }
    }

    /// The cluster of that kind; without CPUs if there is none.
    #[inline]
    #[must_use]
    pub fn cluster(&self, core: CoreType) -> &Cluster {
        &self.clusters[core.index()]
    }

    /// Both clusters, the big one first.
    #[inline]
    #[must_use]
    pub fn clusters(&self) -> &[Cluster; 2] {
        &self.clusters
    }

    /// The speed of a LITTLE core at its top in 1/1024 of a big one's at its top, for this class of work.
    #[inline]
    #[must_use]
    pub fn ratio(&self) -> u32 {
        self.ratio
    }
}
