//! `sim`: policies side by side on the physical model.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Args;
use sim::check::{ANYWHERE, RECORDED_RESOLUTION, Rules};

use crate::failure::Failure;
use crate::workspace::Workspace;
use crate::{files, out};

/// What is compared where the scenario does not say.
const USUAL: [&str; 6] = ["pinned", "pull", "eas", "walt", "gear/makespan", "gear/energy"];

/// The longest that a ready task may wait in a recorded trace, in nanoseconds.
const PATIENCE: u64 = 1_000_000_000;

/// What `sim` takes.
#[derive(Args)]
pub struct Options {
    /// A scenario file (.toml, rt-app .json), one of sim/scenarios or sim/rt-app by name, or a benchmark such as
    /// "looper:n=8,work=28s"; where a scenario and a benchmark have the same name, "soak" is the scenario and "soak:"
    /// the benchmark
    #[arg(required_unless_present = "check")]
    scenario: Option<String>,
    /// Setups to compare, for example "eas,gear/energy,pull/fixed:800:1400"; see `sim::Setup::parse`.
    /// What concerns heat (heat:…, pressure:…, still) needs a scenario that has some
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    policy: Vec<String>,
    /// The class of work of all tasks that do not say their own, and of the idle power
    #[arg(long, value_name = "CLASS")]
    model: Option<String>,
    /// Hold a recorded trace (output of a run with trace=on) against the rules instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scenario", "policy", "model", "out"])]
    check: Option<PathBuf>,
    /// Where to put the table, figures, pictures, the page and the traces
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Simulates, prints the table and writes what was asked for.
///
/// # Errors
///
/// If the scenario or a setup is wrong, or a file cannot be written.
pub fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode> {
    let usage = |text: String| anyhow::Error::new(Failure::Usage(text));
    if let Some(file) = &options.check {
        return check(file);
    }
    let scenario = options.scenario.as_deref().unwrap_or_default();
    if let Some(folder) = &options.out {
        files::folder(folder)?;
        apart(Path::new(scenario), folder)?;
    }
    let loaded = sim::file::load(scenario, &workspace.root().join("sim"));
    let mut loaded = loaded.map_err(|mistake| usage(mistake.to_string()))?;
    if let Some(name) = &options.model {
        let profile = sim::plant::profile(name);
        let profile = profile.ok_or_else(|| usage(format!("--model: expected {}", sim::plant::profile_names())))?;
        loaded.scenario.plant.classes[0] = profile;
    }
    let setups = match (options.policy.is_empty(), loaded.compare.is_empty()) {
        (false, _) => options.policy.clone(),
        (true, false) => loaded.compare,
        (true, true) => USUAL.map(str::to_owned).to_vec(),
    };
    let comparison = sim::report::compare(&loaded.scenario, &setups, options.out.is_some()).map_err(usage)?;
    let files = options.out.as_ref().map(|folder| sim::report::write(&comparison, folder)).transpose()?;
    out::bytes(sim::report::table(&comparison).as_bytes())?;
    if let (Some(files), Some(folder)) = (files, &options.out) {
        out::line(format_args!("  {} files in {}; index.html has it all", files.len(), folder.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A scenario may lie in the folder where the results go, but not be called as one of them.
fn apart(scenario: &Path, folder: &Path) -> Result<()> {
    let name = scenario.file_name().filter(|name| name.to_string_lossy().ends_with(".trace.json"));
    name.map_or(Ok(()), |name| files::apart(scenario, &folder.join(name)))
}

/// Tells what breaks the rules in a recorded trace; exit code 1 if anything does.
fn check(file: &Path) -> Result<ExitCode> {
    let text = fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    let trace = sim::check::read_trace(&text).map_err(anyhow::Error::msg)?;
    let shown = file.display();
    ensure!(!trace.is_empty(), "{shown}: expected lines that begin with EVENT, found none; boot with trace=on");
    let whole_from = sim::check::whole_from(&text, &trace);
    let rules = Rules { affinity: &|_| ANYWHERE, patience: PATIENCE, resolution: RECORDED_RESOLUTION, whole_from };
    let verdict = sim::check::check(&trace, &rules);
    match whole_from {
        0 => {}
        u64::MAX => out::line(
            "the events of a CPU are missing: who sleeps, who waits, who runs twice and where was not judged",
        )?,
        time => {
            let from = time / 1_000;
            out::line(format_args!(
                "older events are lost: who sleeps, who waits, who runs twice and where is judged from {from} us on"
            ))?;
        }
    }
    verdict.violations.iter().try_for_each(out::line)?;
    let waited = verdict.longest_wait / 1_000;
    let violations = verdict.violations.len();
    out::line(format_args!("{} events, longest wait {waited} us, {violations} violations", verdict.events))?;
    Ok(if verdict.violations.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_events_is_no_trace() {
        let file = std::env::temp_dir().join(format!("check-{}.txt", std::process::id()));
        fs::write(&file, "BOOT board=qemu\nDONE code=0\n").expect("there is room");
        let error = check(&file).expect_err("nothing was recorded").to_string();
        fs::remove_file(&file).expect("it was written above");
        assert!(error.contains("expected lines that begin with EVENT, found none"), "{error}");
    }
}
