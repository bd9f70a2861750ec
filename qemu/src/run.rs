//! A running QEMU: its UART as lines, a bounded time, no process left behind.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::find::{find, in_path};
use crate::image::Image;
use crate::machine::Kernel;
use crate::start::{Files, Start};

/// Exit code of a run that the time limit ended, as coreutils' `timeout` has it.
const TIMED_OUT: i32 = 124;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The image asked for it, or QEMU refused to start (1).
    Exited(i32),
    /// The limit was reached; QEMU was stopped.
    TimedOut,
    /// A signal ended QEMU.
    Killed(i32),
}

impl Ending {
    /// The code for the caller's own exit: the machine's, 124 for a time-out, 128 + the signal as shells have it.
    #[must_use]
    pub const fn code(self) -> i32 {
        match self {
            Self::Exited(code) => code,
            Self::TimedOut => TIMED_OUT,
            Self::Killed(signal) => 128 + signal,
        }
    }
}

impl From<ExitStatus> for Ending {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Exited(code),
            (None, signal) => Self::Killed(signal.unwrap_or_default()),
        }
    }
}

/// What a run left.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// What QEMU itself said on stderr.
    pub complaints: String,
    /// Wall time.
    pub took: Duration,
}

impl Start {
    /// Starts QEMU and gives every line of the UART, without its line end, to `on_line` as it comes.
    ///
    /// Returns when QEMU has ended, at the latest a moment after the limit. The calling thread's death takes QEMU along
    /// where `setpriv` (util-linux) exists, so that Ctrl-C or a killed test leaves nothing running.
    ///
    /// # Errors
    ///
    /// If QEMU is not installed, the image cannot be read or the arguments do not fit the machine.
    pub fn run(&self, mut on_line: impl FnMut(&str)) -> Result<Outcome> {
        self.run_while(|line| {
            on_line(line);
            Ok(())
        })
    }

    /// The same for lines that somebody must be able to take: an error of `on_line` ends QEMU.
    ///
    /// # Errors
    ///
    /// That of `on_line`, and as [`Start::run`].
    pub fn run_while(&self, on_line: impl FnMut(&str) -> Result<()>) -> Result<Outcome> {
        let qemu = find().context("qemu-system-arm is not installed (`cargo xtask setup` does it)")?;
        let arguments = self.arguments_for(&self.make_files()?)?;
        let mut command = tied_to_this_thread(Command::new(qemu));
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let begun = Instant::now();
        let mut child = Guarded(command.spawn().context("starting qemu-system-arm")?);
        let stdin = child.0.stdin.take().context("QEMU has no stdin")?;
        let lines = read_lines(child.0.stdout.take().context("QEMU has no stdout")?);
        let complaints = read_all(child.0.stderr.take().context("QEMU has no stderr")?);
        let typed = self.input.clone();
        // Held open until the end: a closed stdin would look like an unplugged terminal.
        let typist = thread::spawn(move || (&stdin).write_all(&typed).map(|()| stdin));
        let ending = child.follow(&lines, begun + self.limit, on_line)?;
        drop(typist);
        let complaints = complaints.join().unwrap_or_default();
        Ok(Outcome { ending, complaints, took: begun.elapsed() })
    }

    fn make_files(&self) -> Result<Files> {
        let mut files = Files { kernel: self.kernel_file(), filler: None };
        if self.machine.kernel() == Kernel::Flat || self.filler.is_some() {
            let image = Image::open(&self.image)?;
            if self.machine.kernel() == Kernel::Flat {
                files.kernel = image.write_flat()?;
            }
            if let Some(filler) = self.filler {
                files.filler = image.write_filler(filler)?;
            }
        }
        Ok(files)
    }
}

/// Lets the kernel of the host kill `command` with the thread that starts it: no unsafe `pre_exec` here.
fn tied_to_this_thread(command: Command) -> Command {
    let Some(setpriv) = in_path("setpriv") else { return command };
    let mut tied = Command::new(setpriv);
    tied.args(["--pdeathsig", "KILL"]).arg(command.get_program());
    tied
}

fn read_lines(uart: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut uart = BufReader::new(uart);
        let mut line = Vec::new();
        while uart.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            let text = String::from_utf8_lossy(&line);
            if sender.send(text.trim_end_matches(['\r', '\n']).to_owned()).is_err() {
                return;
            }
            line.clear();
        }
    });
    receiver
}

fn read_all(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut text = Vec::new();
        // A broken pipe ends the text; what came before it is what there is to show.
        let _end = pipe.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    })
}

/// A child that is dead and reaped when this is dropped.
struct Guarded(Child);

impl Guarded {
    /// Hands lines on until QEMU ends, `deadline` passes or a line is not taken.
    fn follow(
        &mut self,
        lines: &Receiver<String>,
        deadline: Instant,
        mut on_line: impl FnMut(&str) -> Result<()>,
    ) -> Result<Ending> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match lines.recv_timeout(left) {
                Ok(line) => on_line(&line)?,
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return Ok(self.0.wait()?.into()),
            }
            if left.is_zero() {
                break;
            }
        }
        self.stop();
        lines.iter().try_for_each(|line| on_line(&line))?;
        Ok(Ending::TimedOut)
    }

    fn stop(&mut self) {
        // Both fail only for a child that is already dead and reaped, which is what is wanted.
        let _killed = self.0.kill();
        let _reaped = self.0.wait();
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Guarded {
        let mut command = tied_to_this_thread(Command::new("sh"));
        command.args(["-c", script]).stdout(Stdio::piped());
        Guarded(command.spawn().expect("every host has sh"))
    }

    fn follow(script: &str, limit: Duration) -> (Ending, Vec<String>) {
        let mut child = shell(script);
        let lines = read_lines(child.0.stdout.take().expect("stdout is piped"));
        let mut seen = Vec::new();
        let ending = child.follow(&lines, Instant::now() + limit, |line| {
            seen.push(line.to_owned());
            Ok(())
        });
        (ending.expect("the child can be waited for"), seen)
    }

    #[test]
    fn lines_come_without_their_ends_and_the_code_is_the_childs() {
        let (ending, lines) = follow(r"printf 'a\r\nb\nlast'; exit 7", Duration::from_secs(10));
        assert_eq!((ending, ending.code()), (Ending::Exited(7), 7));
        assert_eq!(lines, ["a", "b", "last"]);
    }

    #[test]
    fn the_limit_ends_a_child_that_does_not() {
        let (ending, lines) = follow("echo begun; exec sleep 60", Duration::from_millis(300));
        assert_eq!((ending, ending.code()), (Ending::TimedOut, 124));
        assert_eq!(lines, ["begun"]);
    }

    #[test]
    fn a_talkative_child_is_ended_too() {
        let (ending, _) = follow("while :; do echo on; done", Duration::from_millis(300));
        assert_eq!(ending, Ending::TimedOut);
    }

    #[test]
    fn a_line_that_nobody_takes_ends_the_child() {
        let mut child = shell("while :; do echo on; done");
        let lines = read_lines(child.0.stdout.take().expect("stdout is piped"));
        let begun = Instant::now();
        let ending = child.follow(&lines, begun + Duration::from_secs(60), |_| anyhow::bail!("the disk is full"));
        assert_eq!(ending.expect_err("nobody took it").to_string(), "the disk is full");
        assert!(begun.elapsed() < Duration::from_secs(30), "at once");
    }

    #[test]
    fn a_signal_is_told_apart_from_a_code() {
        let (ending, _) = follow("kill -9 $$", Duration::from_secs(10));
        assert_eq!((ending, ending.code()), (Ending::Killed(9), 137));
    }
}
