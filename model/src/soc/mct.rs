//! The multi-core timer, MCT: a free-running counter with four comparators, and eight local timers
//! (torvalds/linux:drivers/clocksource/exynos_mct.c).
//!
//! Two things about it bite. The generic timers of all cores count with its free-running counter, which stands still
//! until G_TCON says otherwise. And its registers live in a slow clock domain: a write is done when its bit in a status
//! register appears, which has to be written back before the next write.

use crate::bus::{Access, BusFault, Size, Time};
use crate::findings::FindingKind;
use crate::soc::device::{Device, Effects, Words};
use crate::soc::timers::Counter;

const G_CNT_L: u32 = 0x100;
const G_CNT_U: u32 = 0x104;
const G_CNT_WSTAT: u32 = 0x110;
const G_COMP: u32 = 0x200;
const G_TCON: u32 = 0x240;
const G_INT_CSTAT: u32 = 0x244;
const G_INT_ENB: u32 = 0x248;
const G_WSTAT: u32 = 0x24c;
const LOCAL: u32 = 0x300;
const LOCAL_END: u32 = 0xb00;
/// Offsets in a local timer's block.
const L_TCNTB: u32 = 0x00;
const L_ICNTB: u32 = 0x08;
const L_ICNTO: u32 = 0x0c;
const L_TCON: u32 = 0x20;
const L_INT_CSTAT: u32 = 0x30;
const L_INT_ENB: u32 = 0x34;
const L_WSTAT: u32 = 0x40;

const START: u32 = 1 << 8;
/// The crystal.
pub const HZ: u32 = 24_000_000;
/// Interrupts of the local timers.
const LOCAL_INTERRUPTS: [u32; 8] = [152, 153, 154, 155, 160, 161, 162, 163];
/// Inputs of the combiner that the comparators drive: group and bit.
pub const COMPARATOR_INPUTS: [(u32, u32); 4] = [(23, 3), (23, 4), (25, 2), (25, 3)];
/// The slow clock domain takes a few of its cycles to let a write through.
const WRITE_TIME: Time = 300;

/// One local timer.
#[derive(Clone, Copy, Debug, Default)]
struct Local {
    control: u32,
    tick: u32,
    interval: u32,
    enabled: u32,
    pending: bool,
    /// When the current interval began.
    since: Time,
}

impl Local {
    fn runs(&self) -> bool {
        self.control & 3 == 3
    }

    fn period(&self) -> Time {
        let ticks = u64::from(self.interval & 0x7fff_ffff).max(1);
        (ticks * (u64::from(self.tick) + 1) * 1_000_000_000).div_ceil(u64::from(HZ)).max(1)
    }
}

/// The MCT.
#[derive(Clone, Debug)]
pub struct Mct {
    /// The free-running counter.
    pub counter: Counter,
    registers: Words,
    locals: [Local; 8],
    /// Status bits on their way: register, bits, when they appear.
    coming: Vec<(u32, u32, Time)>,
    /// The counter never starts, whatever is written.
    dead: bool,
    /// Comparators that matched and were not cleared.
    matched: u32,
}

impl Mct {
    /// As the boot loader leaves it: nothing runs. A `dead` one never will.
    #[must_use]
    pub fn new(dead: bool) -> Self {
        Self {
            counter: Counter::stopped(HZ),
            registers: Words::new(LOCAL_END as usize),
            locals: [Local::default(); 8],
            coming: Vec::new(),
            dead,
            matched: 0,
        }
    }

    /// Levels of the comparators' interrupts, in the order of [`COMPARATOR_INPUTS`].
    #[must_use]
    pub fn comparators(&self) -> [bool; 4] {
        let enabled = self.matched & self.registers.get(G_INT_ENB);
        [0, 1, 2, 3].map(|index| enabled >> index & 1 != 0)
    }

    /// The status register and bit that tells that a write to `offset` is done.
    fn status_of(offset: u32) -> Option<(u32, u32)> {
        Some(match offset {
            G_CNT_L => (G_CNT_WSTAT, 1),
            G_CNT_U => (G_CNT_WSTAT, 2),
            0x200 => (G_WSTAT, 1),
            0x204 => (G_WSTAT, 2),
            0x208 => (G_WSTAT, 4),
            G_TCON => (G_WSTAT, 1 << 16),
            LOCAL..LOCAL_END => {
                let bit = match offset & 0xff {
                    L_TCNTB => 1,
                    L_ICNTB => 2,
                    L_TCON => 8,
                    _ => return None,
                };
                ((offset & !0xff) | L_WSTAT, bit)
            }
            _ => return None,
        })
    }

    fn settle_status(&mut self, now: Time) {
        for index in (0..self.coming.len()).rev() {
            let (register, bits, when) = self.coming[index];
            if when <= now {
                self.registers.set(register, self.registers.get(register) | bits);
                self.coming.swap_remove(index);
            }
        }
    }

    fn note_write(&mut self, offset: u32, at: &Access, effects: &mut Effects) {
        let Some((register, bit)) = Self::status_of(offset) else { return };
        let unseen = self.registers.get(register) & bit != 0;
        let on_its_way = self.coming.iter().any(|&(other, bits, _)| other == register && bits == bit);
        if unseen || on_its_way {
            let what = format!("MCT register {offset:#x} is written again, the write before was not acknowledged");
            effects.find(FindingKind::WriteStatus, at, what);
        }
        self.coming.push((register, bit, at.time + WRITE_TIME));
    }

    fn compare(&self, index: u32) -> u64 {
        let low = G_COMP + 0x10 * index;
        u64::from(self.registers.get(low)) | u64::from(self.registers.get(low + 4)) << 32
    }

    fn armed(&self, index: u32) -> bool {
        self.registers.get(G_TCON) >> (2 * index) & 1 != 0
    }

    fn local(&self, offset: u32) -> usize {
        ((offset - LOCAL) >> 8) as usize
    }

    fn write_local(&mut self, offset: u32, value: u32, now: Time, effects: &mut Effects) {
        let index = self.local(offset);
        let local = &mut self.locals[index];
        match offset & 0xff {
            L_TCNTB => local.tick = value,
            L_ICNTB => {
                local.interval = value & 0x7fff_ffff;
                local.since = now;
            }
            L_TCON => {
                local.control = value;
                local.since = now;
            }
            L_INT_CSTAT => local.pending &= value & 1 == 0,
            L_INT_ENB => local.enabled = value & 1,
            _ => {}
        }
        let level = local.pending && local.enabled != 0;
        effects.line(LOCAL_INTERRUPTS[index], level);
    }
}

impl Device for Mct {
    fn read(&mut self, offset: u32, size: Size, at: &Access, effects: &mut Effects) -> Result<u32, BusFault> {
        if size != Size::Word {
            effects.find(FindingKind::AccessSize, at, format!("MCT register {offset:#x}"));
        }
        self.settle_status(at.time);
        let count = self.counter.count(at.time);
        Ok(match offset {
            G_CNT_L => count as u32,
            G_CNT_U => (count >> 32) as u32,
            G_INT_CSTAT => self.matched,
            LOCAL..LOCAL_END => {
                let local = &self.locals[self.local(offset)];
                match offset & 0xff {
                    L_ICNTO if local.runs() => {
                        let passed = (at.time - local.since) % local.period();
                        let ticks = passed * u64::from(HZ) / 1_000_000_000 / (u64::from(local.tick) + 1);
                        local.interval.saturating_sub(ticks as u32)
                    }
                    L_INT_CSTAT => u32::from(local.pending),
                    _ => self.registers.get(offset),
                }
            }
            _ => self.registers.get(offset),
        })
    }

    fn write(
        &mut self,
        offset: u32,
        size: Size,
        value: u32,
        at: &Access,
        effects: &mut Effects,
    ) -> Result<(), BusFault> {
        if size != Size::Word {
            effects.find(FindingKind::AccessSize, at, format!("MCT register {offset:#x}"));
        }
        self.settle_status(at.time);
        self.note_write(offset, at, effects);
        let count = self.counter.count(at.time);
        match offset {
            G_CNT_L => self.counter.set(count & !0xffff_ffff | u64::from(value), at.time),
            G_CNT_U => self.counter.set(count & 0xffff_ffff | u64::from(value) << 32, at.time),
            G_CNT_WSTAT | G_WSTAT => self.registers.set(offset, self.registers.get(offset) & !value),
            G_INT_CSTAT => self.matched &= !value,
            G_TCON => {
                self.registers.set(offset, value);
                let runs = value & START != 0 && !self.dead;
                if runs != self.counter.runs() {
                    self.counter.run(runs, at.time);
                }
            }
            LOCAL..LOCAL_END if offset & 0xff == L_WSTAT => {
                self.registers.set(offset, self.registers.get(offset) & !value);
            }
            LOCAL..LOCAL_END => {
                self.registers.set(offset, value);
                self.write_local(offset, value, at.time, effects);
            }
            _ => self.registers.set(offset, value),
        }
        Ok(())
    }

    fn next_event(&self) -> Option<Time> {
        let locals = self.locals.iter().filter(|local| local.runs() && !local.pending);
        let comparators = (0..4).filter(|&index| self.armed(index) && self.matched >> index & 1 == 0);
        locals
            .map(|local| local.since + local.period())
            .chain(comparators.filter_map(|index| self.counter.when(self.compare(index))))
            .min()
    }

    fn advance(&mut self, now: Time, effects: &mut Effects) {
        for (index, local) in self.locals.iter_mut().enumerate() {
            if !local.runs() || now < local.since + local.period() {
                continue;
            }
            local.pending = true;
            // Without interval mode the count wraps through all 31 bits; nobody uses that.
            local.since += (now - local.since) / local.period() * local.period();
            effects.line(LOCAL_INTERRUPTS[index], local.enabled != 0);
        }
        let count = self.counter.count(now);
        for index in 0..4 {
            if self.armed(index)
                && self.counter.runs()
                && count >= self.compare(index)
                && self.matched >> index & 1 == 0
            {
                self.matched |= 1 << index;
                let control = self.registers.get(G_TCON);
                if control >> (2 * index + 1) & 1 != 0 {
                    let next = self.compare(index) + u64::from(self.registers.get(G_COMP + 0x10 * index + 8));
                    self.registers.set(G_COMP + 0x10 * index, next as u32);
                    self.registers.set(G_COMP + 0x10 * index + 4, (next >> 32) as u32);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: Time) -> Access {
        Access { core: 4, time, pc: 0x4200_0000, secure: false }
    }

    fn start(mct: &mut Mct, effects: &mut Effects) {
        mct.write(G_TCON, Size::Word, START, &at(1000), effects).expect("answers");
        assert_eq!(mct.read(G_WSTAT, Size::Word, &at(1100), effects), Ok(0), "it takes a while");
        assert_eq!(mct.read(G_WSTAT, Size::Word, &at(1400), effects), Ok(1 << 16));
        mct.write(G_WSTAT, Size::Word, 1 << 16, &at(1500), effects).expect("answers");
    }

    #[test]
    fn the_counter_stands_still_until_it_is_started() {
        let (mut mct, mut effects) = (Mct::new(false), Effects::default());
        assert_eq!(mct.counter.count(1_000_000), 0);
        start(&mut mct, &mut effects);
        assert_eq!(mct.counter.count(1_001_000), 24_000);
        assert!(effects.findings.is_empty());
    }

    #[test]
    fn a_dead_counter_takes_every_write_and_never_counts() {
        let (mut mct, mut effects) = (Mct::new(true), Effects::default());
        start(&mut mct, &mut effects);
        assert_eq!(mct.counter.count(1_001_000), 0);
    }

    #[test]
    fn writing_before_the_last_write_was_acknowledged_is_a_finding() {
        let (mut mct, mut effects) = (Mct::new(false), Effects::default());
        for time in [0, 5000] {
            mct.write(G_TCON, Size::Word, START, &at(time), &mut effects).expect("answers");
        }
        assert_eq!(effects.findings[0].kind, FindingKind::WriteStatus);
    }

    #[test]
    fn a_local_timer_interrupts_every_interval() {
        let (mut mct, mut effects) = (Mct::new(false), Effects::default());
        for (register, value) in [(L_TCNTB, 1), (L_ICNTB, 1 << 31 | 12_000), (L_INT_ENB, 1), (L_TCON, 7)] {
            mct.write(LOCAL + 0x100 + register, Size::Word, value, &at(0), &mut effects).expect("answers");
        }
        assert_eq!(mct.next_event(), Some(1_000_000));
        mct.advance(1_000_000, &mut effects);
        assert_eq!(effects.lines.last(), Some(&(153, true)));
        mct.write(LOCAL + 0x100 + L_INT_CSTAT, Size::Word, 1, &at(1_000_500), &mut effects).expect("answers");
        assert_eq!(effects.lines.last(), Some(&(153, false)));
        assert_eq!(mct.next_event(), Some(2_000_000));
    }

    #[test]
    fn a_comparator_matches_once() {
        let (mut mct, mut effects) = (Mct::new(false), Effects::default());
        start(&mut mct, &mut effects);
        mct.write(0x200, Size::Word, 2400, &at(2000), &mut effects).expect("answers");
        mct.write(G_INT_ENB, Size::Word, 1, &at(2000), &mut effects).expect("answers");
        mct.write(G_TCON, Size::Word, START | 1, &at(2000), &mut effects).expect("answers");
        assert_eq!(mct.next_event(), Some(101_000));
        mct.advance(101_000, &mut effects);
        assert_eq!(mct.comparators(), [true, false, false, false]);
        mct.write(G_INT_CSTAT, Size::Word, 1, &at(101_500), &mut effects).expect("answers");
        assert_eq!(mct.comparators(), [false; 4]);
    }
}
