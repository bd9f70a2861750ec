//! Speed and power as they were measured, or as a device tree has them.

use crate::{CoreType, Microwatts, Opp, Rate};

/// One CPU at one operating point, for one class of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Work per time; [`Rate::FULL`] is the fastest CPU of the whole machine at its top.
    pub speed: Rate,
    /// What the CPU takes while it works, beyond what its cluster takes idle.
    pub busy: Microwatts,
}

/// Speed and power of a whole machine for one class of work. Each list has one entry per operating point of the kind,
/// in the same order; the idle lists hold what a cluster takes that is clocked, whatever its CPUs do.
#[derive(Debug, PartialEq, Eq)]
pub struct Profile {
    /// The class of work.
    pub name: &'static str,
    /// Where the figures come from.
    pub source: &'static str,
    /// The big cluster's points.
    pub big: &'static [Point],
    /// The LITTLE cluster's points.
    pub little: &'static [Point],
    /// What the big cluster takes idle.
    pub idle_big: &'static [Microwatts],
    /// What the LITTLE cluster takes idle.
    pub idle_little: &'static [Microwatts],
}

impl Profile {
    /// The points of one kind of core.
    #[must_use]
    pub const fn points(&self, core: CoreType) -> &'static [Point] {
        match core {
            CoreType::Big => self.big,
            CoreType::Little => self.little,
        }
    }

    /// The idle power of one kind of cluster.
    #[must_use]
    pub const fn idle(&self, core: CoreType) -> &'static [Microwatts] {
        match core {
            CoreType::Big => self.idle_big,
            CoreType::Little => self.idle_little,
        }
    }
}

/// The points of a cluster as a device tree describes them: speed proportional to the frequency, power by
/// `dynamic-power-coefficient` · f · V² (`drivers/opp/of.c` of Linux: µW per MHz per V²).
///
/// # Panics
/// If there are not `N` operating points.
#[must_use]
pub const fn derive<const N: usize>(opps: &[Opp], coefficient: u32, top_speed: Rate) -> [Point; N] {
    assert!(opps.len() == N, "one point for each operating point");
    let mut points = [Point { speed: Rate::ZERO, busy: Microwatts::ZERO }; N];
    let top = opps[N - 1].frequency.get() as u64;
    let mut index = 0;
    while index < N {
        let (kilohertz, microvolts) = (opps[index].frequency.get() as u64, opps[index].voltage.get() as u64);
        let power = coefficient as u64 * kilohertz / 1_000 * microvolts / 1_000_000 * microvolts / 1_000_000;
        let speed = (top_speed.get() as u64 * kilohertz + top / 2) / top;
        points[index] = Point { speed: Rate::new(speed as u32), busy: Microwatts::new(power as u32) };
        index += 1;
    }
    points
}
