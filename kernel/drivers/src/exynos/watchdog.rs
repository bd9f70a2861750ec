//! Watchdog (`drivers/watchdog/s3c2410_wdt.c`): switched off.
//!
//! No known boot loader of the board starts it; one that does would reset a kernel that knows nothing of it.
#![expect(unsafe_code, reason = "claims device registers")]

use crate::words::{Mapped, Words};

/// WTCON: control; all zero is off, no interrupt, no reset.
const CONTROL: usize = 0;

/// The watchdog.
#[derive(Debug)]
pub struct Watchdog<W = Mapped> {
    words: W,
}

impl Watchdog {
    /// Takes the device at `base`.
    ///
    /// # Safety
    ///
    /// At `base` is such a watchdog, mapped as device memory, and nobody else drives it.
    #[must_use]
    pub const unsafe fn claim(base: usize) -> Self {
        // SAFETY: the caller's promise.
        Self { words: unsafe { Mapped::at(base) } }
    }
}

impl<W: Words> Watchdog<W> {
    /// Stops it.
    pub fn stop(&self) {
        self.words.write(CONTROL, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::script::Script;

    #[test]
    fn stopping_clears_the_control() {
        let device = Script::new(&[(CONTROL, 0x8021)], |_, _| {});
        Watchdog { words: &device }.stop();
        assert_eq!(device.writes(), [(CONTROL, 0)]);
    }
}
