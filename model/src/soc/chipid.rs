//! The blocks that only identify or time out: CHIPID and the watchdog.

use crate::bus::{Access, BusFault, Size, Time};
use crate::soc::device::{Device, Effects, Words};

/// PRO_ID of an Exynos5422; the low bits are the revision.
const PRO_ID: u32 = 0xe542_2001;
/// PKG_ID of an ordinary part: speed group and bin 0.
const PKG_ID: u32 = 0x0002_7310;

/// The block that says which chip this is.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChipId;

impl Device for ChipId {
    fn read(&mut self, offset: u32, _: Size, _: &Access, _: &mut Effects) -> Result<u32, BusFault> {
        Ok(match offset {
            0 => PRO_ID,
            4 => PKG_ID,
            _ => 0,
        })
    }

    fn write(&mut self, _: u32, _: Size, _: u32, _: &Access, _: &mut Effects) -> Result<(), BusFault> {
        Ok(())
    }
}

const WTCON: u32 = 0x0;
const WTDAT: u32 = 0x4;
const WTCNT: u32 = 0x8;
const RESET_ENABLE: u32 = 1;
const ENABLE: u32 = 1 << 5;
/// aclk66.
const CLOCK: u64 = 66_000_000;

/// The watchdog (torvalds/linux:drivers/watchdog/s3c2410_wdt.c).
#[derive(Clone, Debug)]
pub struct Watchdog {
    registers: Words,
    since: Time,
    /// The count ran out while the reset was enabled.
    pub barked: bool,
}

impl Default for Watchdog {
    fn default() -> Self {
        // The reset values; the boot loaders do not touch it.
        let registers = Words::new(0x10).with(WTCON, 0x8021 & !ENABLE).with(WTDAT, 0x8000).with(WTCNT, 0x8000);
        Self { registers, since: 0, barked: false }
    }
}

impl Watchdog {
    fn tick(&self) -> Time {
        let control = self.registers.get(WTCON);
        let divider = (u64::from(control >> 8 & 0xff) + 1) * (16 << (control >> 3 & 3));
        divider * 1_000_000_000 / CLOCK
    }

    fn runs(&self) -> bool {
        self.registers.get(WTCON) & (ENABLE | RESET_ENABLE) == ENABLE | RESET_ENABLE
    }

    fn count(&self, now: Time) -> u32 {
        let start = self.registers.get(WTCNT);
        match self.runs() {
            true => start.saturating_sub(((now - self.since) / self.tick().max(1)) as u32),
            false => start,
        }
    }
}

impl Device for Watchdog {
    fn read(&mut self, offset: u32, _: Size, at: &Access, _: &mut Effects) -> Result<u32, BusFault> {
        Ok(if offset == WTCNT { self.count(at.time) } else { self.registers.get(offset) })
    }

    fn write(&mut self, offset: u32, _: Size, value: u32, at: &Access, _: &mut Effects) -> Result<(), BusFault> {
        let count = self.count(at.time);
        self.registers.set(WTCNT, count);
        self.since = at.time;
        self.registers.set(offset, value);
        Ok(())
    }

    fn next_event(&self) -> Option<Time> {
        (self.runs() && !self.barked).then(|| self.since + u64::from(self.registers.get(WTCNT)) * self.tick())
    }

    fn advance(&mut self, now: Time, _: &mut Effects) {
        self.barked |= self.runs() && self.count(now) == 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: Time) -> Access {
        Access { core: 4, time, pc: 0, secure: false }
    }

    #[test]
    fn a_watchdog_that_is_not_fed_barks() {
        let (mut dog, mut effects) = (Watchdog::default(), Effects::default());
        assert_eq!(dog.next_event(), None);
        dog.write(WTCNT, Size::Word, 100, &at(0), &mut effects).expect("answers");
        dog.write(WTCON, Size::Word, 0xff39, &at(0), &mut effects).expect("answers");
        let due = dog.next_event().expect("it runs");
        assert_eq!(due, 100 * 256 * 128 * 1_000_000_000 / CLOCK / 100 * 100 / 100 * 100);
        dog.write(WTCNT, Size::Word, 100, &at(due - 1000), &mut effects).expect("answers");
        dog.advance(due, &mut effects);
        assert!(!dog.barked, "it was fed in time");
        dog.advance(2 * due, &mut effects);
        assert!(dog.barked);
    }
}
