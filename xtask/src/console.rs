//! `console`: a serial terminal that keeps a kernel's traces from flooding it.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use crate::keyboard::Keyboard;
use crate::serial::{BAUD, Serial};
use crate::workspace::Workspace;

/// What `console` takes.
#[derive(Args)]
pub struct Options {
    /// The serial line, for example /dev/ttyUSB0
    tty: PathBuf,
    /// Its speed
    #[arg(long, value_name = "BAUD", default_value_t = BAUD, value_parser = clap::value_parser!(u32).range(50..=4_000_000))]
    baud: u32,
    /// Keep all that comes in this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

/// Shows what comes and sends what is typed, until Ctrl-C or the line's end.
///
/// # Errors
///
/// If the line cannot be opened, or goes away.
pub fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode> {
    let traces = workspace.target().join("console.trace.json");
    let mut serial = Serial::open(&options.tty, options.baud, options.log.as_deref(), traces)?;
    let mut sender = serial.sender()?;
    eprintln!("{} at {} baud. Ctrl-C ends this.", options.tty.display(), options.baud);
    let _silent = Keyboard::listen(move |bytes| sender.write_all(bytes).is_ok());
    loop {
        serial.look()?;
    }
}
