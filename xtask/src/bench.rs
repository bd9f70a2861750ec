//! `bench`: makes docs/results.md anew.

use std::fs;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::workspace::Workspace;

/// Runs everything in the simulator and writes the page.
///
/// # Errors
///
/// If the page cannot be written.
pub fn run(workspace: &Workspace) -> Result<ExitCode> {
    let page = sim::results::page(|section| eprintln!("{section} ..."));
    let path = workspace.root().join("docs/results.md");
    fs::write(&path, &page).with_context(|| format!("writing {}", path.display()))?;
    print!("{page}");
    Ok(ExitCode::SUCCESS)
}
