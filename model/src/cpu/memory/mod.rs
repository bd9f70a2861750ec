//! The path of loads and stores to memory.
//!
//! The fast way is a table of cache lines: a line in it is translated, allowed for reading or writing at a privilege,
//! in RAM, and held by the first-level cache, so that one comparison decides all of that. Whatever is not in the table
//! takes the slow way, which does things in the architecture's order and prices them.

mod slow;

use super::cache::Streams;
use super::mmu::{Purpose, Tlb};
use super::op::Raised;
use super::{Cache, Core, World, transfer};
use crate::bus::{Epoch, LINE_SIZE, Memory, Monitor, Size};
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
    tag: u32,
    /// Place of the line in [`Memory`].
    offset: u32,
}

/// The lines for one direction. Loads and stores have a table each: a copy that reads and writes the same slots would
/// send every line the slow way.
struct Table(Box<[Line; LINES]>);

impl Table {
    fn new() -> Self {
        Self(Box::new([Line { tag: NO_TAG, offset: 0 }; LINES]))
    }

    /// Place in memory of `bytes` bytes at `address`, if they may go the fast way.
    #[inline(always)]
    fn place(&self, address: u32, bytes: u32, rank: u32) -> Option<usize> {
        let line = &self.0[slot(address)];
        let tag = address & !(LINE_SIZE - 1) | address & (bytes - 1) | rank;
        (line.tag == tag).then_some(line.offset as usize + (address % LINE_SIZE) as usize)
    }

    /// Lets accesses to the line of `address` at memory's `offset` in.
    fn admit(&mut self, address: u32, offset: usize, rank: u32) {
        let line = Line { tag: address & !(LINE_SIZE - 1) | rank, offset: offset as u32 & !(LINE_SIZE - 1) };
        self.0[slot(address)] = line;
    }

    fn forget(&mut self) {
        self.0.iter_mut().for_each(|line| line.tag = NO_TAG);
    }

    /// Forgets the line at memory's `offset`, whatever its address.
    fn forget_line(&mut self, offset: usize) {
        self.0.iter_mut().filter(|line| line.offset as usize == offset).for_each(|line| line.tag = NO_TAG);
    }
}

/// A core's way to memory.
pub(super) struct DataPath {
    reads: Table,
    writes: Table,
    /// Privilege (and endianness) in the form of a tag.
    rank: u32,
    pub tlb: Tlb,
    l1: Cache,
    streams: Streams,
    /// The TLB maintenance seen.
    pub epoch: u32,
    /// Changes of lines that were seen.
    stores_seen: Epoch,
    loads_seen: Epoch,
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
            reads: Table::new(),
            writes: Table::new(),
            rank: PRIVILEGED,
            tlb: Tlb::new(),
            l1: Cache::new(32 << 10, 4),
            streams: Streams::default(),
            epoch: 0,
            stores_seen: Epoch::default(),
            loads_seen: Epoch::default(),
        }
    }

    pub fn reset(&mut self) {
        self.l1.clear();
        self.rank = PRIVILEGED;
    }

    pub fn forget(&mut self) {
        self.reads.forget();
        self.writes.forget();
        self.tlb.forget();
    }

    /// Sets whose accesses follow, and whether data is big-endian.
    pub fn set_rank(&mut self, privileged: bool, big_endian: bool) {
        self.rank = if privileged { PRIVILEGED } else { 0 } | if big_endian { BIG_ENDIAN } else { 0 };
    }

    pub fn is_privileged(&self) -> bool {
        self.rank & PRIVILEGED != 0
    }

    /// Sends accesses the slow way again where that has become necessary.
    pub fn follow(&mut self, memory: &Memory, monitor: &Monitor, core: usize) {
        if self.stores_seen != memory.lines.stores {
            self.stores_seen = memory.lines.stores;
            self.writes.forget();
        }
        if self.loads_seen != memory.lines.loads {
            self.loads_seen = memory.lines.loads;
            self.reads.forget();
        }
        if monitor.others_hold(core) {
            for held in monitor.held_by_others(core).filter_map(|line| memory.place(line, LINE_SIZE)) {
                self.writes.forget_line(held);
            }
        }
    }

    /// Place in memory of `bytes` bytes at `address`, if a load may go the fast way.
    #[inline(always)]
    fn readable(&self, address: u32, bytes: u32) -> Option<usize> {
        self.reads.place(address, bytes, self.rank)
    }

    /// The same for a store.
    #[inline(always)]
    fn writable(&self, address: u32, bytes: u32) -> Option<usize> {
        self.writes.place(address, bytes, self.rank)
    }
}

/// Words from `address` to the end of its line.
fn words_left(address: u32) -> usize {
    ((LINE_SIZE - address % LINE_SIZE) / 4) as usize
}

/// Loads and stores of aligned or unaligned data. `i` is the operation's place in its block.
impl Core {
    /// A load of `KIND` that may go the fast way, not extended.
    #[inline(always)]
    pub(super) fn load_known<const KIND: u8>(&self, bus: &World, address: u32) -> Option<u32> {
        let size = transfer::size(KIND);
        let offset = self.data.readable(address, size.bytes())?;
        Some(match size {
            Size::Byte => bus.memory.load::<1>(offset)[0].into(),
            Size::Half => u16::from_le_bytes(bus.memory.load(offset)).into(),
            Size::Word => u32::from_le_bytes(bus.memory.load(offset)),
        })
    }

    /// A store of `KIND`, if it may go the fast way. Whether it could.
    #[inline(always)]
    pub(super) fn store_known<const KIND: u8>(&self, bus: &mut World, address: u32, value: u32) -> bool {
        let size = transfer::size(KIND);
        let Some(offset) = self.data.writable(address, size.bytes()) else { return false };
        match size {
            Size::Byte => bus.memory.store(offset, [value as u8]),
            Size::Half => bus.memory.store(offset, (value as u16).to_le_bytes()),
            Size::Word => bus.memory.store(offset, value.to_le_bytes()),
        }
        true
    }

    /// A load of `KIND`, not extended.
    #[inline(always)]
    pub(super) fn load<const KIND: u8>(&mut self, bus: &mut World, address: u32, i: usize) -> Result<u32, Raised> {
        match self.load_known::<KIND>(bus, address) {
            Some(value) => Ok(value),
            None => self.load_slow(bus, address, transfer::size(KIND), Purpose::Read, i),
        }
    }

    /// A store of `KIND`.
    #[inline(always)]
    pub(super) fn store<const KIND: u8>(
        &mut self,
        bus: &mut World,
        address: u32,
        value: u32,
        i: usize,
    ) -> Result<(), Raised> {
        if self.store_known::<KIND>(bus, address, value) {
            return Ok(());
        }
        self.store_slow(bus, address, value, transfer::size(KIND), Purpose::Write, i)
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

    /// Loads consecutive words, as many at a time as lie in one line.
    pub(super) fn load_words(
        &mut self,
        bus: &mut World,
        address: u32,
        words: &mut [u32],
        i: usize,
    ) -> Result<(), Raised> {
        let mut done = 0;
        while done < words.len() {
            let address = address.wrapping_add(4 * done as u32);
            if let Some(offset) = self.data.readable(address, 4) {
                let end = words.len().min(done + words_left(address));
                for (word, bytes) in words[done..end].iter_mut().zip(bus.memory.words(offset, end - done)) {
                    *word = u32::from_le_bytes(*bytes);
                }
                done = end;
            } else {
                words[done] = self.load_slow(bus, address, Size::Word, Purpose::Read, i)?;
                done += 1;
            }
        }
        Ok(())
    }

    /// Stores consecutive words, as many at a time as lie in one line.
    pub(super) fn store_words(&mut self, bus: &mut World, address: u32, words: &[u32], i: usize) -> Result<(), Raised> {
        let mut done = 0;
        while done < words.len() {
            let address = address.wrapping_add(4 * done as u32);
            if let Some(offset) = self.data.writable(address, 4) {
                let end = words.len().min(done + words_left(address));
                for (word, bytes) in words[done..end].iter().zip(bus.memory.words_mut(offset, end - done)) {
                    *bytes = word.to_le_bytes();
                }
                done = end;
            } else {
                self.store_slow(bus, address, words[done], Size::Word, Purpose::Write, i)?;
                done += 1;
            }
        }
        Ok(())
    }

    /// Multiples, doubles and exclusives fault on what is not aligned to words, whatever SCTLR.A says (ARM ARM A3.2.1).
    #[inline(always)]
    pub(super) fn check_aligned(&mut self, address: u32, bytes: u32, writes: bool, i: usize) -> Result<(), Raised> {
        if address & (bytes - 1) == 0 { Ok(()) } else { Err(self.abort(ALIGNMENT, address, writes, i)) }
    }
}
