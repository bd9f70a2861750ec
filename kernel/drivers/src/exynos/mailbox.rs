//! The page of on-chip memory through which every core comes out of the firmware.
//!
//! The vendor's second boot loader leaves code at its start and a table behind it
//! (`Documentation/arch/arm/samsung/bootloader-interface.rst`, `u-boot/u-boot:arch/arm/mach-exynos/sec_boot.S`). A core
//! that gets power runs that code. There are two ways to have it come here instead, and both are taken:
//!
//! - the trampoline of `arch/arm/mach-exynos/mcpm-exynos.c`: the first words become a jump, whatever the table says;
//! - the hotplug word, for a core that was sent into the old code before and waits for it.
//!
//! Beside that the page holds a word a core in which it notes how far it came: it is the one memory that a core can
//! write before it is coherent, and the others read without caches.
#![expect(unsafe_code, reason = "claims memory")]

use crate::words::{Mapped, Words};

/// `ldr r0, [pc, #0]`, which reads the third word; `bx r0`.
const TRAMPOLINE: [u32; 2] = [0xe59f_0000, 0xe12f_ff10];
const ENTRY: usize = 0x08;
/// Where waiting cores look for an address.
const HOTPLUG: usize = 0x1c;
/// The notes, in a part of the page that the boot loader and the monitor do not use.
const NOTES: usize = 0xc00;

/// How far a core came. Anything else in its word counts as [`Progress::Nowhere`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Progress {
    /// It has not been seen.
    Nowhere = 0x6765_0000,
    /// It runs our code.
    Entered,
    /// The interconnect did not open its cluster's port.
    NoPort,
    /// It could not be made part of the coherent cores.
    NotCoherent,
    /// It is coherent and goes on to the kernel.
    Coherent,
}

impl Progress {
    fn from_word(word: u32) -> Self {
        let known = [Self::Entered, Self::NoPort, Self::NotCoherent, Self::Coherent];
        known.into_iter().find(|progress| *progress as u32 == word).unwrap_or(Self::Nowhere)
    }
}

/// The page.
#[derive(Debug)]
pub struct Mailbox<W = Mapped> {
    words: W,
}

impl Mailbox {
    /// Takes the page at `base`. Several cores may take it: each writes its own note, and one of them the rest.
    ///
    /// # Safety
    ///
    /// At `base` is that page, mapped as device memory or reached with the MMU off.
    #[must_use]
    pub const unsafe fn claim(base: usize) -> Self {
        // SAFETY: the caller's promise.
        Self { words: unsafe { Mapped::at(base) } }
    }
}

impl<W: Words> Mailbox<W> {
    /// Sends every core that comes out of the firmware from now on to `entry`: A32 code, MMU off.
    pub fn send_cores_to(&self, entry: u32) {
        // The address first: a core that comes in between must not jump to what was there before.
        self.words.write(ENTRY, entry);
        self.words.write(0x04, TRAMPOLINE[1]);
        self.words.write(0x00, TRAMPOLINE[0]);
        self.words.write(HOTPLUG, entry);
    }

    /// Notes how far core `cpu` came.
    pub fn note(&self, cpu: usize, progress: Progress) {
        self.words.write(NOTES + 4 * cpu, progress as u32);
    }

    /// How far core `cpu` came.
    pub fn progress(&self, cpu: usize) -> Progress {
        Progress::from_word(self.words.read(NOTES + 4 * cpu))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::script::Script;

    #[test]
    fn the_jump_is_written_behind_its_address() {
        let page = Script::new(&[], |_, _| {});
        Mailbox { words: &page }.send_cores_to(0x4800_0040);
        let expected = [(0x08, 0x4800_0040), (0x04, 0xe12f_ff10), (0x00, 0xe59f_0000), (0x1c, 0x4800_0040)];
        assert_eq!(page.writes(), expected);
    }

    #[test]
    fn notes_read_back_and_rubbish_is_nothing() {
        let page = Script::new(&[(NOTES + 8, 0xa5a5_a5a5)], |_, _| {});
        let mailbox = Mailbox { words: &page };
        for progress in [Progress::Nowhere, Progress::Entered, Progress::NoPort, Progress::Coherent] {
            mailbox.note(1, progress);
            assert_eq!(mailbox.progress(1), progress);
        }
        assert_eq!(mailbox.progress(2), Progress::Nowhere);
    }
}
