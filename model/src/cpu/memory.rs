//! The path of loads and stores to memory.
//!
//! The fast way is a table of cache lines: a line in it is translated, allowed for reading or writing at a privilege,
//! in RAM, and held by the first-level cache, so that one comparison decides all of that. Whatever is not in the table
//! takes the slow way, which does things in the architecture's order and prices them.

use super::cp15::{SCTLR_A, SCTLR_C, SCTLR_M};
use super::exception::Exception;
use super::mmu::{MemoryType, Purpose, Tlb};
use super::mode::PSR_E;
use super::op::Raised;
use super::{Cache, Core, Mode, World};
use crate::bus::{LINE_SIZE, Memory, Misuse, Monitor, Size};

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
    /// The TLB maintenance seen.
    pub epoch: u32,
    /// The changes of [`Memory::store_epoch`] seen.
    stores: u32,
}

impl DataPath {
    pub fn new() -> Self {
        Self {
            lines: Box::new([NO_LINE; LINES]),
            rank: PRIVILEGED,
            tlb: Tlb::new(),
            l1: Cache::new(32 << 10, 4),
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
        let line = &self.lines[(address / LINE_SIZE) as usize % LINES];
        let tag = address & !(LINE_SIZE - 1) | address & (bytes - 1) | self.rank;
        (line.read == tag).then_some(line.offset as usize + (address % LINE_SIZE) as usize)
    }

    /// The same for a store.
    #[inline(always)]
    fn writable(&self, address: u32, bytes: u32) -> Option<usize> {
        let line = &self.lines[(address / LINE_SIZE) as usize % LINES];
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

/// Fault status of an alignment fault and of a synchronous external abort.
const ALIGNMENT: u32 = 0b00001;
const EXTERNAL: u32 = 0b01000;
/// DFSR.WnR.
const WRITE_NOT_READ: u32 = 1 << 11;

/// The slow way.
impl Core {
    /// Raises a data abort.
    #[cold]
    pub(super) fn abort(&mut self, status: u32, address: u32, writes: bool, i: usize) -> Raised {
        let status = status | if writes { WRITE_NOT_READ } else { 0 };
        self.raise(Exception::DataAbort { status, address }, i);
        Raised
    }

    /// Physical address and type for an access of `size`, or its data abort.
    pub(super) fn resolve(
        &mut self,
        bus: &mut World,
        address: u32,
        purpose: Purpose,
        i: usize,
    ) -> Result<(u32, MemoryType), Raised> {
        let writes = matches!(purpose, Purpose::Write | Purpose::UserWrite);
        match self.translate(bus, address, purpose) {
            Ok(page) => Ok((page.physical(address), page.memory)),
            Err(fault) => Err(self.abort(fault.status, address, writes, i)),
        }
    }

    /// Whether data accesses to memory of this type go through the caches.
    pub(super) fn caches(&self, memory: MemoryType) -> bool {
        memory == MemoryType::Cached && self.cp15.sctlr & (SCTLR_C | SCTLR_M) == SCTLR_C | SCTLR_M
    }

    #[inline(never)]
    pub(super) fn load_slow(
        &mut self,
        bus: &mut World,
        address: u32,
        size: Size,
        purpose: Purpose,
        i: usize,
    ) -> Result<u32, Raised> {
        let value = if address & (size.bytes() - 1) == 0 {
            self.load_aligned(bus, address, size, purpose, i)?
        } else {
            self.check_unaligned(bus, address, purpose, i)?;
            let mut value = 0;
            for byte in 0..size.bytes() {
                let part = self.load_aligned(bus, address.wrapping_add(byte), Size::Byte, purpose, i)?;
                value |= part << (8 * byte);
            }
            value
        };
        Ok(if self.control & PSR_E != 0 { reversed(value, size) } else { value })
    }

    fn load_aligned(
        &mut self,
        bus: &mut World,
        address: u32,
        size: Size,
        purpose: Purpose,
        i: usize,
    ) -> Result<u32, Raised> {
        let (physical, memory) = self.resolve(bus, address, purpose, i)?;
        let Some(offset) = bus.memory.offset(physical, size.bytes()) else {
            self.charge_time(self.costs.device);
            let value = bus.platform.read(physical, size, &self.access(i));
            self.sample_lines(bus);
            return value.map_err(|_| self.abort(EXTERNAL, address, false, i));
        };
        if self.caches(memory) {
            self.touch(bus, physical);
            if purpose == Purpose::Read {
                let line = self.line(address, physical, offset);
                line.0.read = line.1;
            }
        } else {
            self.charge_time(self.costs.uncached);
        }
        Ok(match size {
            Size::Byte => u32::from(bus.memory.load::<1>(offset)[0]),
            Size::Half => u32::from(u16::from_le_bytes(bus.memory.load(offset))),
            Size::Word => u32::from_le_bytes(bus.memory.load(offset)),
        })
    }

    #[inline(never)]
    pub(super) fn store_slow(
        &mut self,
        bus: &mut World,
        address: u32,
        value: u32,
        size: Size,
        purpose: Purpose,
        i: usize,
    ) -> Result<(), Raised> {
        let value = if self.control & PSR_E != 0 { reversed(value, size) } else { value };
        if address & (size.bytes() - 1) == 0 {
            return self.store_aligned(bus, address, value, size, purpose, i);
        }
        self.check_unaligned(bus, address, purpose, i)?;
        // Both pages must allow it before the first byte changes.
        self.resolve(bus, address.wrapping_add(size.bytes() - 1), purpose, i)?;
        for byte in 0..size.bytes() {
            self.store_aligned(bus, address.wrapping_add(byte), value >> (8 * byte), Size::Byte, purpose, i)?;
        }
        Ok(())
    }

    fn store_aligned(
        &mut self,
        bus: &mut World,
        address: u32,
        value: u32,
        size: Size,
        purpose: Purpose,
        i: usize,
    ) -> Result<(), Raised> {
        let (physical, memory) = self.resolve(bus, address, purpose, i)?;
        let Some(offset) = bus.memory.offset(physical, size.bytes()) else {
            self.charge_time(self.costs.device);
            let done = bus.platform.write(physical, size, value, &self.access(i));
            self.sample_lines(bus);
            return done.map_err(|_| self.abort(EXTERNAL, address, true, i));
        };
        bus.monitor.store(self.index, physical);
        let cached = self.caches(memory);
        if bus.memory.is_code(offset) {
            bus.memory.change_code(offset);
            self.attention = true;
        }
        if cached {
            self.touch(bus, physical);
            bus.memory.mark_dirty(offset);
            if purpose == Purpose::Write {
                let line = self.line(address, physical, offset);
                line.0.write = line.1;
            }
        } else {
            self.charge_time(self.costs.uncached);
        }
        match size {
            Size::Byte => bus.memory.store(offset, [value as u8]),
            Size::Half => bus.memory.store(offset, (value as u16).to_le_bytes()),
            Size::Word => bus.memory.store(offset, value.to_le_bytes()),
        }
        Ok(())
    }

    /// The table's slot for a line, made to hold it, and the tag that lets accesses in.
    fn line(&mut self, address: u32, physical: u32, offset: usize) -> (&mut Line, u32) {
        let tag = address & !(LINE_SIZE - 1) | self.data.rank & PRIVILEGED;
        let line = &mut self.data.lines[(address / LINE_SIZE) as usize % LINES];
        if line.read != tag && line.write != tag {
            *line = Line { offset: offset as u32 & !(LINE_SIZE - 1), physical: physical & !(LINE_SIZE - 1), ..NO_LINE };
        }
        (line, tag)
    }

    /// Prices a cached access.
    fn touch(&mut self, bus: &mut World, physical: u32) {
        if self.data.l1.touch(physical) {
            return;
        }
        self.statistics.l1_misses += 1;
        let hit = bus.l2.get_mut(self.cluster).is_some_and(|l2| l2.touch(physical));
        if hit {
            self.charge(u64::from(self.costs.l2_hit));
        } else {
            self.statistics.l2_misses += 1;
            self.charge_time(self.costs.dram);
        }
    }

    /// Unaligned data is for normal memory only, and only while SCTLR.A is clear (ARM ARM A3.2.2).
    fn check_unaligned(&mut self, bus: &mut World, address: u32, purpose: Purpose, i: usize) -> Result<(), Raised> {
        let writes = matches!(purpose, Purpose::Write | Purpose::UserWrite);
        let (_, memory) = self.resolve(bus, address, purpose, i)?;
        let (checked, mmu) = match self.mode() {
            Mode::Hyp => (self.cp15.hsctlr & SCTLR_A != 0, self.cp15.hsctlr & SCTLR_M != 0),
            _ => (self.cp15.sctlr & SCTLR_A != 0, self.cp15.sctlr & SCTLR_M != 0),
        };
        if memory.is_normal() && !checked {
            return Ok(());
        }
        if !mmu {
            bus.platform.misuse(Misuse::UnalignedStronglyOrdered, address, &self.access(i));
        }
        Err(self.abort(ALIGNMENT, address, writes, i))
    }
}

fn reversed(value: u32, size: Size) -> u32 {
    match size {
        Size::Byte => value,
        Size::Half => u32::from((value as u16).swap_bytes()),
        Size::Word => value.swap_bytes(),
    }
}
