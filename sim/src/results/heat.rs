//! Heat.

use sched::{CoreType, Nanos};

use super::{made, outcome, table};
use crate::bound::{best_constant, most_throughput};
use crate::heat::{Deviation, Disturbance, Surroundings};
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
        exceeds the limit, `bound` what no mixture of clocks and resting cores exceeds (linear programme).\n\n"
        .to_owned();
    let head = ["class, controller", "work/s", "/ constant", "/ bound", "hottest °C", "clock changes", "J"];
    let mut rows = Vec::new();
    for class in ["hash", "device-tree", "cache-resident", "encrypt", "gzip"] {
        let scenario = hot(made(&format!("soak:class={class},time=360s")), None);
        let scenario = scenario.warming_up(Nanos::from_millis(210_000));
        let air = Surroundings::default();
        let constant = best_constant(&scenario.plant, 0, &air, LIMIT).map_or(0.0, |best| best.1);
        let bound = most_throughput(&scenario.plant, 0, &air, LIMIT);
        for heat in ["none", "step-wise", "ipa", "look-ahead"] {
            let outcome = outcome(&scenario, &format!("gear/heat:{heat}"));
            rows.push(vec![
                format!("{class}, {heat}"),
                format!("{:.0}", outcome.throughput()),
                format!("{:.3}", outcome.throughput() / constant),
                format!("{:.3}", outcome.throughput() / bound),
                format!("{:.2}", outcome.hottest),
                outcome.counts.clock_changes.iter().sum::<u64>().to_string(),
                format!("{:.0}", outcome.joules()),
            ]);
        }
    }
    text += &table(&head, &rows);
    text += "\nWithout a controller (`none`) big CPUs are parked above the limit, which the policy always does. 1.1 times the work of \
        `step-wise` is above the bound for device-tree: that goal cannot be met there by anybody.\n\n";
    text + &other_bodies() + &alone()
}

/// Plants that the policy has not been told of.
fn other_bodies() -> String {
    let head = ["body, class", "air °C", "fan", "/ constant", "hottest °C", "clock changes"];
    let row = |seed: u64| {
        let class = ["device-tree", "hash", "cache-resident"][seed as usize % 3];
        let surroundings = Surroundings {
            ambient: 15.0 + 2.0 * seed as f64,
            fan: Some(seed as usize / 3 % 3),
            noise: 0.3,
            deviation: Deviation { seed, network: 0.25, power: 0.2 },
            ..Surroundings::default()
        };
        let mut scenario = hot(made(&format!("soak:class={class},time=400s")), None);
        scenario.heat = Some(surroundings.clone());
        let scenario = scenario.warming_up(Nanos::from_millis(200_000));
        let constant = best_constant(&scenario.plant, 0, &surroundings, LIMIT).map_or(0.0, |best| best.1);
        let outcome = outcome(&scenario, "gear/heat:look-ahead");
        vec![
            format!("{seed}, {class}"),
            format!("{:.0}", surroundings.ambient),
            (seed / 3 % 3).to_string(),
            format!("{:.3}", outcome.throughput() / constant),
            format!("{:.2}", outcome.hottest),
            outcome.counts.clock_changes.iter().sum::<u64>().to_string(),
        ]
    };
    let rows: Vec<Vec<String>> = (0..9).map(row).collect();
    format!(
        "`look-ahead` on bodies that are not those of its facts (each conductance and heat capacity ±25 %, power ±20 %, other air, other \
         fan; 200 s after 200 s):\n\n{}\n",
        table(&head, &rows)
    )
}

/// One loop on an A15: does it gain by going round?
fn alone() -> String {
    let head = ["class, loop", "work/s", "hottest °C", "moves", "clock changes"];
    let mut rows = Vec::new();
    for class in ["hash", "encrypt", "device-tree"] {
        let mut scenario = hot(made(&format!("soak:n=1,class={class},time=500s")), None);
        scenario.heat = Some(Surroundings { ambient: 40.0, noise: 0.3, ..Surroundings::default() });
        let scenario = scenario.warming_up(Nanos::from_millis(250_000));
        for (name, setup) in [("stays", "gear/heat:look-ahead/still"), ("goes round", "gear/heat:look-ahead")] {
            let outcome = outcome(&scenario, setup);
            rows.push(vec![
                format!("{class}, {name}"),
                format!("{:.0}", outcome.throughput()),
                format!("{:.2}", outcome.hottest),
                outcome.counts.moves.to_string(),
                outcome.counts.clock_changes.iter().sum::<u64>().to_string(),
            ]);
        }
    }
    format!("One endless loop, no fan, 40 °C, over 250 s after 250 s; 1024 is full speed:\n\n{}", table(&head, &rows))
}

/// The lost capacity as the scheduler is told of it: does it matter how it is averaged?
pub(super) fn pressure() -> String {
    let mut text = format!(
        "## Thermal pressure: how the lost capacity is averaged\n\n\
         Seed 5 (hikey960), none / instant / PELT / 500 / 250 / 125 ms: hackbench 10.21 / 10.16 / 9.88 / 9.94 / 7.52 / 9.87 s, \
         aobench 141.58 / 141.63 / 134.48 / 133.62 / 137.22 / 137.55 s, dhrystone 1.14 / 1.15 / 1.19 / 1.09 / 1.012 / 1.12 s, \
         deviations 4 to 16 %. Here: {RUNS} runs an arm with random starts. Mean seconds ± deviation; t is Welch's against \
         `none`, and counts for something above 2.1; the last column says how many runs an arm a difference of 5 % takes to be seen.\n\n\
         `hot`: step-wise control with noisy sensors, a chip at 84 °C when the run begins, no fan. `square`: somebody allows the A15 \
         600 MHz, where they are slower than an A7 at its top, and all, in turn for as long as is said.\n\n"
    );
    let kinds = ["none", "instant", "pelt", "500ms", "250ms", "125ms"];
    let head = ["bench", "policy", "none", "instant", "pelt", "500 ms", "250 ms", "125 ms", "runs for 5 %"];
    let row = |(request, square): &(&str, Option<u64>), policy: &str| -> Vec<String> {
        let arms = kinds.map(|kind| arm(request, *square, policy, kind));
        let base = arms[0].clone();
        let cells = arms.iter().enumerate().map(|(number, arm)| match number {
            0 => format!("{:.3} ± {:.3}", mean(arm), deviation(arm)),
            _ => format!("{:.3} ± {:.3} (t {:.1})", mean(arm), deviation(arm), welch(&base, arm)),
        });
        let name = square.map_or_else(|| format!("{request}, hot"), |millis| format!("{request}, square {millis} ms"));
        let needed = runs_for(0.05, deviation(&base) / mean(&base)).to_string();
        [name, policy.to_owned()].into_iter().chain(cells).chain([needed]).collect()
    };
    let of = |bench| ["eas", "gear/mean", "gear/energy"].map(|policy| row(bench, policy));
    let rows: Vec<Vec<String>> = PRESSED.iter().flat_map(of).collect();
    text += &table(&head, &rows);
    text += "\nVerdict: where |t| stays below 2.1 the way of averaging makes no difference that these runs could tell from chance. Where every \
        CPU is busy all the time (the three of the seed) capacity decides only how many tasks share a CPU, and what heat takes here is seldom \
        worth a whole task: many rows are the same runs in all columns. It matters where CPUs are left over and the order of the clusters \
        changes. There `gear/mean` gains as `eas` does; `gear/energy` gains as much in every column, as its planner knows the caps \
        themselves. An average about as long as the cap moves tasks at the wrong time: that can cost more than to hear nothing.\n";
    text
}

/// Request, and for how long the cap of the square wave stays.
const PRESSED: [(&str, Option<u64>); 6] = [
    ("hackbench:groups=1,loops=400", None),
    ("aobench:tiles=256,n=16", None),
    ("dhrystone:threads=20,work=2s", None),
    ("dhrystone:threads=4,work=4s", Some(1_000)),
    ("dhrystone:threads=4,work=4s", Some(150)),
    ("aobench:tiles=128,n=4", Some(300)),
];

fn arm(request: &str, square: Option<u64>, policy: &str, kind: &str) -> Vec<f64> {
    let once = |seed: u64| {
        let (start, control) = if square.is_some() { (None, "none") } else { (Some(84.0), "step-wise") };
        let mut scenario = hot(made(request), start);
        scenario.seed = seed;
        if let Some(millis) = square {
            scenario.disturbances = square_wave(millis);
        }
        let mut random = Random::new(seed);
        scenario.tasks.iter_mut().for_each(|task| task.start = random.below(20_000_000));
        outcome(&scenario, &format!("{policy}/heat:{control}/pressure:{kind}")).makespan()
    };
    (1..=RUNS).map(once).collect()
}

/// The A15 at 600 MHz at most, and at all, in turn, for a minute.
fn square_wave(millis: u64) -> Vec<(Nanos, Disturbance)> {
    let level = |turn: u64| if turn.is_multiple_of(2) { 4 } else { usize::MAX };
    let at = |turn: u64| (Nanos::from_millis(50 + turn * millis), Disturbance::Cap(CoreType::Big, level(turn)));
    (0..60_000 / millis).map(at).collect()
}

/// How many runs an arm it takes to see this difference four times in five, at the level of 5 %, with this deviation; both as parts of the mean.
fn runs_for(difference: f64, deviation: f64) -> u32 {
    let needed = 2.0 * ((1.96 + 0.84) * deviation / difference).powi(2);
    (needed.ceil() as u32).max(2)
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
        assert_eq!([0.01, 0.04, 0.13].map(|deviation| runs_for(0.05, deviation)), [2, 11, 106]);
    }
}
