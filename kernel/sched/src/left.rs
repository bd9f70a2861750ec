//! The CPUs by what heat leaves them, which is what placement goes by.
//!
//! A cap can turn the order of the clusters round: of an A15 held at 600 MHz 307 of 1024 are left, less than the 377 of
//! an A7. CPUs of one capacity share a clock and so lose as much; each search therefore looks at one CPU of each
//! capacity.

use crate::{Capacity, CpuId, CpuMask, Cpus};

/// The CPU of `among` that has most left, lowest index first.
pub(crate) fn most_left(among: CpuMask, cpus: &impl Cpus) -> Option<CpuId> {
    one_of_each(among, cpus).max_by_key(|(left, _)| *left).map(|(_, cpu)| cpu)
}

/// The CPU of `among` that has least left of those that have room for `utilisation`, lowest index first.
pub(crate) fn least_fitting(among: CpuMask, utilisation: u32, cpus: &impl Cpus) -> Option<CpuId> {
    let fitting = one_of_each(among, cpus).filter(|(left, _)| left.fits(utilisation));
    fitting.min_by_key(|(left, _)| *left).map(|(_, cpu)| cpu)
}

/// Whether another CPU has clearly more left than `me`. On the tick of a CPU that nothing exceeds and that heat leaves
/// alone this is one look.
#[inline]
pub(crate) fn is_exceeded(me: CpuId, cpus: &impl Cpus) -> bool {
    let (mine, capacities) = (cpus.left(me), cpus.capacities());
    let exceeds = |cpu| cpus.left(cpu).clearly_exceeds(mine);
    mine < capacities.largest() && most_left(capacities.present(), cpus).is_some_and(exceeds)
}

/// For each capacity, least first, a CPU of `among` with what it has left.
fn one_of_each(among: CpuMask, cpus: &impl Cpus) -> impl Iterator<Item = (Capacity, CpuId)> {
    cpus.capacities().equals().filter_map(move |equals| {
        let cpu = (equals & among).first()?;
        Some((cpus.left(cpu), cpu))
    })
}
