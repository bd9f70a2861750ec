//! The interrupt combiner: 32 groups of eight inputs, each group one shared interrupt
//! (torvalds/linux:drivers/irqchip/exynos-combiner.c).

use crate::bus::{Access, BusFault, Size};
use crate::soc::device::{Device, Effects};

const GROUPS: usize = 32;
/// Interrupt of group 0: SPI 0.
const FIRST_INTERRUPT: u32 = 32;

/// The combiner. Four groups share a word.
#[derive(Clone, Debug, Default)]
pub struct Combiner {
    enabled: [u32; GROUPS / 4],
    inputs: [u32; GROUPS / 4],
}

impl Combiner {
    /// Drives input `bit` of `group`.
    pub fn drive(&mut self, (group, bit): (u32, u32), level: bool, effects: &mut Effects) {
        let word = &mut self.inputs[group as usize / 4];
        let mask = 1 << (group % 4 * 8 + bit);
        let driven = if level { *word | mask } else { *word & !mask };
        if driven != *word {
            *word = driven;
            self.settle(group as usize / 4, effects);
        }
    }

    fn settle(&self, word: usize, effects: &mut Effects) {
        let masked = self.enabled[word] & self.inputs[word];
        for group in 0..4 {
            let interrupt = FIRST_INTERRUPT + word as u32 * 4 + group;
            effects.line(interrupt, masked >> (8 * group) & 0xff != 0);
        }
    }
}

impl Device for Combiner {
    fn read(&mut self, offset: u32, _: Size, _: &Access, _: &mut Effects) -> Result<u32, BusFault> {
        let word = offset as usize / 0x10;
        let Some(enabled) = self.enabled.get(word) else { return Ok(0) };
        Ok(match offset % 0x10 {
            0x0 | 0x4 => *enabled,
            0x8 => self.inputs[word],
            _ => enabled & self.inputs[word],
        })
    }

    fn write(&mut self, offset: u32, _: Size, value: u32, _: &Access, effects: &mut Effects) -> Result<(), BusFault> {
        let word = offset as usize / 0x10;
        let Some(enabled) = self.enabled.get_mut(word) else { return Ok(()) };
        match offset % 0x10 {
            0x0 => *enabled |= value,
            0x4 => *enabled &= !value,
            _ => {}
        }
        self.settle(word, effects);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_enabled_input_raises_its_group() {
        let (mut combiner, mut effects) = (Combiner::default(), Effects::default());
        let at = Access { core: 0, time: 0, pc: 0, secure: false };
        combiner.drive((23, 3), true, &mut effects);
        assert!(effects.lines.contains(&(32 + 23, false)));
        combiner.write(0x50, Size::Word, 1 << (24 + 3), &at, &mut effects).expect("answers");
        assert_eq!(effects.lines.iter().rfind(|(interrupt, _)| *interrupt == 55), Some(&(55, true)));
        assert_eq!(combiner.read(0x5c, Size::Word, &at, &mut effects), Ok(1 << 27));
    }
}
