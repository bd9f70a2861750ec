//! Tasks by the clock.

use sched::{CpuMask, Nanos};

use super::{made, outcome, table};
use crate::outcome::Outcome;
use crate::report::Bounds;
use crate::scenario::Scenario;

const CLASSES: [&str; 6] = ["device-tree", "hash", "encrypt", "gzip", "cache-resident", "cache-killer"];

fn warm(text: &str) -> Scenario {
    made(text).warming_up(Nanos::from_millis(2_000))
}

/// Power, and missed deadlines if there are any.
fn cell(outcome: &Outcome) -> String {
    match outcome.misses() {
        0 => format!("{:.0}", outcome.milliwatts()),
        misses => format!("{:.0} ({misses} missed)", outcome.milliwatts()),
    }
}

pub(super) fn periodic() -> String {
    let mut text = "## 24 tasks, 16 ms, 10 %\n\n\
        Seed 2 (24 rt-app tasks on an XU3): 21.56 J without, 19.85 J with energy-aware scheduling, -7.9 %. Mean power in mW over 10 s \
        after 2 s, released together; A: 10 % of an A15, B: 10 % of an A7, each at its top. `exact` is the best partition at \
        constant clocks with 5 % of slack, `floor` divides tasks and switches clocks at will. `eas` believes the device tree, ours the \
        table of the class. `cargo xtask sim periodic:of=big,class=hash,time=12s`\n\n"
        .to_owned();
    let head = ["case, class", "floor", "exact", "big first", "no energy", "eas", "ours", "ours / exact", "ours / eas"];
    let mut rows = Vec::new();
    for (case, of) in [("A", "big"), ("B", "little")] {
        for class in CLASSES {
            rows.push(periodic_row(case, of, class));
        }
    }
    text += &table(&head, &rows);
    text += "\nOther loads, device tree: tasks of 10 % of an A15, exact and ours in mW; random phases.\n\n";
    let rows: Vec<_> = [8, 16, 24, 32].into_iter().map(load_row).collect();
    text + &table(&["tasks", "exact", "eas", "ours", "ours / exact"], &rows)
}

fn periodic_row(case: &str, of: &str, class: &str) -> Vec<String> {
    let scenario = warm(&format!("periodic:of={of},class={class},time=12s"));
    let bounds = Bounds::of(&scenario);
    let (exact, floor) = (bounds.exact.unwrap_or(0.0), bounds.floor.unwrap_or(0.0));
    let (eas, ours) = (outcome(&scenario, "eas"), outcome(&scenario, "gear/energy"));
    let free = outcome(&scenario, "pull/schedutil");
    let mut big = scenario.clone();
    big.tasks.iter_mut().for_each(|task| task.affinity = CpuMask::from_bits(0xf0));
    let big = outcome(&big, "pull/schedutil");
    let bounds = [format!("{case}, {class}"), format!("{floor:.0}"), format!("{exact:.0}")];
    let cells = [&big, &free, &eas, &ours].map(cell);
    let ratios = [ours.milliwatts() / exact, ours.milliwatts() / eas.milliwatts()].map(|ratio| format!("{ratio:.3}"));
    bounds.into_iter().chain(cells).chain(ratios).collect()
}

fn load_row(count: u32) -> Vec<String> {
    let mut scenario = warm(&format!("periodic:n={count},time=7s"));
    let mut random = crate::random::Random::new(u64::from(count));
    scenario.tasks.iter_mut().for_each(|task| task.start = random.below(16_000_000));
    let exact = Bounds::of(&scenario).exact.unwrap_or(0.0);
    let (eas, ours) = (outcome(&scenario, "eas"), outcome(&scenario, "gear/energy"));
    let ratio = format!("{:.3}", ours.milliwatts() / exact);
    vec![count.to_string(), format!("{exact:.0}"), cell(&eas), cell(&ours), ratio]
}

pub(super) fn busy() -> String {
    let mut text = "## 24 small tasks and some that never rest\n\n\
        The small set alone, in mW, case B on the device tree; in brackets the work of the busy ones in full CPUs. One busy CPU \
        turns energy-aware placement off on Linux (ARM-software/lisa, pull request 810). \
        `cargo xtask sim periodic:of=little,busy=1`\n\n"
        .to_owned();
    let small = |outcome: &Outcome| outcome.joules_of(|task| task.name == "small") / outcome.span() * 1e3;
    let hungry = |outcome: &Outcome| {
        let work = outcome.tasks.iter().filter(|task| task.name == "busy").map(|task| task.statistics.work >> 14);
        work.sum::<u64>() as f64 / 1e9 / outcome.span()
    };
    let row = |busy: u32| {
        let scenario = warm(&format!("periodic:of=little,busy={busy},time=7s"));
        let outcomes = ["pull/schedutil", "eas", "gear/energy"].map(|policy| outcome(&scenario, policy));
        let cells = outcomes.map(|outcome| {
            let missed = if outcome.misses() > 0 { format!(", {} missed", outcome.misses()) } else { String::new() };
            format!("{:.0} ({:.2}{missed})", small(&outcome), hungry(&outcome))
        });
        [busy.to_string()].into_iter().chain(cells).collect()
    };
    let rows: Vec<Vec<String>> = (0..=4).map(row).collect();
    text += &table(&["busy", "no energy", "eas", "ours"], &rows);
    text
}

pub(super) fn chain() -> String {
    let mut text = "## A video: a chain of five tasks, and with it 40 small ones\n\n\
        Seed 4 (video on Juno): 20.049 J with the list, 20.006 J with a tree of tasks ordered by utilisation, inside the noise; its \
        reviewers asked for a test with many small tasks. The tree's cost against the run queue's is measured by \
        `cargo bench -p sched`; here is what placement does for the chain. 10 s, late frames of 300.\n\n"
        .to_owned();
    let head = ["policy", "chain J", "late", "with 40 small: J", "late"];
    let alone = made("chain");
    let mut crowded = alone.clone();
    let small = made("periodic:n=40,duty=1,time=10s");
    crowded.tasks.extend(small.tasks.iter().cloned());
    let row = |policy: &&str| {
        let cells = [&alone, &crowded].map(|scenario| {
            let outcome = outcome(scenario, policy);
            let shown = outcome.tasks.iter().filter(|task| task.name == "stage 4");
            let late: u64 = shown.map(|task| task.statistics.misses).sum();
            [format!("{:.2}", outcome.joules()), late.to_string()]
        });
        [(*policy).to_owned()].into_iter().chain(cells.into_iter().flatten()).collect()
    };
    let rows: Vec<Vec<String>> = ["pull/schedutil", "eas", "walt", "gear/energy"].iter().map(row).collect();
    text += &table(&head, &rows);
    text
}
