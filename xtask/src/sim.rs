//! `sim`: policies side by side on the physical model.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use crate::failure::Failure;
use crate::workspace::Workspace;

/// What is compared where the scenario does not say.
const USUAL: [&str; 6] = ["pinned", "pull", "eas", "walt", "gear/makespan", "gear/energy"];

/// What `sim` takes.
#[derive(Args)]
pub struct Options {
    /// A scenario file (.toml, rt-app .json), one of sim/scenarios or sim/rt-app by name, or a benchmark such as "looper:n=8,work=28s"
    scenario: String,
    /// Setups to compare, for example "eas,gear/energy,pull/fixed:800:1400"; see `sim::Setup::parse`
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    policy: Vec<String>,
    /// The class of work of all tasks that do not say their own, and of the idle power
    #[arg(long, value_name = "CLASS")]
    model: Option<String>,
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
    let loaded = sim::file::load(&options.scenario, &workspace.root().join("sim"));
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
