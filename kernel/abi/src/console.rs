//! The console: whole lines out, what was typed in.

use core::fmt::{self, Write};

use crate::call::Call;
use crate::error::{Error, Result};
use crate::trap::{address, trap};

/// Writes text in one piece; at most [`crate::types::MAX_WRITE`] bytes.
pub fn write(text: &str) -> Result<()> {
    write_raw(address(text.as_ptr()), text.len() as u32)
}

/// Writes from a raw address; for tests of the kernel's checks.
pub fn write_raw(at: u32, length: u32) -> Result<()> {
    Error::decode(trap(Call::ConsoleWrite, at, length, 0, 0).0).map(|_| ())
}

/// Reads what was typed; sleeps until there is something. Returns how many bytes.
pub fn read(into: &mut [u8]) -> Result<usize> {
    let (result, _) = trap(Call::ConsoleRead, address(into.as_mut_ptr()), into.len() as u32, 0, 0);
    Error::decode(result).map(|length| length as usize)
}

/// A line under construction, written in one piece so that lines of several tasks do not mix. What does not fit is cut.
pub struct Line {
    text: [u8; Line::LONGEST],
    length: usize,
}

impl Line {
    const LONGEST: usize = 480;

    /// An empty line.
    pub const fn new() -> Line {
        Line { text: [0; Line::LONGEST], length: 0 }
    }

    /// What it holds so far.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.text[..self.length]).unwrap_or("")
    }

    /// Writes the line with its line feed.
    pub fn print(&mut self) {
        let length = self.length.min(Line::LONGEST - 1);
        self.text[length] = b'\n';
        // Only whole characters were ever appended, and a console that cannot take a line says so in its own counter.
        let _ = write_raw(address(self.text.as_ptr()), length as u32 + 1);
        self.length = 0;
    }
}

impl Default for Line {
    fn default() -> Self {
        Line::new()
    }
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = Line::LONGEST - 1 - self.length;
        let taken = text.floor_char_boundary(room);
        self.text[self.length..self.length + taken].copy_from_slice(&text.as_bytes()[..taken]);
        self.length += taken;
        Ok(())
    }
}

/// Prints a line to the console.
#[macro_export]
macro_rules! println {
    () => { $crate::println!("") };
    ($($argument:tt)*) => {{
        let mut line = $crate::console::Line::new();
        // A line never refuses text: it cuts.
        let _ = core::fmt::Write::write_fmt(&mut line, format_args!($($argument)*));
        line.print();
    }};
}
