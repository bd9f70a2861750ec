//! Loops, messages and pairs.

use super::{made, outcome, table};
use crate::bound::{Job, makespan};
use crate::outcome::Outcome;
use crate::scenario::Scenario;

/// The policies that are compared for speed, at full clocks where they do not bring a governor of their own.
const RACERS: [&str; 6] = ["pinned", "pull", "eas", "walt", "gear", "gear/makespan"];

fn bound(scenario: &Scenario, work: f64) -> f64 {
    let jobs: Vec<Job> = scenario.tasks.iter().map(|task| Job { work, class: task.class }).collect();
    makespan(&scenario.plant, &jobs, sched::CoreType::BOTH.map(|core| scenario.plant.levels(core) - 1))
}

fn race_row(policy: &str, outcome: &Outcome, bound: f64) -> Vec<String> {
    let ends = outcome.completions();
    vec![
        policy.to_owned(),
        format!("{:.2}", ends.first().copied().unwrap_or(0.0)),
        format!("{:.2}", outcome.makespan()),
        format!("{:.4}", outcome.makespan() / bound),
        format!("{:.2}", outcome.mean_completion()),
        outcome.counts.moves.to_string(),
        format!("{:.1}", outcome.joules()),
    ]
}

const RACE: [&str; 7] = ["policy", "first s", "last s", "/ bound", "mean s", "moves", "J"];

pub(super) fn loopers() -> String {
    let mut text = "## Looper: equal loops on unequal cores\n\n\
        Seed 1: eight shell loops on an XU4, 27.96-28.32 s on the A15 cores, 61.84-62.34 s on the A7 cores, where they stayed. \
        Sixteen loops: left open.\n\n"
        .to_owned();
    for count in [8, 16] {
        let scenario = made(&format!("looper:n={count}"));
        let bound = bound(&scenario, 28.0);
        text += &format!("`cargo xtask sim looper:n={count}`, bound {bound:.2} s:\n\n");
        let rows: Vec<_> = RACERS.iter().map(|policy| race_row(policy, &outcome(&scenario, policy), bound)).collect();
        text += &table(&RACE, &rows);
        text += "\n";
    }
    text += "Last end / bound for n loops of 7 s:\n\n";
    let head = ["n", "bound s", "pull", "walt", "gear (mean)", "gear/makespan"];
    let rows: Vec<_> = (1..=24).map(sweep_row).collect();
    text + &table(&head, &rows)
}

fn sweep_row(count: u32) -> Vec<String> {
    let scenario = made(&format!("looper:n={count},work=7s"));
    let bound = bound(&scenario, 7.0);
    let ratio = |policy: &str| format!("{:.4}", outcome(&scenario, policy).makespan() / bound);
    let ratios = ["pull", "walt", "gear", "gear/makespan"].map(ratio);
    [count.to_string(), format!("{bound:.2}")].into_iter().chain(ratios).collect()
}

pub(super) fn mixed() -> String {
    let mut text = "## Mixed loops: four of one class, four of another\n\n\
        28 s each on an A15. The bound knows the speed of each class on each core; the policy measures it.\n\n"
        .to_owned();
    let head = ["hash and", "bound s", "pull", "walt", "gear (mean)", "gear/makespan", "/ bound"];
    let row = |other: &&str| {
        let scenario = made(&format!("mixed:other={other}"));
        let bound = bound(&scenario, 28.0);
        let ends = ["pull", "walt", "gear", "gear/makespan"].map(|policy| outcome(&scenario, policy).makespan());
        let cells = ends.map(|end| format!("{end:.2}"));
        let first = [(*other).to_owned(), format!("{bound:.2}")];
        first.into_iter().chain(cells).chain([format!("{:.4}", ends[3] / bound)]).collect()
    };
    let rows: Vec<Vec<String>> = ["cache-killer", "cache-resident", "gzip"].iter().map(row).collect();
    text += &table(&head, &rows);
    text
}

pub(super) fn hackbench() -> String {
    let mut text = "## hackbench\n\n\
        Seed 2 (`-l 500 -s 4096`, XU3): 8.15 s without, 7.95 s with energy-aware scheduling. Here messages cost a system call and a \
        copy; sockets and processes are not modelled, so only the order of policies means something.\n\n"
        .to_owned();
    for request in ["hackbench:groups=1,loops=100,size=100", "hackbench:groups=4,loops=50,size=4096"] {
        let scenario = made(request);
        let row = |policy: &&str| {
            let outcome = outcome(&scenario, policy);
            let messages = scenario.tasks.len() as f64;
            vec![
                (*policy).to_owned(),
                format!("{:.1}", outcome.makespan() * 1e3),
                outcome.counts.switches.to_string(),
                outcome.counts.moves.to_string(),
                format!("{:.2}", outcome.joules()),
                format!("{:.0}", messages),
            ]
        };
        let rows: Vec<_> = ["pinned", "pull", "eas", "walt", "gear", "gear/energy"].iter().map(row).collect();
        text += &format!("`cargo xtask sim {request}`:\n\n");
        text += &table(&["policy", "ms", "switches", "moves", "J", "tasks"], &rows);
        text += "\n";
    }
    text
}

pub(super) fn pair() -> String {
    let mut text = "## Client and server\n\n\
        Seed 3 (gtkperf and its X server): same core 26.78 s, different cores 19.44 s, free between (A20); 9.82, 7.11 and 9.35 s (two \
        A15). `cargo xtask sim pair:place=…`, 2000 requests of 10 ms, 616 to 384:\n\n"
        .to_owned();
    let head = ["place", "pull s", "eas s", "gear s", "gear/energy s"];
    let row = |place: &&str| {
        let scenario = made(&format!("pair:place={place}"));
        let ends = ["pull", "eas", "gear", "gear/energy"].map(|policy| outcome(&scenario, policy).makespan());
        [(*place).to_owned()].into_iter().chain(ends.map(|end| format!("{end:.2}"))).collect()
    };
    let rows: Vec<Vec<String>> = ["same", "different", "split", "free"].iter().map(row).collect();
    text += &table(&head, &rows);
    text
}
