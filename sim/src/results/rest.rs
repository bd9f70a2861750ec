//! Clusters that are switched off between jobs.

use sched::CoreType;

use super::energy::{linux, scattered, warm};
use super::{outcome, table};
use crate::outcome::Outcome;
use crate::plant::IdlePower;

const SEEDS: u64 = 5;

/// Means over the seeds.
#[derive(Default)]
struct Mean {
    milliwatts: f64,
    off: [f64; 2],
    misses: u64,
}

impl Mean {
    fn add(&mut self, outcome: &Outcome) {
        self.milliwatts += outcome.milliwatts() / SEEDS as f64;
        self.misses += outcome.misses();
        for core in CoreType::BOTH {
            let off = outcome.off[core.index()].as_nanos() as f64 / 1e9 / outcome.span();
            self.off[core.index()] += off * 100.0 / SEEDS as f64;
        }
    }

    fn cells(&self) -> [String; 2] {
        let missed = if self.misses > 0 { format!(" ({} missed)", self.misses) } else { String::new() };
        [format!("{:.0}{missed}", self.milliwatts), format!("{:.0} / {:.0}", self.off[0], self.off[1])]
    }
}

pub(super) fn rest() -> String {
    let text = "## Clusters without power between jobs\n\n\
        Tasks of 16 ms and 10 % of an A7 (24 of them are case B) that begin anywhere in their period, five seeds. Here a cluster draws idle power \
        until it is switched off, which it is when all its CPUs sleep and no timer is due for 2 ms (A15) or 2.5 ms (A7); 0.5 and 0.7 ms later it can \
        work again (`drivers/cpuidle/cpuidle-big_little.c`; Linux does not do it on this board). `leaky-200` and `leaky-400` are the device tree with 200 and 400 mW \
        of static power of the A15 cluster at its top voltage, a fifth for the A7s; the measured classes have measured idle power. Power in mW, and \
        the part of the time without power in %, big / LITTLE. `eas` from its best start; `ours` keeps tasks whole; with common rest jobs are held back \
        within their deadlines so that the CPUs of a cluster sleep together (`gear/energy/rest`).\n\n";
    let head = ["class, tasks", "eas", "off", "ours", "off", "with common rest", "off", "ours / eas", "rest / ours"];
    let rows = ["leaky-200", "leaky-400", "hash", "cache-killer"]
        .into_iter()
        .flat_map(|class| [24, 20, 16, 12].map(|count| row(class, count)));
    text.to_owned() + &table(&head, &rows.collect::<Vec<_>>())
}

fn row(class: &str, count: u32) -> Vec<String> {
    let mut means = [Mean::default(), Mean::default(), Mean::default()];
    for seed in 1..=SEEDS {
        let mut scenario = scattered(warm(&format!("periodic:n={count},of=little,class={class},time=6s")), seed);
        scenario.plant.idle = IdlePower::Sleeps;
        let best = linux(&scenario).0.into_iter().min_by_key(|outcome| (outcome.misses(), outcome.energy.total()));
        best.iter().for_each(|outcome| means[0].add(outcome));
        means[1].add(&outcome(&scenario, "gear/energy/whole"));
        means[2].add(&outcome(&scenario, "gear/energy/rest"));
    }
    let ratio = |one: usize, other: usize| format!("{:.3}", means[one].milliwatts / means[other].milliwatts);
    let cells = means.iter().flat_map(Mean::cells);
    [format!("{class}, {count}")].into_iter().chain(cells).chain([ratio(1, 0), ratio(2, 1)]).collect()
}
