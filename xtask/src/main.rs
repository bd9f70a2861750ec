//! What a person types: `cargo xtask VERB`. `cargo xtask --help` lists the verbs.
//!
//! Exit codes: 0 done, 1 failed, 2 wrong usage, 3 something is missing on this machine, 124 time-out, 141 whoever read
//! the output has gone; `run` exits with the machine's own code.

mod apt;
mod bench;
mod board;
mod bootargs;
mod card;
mod console;
mod failure;
mod files;
mod flash;
mod image;
mod keyboard;
mod model;
mod out;
mod process;
mod report;
mod run;
mod rust;
mod screen;
mod serial;
mod setup;
mod sim;
mod tally;
mod test;
mod trace;
mod uimage;
mod way;
mod workspace;

use std::process::ExitCode;

use crate::board::Board;
use crate::workspace::Workspace;
use clap::{Parser, Subcommand};

/// Builds, runs and tests Gearshift, and sets up what that needs.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Build, start, stream the UART; exit with the machine's code (124 on time-out)
    Run(run::Options),
    /// Run the tests; the last line is "N passed, M failed"
    Test(test::Options),
    /// Compare policies on a physical model of the chip: a table, and with --out figures, pictures and traces
    Sim(sim::Options),
    /// Run the benchmark set in the simulator, which makes docs/results.md, or on a board, and report it
    Bench(bench::Options),
    /// Build the image of a board and say where it is
    Build {
        /// odroid-xu4, vexpress-a15 or qemu-virt
        #[arg(default_value = "odroid-xu4")]
        board: Board,
    },
    /// Write what goes on a board's card: uImage, boot scripts, README with the exact commands
    Image(card::Options),
    /// Put the image onto a card that already starts the board; refuses disks that are in use
    Flash(flash::Options),
    /// A serial terminal for a board: 115200 baud, events go to a trace file instead of the screen
    Console(console::Options),
    /// Turn the events of a run with trace=on into a trace for ui.perfetto.dev
    Trace(trace::Options),
    /// Install what is missing, after saying what; run and test call this themselves
    Setup {
        /// Change nothing; exit with 3 if something is missing
        #[arg(long)]
        check: bool,
    },
    /// What .ci/run does, in order: set-up and all tests
    Ci,
}

fn main() -> ExitCode {
    match Arguments::try_parse() {
        Ok(arguments) => carry_out(arguments.verb),
        // Help, or what is wrong with the arguments.
        Err(said) => out::written(said.print()).map(|()| ExitCode::from(u8::try_from(said.exit_code()).unwrap_or(2))),
    }
    .unwrap_or_else(|error| failure::report(&error))
}

fn carry_out(verb: Verb) -> anyhow::Result<ExitCode> {
    let workspace = Workspace::here();
    match verb {
        Verb::Run(options) => run::run(&workspace, &options),
        Verb::Test(options) => test::run(&workspace, &options),
        Verb::Sim(options) => sim::run(&workspace, &options),
        Verb::Bench(options) => bench::run(&workspace, &options),
        Verb::Build { board } => build(&workspace, board),
        Verb::Image(options) => card::run(&workspace, &options),
        Verb::Flash(options) => flash::run(&workspace, &options),
        Verb::Console(options) => console::run(&workspace, &options),
        Verb::Trace(options) => trace::run(&options),
        Verb::Setup { check: true } => setup::check(&workspace),
        Verb::Setup { check: false } => setup::install(&workspace),
        Verb::Ci => test::run(&workspace, &test::Options::default()),
    }
}

fn build(workspace: &Workspace, board: Board) -> anyhow::Result<ExitCode> {
    let way = setup::arm_target(workspace)?;
    let images = image::build(workspace, way, &[board])?;
    images.iter().try_for_each(|image| out::line(image.display()))?;
    Ok(ExitCode::SUCCESS)
}
