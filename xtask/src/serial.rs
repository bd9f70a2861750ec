//! A board's serial line.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serialport::SerialPort;

use crate::failure::Failure;
use crate::screen::Screen;
use crate::{files, out, trace};

/// What the kernel's console speaks: 115200 baud, and the library's defaults of 8 data bits, no parity, 1 stop bit.
pub const BAUD: u32 = 115_200;
/// How long one look at the line takes at most, and after how much silence a trace is taken for complete.
const GLANCE: Duration = Duration::from_millis(200);

/// An open line, what it shows and where that goes.
pub struct Serial {
    port: Box<dyn SerialPort>,
    name: String,
    screen: Screen,
    log: Option<File>,
    traces: PathBuf,
    /// How many events are in the file already.
    written: usize,
}

impl Serial {
    /// Opens `tty`. All that comes goes to `log` as well, if there is one, and events to the file `traces`.
    ///
    /// # Errors
    ///
    /// [`Failure::Missing`] if there is no such line or it is somebody else's; or if the log cannot be made.
    pub fn open(tty: &Path, baud: u32, log: Option<&Path>, traces: PathBuf) -> Result<Self> {
        log.map_or(Ok(()), |log| files::apart(tty, log))?;
        let name = tty.display().to_string();
        let port = serialport::new(&name, baud).timeout(GLANCE).open();
        let port = port.map_err(|error| {
            Failure::Missing(format!(
                "{name}: {error}; expected a serial line that is yours to use, such as /dev/ttyUSB0"
            ))
        })?;
        let make = |path: &Path| File::create(path).with_context(|| format!("writing {}", path.display()));
        let log = log.map(make).transpose()?;
        Ok(Self { port, name, screen: Screen::default(), log, traces, written: 0 })
    }

    /// A second hand on the line, to send with.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn sender(&self) -> Result<Box<dyn SerialPort>> {
        Ok(self.port.try_clone()?)
    }

    /// Looks at the line once: shows what came, and gives it. After some silence events are written to their file.
    ///
    /// # Errors
    ///
    /// If the line is gone, or a file cannot be written.
    pub fn look(&mut self) -> Result<Vec<u8>> {
        let mut bytes = vec![0; 4096];
        match self.port.read(&mut bytes) {
            Ok(0) => bail!("{} was closed at its other end", self.name),
            Ok(count) => bytes.truncate(count),
            Err(error) if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::Interrupted) => {
                self.write_trace()?;
                return Ok(Vec::new());
            }
            Err(error) => return Err(error).with_context(|| format!("{} is gone", self.name)),
        }
        if let Some(log) = &mut self.log {
            log.write_all(&bytes).context("writing the log")?;
        }
        let shown = self.screen.take(&bytes);
        out::bytes(&shown)?;
        Ok(bytes)
    }

    fn write_trace(&mut self) -> Result<()> {
        if self.screen.events() > self.written {
            self.written = self.screen.events();
            match trace::write(self.screen.kept(), &self.traces) {
                Ok(count) => eprintln!("{count} events in {}: open it in ui.perfetto.dev", self.traces.display()),
                // A bit that fell over on the line is no reason to hang up.
                Err(error) => eprintln!("the trace cannot be used: {error:#}"),
            }
        }
        Ok(())
    }
}

/// How a board said that it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// All is done: so many failed.
    Done(u32),
    /// It panicked.
    Panic,
    /// It was too hot for anything.
    TooHot,
}

impl Said {
    /// What a line says of the end; [`None`] for most lines.
    pub fn find(line: &str) -> Option<Self> {
        let mut words = line.trim().split(' ');
        match (words.next()?, words.next(), words.next(), words.next(), words.next()) {
            ("PANIC", ..) => Some(Self::Panic),
            ("HEAT", Some(_), Some("action=halted"), ..) => Some(Self::TooHot),
            ("DONE", Some(_), Some("passed,"), Some(failed), Some("failed")) => failed.parse().ok().map(Self::Done),
            _ => None,
        }
    }

    /// The exit code that the kernel gives an emulator in this case.
    pub const fn code(self) -> u8 {
        match self {
            Self::Done(0) => 0,
            Self::Done(_) => 1,
            Self::Panic => 101,
            Self::TooHot => 103,
        }
    }
}

/// Shows a board's output until it says how it ended, and what it says shortly after; [`None`] after `limit`.
///
/// # Errors
///
/// As [`Serial::look`].
pub fn watch(serial: &mut Serial, limit: Duration) -> Result<Option<Said>> {
    let begun = Instant::now();
    let mut line = Vec::new();
    let mut said = None;
    while begun.elapsed() < limit {
        let bytes = serial.look()?;
        if bytes.is_empty() && said.is_some() {
            return Ok(said);
        }
        for byte in bytes {
            if byte == b'\n' {
                said = said.or(Said::find(&String::from_utf8_lossy(&line)));
                line.clear();
            } else {
                line.push(byte);
            }
        }
    }
    Ok(said)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use serialport::TTYPort;

    use super::*;

    #[test]
    fn the_end_is_understood() {
        assert_eq!(Said::find("DONE 12 passed, 0 failed\r"), Some(Said::Done(0)));
        assert_eq!(Said::find("DONE 12 passed, 3 failed").map(Said::code), Some(1));
        assert_eq!(Said::find("PANIC cpu=0 at=x message=\"y\"").map(Said::code), Some(101));
        assert_eq!(Said::find("HEAT temperature_mc=115000 action=halted\r").map(Said::code), Some(103));
        assert_eq!(Said::find("TEST a ... ok"), None);
        assert_eq!(Said::find("DONE"), None);
    }

    /// A board at the other end of a pseudo-terminal.
    fn board(says: &'static [u8]) -> (Serial, tempfile::TempDir) {
        let (mut board, line) = TTYPort::pair().expect("pseudo-terminals");
        let folder = tempfile::tempdir().expect("a folder");
        let tty = PathBuf::from(line.name().expect("it has a name"));
        drop(line);
        let log = folder.path().join("log");
        let serial =
            Serial::open(&tty, BAUD, Some(&log), folder.path().join("trace.json")).expect("it is a serial line");
        thread::spawn(move || {
            board.write_all(says).expect("somebody listens");
            thread::sleep(Duration::from_secs(5));
        });
        (serial, folder)
    }

    #[test]
    fn a_board_is_watched_until_it_is_done() {
        let text = b"BOOT version=1\r\nEVENT cpu=0 t_us=1 event=switch task=1\r\nEVENT cpu=0 t_us=9 event=idle\r\nDONE 1 passed, 0 failed\r\n";
        let (mut serial, folder) = board(text);
        assert_eq!(watch(&mut serial, Duration::from_secs(4)).expect("it lives"), Some(Said::Done(0)));
        assert_eq!(std::fs::read(folder.path().join("log")).expect("a log"), text);
        let trace = std::fs::read_to_string(folder.path().join("trace.json")).expect("a trace");
        assert!(trace.contains("task 1"), "{trace}");
    }

    #[test]
    fn a_board_that_never_ends_is_given_up() {
        let (mut serial, _folder) = board(b"BOOT version=1\r\n");
        assert_eq!(watch(&mut serial, Duration::from_millis(500)).expect("it lives"), None);
    }

    #[test]
    fn what_is_no_line_is_named() {
        let error = Serial::open(Path::new("/dev/no-such-line"), BAUD, None, PathBuf::new());
        let error = format!("{:#}", error.err().expect("there is none"));
        assert!(error.contains("/dev/no-such-line") && error.contains("expected"), "{error}");
    }
}
