//! What is known of a cluster and of a supply.

use super::Point;
use crate::exynos::clock::Cluster;
use crate::exynos::s2mps11::Rail;

/// A supply.
#[derive(Clone, Copy, Debug)]
pub(super) struct Supply {
    pub rail: Rail,
    /// It gives at least this; [`None`] before it was read.
    pub microvolts: Option<u32>,
    /// It stays as it is.
    pub frozen: bool,
}

impl Supply {
    pub fn new(rail: Rail) -> Self {
        Self { rail, microvolts: None, frozen: false }
    }

    pub fn reaches(&self, microvolts: u32) -> bool {
        self.microvolts.is_some_and(|is| is >= microvolts)
    }
}

/// A cluster.
#[derive(Clone, Copy, Debug)]
pub(super) struct Domain {
    pub cluster: Cluster,
    pub points: &'static [Point],
    pub level: usize,
    /// The level that the boot loader left, and at which voltage once that is known: that they go together is proven by
    /// the cores that run, whatever the table says.
    pub proven: (usize, Option<u32>),
    /// The clock stays as it is.
    pub frozen: bool,
}

impl Domain {
    pub fn new(cluster: Cluster, points: &'static [Point], kilohertz: u32) -> Self {
        let domain = Self { cluster, points, level: 0, proven: (0, None), frozen: false };
        let level = domain.level_of(kilohertz);
        Self { level, proven: (level, None), ..domain }
    }

    /// The highest level that a clock is not slower than.
    pub fn level_of(&self, kilohertz: u32) -> usize {
        self.points.iter().rposition(|point| point.speed.kilohertz() <= kilohertz).unwrap_or(0)
    }

    /// The voltage that a level needs, in microvolts.
    pub fn need(&self, level: usize) -> u32 {
        self.points[level].microvolts
    }

    /// The highest level at the voltage of the moment. A point that needs more than a faster one does is one of
    /// rounding, not of silicon.
    pub fn allowed(&self, supply: &Supply) -> usize {
        let by_table = self.points.iter().rposition(|point| supply.reaches(point.microvolts));
        let (level, at) = self.proven;
        let untouched = match (supply.microvolts, at) {
            (Some(is), Some(was)) => is >= was,
            _ => true,
        };
        by_table.into_iter().chain(untouched.then_some(level)).max().unwrap_or(0)
    }
}
