//! `run`: builds an image, starts it and shows its UART.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use qemu::{Clock, Ending, Machine, Start};

use crate::board::Board;
use crate::bootargs::Limit;
use crate::failure::Failure;
use crate::serial::{self, Serial};
use crate::workspace::Workspace;
use crate::{bootargs, image, model, out, setup};

/// The exit code of coreutils' `timeout`, and of this verb, for a machine that did not end in time.
const TIMED_OUT: u8 = 124;

/// What `run` takes.
#[derive(Args)]
pub struct Options {
    /// odroid-xu4 (8 cores) on the model of its chip, or vexpress-a15 (4 cores) or qemu-virt (8 cores) in QEMU
    #[arg(default_value = "odroid-xu4")]
    board: Board,
    /// odroid-xu4: a real board on this serial line instead of the model; its card says what it starts
    #[arg(long, value_name = "DEV", conflicts_with = "bootargs")]
    tty: Option<PathBuf>,
    /// What the kernel reads at boot, for example "policy=pull bench=looper:n=4,work=200ms"
    #[arg(long, value_name = "K=V ...", default_value = "", hide_default_value = true)]
    bootargs: String,
    /// Seconds after which the machine is stopped and the exit code is 124
    #[arg(long, value_name = "S", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// What the machine's time counts; unless given, instructions for a paced run and the host's clock for pace=off
    #[arg(long, value_enum)]
    clock: Option<Count>,
    #[command(flatten)]
    model: model::Options,
}

/// The clocks by the names that a person types.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Count {
    /// One nanosecond an instruction: repeatable, and right for `micro` also with pace=off, while one core is busy
    Instructions,
    /// The host's time: cores run side by side, and runs differ
    Host,
}

impl From<Count> for Clock {
    fn from(count: Count) -> Self {
        match count {
            Count::Instructions => Self::Instructions,
            Count::Host => Self::Host,
        }
    }
}

/// Runs the board and gives the machine's exit code.
///
/// # Errors
///
/// If something is missing, the image does not build or QEMU does not start.
pub fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode> {
    if let Some(text) = idle(options) {
        return Err(Failure::Usage(text).into());
    }
    match (options.board, &options.tty) {
        (Board::OdroidXu4, Some(tty)) => watch(workspace, tty, options.timeout),
        _ => start(workspace, options, &mut |_| ()),
    }
}

/// Whether boot arguments arrive whole. On the model they come behind those that it puts first.
///
/// # Errors
///
/// [`Failure::Usage`] if they do not.
pub fn check(board: Board, bootargs: &str) -> Result<()> {
    let limit = match board {
        Board::Emulated(_) => bootargs::KERNEL,
        Board::OdroidXu4 => Limit { most: bootargs::KEPT - model::UNLESS_SAID.len() - 1, ..bootargs::KERNEL },
    };
    bootargs::check(bootargs, &limit)
}

/// What is wrong with options that would do nothing here.
fn idle(options: &Options) -> Option<String> {
    let for_the_model = options.model != model::Options::default();
    match options.board {
        Board::Emulated(machine) if options.tty.is_some() => {
            Some(format!("--tty is for odroid-xu4; {machine} is no board that has a serial line"))
        }
        Board::Emulated(machine) if for_the_model => {
            Some(format!("--stats, --trace, --gdb, --entry, --boot-loader, --fault and --allow are the model's; {machine} runs in QEMU"))
        }
        Board::OdroidXu4 if options.clock.is_some() => Some("--clock is for QEMU; the model has its own time".into()),
        Board::OdroidXu4 if options.tty.is_some() && for_the_model => {
            Some("--tty is a real board; --stats, --trace, --gdb, --entry, --boot-loader, --fault and --allow are the model's".into())
        }
        _ => None,
    }
}

/// Runs `board` with `bootargs` and nothing else out of the ordinary; `hear` gets the output as well.
///
/// # Errors
///
/// As [`run`].
pub fn once(
    workspace: &Workspace,
    board: Board,
    bootargs: &str,
    timeout: u64,
    hear: &mut dyn FnMut(&[u8]),
) -> Result<ExitCode> {
    let model = model::Options::default();
    let options = Options { board, tty: None, bootargs: bootargs.to_owned(), timeout, clock: None, model };
    start(workspace, &options, hear)
}

fn start(workspace: &Workspace, options: &Options, hear: &mut dyn FnMut(&[u8])) -> Result<ExitCode> {
    check(options.board, &options.bootargs)?;
    match options.board {
        Board::Emulated(machine) => emulate(workspace, machine, options, hear),
        Board::OdroidXu4 => {
            let way = setup::arm_target(workspace)?;
            let images = image::build(workspace, way, &[options.board])?;
            let limit = Duration::from_secs(options.timeout);
            model::run(&images[0], &options.bootargs, limit, &options.model, hear)
        }
    }
}

/// Watches a real board, which somebody else starts.
fn watch(workspace: &Workspace, tty: &Path, seconds: u64) -> Result<ExitCode> {
    let mut serial = Serial::open(tty, serial::BAUD, None, workspace.target().join("board.trace.json"))?;
    eprintln!("{} at {} baud: now switch the board on, with the card in it.", tty.display(), serial::BAUD);
    match serial::watch(&mut serial, Duration::from_secs(seconds))? {
        Some(said) => Ok(ExitCode::from(said.code())),
        None => {
            eprintln!("The board did not come to its end within {seconds} s; --timeout allows more");
            Ok(ExitCode::from(TIMED_OUT))
        }
    }
}

fn emulate(workspace: &Workspace, board: Machine, options: &Options, hear: &mut dyn FnMut(&[u8])) -> Result<ExitCode> {
    let version = setup::emulator()?;
    let way = setup::arm_target(workspace)?;
    let images = image::build(workspace, way, &[Board::Emulated(board)])?;
    let clock = options.clock.map_or_else(|| clock_for(&options.bootargs), Clock::from);
    let time = match clock {
        Clock::Instructions => "counts instructions: every run prints the same",
        Clock::Host => "is the host's: runs differ",
    };
    eprintln!("{board} in QEMU {version}, {} cores. Time {time}.", board.cores());
    let start = Start {
        bootargs: options.bootargs.clone(),
        clock,
        limit: Duration::from_secs(options.timeout),
        ..Start::new(board, &images[0])
    };
    let outcome = start.run_while(|line| {
        hear(line.as_bytes());
        hear(b"\n");
        out::line(line)
    })?;
    eprint!("{}", outcome.complaints);
    let took = outcome.took.as_secs_f32();
    match outcome.ending {
        Ending::Exited(code) => eprintln!("{board} ended with code {code} after {took:.1} s"),
        Ending::TimedOut => eprintln!("{board} was stopped after {took:.1} s; --timeout allows more"),
        Ending::Killed(signal) => eprintln!("signal {signal} ended QEMU after {took:.1} s"),
    }
    Ok(ExitCode::from(u8::try_from(outcome.ending.code()).unwrap_or(1)))
}

/// Time division among the cores is exact only where time is counted in instructions; the kernel's default is
/// `pace=on`, and as there the last word for a key counts.
fn clock_for(bootargs: &str) -> Clock {
    let mut paces = bootargs.split_whitespace().filter_map(|word| word.strip_prefix("pace="));
    if paces.next_back() == Some("off") { Clock::Host } else { Clock::Instructions }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_would_do_nothing_are_refused() {
        let options = |board: &str| Options {
            board: board.parse().expect("a board"),
            tty: None,
            bootargs: String::new(),
            timeout: 1,
            clock: None,
            model: model::Options::default(),
        };
        assert_eq!(idle(&options("odroid-xu4")), None);
        assert_eq!(idle(&options("qemu-virt")), None);
        let tty = Some(PathBuf::from("/dev/ttyUSB0"));
        assert!(idle(&Options { tty, ..options("qemu-virt") }).is_some_and(|text| text.contains("--tty")));
        assert!(idle(&Options { clock: Some(Count::Host), ..options("odroid-xu4") }).is_some());
        let model = model::Options::with_stats();
        assert!(idle(&Options { model, ..options("vexpress-a15") }).is_some_and(|text| text.contains("QEMU")));
    }

    #[test]
    fn paced_runs_count_instructions() {
        assert_eq!(clock_for(""), Clock::Instructions);
        assert_eq!(clock_for("policy=pull pace=on"), Clock::Instructions);
        assert_eq!(clock_for("pace=sometimes"), Clock::Instructions);
    }

    #[test]
    fn the_last_word_on_the_pace_counts() {
        assert_eq!(clock_for("pace=off trace=on"), Clock::Host);
        assert_eq!(clock_for("pace=off pace=on"), Clock::Instructions);
        assert_eq!(clock_for("space=off"), Clock::Instructions);
    }
}
