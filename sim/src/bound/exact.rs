//! Optima by trying everything.

use sched::CoreType;

use crate::plant::{IdlePower, Plant};

/// A way to spread tasks, each on one CPU, at constant clocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    /// Its mean power in milliwatts.
    pub milliwatts: f64,
    /// How many tasks are on the big cluster.
    pub big_tasks: usize,
    /// The operating points, by index: big, LITTLE; `None` for a cluster without tasks.
    pub levels: [Option<usize>; 2],
}

/// The best partition of `count` equal tasks that each need `work` full CPUs, of one class, so that `slack` of every
/// CPU's time is left (0.05 is 5 %). `None` if there is none.
#[must_use]
pub fn exact_equal(plant: &Plant, class: usize, count: usize, work: f64, slack: f64) -> Option<Partition> {
    let spread = |core: CoreType, tasks: usize| {
        let cpus = plant.cluster(core).len();
        (tasks == 0 || cpus > 0).then(|| (tasks.div_ceil(cpus.max(1)) as f64 * work, tasks as f64 * work))
    };
    let split = |big: usize| {
        let loads = [spread(CoreType::Big, big)?, spread(CoreType::Little, count - big)?];
        cheapest(plant, class, loads, slack, big)
    };
    (0..=count).filter_map(split).min_by(|one, other| one.milliwatts.total_cmp(&other.milliwatts))
}

/// The best partition of tasks of any size. Tries every way that is not the mirror image of another one, so it is for a
/// dozen tasks at most.
#[must_use]
pub fn exhaustive(plant: &Plant, class: usize, works: &[f64], slack: f64) -> Option<Partition> {
    let cpus = CoreType::BOTH.map(|core| plant.cluster(core).len());
    let mut best = None;
    let mut loads = [vec![0.0; cpus[0]], vec![0.0; cpus[1]]];
    let mut search = Search { plant, class, works, slack, best: &mut best };
    search.place(0, 0, &mut loads);
    best
}

struct Search<'a> {
    plant: &'a Plant,
    class: usize,
    works: &'a [f64],
    slack: f64,
    best: &'a mut Option<Partition>,
}

impl Search<'_> {
    fn place(&mut self, task: usize, big: usize, loads: &mut [Vec<f64>; 2]) {
        let Some(&work) = self.works.get(task) else {
            let summary = [0, 1].map(|side: usize| {
                let most = loads[side].iter().copied().fold(0.0, f64::max);
                (most, loads[side].iter().sum())
            });
            let found = cheapest(self.plant, self.class, summary, self.slack, big);
            let better = |found: &Partition| self.best.as_ref().is_none_or(|best| found.milliwatts < best.milliwatts);
            if let Some(found) = found.filter(better) {
                *self.best = Some(found);
            }
            return;
        };
        for side in 0..2 {
            for cpu in 0..loads[side].len() {
                // CPUs with equal loads are alike: only the first of them is tried.
                let before = loads[side][cpu];
                if loads[side][..cpu].iter().any(|load| (load - before).abs() < 1e-12) {
                    continue;
                }
                loads[side][cpu] += work;
                self.place(task + 1, big + usize::from(side == 0), loads);
                loads[side][cpu] = before;
            }
        }
    }
}

/// The cheapest pair of operating points for (greatest load of a CPU, sum of loads) of each cluster.
fn cheapest(plant: &Plant, class: usize, loads: [(f64, f64); 2], slack: f64, big_tasks: usize) -> Option<Partition> {
    let mut partition = Partition { milliwatts: 0.0, big_tasks, levels: [None; 2] };
    for core in CoreType::BOTH {
        let (most, sum) = loads[core.index()];
        if sum <= 0.0 {
            continue;
        }
        let power = |level: usize| {
            let speed = plant.speed(class, core, level) as f64 / 16_384.0;
            // The policy's tables are integers; a load that fits but for rounding fits.
            let fits = most / speed <= (1.0 - slack) * (1.0 + 1e-4);
            let idle = plant.idle_power(core, level) as f64;
            let paid = match plant.idle {
                IdlePower::None => 0.0,
                IdlePower::Lingers(_) | IdlePower::Sleeps => idle,
                // At best all CPUs work at once.
                IdlePower::Gated => idle * most / speed,
            };
            fits.then(|| (plant.busy_power(class, core, level) as f64 * sum / speed + paid, level))
        };
        let (microwatts, level) =
            (0..plant.levels(core)).filter_map(power).min_by(|one, other| one.0.total_cmp(&other.0))?;
        partition.milliwatts += microwatts / 1e3;
        partition.levels[core.index()] = Some(level);
    }
    Some(partition)
}
