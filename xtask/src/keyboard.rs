//! A person's keyboard, byte by byte. Who reads the bytes echoes them, so the terminal must not; and Enter is a
//! carriage return, as serial lines have it.

use std::io::{IsTerminal, Read, stdin};
use std::process::{Command, Stdio, exit};
use std::thread;

/// What Ctrl-C sends.
const CTRL_C: u8 = 0x03;
/// The exit code of a program that Ctrl-C ended, as shells have it: 128 + SIGINT.
const INTERRUPTED: i32 = 130;

/// Keeps the terminal silent; it is as it was when this is dropped.
pub struct Keyboard {
    /// As `stty` writes it down; none if there is no terminal.
    before: Option<String>,
}

impl Keyboard {
    /// Gives all that comes on standard input to `send`, until that says that it takes no more. Ctrl-C at a terminal
    /// ends the program.
    pub fn listen(send: impl FnMut(&[u8]) -> bool + Send + 'static) -> Self {
        let before = stdin().is_terminal().then(silence).flatten();
        let terminal = before.clone();
        thread::spawn(move || pour(terminal.as_deref(), send));
        Self { before }
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        self.before.as_deref().map(restore);
    }
}

fn pour(terminal: Option<&str>, mut send: impl FnMut(&[u8]) -> bool) {
    let mut bytes = [0; 256];
    while let Ok(count @ 1..) = stdin().read(&mut bytes) {
        if terminal.is_some() && bytes[..count].contains(&CTRL_C) {
            terminal.map(restore);
            exit(INTERRUPTED);
        }
        if !send(&bytes[..count]) {
            return;
        }
    }
}

/// Makes the terminal on standard input silent, and says what it was before; if that fails, it stays as it is.
fn silence() -> Option<String> {
    let before = stty(&["-g"])?;
    stty(&["-echo", "-icanon", "-isig", "-icrnl", "min", "1", "time", "0"])?;
    Some(before)
}

fn restore(before: &str) {
    // There is nobody left to tell if it fails.
    let _failed = stty(&[before]);
}

/// Runs `stty` (coreutils) on standard input: no `unsafe` here, and no crate for three calls.
fn stty(words: &[&str]) -> Option<String> {
    let output = Command::new("stty").args(words).stdin(Stdio::inherit()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
