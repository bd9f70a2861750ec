//! Pins: a bank of up to eight (`drivers/pinctrl/samsung/pinctrl-exynos-arm.c`).
#![expect(unsafe_code, reason = "claims device registers")]

use crate::words::{Mapped, Words};

/// Function of each pin, four bits.
const FUNCTION: usize = 0x00;
/// Pull of each pin, two bits.
const PULL: usize = 0x08;
const PULL_UP: u32 = 3;

/// One bank.
#[derive(Debug)]
pub struct Pins<W = Mapped> {
    words: W,
}

impl Pins {
    /// Takes the bank at `base`.
    ///
    /// # Safety
    ///
    /// At `base` is such a bank, mapped as device memory, and nobody else drives it.
    #[must_use]
    pub const unsafe fn claim(base: usize) -> Self {
        // SAFETY: the caller's promise.
        Self { words: unsafe { Mapped::at(base) } }
    }
}

impl<W: Words> Pins<W> {
    /// Gives a pin to the block that is its function `function`, pulled up. The others stay as they are.
    ///
    /// # Panics
    ///
    /// If there is no such pin or function: a wrong constant of a board.
    pub fn give(&self, pin: usize, function: u32) {
        assert!(pin < 8 && function < 16, "a bank has eight pins of sixteen functions");
        let pull = self.words.read(PULL) & !(0b11 << (2 * pin)) | PULL_UP << (2 * pin);
        self.words.write(PULL, pull);
        let functions = self.words.read(FUNCTION) & !(0xf << (4 * pin)) | function << (4 * pin);
        self.words.write(FUNCTION, functions);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::script::Script;

    #[test]
    fn one_pin_changes_and_the_others_stay() {
        let device = Script::new(&[(FUNCTION, 0x2222_2211), (PULL, 0x5555)], |_, _| {});
        Pins { words: &device }.give(1, 3);
        assert_eq!(device.writes(), [(PULL, 0x555d), (FUNCTION, 0x2222_2231)]);
    }
}
