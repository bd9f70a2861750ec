//! `sim`: policies side by side on the physical model.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Args;
use sim::check::{ANYWHERE, RECORDED_RESOLUTION, Rules};

use crate::failure::Failure;
use crate::workspace::Workspace;

/// What is compared where the scenario does not say.
const USUAL: [&str; 6] = ["pinned", "pull", "eas", "walt", "gear/makespan", "gear/energy"];

/// The longest that a ready task may wait in a recorded trace, in nanoseconds.
const PATIENCE: u64 = 1_000_000_000;

/// What `sim` takes.
#[derive(Args)]
pub struct Options {
    /// A scenario file (.toml, rt-app .json), one of sim/scenarios or sim/rt-app by name, or a benchmark such as "looper:n=8,work=28s"
    #[arg(required_unless_present = "check")]
    scenario: Option<String>,
    /// Setups to compare, for example "eas,gear/energy,pull/fixed:800:1400"; see `sim::Setup::parse`
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    policy: Vec<String>,
    /// The class of work of all tasks that do not say their own, and of the idle power
    #[arg(long, value_name = "CLASS")]
    model: Option<String>,
    /// Hold a recorded trace (output of a run with trace=on) against the rules instead
    #[arg(long, value_name = "FILE", conflicts_with = "scenario")]
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
    print!("{}", sim::report::table(&comparison));
    if let Some(folder) = &options.out {
        let files = sim::report::write(&comparison, folder)?;
        println!("  {} files in {}; index.html has it all", files.len(), folder.display());
    }
    Ok(ExitCode::SUCCESS)
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
        u64::MAX => println!("the events of a CPU are missing: who sleeps, who waits and where was not judged"),
        time => {
            println!("older events are lost: who sleeps, who waits and where is judged from {} us on", time / 1_000)
        }
    }
    verdict.violations.iter().for_each(|violation| println!("{violation}"));
    let waited = verdict.longest_wait / 1_000;
    println!("{} events, longest wait {waited} us, {} violations", verdict.events, verdict.violations.len());
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
