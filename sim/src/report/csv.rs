//! Figures for other programs.

use std::fmt::Write;

use super::Comparison;

/// One line a setup.
pub fn runs(comparison: &Comparison<'_>) -> String {
    let mut text = "scenario,policy,seconds,makespan_s,mean_s,joules,milliwatts,big_work_j,little_work_j,big_idle_j,\
                    little_idle_j,jobs,misses,moves,switches,lapsed,refused,big_clock_changes,little_clock_changes,plans,\
                    hottest_c,bound_makespan_s,bound_exact_mw,bound_floor_mw\n"
        .to_owned();
    let optional = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.6}"));
    for (name, outcome) in &comparison.rows {
        let joules = |energy: u128| format!("{:.6}", energy as f64 / 1e15);
        let cells = [
            quoted(&comparison.scenario.name),
            quoted(name),
            format!("{:.6}", outcome.span()),
            format!("{:.6}", outcome.makespan()),
            format!("{:.6}", outcome.mean_completion()),
            format!("{:.6}", outcome.joules()),
            format!("{:.3}", outcome.milliwatts()),
            joules(outcome.energy.work[0]),
            joules(outcome.energy.work[1]),
            joules(outcome.energy.idle[0]),
            joules(outcome.energy.idle[1]),
            outcome.jobs().to_string(),
            outcome.misses().to_string(),
            outcome.counts.moves.to_string(),
            outcome.counts.switches.to_string(),
            outcome.counts.lapsed.to_string(),
            outcome.counts.refused.to_string(),
            outcome.counts.clock_changes[0].to_string(),
            outcome.counts.clock_changes[1].to_string(),
            outcome.plans.0.to_string(),
            format!("{:.3}", outcome.hottest),
            optional(comparison.bounds.makespan),
            optional(comparison.bounds.exact),
            optional(comparison.bounds.floor),
        ];
        let _ = writeln!(text, "{}", cells.join(","));
    }
    text
}

/// One line a task and setup.
pub fn tasks(comparison: &Comparison<'_>) -> String {
    let mut text =
        "policy,number,task,class,start_ns,end_ns,work_ns,big_ns,little_ns,joules,jobs,misses,lateness_ns,done,moves,\
                    crossings,switches\n"
            .to_owned();
    for (name, outcome) in &comparison.rows {
        for (number, task) in outcome.tasks.iter().enumerate() {
            let books = &task.statistics;
            let _ = writeln!(
                text,
                "{},{number},{},{},{},{},{},{},{},{:.6},{},{},{},{},{},{},{}",
                quoted(name),
                quoted(&task.name),
                comparison.scenario.plant.classes[task.class].name,
                books.start,
                books.end.map_or_else(String::new, |end| end.to_string()),
                books.work >> 14,
                books.ran[0],
                books.ran[1],
                books.energy as f64 / 1e15,
                books.jobs,
                books.misses,
                books.lateness,
                books.done,
                books.moves,
                books.crossings,
                books.switches,
            );
        }
    }
    text
}

/// A cell that may hold a comma.
fn quoted(text: &str) -> String {
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
