//! `bench`: makes docs/results.md anew.

use std::fs;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::failure::Failure;
use crate::workspace::Workspace;

/// Runs everything in the simulator and writes the page.
///
/// # Errors
///
/// If the page cannot be written.
pub fn run(workspace: &Workspace, sections: &[String]) -> Result<ExitCode> {
    if !sections.is_empty() {
        return some(sections);
    }
    let page = sim::results::page(|section| eprintln!("{section} ..."));
    let path = workspace.root().join("docs/results.md");
    fs::write(&path, &page).with_context(|| format!("writing {}", path.display()))?;
    print!("{page}");
    Ok(ExitCode::SUCCESS)
}

/// Prints some sections and writes nothing.
fn some(wanted: &[String]) -> Result<ExitCode> {
    for name in wanted {
        let section = sim::results::SECTIONS.iter().find(|(known, _)| known == name);
        let known = || sim::results::SECTIONS.map(|(known, _)| known).join(", ");
        let (_, make) = section.ok_or_else(|| Failure::Usage(format!("{name}: expected one of {}", known())))?;
        println!("{}", make());
    }
    Ok(ExitCode::SUCCESS)
}
