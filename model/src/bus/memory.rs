//! Physical memory: regions of RAM in one host allocation, and per cache line what the cores must know of it.

/// Bytes of a cache line of both core types, which is also the exclusive granule.
pub const LINE_SIZE: u32 = 64;
/// Bytes of the smallest page.
pub const PAGE_SIZE: u32 = 4096;

/// One region of RAM.
#[derive(Clone, Copy, Debug)]
struct Region {
    base: u32,
    size: u32,
    /// Where the region begins in the host allocation.
    offset: usize,
}

/// One bit a line or page.
#[derive(Clone, Debug)]
struct Bits {
    words: Vec<u64>,
    /// Whether any may be set: loops over all sets and ways of a cache clear everything again and again.
    any: bool,
}

impl Bits {
    fn new(count: usize) -> Self {
        Self { words: vec![0; count.div_ceil(64)], any: false }
    }

    fn get(&self, index: usize) -> bool {
        self.words[index / 64] >> (index % 64) & 1 != 0
    }

    fn set(&mut self, index: usize) {
        self.words[index / 64] |= 1 << (index % 64);
        self.any = true;
    }

    fn clear(&mut self, index: usize) {
        self.words[index / 64] &= !(1 << (index % 64));
    }

    fn clear_all(&mut self) {
        if std::mem::take(&mut self.any) {
            self.words.fill(0);
        }
    }
}

/// RAM of the machine. Addresses are physical; an *offset* is a place in the host allocation, by which the fast path
/// of a core works.
#[derive(Clone, Debug)]
pub struct Memory {
    bytes: Vec<u8>,
    regions: Vec<Region>,
    /// What a page holds before it is first touched.
    pattern: Option<u32>,
    touched: Bits,
    code: Bits,
    dirty: Bits,
    stale: Bits,
    /// Counts changes after which a store must look anew whether its line is code, or clean.
    store_epoch: u32,
    /// Offsets of code lines that were written and whose blocks still exist.
    changed: Vec<usize>,
}

impl Memory {
    /// RAM at the given `(base, size)` regions, page-aligned both; zero until written.
    ///
    /// # Panics
    /// If a region is not page-aligned.
    pub fn new(regions: &[(u32, u32)]) -> Self {
        let mut total = 0;
        let regions = regions
            .iter()
            .map(|&(base, size)| {
                assert!(base % PAGE_SIZE == 0 && size % PAGE_SIZE == 0, "RAM regions are page-aligned");
                let offset = total;
                total += size as usize;
                Region { base, size, offset }
            })
            .collect();
        let lines = total / LINE_SIZE as usize;
        Self {
            // Zeroed by the host's allocator, page by page on first use.
            bytes: vec![0; total],
            regions,
            pattern: None,
            touched: Bits::new(total / PAGE_SIZE as usize),
            code: Bits::new(lines),
            dirty: Bits::new(lines),
            stale: Bits::new(lines),
            store_epoch: 0,
            changed: Vec::new(),
        }
    }

    /// Makes every word of RAM that nobody touched yet read as `pattern` (DRAM after power-on is not zero).
    #[must_use]
    pub fn filled_with(mut self, pattern: u32) -> Self {
        self.pattern = Some(pattern);
        self
    }

    /// The host offset of `length` bytes at a physical address, if they all lie in one region.
    pub(crate) fn place(&self, address: u32, length: u32) -> Option<usize> {
        let region = self.regions.iter().find(|region| address.wrapping_sub(region.base) < region.size)?;
        let within = address - region.base;
        (length <= region.size - within).then_some(region.offset + within as usize)
    }

    /// The same for somebody who will look: pages get their power-on pattern here.
    pub fn offset(&mut self, address: u32, length: u32) -> Option<usize> {
        let offset = self.place(address, length)?;
        if let Some(pattern) = self.pattern {
            let last = offset + length.max(1) as usize - 1;
            for page in offset / PAGE_SIZE as usize..=last / PAGE_SIZE as usize {
                self.touch(page, pattern);
            }
        }
        Some(offset)
    }

    fn touch(&mut self, page: usize, pattern: u32) {
        if !self.touched.get(page) {
            self.touched.set(page);
            let start = page * PAGE_SIZE as usize;
            for word in self.bytes[start..start + PAGE_SIZE as usize].chunks_exact_mut(4) {
                word.copy_from_slice(&pattern.to_le_bytes());
            }
        }
    }

    /// Reads `buffer.len()` bytes as a loader or firmware does. `None` if the range is not RAM.
    #[must_use = "the range may not be RAM"]
    pub fn read(&mut self, address: u32, buffer: &mut [u8]) -> Option<()> {
        let offset = self.offset(address, u32::try_from(buffer.len()).ok()?)?;
        buffer.copy_from_slice(&self.bytes[offset..offset + buffer.len()]);
        Some(())
    }

    /// Writes bytes as a loader or firmware does: past the caches, and not counted as written by the program.
    /// `None` if the range is not RAM.
    #[must_use = "the range may not be RAM"]
    pub fn write(&mut self, address: u32, bytes: &[u8]) -> Option<()> {
        let offset = self.offset(address, u32::try_from(bytes.len()).ok()?)?;
        self.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
        for line in offset / LINE_SIZE as usize..(offset + bytes.len()).div_ceil(LINE_SIZE as usize) {
            if self.code.get(line) {
                self.change_code(line * LINE_SIZE as usize);
                self.stale.clear(line);
            }
        }
        Some(())
    }

    /// Reads a word. `None` if the address is not RAM.
    pub fn read_word(&mut self, address: u32) -> Option<u32> {
        let mut bytes = [0; 4];
        self.read(address, &mut bytes)?;
        Some(u32::from_le_bytes(bytes))
    }

    /// Writes a word past the caches. `None` if the address is not RAM.
    #[must_use = "the address may not be RAM"]
    pub fn write_word(&mut self, address: u32, value: u32) -> Option<()> {
        self.write(address, &value.to_le_bytes())
    }
}

/// The debugger's side.
impl Memory {
    /// Exchanges an instruction behind the program's back. Nothing happens outside RAM.
    pub(crate) fn patch(&mut self, address: u32, word: u32) {
        if let Some(offset) = self.offset(address, 4) {
            self.store(offset, word.to_le_bytes());
            self.change_code(offset);
            self.refresh(offset);
        }
    }
}

/// The cores' side: by host offset.
impl Memory {
    /// `N` bytes at an offset that [`Memory::offset`] gave.
    #[inline(always)]
    pub(crate) fn load<const N: usize>(&self, offset: usize) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.bytes[offset..offset + N]);
        bytes
    }

    /// Stores `N` bytes at an offset that [`Memory::offset`] gave.
    #[inline(always)]
    pub(crate) fn store<const N: usize>(&mut self, offset: usize, bytes: [u8; N]) {
        self.bytes[offset..offset + N].copy_from_slice(&bytes);
    }

    /// `count` words from `offset` on.
    #[inline(always)]
    pub(crate) fn words(&self, offset: usize, count: usize) -> impl Iterator<Item = &[u8; 4]> {
        self.bytes[offset..offset + 4 * count].as_chunks().0.iter()
    }

    /// The same to be changed.
    #[inline(always)]
    pub(crate) fn words_mut(&mut self, offset: usize, count: usize) -> impl Iterator<Item = &mut [u8; 4]> {
        self.bytes[offset..offset + 4 * count].as_chunks_mut().0.iter_mut()
    }

    /// Whether instructions were decoded from the line of `offset`.
    pub(crate) fn is_code(&self, offset: usize) -> bool {
        self.code.get(offset / LINE_SIZE as usize)
    }

    /// Marks the line of `offset` as decoded.
    pub(crate) fn mark_code(&mut self, offset: usize) {
        if !self.is_code(offset) {
            self.code.set(offset / LINE_SIZE as usize);
            self.store_epoch = self.store_epoch.wrapping_add(1);
        }
    }

    /// Decoded code at `offset` is overwritten: its blocks must go, and an I-cache may still hold it as it was.
    pub(crate) fn change_code(&mut self, offset: usize) {
        self.code.clear(offset / LINE_SIZE as usize);
        self.stale.set(offset / LINE_SIZE as usize);
        self.changed.push(offset);
    }

    /// The places of overwritten code since the last call.
    pub(crate) fn take_changed(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.changed)
    }

    /// Changes whenever a store must look anew at what its line is.
    pub(crate) fn store_epoch(&self) -> u32 {
        self.store_epoch
    }

    /// Whether the line may sit modified in a data cache.
    pub(crate) fn is_dirty(&self, offset: usize) -> bool {
        self.dirty.get(offset / LINE_SIZE as usize)
    }

    /// The line is written through a write-back cache.
    pub(crate) fn mark_dirty(&mut self, offset: usize) {
        self.dirty.set(offset / LINE_SIZE as usize);
    }

    /// The line was cleaned, to the point of unification at least.
    pub(crate) fn clean(&mut self, offset: usize) {
        if self.is_dirty(offset) {
            self.dirty.clear(offset / LINE_SIZE as usize);
            self.store_epoch = self.store_epoch.wrapping_add(1);
        }
    }

    /// All lines were cleaned (set/way loops).
    pub(crate) fn clean_all(&mut self) {
        if self.dirty.any {
            self.dirty.clear_all();
            self.store_epoch = self.store_epoch.wrapping_add(1);
        }
    }

    /// Whether an I-cache may hold the line as it was before it changed.
    pub(crate) fn is_stale(&self, offset: usize) -> bool {
        self.stale.get(offset / LINE_SIZE as usize)
    }

    /// I-caches dropped the line.
    pub(crate) fn refresh(&mut self, offset: usize) {
        self.stale.clear(offset / LINE_SIZE as usize);
    }

    /// I-caches dropped all lines.
    pub(crate) fn refresh_all(&mut self) {
        self.stale.clear_all();
    }
}
