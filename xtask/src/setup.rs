//! What this machine needs beside cargo, whether it is there, and how to get it.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use qemu::Version;

use crate::failure::Failure;
use crate::rust::{self, Here};
use crate::way::{self, Host, Way};
use crate::workspace::Workspace;
use crate::{apt, out};

const QEMU_PACKAGES: [&str; 1] = ["qemu-system-arm"];

/// `setup`: gets everything that is missing.
///
/// # Errors
///
/// [`Failure::Missing`] if something cannot be had.
pub fn install(workspace: &Workspace) -> Result<ExitCode> {
    arm_target(workspace)?;
    emulator()?;
    checkers();
    out::line("Ready: try `cargo xtask run`.")?;
    Ok(ExitCode::SUCCESS)
}

/// `setup --check`: says what is there and what is not, and changes nothing.
///
/// # Errors
///
/// [`Failure::Missing`] if something is not there.
pub fn check(workspace: &Workspace) -> Result<ExitCode> {
    let way = remembered(workspace).or_else(|| way::find(&Here));
    let way = way.map(|way| way.to_string());
    let qemu = qemu::find().map(|path| path.display().to_string());
    let checkers = rust::has_checkers().then(|| "rustup's".to_owned());
    let findings = [("ARM target", way), ("QEMU", qemu), ("rustfmt and clippy", checkers)];
    for (what, found) in &findings {
        out::line(format_args!("{what:<20}{}", found.as_deref().unwrap_or("missing")))?;
    }
    let lacking: Vec<_> = findings.iter().filter(|(_, found)| found.is_none()).map(|(what, _)| *what).collect();
    if lacking.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let text = format!("{} missing; `cargo xtask setup` gets what it can", lacking.join(" and "));
    Err(Failure::Missing(text).into())
}

/// The way to the ARM target: the remembered one while it holds, else the first that works, said and remembered.
///
/// # Errors
///
/// [`Failure::Missing`] with the reason for each of the ways.
pub fn arm_target(workspace: &Workspace) -> Result<Way> {
    if let Some(way) = remembered(workspace) {
        return Ok(way);
    }
    let way = way::choose(&Here).map_err(|reasons| {
        let reasons = reasons.join("\n");
        Failure::Missing(format!("no compiler for {} can be had here:\n{reasons}", way::TARGET))
    })?;
    eprintln!("ARM target: {way}");
    let note = note(workspace);
    fs::create_dir_all(workspace.target())
        .and_then(|()| fs::write(&note, way.word()))
        .with_context(|| format!("writing {}", note.display()))?;
    Ok(way)
}

/// The way that was chosen before, if it still works.
pub fn remembered(workspace: &Workspace) -> Option<Way> {
    let word = fs::read_to_string(note(workspace)).ok()?;
    Way::from_word(&word).filter(|way| Here.has(*way))
}

fn note(workspace: &Workspace) -> PathBuf {
    workspace.target().join("arm-target")
}

/// QEMU, installed if need be.
///
/// # Errors
///
/// [`Failure::Missing`] if it cannot be had or does not start.
pub fn emulator() -> Result<Version> {
    if qemu::find().is_none() {
        apt::install(&QEMU_PACKAGES, "the emulator")?;
    }
    let path = qemu::find().ok_or_else(|| Failure::Missing("qemu-system-arm is not in PATH".into()))?;
    let version = qemu::version(&path).map_err(|error| Failure::Missing(format!("{error:#}")))?;
    if version < Version::OLDEST_TESTED {
        eprintln!("QEMU {version} is older than {}, the oldest release tested", Version::OLDEST_TESTED);
    }
    Ok(version)
}

/// Formatter and linter. Tests run without them too and say what they skip, so a failure is told and forgiven.
pub fn checkers() {
    if rust::has_checkers() {
        return;
    }
    if let Err(error) = rust::get_checkers() {
        eprintln!("rustfmt and clippy cannot be had: {error:#}");
    }
}
