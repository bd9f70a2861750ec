//! What a person looks at: a table, figures for other programs, pictures, a page, a trace.
//!
//! Everything is made in memory first and written when all of it is there, so that a run that fails leaves nothing
//! half-written.

mod csv;
mod html;
mod picture;
mod table;
mod trace;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::bound::{Job, energy_floor, exact_equal, exhaustive, makespan};
use crate::outcome::Outcome;
use crate::program::{Program, Step};
use crate::scenario::Scenario;
use crate::{Setup, run};

pub use table::table;
pub use trace::recorded;

/// The most unequal tasks of which every partition is tried: there are 2 386 of six and 82 284 of eight.
const TRIED: usize = 8;
/// The share of each CPU's time that an exact optimum leaves free.
const SLACK: f64 = 0.05;

/// A scenario under several setups, side by side.
pub struct Comparison<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// What no schedule can beat.
    pub bounds: Bounds,
    /// Each setup's name and outcome.
    pub rows: Vec<(String, Outcome)>,
}

/// Bounds of a scenario, as far as there are any.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// Of the end of the last task, in seconds, at top clocks.
    pub makespan: Option<f64>,
    /// Of the mean power, in milliwatts, with tasks divided at will.
    pub floor: Option<f64>,
    /// Of the mean power, in milliwatts, with each task on one CPU, constant clocks and 5 % of slack.
    pub exact: Option<f64>,
}

impl Bounds {
    /// The bounds that hold for a scenario: of loops the makespan, of periodic tasks of one class the power.
    #[must_use]
    pub fn of(scenario: &Scenario) -> Self {
        let plant = &scenario.plant;
        let mut bounds = Self::default();
        let works: Option<Vec<Job>> = scenario.tasks.iter().map(|task| loop_of(&task.program, task.class)).collect();
        if let Some(jobs) = works.filter(|_| scenario.tasks.iter().all(|task| task.start == 0)) {
            let top = sched::CoreType::BOTH.map(|core| plant.levels(core) - 1);
            bounds.makespan = Some(makespan(plant, &jobs, top));
        }
        let rates: Option<Vec<f64>> = scenario.tasks.iter().map(|task| rate_of(&task.program)).collect();
        let one_class = scenario.tasks.iter().all(|task| task.class == scenario.tasks[0].class);
        if let Some(rates) = rates.filter(|rates| one_class && !rates.is_empty()) {
            let class = scenario.tasks[0].class;
            bounds.floor = energy_floor(plant, class, rates.iter().sum());
            let free = scenario.tasks.iter().all(|task| task.affinity & plant.present == plant.present);
            let best = match rates.iter().all(|rate| (rate - rates[0]).abs() < 1e-12) {
                true => exact_equal(plant, class, rates.len(), rates[0], SLACK),
                false if rates.len() <= TRIED && free => exhaustive(plant, class, &rates, SLACK),
                false => None,
            };
            bounds.exact = best.map(|best| best.milliwatts);
        }
        bounds
    }
}

/// The work of a task that does nothing but work.
fn loop_of(program: &Program, class: usize) -> Option<Job> {
    match program.steps() {
        [Step::Run(work)] => Some(Job { work: work.as_nanos() as f64 / 1e9, class }),
        _ => None,
    }
}

/// The work per time, in full CPUs, of a task with jobs by the clock.
fn rate_of(program: &Program) -> Option<f64> {
    match program.steps() {
        [Step::Run(work), Step::Timer { period, .. }, Step::Repeat { times: 0, .. }] => {
            Some(work.as_nanos() as f64 / period.as_nanos() as f64)
        }
        _ => None,
    }
}

/// Runs a scenario under each of the named setups.
///
/// # Errors
/// If a name is wrong, or a setup asks for what the scenario does not have.
pub fn compare<'a>(scenario: &'a Scenario, setups: &[String], record: bool) -> Result<Comparison<'a>, String> {
    if let Some(twice) = (1..setups.len()).find(|&at| setups[..at].contains(&setups[at])) {
        return Err(format!("expected each setup once, found \"{}\" twice", setups[twice]));
    }
    let parsed = setups.iter().map(|text| {
        let setup = Setup::parse(text)?;
        setup.suits(scenario).map_err(|wrong| format!("{text}: {wrong}")).map(|()| setup)
    });
    let parsed: Result<Vec<Setup>, String> = parsed.collect();
    let runs = parsed?.into_iter().map(|setup| run(scenario, &Setup { record, ..setup }));
    Ok(Comparison { scenario, bounds: Bounds::of(scenario), rows: setups.iter().cloned().zip(runs).collect() })
}

/// Writes everything about a comparison into a folder: `table.txt`, `runs.csv`, `tasks.csv`, for each setup pictures
/// and a trace for Perfetto, and `index.html` with all of it.
///
/// # Errors
/// If a file cannot be written.
pub fn write(comparison: &Comparison<'_>, folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = vec![
        ("table.txt".to_owned(), table(comparison)),
        ("runs.csv".to_owned(), csv::runs(comparison)),
        ("tasks.csv".to_owned(), csv::tasks(comparison)),
    ];
    let mut pictures = Vec::new();
    for (name, outcome) in comparison.rows.iter().filter(|(_, outcome)| outcome.record.is_kept()) {
        let stem = name.replace(['/', ':'], "-");
        for (kind, svg) in picture::all(comparison.scenario, name, outcome)? {
            files.push((format!("{stem}-{kind}.svg"), svg.clone()));
            pictures.push((name.clone(), svg));
        }
        files.push((format!("{stem}.trace.json"), trace::chrome(comparison.scenario, outcome)?));
    }
    files.push(("index.html".to_owned(), html::page(comparison, &pictures)));
    write_all(files, folder)
}

/// Writes files, each with its name and its text, into a folder, which is made if need be.
///
/// # Errors
/// If that or a file cannot be written.
pub fn write_all(files: Vec<(String, String)>, folder: &Path) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(folder).with_context(|| format!("making the folder {}", folder.display()))?;
    let write = |(name, text): (String, String)| {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
        Ok(path)
    };
    files.into_iter().map(write).collect()
}

#[cfg(test)]
mod tests;
