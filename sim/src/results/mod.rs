//! `docs/results.md`: what the documents report that this project grew from, what the policies give on the model, and the bound.
//!
//! Each section runs its scenarios and writes a table. Nothing is typed in by hand but the figures of the documents.

mod energy;
mod heat;
mod rest;
mod speed;

use crate::outcome::Outcome;
use crate::scenario::Scenario;
use crate::{Setup, bench, run};

/// A section: its name and the function that makes it.
type Section = (&'static str, fn() -> String);

/// All sections, in their order.
pub const SECTIONS: [Section; 10] = [
    ("looper", speed::loopers),
    ("mixed", speed::mixed),
    ("periodic", energy::periodic),
    ("busy", energy::busy),
    ("rest", rest::rest),
    ("hackbench", speed::hackbench),
    ("pair", speed::pair),
    ("chain", energy::chain),
    ("heat", heat::controllers),
    ("pressure", heat::pressure),
];

const HEAD: &str = "# Results\n\n\
    Made by `cargo xtask bench`; do not edit. All figures are of the simulator (`sim`), which runs the policy of `kernel/sched` \
    itself on a physical model of the Exynos5422. They compare policies; they do not say what a board will do. Power tables are \
    good to ±50 % in absolute terms (see `kernel/soc`). `seed` is what a document of the project's start reports, on its own \
    hardware.\n";

const GOALS: &str = "\n## Goals, and where they are tested\n\n\
    | goal | test |\n\
    | --- | --- |\n\
    | looper: n = 5..24 makespan ≤ 1.01 x bound; n = 8 mean mode 43.35 ± 0.5 s, mean ≤ 36 s; 16 loops end within 1 %; mixed loops ≤ 1.01 x optimum | `cargo test -p sim --test looper` |\n\
    | 24 tasks: ≤ 1.02 x exact, no miss, ≥ 9.2 % below big first, never above `eas` from any start nor as worked out by hand, ≥ 6 % below it in A/device tree, ≥ 20 % in B/hash; scattered tasks never above `eas`; with 1 to 4 busy tasks; no cliff from 16 to 36 tasks; a fast ramp costs ≤ 1 %; tasks cut in two move at most 8 times a period in all | `cargo test -p sim --test periodic` |\n\
    | no constant clock takes less than the chosen one where idle power is gated; who waits for memory gets a slow clock though the price list does not say so, nobody late | `cargo test -p sim --test clocks` |\n\
    | bounds set by `uclamp` count for waiting and waking tasks, the clock and the plan; eight bounded loops spread over four CPUs | `cargo test -p sim --test clamps` |\n\
    | jobs that begin together let a cluster sleep: ≥ 1 / 2 / 2 % less power at half of the load of case B, nobody late and nothing dearer at any load | `cargo test -p sim --test rest` |\n\
    | the accounts of all tasks add up to the energy drawn within 5 %, under every policy and however idle power is drawn | `cargo test -p sim --test accounts` |\n\
    | a plan for 24 tasks takes ≤ 60,000 ARM instructions and 4 KiB of stack | `cargo xtask test --ring qemu` (test `plan_cost`) |\n\
    | the run queue with 1000 tasks; its cost against a list and a tree ordered by utilisation | `cargo test -p sched a_thousand`; `cargo bench -p sched` |\n\
    | periods of 8 to 100 ms at random: nobody late, no set dearer than with `eas` | `cargo test -p sim --test mixed` |\n\
    | video: never later than with `eas`, not dearer on average (up to 2 % at one of eight loads), ≥ 25 % below it by measured prices | `cargo test -p sim --test chain` |\n\
    | sets of tasks not used for tuning: power / exact, / divisible, / `eas`; share of late jobs | `cargo test -p sim --test held_out` |\n\
    | pair: free ≤ 1.02 x different, ping-pong ≤ 1.01 x on one core; ramp ≤ 20 ms; hackbench not slower than `eas` | `cargo test -p sim --test speed` |\n\
    | heat: ≤ limit + 0.5 K, ≥ 0.97 x best constant pair, ≥ 1.1 x step-wise where the bound allows it, fewer clock changes than IPA; bodies that are not those of the facts; steps of air and fan; sick sensors; one loop alone, ≥ 1.6 x the time to the first trip; a power budget split for ≥ 13 % more work than Linux on hash; no clocks | `cargo test -p sim --test heat`, `-p soc --test heat` |\n\
    | pressure: each kind shows another capacity, and moves tasks where the order of the clusters changes | `cargo test -p sim --test pressure` |\n\
    | a million random events for each policy; work neither lost nor made; runs repeat | `cargo test -p sim --test chaos` |\n\
    | the same rules on a trace recorded in QEMU | `cargo test -p sim --test recorded` |\n\
    | a second of 8 CPUs with 24 tasks in less than 50 ms | `cargo bench -p sim` |\n\
    | a wrong file is refused with file, line and expectation | `cargo test -p sim --test files` |\n";

/// The whole page. `tell` is called with the name of each section before it is made.
#[must_use]
pub fn page(tell: impl Fn(&str)) -> String {
    let mut text = HEAD.to_owned();
    for (name, make) in SECTIONS {
        tell(name);
        text += "\n";
        text += &make();
    }
    text + GOALS
}

/// A scenario that this module names itself.
fn made(text: &str) -> Scenario {
    bench::parse(text).and_then(Result::ok).unwrap_or_else(|| panic!("{text} is a benchmark"))
}

fn outcome(scenario: &Scenario, setup: &str) -> Outcome {
    run(scenario, &Setup::parse(setup).unwrap_or_else(|wrong| panic!("{setup}: {wrong}")))
}

/// A table in Markdown.
fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let head: Vec<String> = head.iter().map(|&cell| cell.to_owned()).collect();
    let rule: Vec<String> =
        head.iter().enumerate().map(|(column, _)| if column == 0 { "---" } else { "---:" }.to_owned()).collect();
    let body: String = rows.iter().map(|row| line(row)).collect();
    line(&head) + &line(&rule) + &body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_markdown() {
        let text = table(&["a", "b"], &[vec!["1".into(), "2".into()]]);
        assert_eq!(text, "| a | b |\n| --- | ---: |\n| 1 | 2 |\n");
    }

    #[test]
    fn a_section_says_what_it_is() {
        let text = speed::pair();
        assert!(text.starts_with("## ") && text.contains("| free |"), "{text}");
    }
}
