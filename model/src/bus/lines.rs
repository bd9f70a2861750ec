//! What the cores must know of each cache line in memory. The model's caches hold no data, so memory is always up to
//! date; where real caches would have shown something else is told by these bits.

use super::LINE_SIZE;

/// One bit a line or page.
#[derive(Clone, Debug)]
pub(super) struct Bits {
    words: Vec<u64>,
    /// Whether any may be set: loops over all sets and ways of a cache clear everything again and again.
    any: bool,
}

impl Bits {
    pub fn new(count: usize) -> Self {
        Self { words: vec![0; count.div_ceil(64)], any: false }
    }

    pub fn get(&self, index: usize) -> bool {
        self.words[index / 64] >> (index % 64) & 1 != 0
    }

    pub fn set(&mut self, index: usize) {
        self.words[index / 64] |= 1 << (index % 64);
        self.any = true;
    }

    /// Whether it was set.
    pub fn clear(&mut self, index: usize) -> bool {
        let was = self.get(index);
        self.words[index / 64] &= !(1 << (index % 64));
        was
    }

    /// Whether any was set.
    pub fn clear_all(&mut self) -> bool {
        let any = std::mem::take(&mut self.any);
        if any {
            self.words.fill(0);
        }
        any
    }
}

/// A count of changes. Whoever remembers it sees whether there were more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Epoch(u32);

impl Epoch {
    fn advance_if(&mut self, changed: bool) {
        self.0 = self.0.wrapping_add(u32::from(changed));
    }
}

/// All lines of memory, by offset in the host's allocation.
#[derive(Clone, Debug)]
pub(crate) struct CacheLines {
    /// Instructions were decoded from it.
    code: Bits,
    /// Written through a data cache, and not cleaned to where instructions are fetched from.
    dirty: Bits,
    /// Changed after instructions were fetched from it, and no instruction cache was told.
    stale: Bits,
    /// Modified in some data cache and not written back to memory.
    modified: Bits,
    /// Some data cache may hold it.
    cached: Bits,
    /// Written past the caches while one may hold it.
    overtaken: Bits,
    /// Changes after which a store must look anew at what its line is.
    pub stores: Epoch,
    /// Changes after which a load must.
    pub loads: Epoch,
    /// Offsets of code lines that were written and whose blocks still exist.
    changed: Vec<usize>,
}

const fn index(offset: usize) -> usize {
    offset / LINE_SIZE as usize
}

impl CacheLines {
    /// The lines of `bytes` bytes, of which nothing is known.
    pub fn new(bytes: usize) -> Self {
        let bits = || Bits::new(index(bytes));
        Self {
            code: bits(),
            dirty: bits(),
            stale: bits(),
            modified: bits(),
            cached: bits(),
            overtaken: bits(),
            stores: Epoch::default(),
            loads: Epoch::default(),
            changed: Vec::new(),
        }
    }

    /// Whether instructions were decoded from the line of `offset`.
    pub fn is_code(&self, offset: usize) -> bool {
        self.code.get(index(offset))
    }

    /// Marks the line of `offset` as decoded.
    pub fn mark_code(&mut self, offset: usize) {
        if !self.is_code(offset) {
            self.code.set(index(offset));
            self.stores.advance_if(true);
        }
    }

    /// Decoded code at `offset` is overwritten: its blocks must go, and an I-cache may still hold it as it was.
    pub fn change_code(&mut self, offset: usize) {
        self.code.clear(index(offset));
        self.stale.set(index(offset));
        self.changed.push(offset);
    }

    /// The places of overwritten code since the last call.
    pub fn take_changed(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.changed)
    }

    /// Whether an I-cache may hold the line as it was before it changed.
    pub fn is_stale(&self, offset: usize) -> bool {
        self.stale.get(index(offset))
    }

    /// I-caches dropped the line.
    pub fn refresh(&mut self, offset: usize) {
        self.stale.clear(index(offset));
    }

    /// I-caches dropped all lines.
    pub fn refresh_all(&mut self) {
        self.stale.clear_all();
    }
}

/// Data.
impl CacheLines {
    /// Whether instruction fetches may miss what was written to the line.
    pub fn is_dirty(&self, offset: usize) -> bool {
        self.dirty.get(index(offset))
    }

    /// Whether accesses past the caches miss what was written to the line.
    pub fn is_modified(&self, offset: usize) -> bool {
        self.modified.get(index(offset))
    }

    /// The line is read through a cache. Whether that shows what it was before a write past the caches.
    #[must_use]
    pub fn read_cached(&mut self, offset: usize) -> bool {
        self.cached.set(index(offset));
        self.overtaken.clear(index(offset))
    }

    /// The line is written through a write-back cache. Whether that undoes a write past the caches.
    #[must_use]
    pub fn write_cached(&mut self, offset: usize) -> bool {
        self.dirty.set(index(offset));
        self.modified.set(index(offset));
        self.read_cached(offset)
    }

    /// The line is written past the caches. Whether one of them holds it modified, and will write over this.
    #[must_use]
    pub fn write_past_caches(&mut self, offset: usize) -> bool {
        if self.cached.get(index(offset)) {
            self.overtaken.set(index(offset));
            self.loads.advance_if(true);
            self.stores.advance_if(true);
        }
        self.is_modified(offset)
    }

    /// The line was cleaned to where instructions are fetched from.
    pub fn clean_for_fetches(&mut self, offset: usize) {
        let was = self.dirty.clear(index(offset));
        self.stores.advance_if(was);
    }

    /// The line was cleaned to memory.
    pub fn clean(&mut self, offset: usize) {
        let was = self.dirty.clear(index(offset)) | self.modified.clear(index(offset));
        self.stores.advance_if(was);
    }

    /// The data caches dropped the line.
    pub fn invalidate(&mut self, offset: usize) {
        self.clean(offset);
        self.overtaken.clear(index(offset));
        let was = self.cached.clear(index(offset));
        self.loads.advance_if(was);
    }

    /// All lines were cleaned out of the first-level cache.
    pub fn clean_all_for_fetches(&mut self) {
        let was = self.dirty.clear_all();
        self.stores.advance_if(was);
    }

    /// All lines were cleaned to memory.
    pub fn clean_all(&mut self) {
        let was = self.dirty.clear_all() | self.modified.clear_all();
        self.stores.advance_if(was);
    }
}
