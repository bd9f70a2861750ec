//! Heat.

use sched::Nanos;

use super::{made, outcome, table};
use crate::bound::best_constant;
use crate::heat::Surroundings;
use crate::plant::IdlePower;
use crate::random::Random;
use crate::scenario::Scenario;

const LIMIT: f64 = 85.0;
/// Runs of each arm of the pressure table: enough to see a difference of 5 % with a deviation of 4 %.
const RUNS: u64 = 11;

fn hot(mut scenario: Scenario, start: Option<f64>) -> Scenario {
    scenario.heat = Some(Surroundings { start, noise: 0.3, ..Surroundings::default() });
    scenario.plant.idle = IdlePower::Lingers(20_000_000);
    scenario
}

pub(super) fn controllers() -> String {
    let mut text = "## Heat: eight endless loops, no fan, 25 °C, a limit of 85 °C\n\n\
        Work per time in CPUs of full capacity times 1024, over 150 s after 210 s. `constant` is the best pair of clocks that never \
        exceeds the limit.\n\n"
        .to_owned();
    let head = ["class, controller", "work/s", "/ constant", "hottest °C", "clock changes", "J"];
    let mut rows = Vec::new();
    for class in ["hash", "device-tree"] {
        let scenario = hot(made(&format!("soak:class={class},time=360s")), None);
        let scenario = scenario.warming_up(Nanos::from_millis(210_000));
        let constant = best_constant(&scenario.plant, 0, &Surroundings::default(), LIMIT).map_or(0.0, |best| best.1);
        for heat in ["none", "step-wise", "ipa", "look-ahead"] {
            let outcome = outcome(&scenario, &format!("gear/heat:{heat}"));
            rows.push(vec![
                format!("{class}, {heat}"),
                format!("{:.0}", outcome.throughput()),
                format!("{:.3}", outcome.throughput() / constant),
                format!("{:.2}", outcome.hottest),
                outcome.counts.clock_changes.iter().sum::<u64>().to_string(),
                format!("{:.0}", outcome.joules()),
            ]);
        }
    }
    text += &table(&head, &rows);
    text + "\nWithout a controller (`none`) big CPUs are parked above the limit, which the policy always does.\n"
}

/// The lost capacity as the scheduler is told of it: does it matter how it is averaged?
pub(super) fn pressure() -> String {
    let mut text = format!(
        "## Thermal pressure: how the lost capacity is averaged\n\n\
         Seed 5 (hikey960), none / instant / PELT / 500 / 250 / 125 ms: hackbench 10.21 / 10.16 / 9.88 / 9.94 / 7.52 / 9.87 s, \
         aobench 141.58 / 141.63 / 134.48 / 133.62 / 137.22 / 137.55 s, dhrystone 1.14 / 1.15 / 1.19 / 1.09 / 1.012 / 1.12 s, \
         deviations 4 to 16 %. Here: policy `eas`, step-wise control with noisy sensors, a chip at 70 °C when the run begins, no fan; {RUNS} \
         runs an arm with random starts. Mean seconds ± deviation; t is Welch's against `none`, and counts for something above 2.1.\n\n"
    );
    let kinds = ["none", "instant", "pelt", "500ms", "250ms", "125ms"];
    let requests = ["hackbench:groups=1,loops=150", "aobench:tiles=256,n=16", "dhrystone:threads=20,work=4s"];
    let head = ["bench", "none", "instant", "pelt", "500 ms", "250 ms", "125 ms"];
    let row = |request: &&str| {
        let arms = kinds.map(|kind| arm(request, kind));
        let base = arms[0].clone();
        let cells = arms.iter().enumerate().map(|(number, arm)| match number {
            0 => format!("{:.3} ± {:.3}", mean(arm), deviation(arm)),
            _ => format!("{:.3} ± {:.3} (t {:.1})", mean(arm), deviation(arm), welch(&base, arm)),
        });
        [(*request).to_owned()].into_iter().chain(cells).collect()
    };
    let rows: Vec<Vec<String>> = requests.iter().map(row).collect();
    text += &table(&head, &rows);
    text += "\nVerdict: where |t| stays below 2.1 the way of averaging makes no difference that these runs could tell from chance.\n";
    text
}

fn arm(request: &str, kind: &str) -> Vec<f64> {
    let once = |seed: u64| {
        let mut scenario = hot(made(request), Some(70.0));
        scenario.seed = seed;
        let mut random = Random::new(seed);
        scenario.tasks.iter_mut().for_each(|task| task.start = random.below(20_000_000));
        outcome(&scenario, &format!("eas/heat:step-wise/pressure:{kind}")).makespan()
    };
    (1..=RUNS).map(once).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)
}

fn deviation(values: &[f64]) -> f64 {
    variance(values).sqrt()
}

/// Welch's t of two samples; 0 if neither varies.
fn welch(one: &[f64], other: &[f64]) -> f64 {
    let error = (variance(one) / one.len() as f64 + variance(other) / other.len() as f64).sqrt();
    if error > 0.0 { (mean(other) - mean(one)) / error } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn welch_is_that_of_the_textbook() {
        let (one, other) = ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]);
        assert!((welch(&one, &other) - 3.674).abs() < 0.001);
        assert!((deviation(&one) - 1.0).abs() < 1e-12);
        assert_eq!(welch(&[2.0, 2.0], &[2.0, 2.0]), 0.0);
    }
}
