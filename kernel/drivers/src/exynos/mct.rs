//! Multi-core timer: its free-running counter (`drivers/clocksource/exynos_mct.c`).
//!
//! The generic timer of the cores counts what this counter counts, and stands still until somebody starts it. After
//! that it must be left alone: writing the counter would turn back the time of all cores.
//!
//! A write takes effect some clocks later, in another clock domain. The block tells so by a status bit for each
//! register, which has to be waited for and cleared, or the next write to the register is lost.
#![expect(unsafe_code, reason = "claims device registers")]

use crate::words::{Mapped, Words};

/// G_TCON: control of the global counter.
const CONTROL: usize = 0x240;
/// G_WSTAT: which writes have arrived.
const WRITE_STATUS: usize = 0x24c;
/// In G_TCON: the counter counts.
const START: u32 = 1 << 8;
/// In G_WSTAT: a write to G_TCON has arrived.
const CONTROL_WRITTEN: u32 = 1 << 16;
/// Polls before a write counts as lost: some milliseconds, where Linux allows one.
const PATIENCE: u32 = 20_000;

/// The counter was told to start, and its control register did not take it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteLost;

/// The multi-core timer.
#[derive(Debug)]
pub struct MultiCoreTimer<W = Mapped> {
    words: W,
}

impl MultiCoreTimer {
    /// Takes the device at `base`.
    ///
    /// # Safety
    ///
    /// At `base` is a multi-core timer, mapped as device memory, and nobody else drives it.
    #[must_use]
    pub const unsafe fn claim(base: usize) -> Self {
        // SAFETY: the caller's promise.
        Self { words: unsafe { Mapped::at(base) } }
    }
}

impl<W: Words> MultiCoreTimer<W> {
    /// Starts the counter, unless it runs already. It goes on from where it stands.
    ///
    /// # Errors
    ///
    /// If the write did not arrive in time.
    pub fn start(&self) -> Result<(), WriteLost> {
        let control = self.words.read(CONTROL);
        if control & START != 0 {
            return Ok(());
        }
        // A bit that somebody left set would pass for the one of this write.
        self.words.write(WRITE_STATUS, CONTROL_WRITTEN);
        self.words.write(CONTROL, control | START);
        if !self.words.poll(WRITE_STATUS, PATIENCE, |status| status & CONTROL_WRITTEN != 0) {
            return Err(WriteLost);
        }
        self.words.write(WRITE_STATUS, CONTROL_WRITTEN);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::script::{Did, Script};

    #[test]
    fn starting_waits_for_the_write_and_takes_the_note_back() {
        let device = Script::new(&[], |words, did| match did {
            Did::Wrote(CONTROL, _) => _ = words.insert(WRITE_STATUS, CONTROL_WRITTEN),
            Did::Wrote(WRITE_STATUS, bits) => *words.entry(WRITE_STATUS).or_default() &= !bits,
            _ => {}
        });
        assert_eq!(MultiCoreTimer { words: &device }.start(), Ok(()));
        let expected = [
            Did::Read(CONTROL),
            Did::Wrote(WRITE_STATUS, CONTROL_WRITTEN),
            Did::Wrote(CONTROL, START),
            Did::Read(WRITE_STATUS),
            Did::Wrote(WRITE_STATUS, CONTROL_WRITTEN),
        ];
        assert_eq!(device.accesses(), expected);
    }

    #[test]
    fn a_counter_that_runs_is_left_alone() {
        let device = Script::new(&[(CONTROL, START | 3)], |_, _| {});
        assert_eq!(MultiCoreTimer { words: &device }.start(), Ok(()));
        assert_eq!(device.writes(), []);
    }

    #[test]
    fn comparators_stay_as_they_are() {
        let device = Script::new(&[(CONTROL, 3)], |words, did| {
            if let Did::Wrote(CONTROL, _) = did {
                words.insert(WRITE_STATUS, CONTROL_WRITTEN);
            }
        });
        assert_eq!(MultiCoreTimer { words: &device }.start(), Ok(()));
        assert_eq!(device.word(CONTROL), START | 3);
    }

    #[test]
    fn a_write_that_never_arrives_costs_bounded_time() {
        let device = Script::new(&[], |words, did| {
            if let Did::Wrote(WRITE_STATUS, _) = did {
                words.insert(WRITE_STATUS, 0);
            }
        });
        assert_eq!(MultiCoreTimer { words: &device }.start(), Err(WriteLost));
    }
}
