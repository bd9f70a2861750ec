//! The work that can be done for ever below a temperature.

use sched::CoreType;
use soc::exynos5422::HEAT;

use crate::heat::{Body, Surroundings};
use crate::plant::Plant;

/// The best pair of constant operating points (big, LITTLE) at which all CPUs can work for ever on work of one class
/// without a sensor above `limit` degrees, and its work per time in CPUs of full capacity times 1024.
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

/// No policy does more work of one class per time for ever without a sensor above `limit` degrees, in CPUs of full
/// capacity times 1024.
///
/// The mean temperature of a sensor is linear in the mean power of each core, so what any mixture of operating points,
/// resting cores and powerless clusters can do is a linear programme. Every price for heat at the sensors gives an
/// upper bound of it (weak duality), and at a price each core and cluster can be judged alone; the lowest of many such
/// bounds is returned.
#[must_use]
pub fn most_throughput(plant: &Plant, class: usize, surroundings: &Surroundings, limit: f64) -> f64 {
    let rises = Body::new(HEAT.network, surroundings).rises();
    let room = limit - surroundings.ambient;
    let mut prices = vec![10.0; HEAT.network.sensors.len()];
    let mut least = f64::INFINITY;
    for round in 0..20_000 {
        let (bound, slopes) = at_prices(plant, class, &rises, &prices, room);
        least = least.min(bound);
        let steepness = slopes.iter().map(|slope| slope * slope).sum::<f64>().sqrt().max(1e-9);
        let step = 20.0 / f64::from(round + 1).sqrt() / steepness;
        prices.iter_mut().zip(slopes).for_each(|(price, slope)| *price = (*price - step * slope).max(0.0));
    }
    least
}

/// The bound at these prices for a degree at each sensor, and how it changes with each of them.
fn at_prices(plant: &Plant, class: usize, rises: &[Vec<f64>], prices: &[f64], room: f64) -> (f64, Vec<f64>) {
    let dot = |rise: &Vec<f64>| rise.iter().zip(prices).map(|(rise, price)| rise * price).sum::<f64>();
    let sources: Vec<f64> = rises.iter().map(dot).collect();
    let (little, big) = (sources[sources.len() - 1], &sources[..sources.len() - 1]);
    let mut bound = prices.iter().sum::<f64>() * room;
    let mut slopes = vec![room; prices.len()];
    for core in CoreType::BOTH {
        let count = plant.cluster(core).len();
        let source = |cpu: usize| if core == CoreType::Big { cpu } else { rises.len() - 1 };
        let price = |cpu: usize| if core == CoreType::Big { big[cpu] } else { little };
        let gain = |level: usize, cpu: usize| {
            let watts = plant.busy_power(class, core, level) as f64 / 1e6;
            (plant.speed(class, core, level) as f64 / 16.0 - price(cpu) * watts).max(0.0)
        };
        let idle = |level: usize| plant.idle_power(core, level) as f64 / 1e6 / count.max(1) as f64;
        let value = |level: usize| (0..count).map(|cpu| gain(level, cpu) - price(cpu) * idle(level)).sum::<f64>();
        let best = (0..plant.levels(core)).max_by(|&one, &other| value(one).total_cmp(&value(other)));
        let Some(level) = best.filter(|&level| value(level) > 0.0) else { continue };
        bound += value(level);
        for cpu in 0..count {
            let works = gain(level, cpu) > 0.0;
            let watts = idle(level) + if works { plant.busy_power(class, core, level) as f64 / 1e6 } else { 0.0 };
            slopes.iter_mut().zip(&rises[source(cpu)]).for_each(|(slope, rise)| *slope -= rise * watts);
        }
    }
    (bound, slopes)
}
