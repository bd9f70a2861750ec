//! `console`: a serial terminal that keeps a kernel's traces from flooding it.

use std::io::{IsTerminal, Read, Write, stdin};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

use anyhow::Result;
use clap::Args;
use console::{Key, Term};
use serialport::SerialPort;

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
    let sender = serial.sender()?;
    if stdin().is_terminal() {
        eprintln!("{} at {} baud. Ctrl-C ends this.", options.tty.display(), options.baud);
        thread::spawn(|| type_into(sender));
    } else {
        thread::spawn(|| pour_into(sender));
    }
    loop {
        serial.look()?;
    }
}

/// Sends keys as they are pressed. The library takes Ctrl-C for itself, which ends the program.
fn type_into(mut port: Box<dyn SerialPort>) {
    let keyboard = Term::stdout();
    while let Ok(key) = keyboard.read_key() {
        if port.write_all(&bytes_of(&key)).is_err() {
            return;
        }
    }
}

/// Sends what another program gives.
fn pour_into(mut port: Box<dyn SerialPort>) {
    let mut bytes = [0; 256];
    while let Ok(count) = stdin().read(&mut bytes) {
        if count == 0 || port.write_all(&bytes[..count]).is_err() {
            return;
        }
    }
}

/// What a terminal sends for a key.
fn bytes_of(key: &Key) -> Vec<u8> {
    match key {
        Key::Char(character) => character.to_string().into_bytes(),
        Key::Enter => b"\r".to_vec(),
        Key::Tab => b"\t".to_vec(),
        Key::Backspace => b"\x7f".to_vec(),
        Key::Escape => b"\x1b".to_vec(),
        Key::ArrowUp => b"\x1b[A".to_vec(),
        Key::ArrowDown => b"\x1b[B".to_vec(),
        Key::ArrowRight => b"\x1b[C".to_vec(),
        Key::ArrowLeft => b"\x1b[D".to_vec(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sent_as_terminals_do() {
        assert_eq!(bytes_of(&Key::Char('ä')), "ä".as_bytes());
        assert_eq!(bytes_of(&Key::Enter), b"\r");
        assert_eq!(bytes_of(&Key::ArrowUp), b"\x1b[A");
    }
}
