//! Physical memory: regions of RAM in one host allocation.

use super::lines::{Bits, CacheLines};

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

/// RAM of the machine. Addresses are physical; an *offset* is a place in the host allocation, by which the fast path
/// of a core works.
#[derive(Clone, Debug)]
pub struct Memory {
    bytes: Vec<u8>,
    regions: Vec<Region>,
    /// What a page holds before it is first touched.
    pattern: Option<u32>,
    touched: Bits,
    pub(crate) lines: CacheLines,
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
        Self {
            // Zeroed by the host's allocator, page by page on first use.
            bytes: vec![0; total],
            regions,
            pattern: None,
            touched: Bits::new(total / PAGE_SIZE as usize),
            lines: CacheLines::new(total),
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
            let offset = line * LINE_SIZE as usize;
            if self.lines.is_code(offset) {
                self.lines.change_code(offset);
                self.lines.refresh(offset);
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
            self.lines.change_code(offset);
            self.lines.refresh(offset);
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
}
