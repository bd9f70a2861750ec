//! The table: one line a setup, the bounds below.

use super::Comparison;
use crate::outcome::Outcome;

/// The comparison as text, with the columns that mean something for the scenario.
#[must_use]
pub fn table(comparison: &Comparison<'_>) -> String {
    let columns = columns(comparison);
    let mut lines = vec![columns.iter().map(|column| column.0.to_owned()).collect::<Vec<_>>()];
    for (name, outcome) in &comparison.rows {
        lines.push(columns.iter().map(|column| (column.1)(name, outcome)).collect());
    }
    let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let mut text = format!("{}\n", comparison.scenario.name);
    if !comparison.scenario.about.is_empty() {
        text += &format!("{}\n", comparison.scenario.about);
    }
    for line in lines {
        let cells = line.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| match column {
            0 => format!("{cell:width$}"),
            _ => format!("{cell:>width$}"),
        });
        text += &format!("  {}\n", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    text + &bounds(comparison)
}

type Column<'a> = (&'static str, Box<dyn Fn(&str, &Outcome) -> String + 'a>);

fn columns<'a>(comparison: &Comparison<'a>) -> Vec<Column<'a>> {
    let bounds = comparison.bounds;
    let any = |test: fn(&Outcome) -> bool| comparison.rows.iter().any(|(_, outcome)| test(outcome));
    let mut columns: Vec<Column<'_>> = vec![("policy", Box::new(|name, _| name.to_owned()))];
    if any(|outcome| !outcome.completions().is_empty()) {
        columns.push(("makespan s", Box::new(|_, outcome| format!("{:.3}", outcome.makespan()))));
        if let Some(bound) = bounds.makespan {
            columns.push(("/ bound", Box::new(move |_, outcome| format!("{:.4}", outcome.makespan() / bound))));
        }
        columns.push(("mean s", Box::new(|_, outcome| format!("{:.3}", outcome.mean_completion()))));
    }
    columns.push(("mW", Box::new(|_, outcome| format!("{:.0}", outcome.milliwatts()))));
    columns.push(("J", Box::new(|_, outcome| format!("{:.2}", outcome.joules()))));
    if let Some(exact) = bounds.exact {
        columns.push(("/ exact", Box::new(move |_, outcome| format!("{:.3}", outcome.milliwatts() / exact))));
    }
    if any(|outcome| outcome.jobs() > 0) {
        columns.push(("missed", Box::new(|_, outcome| format!("{}/{}", outcome.misses(), outcome.jobs()))));
    }
    columns.push(("moves", Box::new(|_, outcome| outcome.counts.moves.to_string())));
    columns.push(("switches", Box::new(|_, outcome| outcome.counts.switches.to_string())));
    columns.push((
        "clock changes",
        Box::new(|_, outcome| {
            let [big, little] = outcome.counts.clock_changes;
            format!("{big}+{little}")
        }),
    ));
    columns.push(("wake p99 us", Box::new(|_, outcome| format!("<{}", outcome.latency(0.99)))));
    if any(|outcome| outcome.plans.0 > 0) {
        columns.push(("plans", Box::new(|_, outcome| outcome.plans.0.to_string())));
    }
    if any(|outcome| outcome.hottest > 0.0) {
        columns.push(("hottest C", Box::new(|_, outcome| format!("{:.1}", outcome.hottest))));
        columns.push(("work/s", Box::new(|_, outcome| format!("{:.0}", outcome.throughput()))));
    }
    if any(|outcome| outcome.counts.refused > 0) {
        columns.push(("REFUSED", Box::new(|_, outcome| outcome.counts.refused.to_string())));
    }
    columns
}

fn bounds(comparison: &Comparison<'_>) -> String {
    let bounds = comparison.bounds;
    let mut text = String::new();
    if let Some(seconds) = bounds.makespan {
        text += &format!("  bound: makespan {seconds:.3} s (linear programme, free moves, top clocks)\n");
    }
    if let Some(milliwatts) = bounds.exact {
        text +=
            &format!("  bound: {milliwatts:.0} mW (best of all partitions with constant clocks and 5 % of slack)\n");
    }
    if let Some(milliwatts) = bounds.floor {
        text += &format!("  bound: {milliwatts:.0} mW (tasks divided and clocks switched at will)\n");
    }
    text
}
