//! Building the images that go into an emulator.

use std::path::PathBuf;

use anyhow::{Result, ensure};

use crate::board::Board;
use crate::rust;
use crate::way::{TARGET, Way};
use crate::workspace::Workspace;

/// Builds the images of `boards`; cargo shows its progress. Gives the path of each ELF, in the same order.
///
/// # Errors
///
/// If they do not build.
pub fn build(workspace: &Workspace, way: Way, boards: &[Board]) -> Result<Vec<PathBuf>> {
    let mut cargo = rust::arm_cargo(way, "build")?;
    cargo.current_dir(workspace.root()).args(packages(boards));
    ensure!(cargo.status()?.success(), "the image does not build");
    let folder = workspace.target().join(TARGET).join("image");
    Ok(boards.iter().map(|board| folder.join(board.name())).collect())
}

/// The program that counts what a plan costs: no board, but built like one.
pub const PLAN_COST: &str = "plan-cost";

/// Builds [`PLAN_COST`] and gives the path of its ELF.
///
/// # Errors
///
/// If it does not build.
pub fn build_plan_cost(workspace: &Workspace, way: Way) -> Result<PathBuf> {
    let mut cargo = rust::arm_cargo(way, "build")?;
    cargo.current_dir(workspace.root()).args(["--package", PLAN_COST]);
    ensure!(cargo.status()?.success(), "{PLAN_COST} does not build");
    Ok(workspace.target().join(TARGET).join("image").join(PLAN_COST))
}

/// The words that name the boards' packages to cargo.
pub fn packages(boards: &[Board]) -> impl Iterator<Item = &'static str> {
    boards.iter().flat_map(|board| ["--package", board.name()])
}
