//! Console output: whole lines, one writer at a time, never waiting for ever.

use core::fmt::{self, Write};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use spin::Mutex;

use crate::board::Console;
use crate::kernel::Kernel;

/// The output side of the console.
pub struct Output {
    /// Held while a line is written. The holder has interrupts off and waits for the device only, for a bounded time.
    lock: Mutex<()>,
    dropped: AtomicU32,
}

impl Output {
    /// Nothing written.
    pub const fn new() -> Output {
        Output { lock: Mutex::new(()), dropped: AtomicU32::new(0) }
    }

    /// Writes one or more whole lines unbroken by others.
    pub fn write(&self, console: &dyn Console, lines: fmt::Arguments<'_>) {
        let _one_writer = self.lock.lock();
        self.write_unlocked(console, lines);
    }

    /// Writes without the lock: for a system that is dying, where the lock may be held for ever.
    pub fn write_unlocked(&self, console: &dyn Console, lines: fmt::Arguments<'_>) {
        let mut writer = Writer { console, dropped: &self.dropped };
        // The writer never fails: it counts.
        let _ = writer.write_fmt(lines);
    }

    /// Characters that the device did not take in time.
    pub fn dropped(&self) -> u32 {
        self.dropped.load(Relaxed)
    }
}

impl Default for Output {
    fn default() -> Self {
        Output::new()
    }
}

struct Writer<'a> {
    console: &'a dyn Console,
    dropped: &'a AtomicU32,
}

impl Writer<'_> {
    fn put(&self, byte: u8) {
        if !self.console.put(byte) {
            self.dropped.fetch_add(1, Relaxed);
        }
    }
}

impl Write for Writer<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            if byte == b'\n' {
                self.put(b'\r');
            }
            self.put(byte);
        }
        Ok(())
    }
}

impl Kernel {
    /// Prints a line of the kernel's own.
    pub(crate) fn print(&self, line: fmt::Arguments<'_>) {
        self.output.write(self.board().console(), format_args!("{line}\n"));
    }
}
