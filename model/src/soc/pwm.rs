//! The PWM timers (torvalds/linux:drivers/pwm/pwm-samsung.c): channel 0 drives the fan, channel 4 is the boot loader's
//! clock and goes on counting.

use crate::bus::{Access, BusFault, Size, Time};
use crate::soc::device::{Device, Effects, Words};

const TCFG0: u32 = 0x00;
const TCFG1: u32 = 0x04;
const TCON: u32 = 0x08;
/// Count buffers, from 0x0C in steps of 0x0C; the compare buffer follows.
const TCNTB: u32 = 0x0c;
const STEP: u32 = 0x0c;
const CHANNELS: usize = 5;
/// aclk66.
const CLOCK: u64 = 66_000_000;

/// The five timers.
#[derive(Clone, Debug)]
pub struct Pwm {
    registers: Words,
    since: [Time; CHANNELS],
}

impl Default for Pwm {
    fn default() -> Self {
        // The boot loader's time: channel 4 counts down at about 1 MHz from all ones and reloads.
        let registers =
            Words::new(0x100).with(TCFG0, 0x0f00 | 0x0f).with(TCFG1, 0x0002_0000).with(0x3c, !0).with(TCON, 0x50_0000);
        Self { registers, since: [0; CHANNELS] }
    }
}

/// Where the bits of a channel are in TCON; bit 0 start, bit 1 update, bit 2 invert (not in channel 4).
fn shift(channel: usize) -> u32 {
    if channel == 0 { 0 } else { 4 + 4 * channel as u32 }
}

impl Pwm {
    /// How much of its full speed the fan gets by channel 0, in 1/256; the pin decides whether that matters.
    #[must_use]
    pub fn fan(&self) -> u32 {
        let (count, compare) = (self.registers.get(TCNTB), self.registers.get(TCNTB + 4));
        let control = self.registers.get(TCON);
        if control & 1 == 0 || count == 0 {
            return 0;
        }
        // The counter runs down; the output is low until it meets the compare value, unless it is inverted.
        let high = (u64::from(compare.min(count)) * 256 / u64::from(count)) as u32;
        if control & 4 != 0 { 256 - high } else { high }
    }

    fn tick(&self, channel: usize) -> Time {
        let prescaler = self.registers.get(TCFG0) >> if channel < 2 { 0 } else { 8 } & 0xff;
        let divider = self.registers.get(TCFG1) >> (4 * channel) & 0xf;
        ((u64::from(prescaler) + 1) << divider.min(4)) * 1_000_000_000 / CLOCK
    }

    fn count(&self, channel: usize, now: Time) -> u32 {
        let start = self.registers.get(TCNTB + STEP * channel as u32);
        if self.registers.get(TCON) >> shift(channel) & 1 == 0 {
            return start;
        }
        let passed = (now - self.since[channel]) / self.tick(channel).max(1);
        start - (passed % (u64::from(start) + 1)) as u32
    }
}

impl Device for Pwm {
    fn read(&mut self, offset: u32, _: Size, at: &Access, _: &mut Effects) -> Result<u32, BusFault> {
        let observed = |channel: usize| if channel == 4 { 0x40 } else { 0x14 + STEP * channel as u32 };
        Ok(match (0..CHANNELS).find(|&channel| observed(channel) == offset) {
            Some(channel) => self.count(channel, at.time),
            None => self.registers.get(offset),
        })
    }

    fn write(&mut self, offset: u32, _: Size, value: u32, at: &Access, _: &mut Effects) -> Result<(), BusFault> {
        if offset == TCON {
            let started = value & !self.registers.get(TCON);
            for channel in (0..CHANNELS).filter(|&channel| started >> shift(channel) & 1 != 0) {
                self.since[channel] = at.time;
            }
        }
        self.registers.set(offset, value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Access = Access { core: 4, time: 1_000_000, pc: 0, secure: false };

    #[test]
    fn the_boot_loaders_clock_counts_down_in_microseconds() {
        let (mut pwm, mut effects) = (Pwm::default(), Effects::default());
        let count = pwm.read(0x40, Size::Word, &AT, &mut effects).expect("answers");
        let passed = u32::MAX - count;
        assert!((1000..1100).contains(&passed), "{passed} ticks in a millisecond");
    }

    #[test]
    fn the_fan_follows_the_compare_value() {
        let (mut pwm, mut effects) = (Pwm::default(), Effects::default());
        for (offset, value) in [(TCNTB, 1000), (TCNTB + 4, 250), (TCON, 0x50_0009)] {
            pwm.write(offset, Size::Word, value, &AT, &mut effects).expect("answers");
        }
        assert_eq!(pwm.fan(), 64);
    }
}
