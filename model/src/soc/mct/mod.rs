//! The multi-core timer, MCT: a free-running counter with four comparators, and eight local timers
//! (torvalds/linux:drivers/clocksource/exynos_mct.c).
//!
//! Two things about it bite. The generic timers of all cores count with its free-running counter, which stands still
//! until G_TCON says otherwise. And its registers live in a slow clock domain: a write is done when its bit in a status
//! register appears, which has to be written back before the next write.

mod local;
mod status;
#[cfg(test)]
mod tests;

use local::{LOCAL_INTERRUPTS, Local};
use status::WriteStatus;

use crate::bus::{Access, BusFault, Size, Time};
use crate::soc::counter::Counter;
use crate::soc::device::{Device, Effects, Words};

const G_CNT_L: u32 = 0x100;
const G_CNT_U: u32 = 0x104;
const G_COMP: u32 = 0x200;
const G_TCON: u32 = 0x240;
const G_INT_CSTAT: u32 = 0x244;
const G_INT_ENB: u32 = 0x248;
const LOCAL: u32 = 0x300;
const LOCAL_END: u32 = 0xb00;

const START: u32 = 1 << 8;
/// The crystal.
pub const HZ: u32 = 24_000_000;
/// Inputs of the combiner that the comparators drive: group and bit.
pub const COMPARATOR_INPUTS: [(u32, u32); 4] = [(23, 3), (23, 4), (25, 2), (25, 3)];

/// The MCT.
#[derive(Clone, Debug)]
pub struct Mct {
    /// The free-running counter.
    pub counter: Counter,
    registers: Words,
    locals: [Local; 8],
    status: WriteStatus,
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
            status: WriteStatus::default(),
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
}

impl Device for Mct {
    fn read(&mut self, offset: u32, size: Size, at: &Access, effects: &mut Effects) -> Result<u32, BusFault> {
        effects.expect_word(size, "MCT", offset, at);
        self.status.settle(at.time);
        let count = self.counter.count(at.time);
        Ok(match offset {
            G_CNT_L => count as u32,
            G_CNT_U => (count >> 32) as u32,
            G_INT_CSTAT => self.matched,
            _ if WriteStatus::is_at(offset) => self.status.get(offset),
            LOCAL..LOCAL_END => {
                let local = &self.locals[self.local(offset)];
                local.read(offset & 0xff, at.time).unwrap_or_else(|| self.registers.get(offset))
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
        effects.expect_word(size, "MCT", offset, at);
        self.status.settle(at.time);
        self.status.note(offset, at, effects);
        let count = self.counter.count(at.time);
        match offset {
            G_CNT_L => self.counter.set(count & !0xffff_ffff | u64::from(value), at.time),
            G_CNT_U => self.counter.set(count & 0xffff_ffff | u64::from(value) << 32, at.time),
            _ if WriteStatus::is_at(offset) => self.status.acknowledge(offset, value),
            G_INT_CSTAT => self.matched &= !value,
            G_TCON => {
                self.registers.set(offset, value);
                let runs = value & START != 0 && !self.dead;
                if runs != self.counter.runs() {
                    self.counter.run(runs, at.time);
                }
            }
            LOCAL..LOCAL_END => {
                self.registers.set(offset, value);
                let index = self.local(offset);
                self.locals[index].write(offset & 0xff, value, at.time);
                effects.line(LOCAL_INTERRUPTS[index], self.locals[index].interrupts());
            }
            _ => self.registers.set(offset, value),
        }
        Ok(())
    }

    fn next_event(&self) -> Option<Time> {
        let comparators = (0..4).filter(|&index| self.armed(index) && self.matched >> index & 1 == 0);
        let locals = self.locals.iter().filter_map(Local::next_event);
        locals.chain(comparators.filter_map(|index| self.counter.when(self.compare(index)))).min()
    }

    fn advance(&mut self, now: Time, effects: &mut Effects) {
        for (interrupt, local) in LOCAL_INTERRUPTS.into_iter().zip(&mut self.locals) {
            if local.advance(now) {
                effects.line(interrupt, local.interrupts());
            }
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
