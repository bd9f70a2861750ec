//! Tasks by the clock.

use sched::{CpuMask, Nanos};

use super::{made, outcome, table};
use crate::outcome::Outcome;
use crate::report::Bounds;
use crate::scenario::Scenario;

const CLASSES: [&str; 6] = ["device-tree", "hash", "encrypt", "gzip", "cache-resident", "cache-killer"];

pub(super) fn warm(text: &str) -> Scenario {
    made(text).warming_up(Nanos::from_millis(2_000))
}

/// The tasks begin anywhere in the first 16 ms.
pub(super) fn scattered(mut scenario: Scenario, seed: u64) -> Scenario {
    let mut random = crate::random::Random::new(seed);
    scenario.tasks.iter_mut().for_each(|task| task.start = random.below(16_000_000));
    scenario
}

/// Power, and missed deadlines if there are any.
fn cell(outcome: &Outcome) -> String {
    match outcome.misses() {
        0 => format!("{:.0}", outcome.milliwatts()),
        misses => format!("{:.0} ({misses} missed)", outcome.milliwatts()),
    }
}

/// What the reference of this project works out by hand for `eas` at mean utilisation and constant clocks, in mW: the better of its starts (spread by
/// fork, all on LITTLE), also where it is overutilised and so frozen.
const BY_HAND: [[f64; 6]; 2] =
    [[1270.0, 1358.0, 1269.0, 1101.0, 784.0, 161.0], [350.0, 353.0, 404.0, 366.0, 353.0, 67.0]];

/// Where `eas` begins: spread by fork, all on LITTLE CPUs, all on big ones. It sees one move ahead, so it matters.
const STARTS: [CpuMask; 3] = [CpuMask::ALL, CpuMask::from_bits(0x0f), CpuMask::from_bits(0xf0)];

/// `eas` from each start, and the least power among those that missed fewest deadlines.
pub(super) fn linux(scenario: &Scenario) -> ([Outcome; 3], f64) {
    let outcomes = STARTS.map(|start| outcome(&scenario.clone().born_on(start), "eas"));
    let fewest = outcomes.iter().map(Outcome::misses).min().unwrap_or(0);
    let in_time = outcomes.iter().filter(|outcome| outcome.misses() == fewest);
    let best = in_time.map(Outcome::milliwatts).fold(f64::INFINITY, f64::min);
    (outcomes, best)
}

pub(super) fn periodic() -> String {
    let mut text = "## 24 tasks, 16 ms, 10 %\n\n\
        Seed 2 (24 rt-app tasks on an XU3): 21.56 J without, 19.85 J with energy-aware scheduling, -7.9 %. Mean power in mW over 10 s \
        after 2 s, released together; A: 10 % of an A15, B: 10 % of an A7, each at its top. `exact` is the best partition of whole tasks at \
        constant clocks with 5 % of slack, `floor` divides tasks and switches clocks at will. `eas` believes the device tree, ours the \
        table of the class. `eas` looks one move ahead, so it is shown from three starts: spread by fork, all on LITTLE, all on big; \
        `by hand` is the better of two starts as the project's reference works it out at mean utilisations and constant clocks, which a \
        simulated `eas` does not reach: it plans with the peak of a job (`util_est`; by hand 1419 mW in A on the device tree) and its clocks \
        follow the load. `whole` is ours with no task cut in two (`gear/energy/whole`). Ratios are against the least of all `eas`. \
        `cargo xtask sim periodic:of=big,class=hash,time=12s`\n\n"
        .to_owned();
    let head = [
        "case, class",
        "floor",
        "exact",
        "big first",
        "no energy",
        "eas, spread",
        "eas, LITTLE",
        "eas, big",
        "by hand",
        "whole",
        "ours",
        "ours / exact",
        "ours / eas",
    ];
    let mut rows = Vec::new();
    for ((case, of), by_hand) in [("A", "big"), ("B", "little")].into_iter().zip(BY_HAND) {
        for (class, by_hand) in CLASSES.into_iter().zip(by_hand) {
            rows.push(periodic_row(case, of, class, by_hand));
        }
    }
    text += &table(&head, &rows);
    text += "\nOther loads, device tree: tasks of 10 % of an A15 that begin anywhere in the period, five seeds each: the mean in mW, and the \
        worst case of ours against the best start of `eas`. Tasks that do not begin together are not cut.\n\n";
    let rows: Vec<_> = [8, 16, 24, 32].into_iter().map(load_row).collect();
    text + &table(&["tasks", "exact", "eas, best start", "ours", "ours / exact", "worst ours / eas"], &rows)
}

fn periodic_row(case: &str, of: &str, class: &str, by_hand: f64) -> Vec<String> {
    let scenario = warm(&format!("periodic:of={of},class={class},time=12s"));
    let bounds = Bounds::of(&scenario);
    let (exact, floor) = (bounds.exact.unwrap_or(0.0), bounds.floor.unwrap_or(0.0));
    let (peers, best) = linux(&scenario);
    let (whole, ours) = (outcome(&scenario, "gear/energy/whole"), outcome(&scenario, "gear/energy"));
    let free = outcome(&scenario, "pull/schedutil");
    let mut big = scenario.clone();
    big.tasks.iter_mut().for_each(|task| task.affinity = CpuMask::from_bits(0xf0));
    let big = outcome(&big, "pull/schedutil");
    let bounds = [format!("{case}, {class}"), format!("{floor:.0}"), format!("{exact:.0}")];
    let peers = [&big, &free].into_iter().chain(&peers).map(cell);
    let own = [format!("{by_hand:.0}"), cell(&whole), cell(&ours)];
    let ratios = [ours.milliwatts() / exact, ours.milliwatts() / best.min(by_hand)].map(|ratio| format!("{ratio:.3}"));
    bounds.into_iter().chain(peers).chain(own).chain(ratios).collect()
}

fn load_row(count: u32) -> Vec<String> {
    const SEEDS: u64 = 5;
    let (mut theirs, mut own, mut worst, mut exact) = (0.0, 0.0, 0.0_f64, 0.0);
    for seed in 1..=SEEDS {
        let scenario = scattered(warm(&format!("periodic:n={count},time=7s")), seed);
        exact = Bounds::of(&scenario).exact.unwrap_or(0.0);
        let (best, ours) = (linux(&scenario).1, outcome(&scenario, "gear/energy").milliwatts());
        (theirs, own) = (theirs + best / SEEDS as f64, own + ours / SEEDS as f64);
        worst = worst.max(ours / best);
    }
    let figures = [format!("{exact:.0}"), format!("{theirs:.0}"), format!("{own:.0}")];
    let ratios = [format!("{:.3}", own / exact), format!("{worst:.3}")];
    [count.to_string()].into_iter().chain(figures).chain(ratios).collect()
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
        `cargo bench -p sched`; here is what placement does for the chain. 10 s, late frames of 300; the screen's clock begins when two frames are \
        buffered.\n\n"
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
