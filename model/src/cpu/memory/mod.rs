//! The path of loads and stores to memory.
//!
//! The fast way is a table of cache lines: a line in it is translated, allowed for reading or writing at a privilege,
//! in RAM, and held by the first-level cache, so that one comparison decides all of that. Whatever is not in the table
//! takes the slow way, which does things in the architecture's order and prices them.

mod slow;

use super::cache::Streams;
use super::mmu::{Purpose, Tlb};
use super::op::Raised;
use super::{Cache, Core, World};
use crate::bus::{LINE_SIZE, Memory, Monitor, Size};
use slow::ALIGNMENT;

/// Lines of the table: as many as the 32 KiB data cache of either core type has.
const LINES: usize = 512;
/// A tag that no address gives.
const NO_TAG: u32 = 3 << 4;
/// In a tag: what privilege the line is for. These bits are within a line, so an address never has them in a tag.
const PRIVILEGED: u32 = 1 << 3;
/// Big-endian data never matches and takes the slow way.
const BIG_ENDIAN: u32 = 1 << 4;

/// A line that needs no further look.
#[derive(Clone, Copy)]
struct Line {
    read: u32,
    write: u32,
    /// Place of the line in [`Memory`].
    offset: u32,
    physical: u32,
}

const NO_LINE: Line = Line { read: NO_TAG, write: NO_TAG, offset: 0, physical: 0 };

/// A core's way to memory.
pub(super) struct DataPath {
    lines: Box<[Line; LINES]>,
    /// Privilege (and endianness) in the form of a tag.
    rank: u32,
    pub tlb: Tlb,
    l1: Cache,
    streams: Streams,
    /// The TLB maintenance seen.
    pub epoch: u32,
    /// The changes of [`Memory::store_epoch`] seen.
    stores: u32,
}

/// Where the table holds the line of `address`, if it does. Areas that are a power of two apart must not share slots:
/// copies run through two of them.
#[inline(always)]
fn slot(address: u32) -> usize {
    ((address / LINE_SIZE) ^ (address / (LINE_SIZE * LINES as u32))) as usize % LINES
}

impl DataPath {
    pub fn new() -> Self {
        Self {
            lines: Box::new([NO_LINE; LINES]),
            rank: PRIVILEGED,
            tlb: Tlb::new(),
            l1: Cache::new(32 << 10, 4),
            streams: Streams::default(),
            epoch: 0,
            stores: 0,
        }
    }

    pub fn reset(&mut self) {
        self.l1.clear();
        self.rank = PRIVILEGED;
    }

    pub fn forget(&mut self) {
        self.lines.fill(NO_LINE);
        self.tlb.forget();
    }

    /// Sets whose accesses follow, and whether data is big-endian.
    pub fn set_rank(&mut self, privileged: bool, big_endian: bool) {
        self.rank = if privileged { PRIVILEGED } else { 0 } | if big_endian { BIG_ENDIAN } else { 0 };
    }

    pub fn is_privileged(&self) -> bool {
        self.rank & PRIVILEGED != 0
    }

    /// Sends stores the slow way again where that has become necessary.
    pub fn follow(&mut self, memory: &Memory, monitor: &Monitor, core: usize) {
        if self.stores != memory.store_epoch() {
            self.stores = memory.store_epoch();
            self.lines.iter_mut().for_each(|line| line.write = NO_TAG);
        }
        if monitor.others_hold(core) {
            for held in monitor.held_by_others(core) {
                self.lines.iter_mut().filter(|line| line.physical == held).for_each(|line| line.write = NO_TAG);
            }
        }
    }

    /// Place in memory of `bytes` bytes at `address`, if a load may go the fast way.
    #[inline(always)]
    fn readable(&self, address: u32, bytes: u32) -> Option<usize> {
        let line = &self.lines[slot(address)];
        let tag = address & !(LINE_SIZE - 1) | address & (bytes - 1) | self.rank;
        (line.read == tag).then_some(line.offset as usize + (address % LINE_SIZE) as usize)
    }

    /// The same for a store.
    #[inline(always)]
    fn writable(&self, address: u32, bytes: u32) -> Option<usize> {
        let line = &self.lines[slot(address)];
        let tag = address & !(LINE_SIZE - 1) | address & (bytes - 1) | self.rank;
        (line.write == tag).then_some(line.offset as usize + (address % LINE_SIZE) as usize)
    }
}

/// Loads and stores of aligned or unaligned data. `i` is the operation's place in its block.
impl Core {
    #[inline(always)]
    pub(super) fn load_word(&mut self, bus: &mut World, address: u32, i: usize) -> Result<u32, Raised> {
        match self.data.readable(address, 4) {
            Some(offset) => Ok(u32::from_le_bytes(bus.memory.load(offset))),
            None => self.load_slow(bus, address, Size::Word, Purpose::Read, i),
        }
    }

    #[inline(always)]
    pub(super) fn load_half(&mut self, bus: &mut World, address: u32, i: usize) -> Result<u32, Raised> {
        match self.data.readable(address, 2) {
            Some(offset) => Ok(u32::from(u16::from_le_bytes(bus.memory.load(offset)))),
            None => self.load_slow(bus, address, Size::Half, Purpose::Read, i),
        }
    }

    #[inline(always)]
    pub(super) fn load_byte(&mut self, bus: &mut World, address: u32, i: usize) -> Result<u32, Raised> {
        match self.data.readable(address, 1) {
            Some(offset) => Ok(u32::from(bus.memory.load::<1>(offset)[0])),
            None => self.load_slow(bus, address, Size::Byte, Purpose::Read, i),
        }
    }

    #[inline(always)]
    pub(super) fn store_word(&mut self, bus: &mut World, address: u32, value: u32, i: usize) -> Result<(), Raised> {
        match self.data.writable(address, 4) {
            Some(offset) => bus.memory.store(offset, value.to_le_bytes()),
            None => self.store_slow(bus, address, value, Size::Word, Purpose::Write, i)?,
        }
        Ok(())
    }

    #[inline(always)]
    pub(super) fn store_half(&mut self, bus: &mut World, address: u32, value: u32, i: usize) -> Result<(), Raised> {
        match self.data.writable(address, 2) {
            Some(offset) => bus.memory.store(offset, (value as u16).to_le_bytes()),
            None => self.store_slow(bus, address, value, Size::Half, Purpose::Write, i)?,
        }
        Ok(())
    }

    #[inline(always)]
    pub(super) fn store_byte(&mut self, bus: &mut World, address: u32, value: u32, i: usize) -> Result<(), Raised> {
        match self.data.writable(address, 1) {
            Some(offset) => bus.memory.store(offset, [value as u8]),
            None => self.store_slow(bus, address, value, Size::Byte, Purpose::Write, i)?,
        }
        Ok(())
    }

    /// Place in memory of `count` words at `address` if they lie in one line and a load may go the fast way.
    #[inline(always)]
    pub(super) fn readable_words(&self, address: u32, count: u32) -> Option<usize> {
        let within = address % LINE_SIZE + 4 * count <= LINE_SIZE;
        if within { self.data.readable(address, 4) } else { None }
    }

    /// The same for a store.
    #[inline(always)]
    pub(super) fn writable_words(&self, address: u32, count: u32) -> Option<usize> {
        let within = address % LINE_SIZE + 4 * count <= LINE_SIZE;
        if within { self.data.writable(address, 4) } else { None }
    }

    /// Multiples, doubles and exclusives fault on what is not aligned to words, whatever SCTLR.A says (ARM ARM A3.2.1).
    #[inline(always)]
    pub(super) fn check_aligned(&mut self, address: u32, bytes: u32, writes: bool, i: usize) -> Result<(), Raised> {
        if address & (bytes - 1) == 0 { Ok(()) } else { Err(self.abort(ALIGNMENT, address, writes, i)) }
    }
}
