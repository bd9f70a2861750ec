//! The fastest clocks that can be held for ever.

use sched::CoreType;
use soc::exynos5422::HEAT;

use crate::heat::{Body, Surroundings};
use crate::plant::Plant;

/// The best pair of constant operating points (big, LITTLE) at which all CPUs can work for ever on work of one class without a
/// sensor above `limit` degrees, and its work per time in CPUs of full capacity times 1024.
#[must_use]
pub fn best_constant(
    plant: &Plant,
    class: usize,
    surroundings: &Surroundings,
    limit: f64,
) -> Option<([usize; 2], f64)> {
    let counts = CoreType::BOTH.map(|core| plant.cluster(core).len() as f64);
    let watts = |core: CoreType, level: usize| {
        let work = plant.busy_power(class, core, level) as f64 * counts[core.index()];
        (work + plant.idle_power(core, level) as f64) / 1e6
    };
    let speed = |core: CoreType, level: usize| plant.speed(class, core, level) as f64 / 16.0 * counts[core.index()];
    let mut best: Option<([usize; 2], f64)> = None;
    for big in 0..plant.levels(CoreType::Big) {
        for little in 0..plant.levels(CoreType::Little) {
            let throughput = speed(CoreType::Big, big) + speed(CoreType::Little, little);
            if best.is_some_and(|(_, most)| throughput <= most) {
                continue;
            }
            let mut body = Body::new(HEAT.network, surroundings);
            let node = watts(CoreType::Big, big) / counts[0];
            body.settle(&vec![node; HEAT.network.big.len()], watts(CoreType::Little, little));
            if body.hottest() <= limit {
                best = Some(([big, little], throughput));
            }
        }
    }
    best
}
