//! `bench`: the benchmark set, in the simulator or on a board.

mod machine;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;

use crate::board::Board;
use crate::failure::Failure;
use crate::workspace::Workspace;
use crate::{files, out, report, run};

/// What `bench` takes.
#[derive(Args)]
pub struct Options {
    /// The machine that runs it; without it the simulator does, and docs/results.md is made of what it says
    board: Option<Board>,
    /// Only these: of the simulator sections of docs/results.md, of a board benchmarks as for bench=, joined by commas
    #[arg(long, value_name = "NAME,...")]
    set: Option<String>,
    /// Where report.md, report.html, results.csv and the plots go
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Seconds after which a board is stopped
    #[arg(long, value_name = "S", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
}

/// Runs the set and writes what was asked for.
///
/// # Errors
///
/// If a name is wrong, a board fails, or a file cannot be written.
pub fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode> {
    options.out.as_deref().map_or(Ok(()), files::folder)?;
    match options.board {
        None => simulate(workspace, options),
        Some(board) => measure(workspace, board, options),
    }
}

fn simulate(workspace: &Workspace, options: &Options) -> Result<ExitCode> {
    let sections = options.set.as_deref().map(sections).transpose()?;
    make_folder(options.out.as_deref())?;
    let page = match sections {
        Some(sections) => sections.into_iter().map(|make| make()).collect::<Vec<_>>().join("\n"),
        None => sim::results::page(|section| eprintln!("{section} ...")),
    };
    match (&options.out, &options.set) {
        (Some(folder), _) => write(&page, folder)?,
        (None, Some(_)) => {}
        (None, None) => {
            let path = workspace.root().join("docs/results.md");
            fs::write(&path, &page).with_context(|| format!("writing {}", path.display()))?;
        }
    }
    // What was to be kept is kept, whoever reads along.
    out::bytes(page.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Before the work, not after it.
fn make_folder(folder: Option<&Path>) -> Result<()> {
    let make =
        |folder: &Path| fs::create_dir_all(folder).with_context(|| format!("making the folder {}", folder.display()));
    folder.map_or(Ok(()), make)
}

/// What makes some sections of the page.
fn sections(set: &str) -> Result<Vec<fn() -> String>> {
    let section = |name: &str| {
        let section = sim::results::SECTIONS.iter().find(|(known, _)| *known == name);
        let known = || sim::results::SECTIONS.map(|(known, _)| known).join(", ");
        let (_, make) = section.ok_or_else(|| Failure::Usage(format!("--set {name}: expected one of {}", known())))?;
        Ok(*make)
    };
    set.split(',').map(section).collect()
}

fn measure(workspace: &Workspace, board: Board, options: &Options) -> Result<ExitCode> {
    let set = options.set.as_deref().map_or_else(|| "all".to_owned(), benches);
    if set.is_empty() || set.split('+').any(|bench| bench.split(':').next() == Some("selftest")) {
        let text = format!("--set {set:?}: expected benchmarks; `cargo xtask run {board}` runs the self-test");
        return Err(Failure::Usage(text).into());
    }
    let bootargs = format!("bench={set}");
    run::check(board, &bootargs)?;
    make_folder(options.out.as_deref())?;
    let mut log = Vec::new();
    let code = run::once(workspace, board, &bootargs, options.timeout, &mut |bytes| log.extend_from_slice(bytes))?;
    let log = String::from_utf8_lossy(&log);
    if !log.lines().any(|line| line.starts_with("BENCH ")) {
        eprintln!("{board} ran no benchmark of {set:?}");
        return Ok(if code == ExitCode::SUCCESS { ExitCode::FAILURE } else { code });
    }
    let folder = options.out.clone().unwrap_or_else(|| workspace.target().join("bench").join(board.name()));
    write(&machine::page(board, &bootargs, &log), &folder)?;
    Ok(code)
}

/// Commas join both benchmarks and their arguments: a word with `=` and without `:` goes on with the arguments.
fn benches(set: &str) -> String {
    let mut benches = String::new();
    for word in set.split(',') {
        let goes_on = word.contains('=') && !word.contains(':');
        benches += if benches.is_empty() {
            ""
        } else if goes_on {
            ","
        } else {
            "+"
        };
        benches += word;
    }
    benches
}

fn write(page: &str, folder: &Path) -> Result<()> {
    let files = report::write(page, folder)?;
    eprintln!("{} files in {}; report.html has it all", files.len(), folder.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_written_with_commas() {
        assert_eq!(benches("looper:n=8,work=200ms,pair"), "looper:n=8,work=200ms+pair");
        assert_eq!(benches("all"), "all");
    }

    #[test]
    fn an_unknown_section_is_named() {
        let error = sections("loopers").expect_err("no such section").to_string();
        assert!(error.contains("loopers") && error.contains("looper, mixed"), "{error}");
    }
}
