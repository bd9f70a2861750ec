//! Decoded blocks, shared by all cores of a machine, and each core's way from addresses to blocks.

use std::collections::HashMap;

use super::cp15::SCTLR_I;
use super::decode::decode_block;
use super::mmu::Purpose;
use super::op::{Op, Raised};
use super::{Core, Costs, Exception, Mode, World};
use crate::bus::{LINE_SIZE, Memory, Misuse, PAGE_SIZE};

/// A straight run of instructions within one page.
pub(super) struct Block {
    pub start: u32,
    /// Bit n: operation n only prepares the next one.
    pub extra: u64,
    pub count: u32,
    /// Price by core type.
    pub cost: [u32; 2],
    pub ops: Box<[Op]>,
}

/// All decoded code of a machine.
pub struct Code {
    blocks: Vec<Block>,
    /// By virtual and physical address: operations hold addresses relative to the former.
    index: HashMap<(u32, u32), u32>,
    /// The blocks of a page, by its place in memory.
    pages: HashMap<usize, Vec<(u32, u32)>>,
    /// Counts invalidations.
    epoch: u32,
    costs: [Costs; 2],
}

impl Code {
    /// Nothing decoded yet; `costs` are the prices on a Cortex-A15 and on a Cortex-A7.
    pub fn new(costs: [Costs; 2]) -> Self {
        Self { blocks: Vec::new(), index: HashMap::new(), pages: HashMap::new(), epoch: 0, costs }
    }

    pub(super) fn block(&self, number: u32) -> &Block {
        &self.blocks[number as usize]
    }

    /// Forgets the blocks of every line that was written since.
    pub(super) fn drop_changed(&mut self, memory: &mut Memory) {
        for offset in memory.lines.take_changed() {
            let keys = self.pages.remove(&(offset / PAGE_SIZE as usize)).unwrap_or_default();
            // A block cut out of the index stays in the list: other cores may still have to notice.
            for key in keys {
                self.index.remove(&key);
            }
            self.epoch = self.epoch.wrapping_add(1);
        }
    }

    fn find_or_decode(&mut self, address: u32, physical: u32, offset: usize, memory: &mut Memory) -> u32 {
        if let Some(&number) = self.index.get(&(address, physical)) {
            return number;
        }
        let block = decode_block(address, offset, memory, &self.costs);
        for line in 0..(block.count * 4 + physical % LINE_SIZE).div_ceil(LINE_SIZE) {
            memory.lines.mark_code(offset + (line * LINE_SIZE) as usize);
        }
        let number = self.blocks.len() as u32;
        self.blocks.push(block);
        self.index.insert((address, physical), number);
        self.pages.entry(offset / PAGE_SIZE as usize).or_default().push((address, physical));
        number
    }
}

/// Entries of a core's jump table.
const JUMPS: usize = 4096;
/// A key that no address has.
const NO_KEY: u32 = 2;

/// A core's direct way from an address and privilege to a block.
pub(super) struct Jumps {
    entries: Box<[(u32, u32); JUMPS]>,
    epoch: u32,
}

impl Jumps {
    pub fn new() -> Self {
        Self { entries: Box::new([(NO_KEY, 0); JUMPS]), epoch: 0 }
    }

    pub fn forget(&mut self) {
        self.entries.fill((NO_KEY, 0));
    }

    /// Forgets everything if code was dropped.
    pub fn follow(&mut self, code: &Code) {
        if self.epoch != code.epoch {
            self.epoch = code.epoch;
            self.forget();
        }
    }
}

impl Core {
    /// The block at the program counter, decoded if need be; none if the fetch raised an exception.
    #[inline(always)]
    pub(super) fn find(&mut self, code: &mut Code, bus: &mut World) -> Option<u32> {
        let key = self.pc | u32::from(self.data.is_privileged());
        let (found, number) = self.jumps.entries[(self.pc >> 2) as usize % JUMPS];
        if found == key { Some(number) } else { self.fetch(code, bus, key) }
    }

    #[inline(never)]
    fn fetch(&mut self, code: &mut Code, bus: &mut World, key: u32) -> Option<u32> {
        let address = self.pc;
        self.progress.start = address;
        self.progress.extra = 0;
        let Ok(physical) = self.fetch_address(bus, address) else { return None };
        let Some(offset) = bus.memory.offset(physical, 4) else {
            // Devices hold no code: an external abort.
            self.raised = Some(Exception::PrefetchAbort { status: 0b1000, address });
            return None;
        };
        self.check_fetch(bus, offset, physical);
        let number = code.find_or_decode(address, physical, offset, &mut bus.memory);
        self.jumps.entries[(address >> 2) as usize % JUMPS] = (key, number);
        // Stores to what became code just now must take the slow path.
        self.data.follow(&bus.memory, &bus.monitor, self.index);
        Some(number)
    }

    fn fetch_address(&mut self, bus: &mut World, address: u32) -> Result<u32, Raised> {
        if address & 3 != 0 {
            let at = self.access(0);
            bus.platform.misuse(Misuse::Unpredictable, address, &at);
            self.raised = Some(Exception::PrefetchAbort { status: 1, address });
            return Err(Raised);
        }
        match self.translate(bus, address, Purpose::Fetch) {
            Ok(page) => Ok(page.physical(address)),
            Err(fault) => {
                self.raised = Some(Exception::PrefetchAbort { status: fault.status, address });
                Err(Raised)
            }
        }
    }

    /// Whether the core's instruction cache is on.
    fn fetches_through_cache(&self) -> bool {
        let control = if self.mode() == Mode::Hyp { self.cp15.hsctlr } else { self.cp15.sctlr };
        control & SCTLR_I != 0
    }

    /// What real caches would have fetched may be older than what memory holds.
    fn check_fetch(&mut self, bus: &mut World, offset: usize, physical: u32) {
        let lines = &mut bus.memory.lines;
        let through_cache = self.fetches_through_cache();
        let kind = if lines.is_dirty(offset) || !through_cache && lines.is_modified(offset) {
            Misuse::CodeNotCleaned
        } else if lines.is_stale(offset) && through_cache {
            Misuse::CodeNotInvalidated
        } else {
            return;
        };
        let at = self.access(0);
        lines.clean(offset);
        lines.refresh(offset);
        bus.platform.misuse(kind, physical, &at);
    }
}
