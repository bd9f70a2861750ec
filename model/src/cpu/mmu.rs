//! Address translation by short descriptors (ARM ARM B3.5).

use super::cp15::{HCR_VM, SCTLR_AFE, SCTLR_C, SCTLR_M, SCTLR_TRE, SCTLR_WXN, TTBCR_EAE};
use super::{Core, Mode, World};
use crate::bus::{Misuse, PAGE_SIZE};

/// What an address is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Fetch,
    Read,
    Write,
    /// LDRT and STRT: with the rights of USR mode.
    UserRead,
    UserWrite,
}

impl Purpose {
    fn writes(self) -> bool {
        matches!(self, Self::Write | Self::UserWrite)
    }
}

/// Memory types (ARM ARM A3.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemoryType {
    StronglyOrdered,
    Device,
    Uncached,
    Cached,
}

impl MemoryType {
    pub fn is_normal(self) -> bool {
        matches!(self, Self::Uncached | Self::Cached)
    }

    /// Type without TEX remap, from TEX, C and B (ARM ARM table B3-10).
    fn of(tex: u32, c_b: u32) -> Self {
        match (tex, c_b) {
            (0, 0) => Self::StronglyOrdered,
            (0, 1) | (2, 0) => Self::Device,
            (1, 0) => Self::Uncached,
            (4..=7, 0) => Self::Uncached,
            _ => Self::Cached,
        }
    }
}

/// A 4 KiB page as the translation tables describe it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page {
    frame: u32,
    pub memory: MemoryType,
    /// `AP[2:0]`.
    rights: u8,
    execute_never: bool,
    privileged_execute_never: bool,
    domain: u8,
    /// Whether the descriptor is one of the second level (fault codes tell).
    second_level: bool,
}

impl Page {
    /// The identity, with the MMU off.
    fn flat(address: u32, memory: MemoryType) -> Self {
        Self {
            frame: address & !(PAGE_SIZE - 1),
            memory,
            rights: 3,
            execute_never: false,
            privileged_execute_never: false,
            domain: 0,
            second_level: false,
        }
    }

    pub fn physical(&self, address: u32) -> u32 {
        self.frame | address & (PAGE_SIZE - 1)
    }

    fn readable(&self, privileged: bool) -> bool {
        match self.rights {
            1 | 5 => privileged,
            2 | 3 | 6 | 7 => true,
            _ => false,
        }
    }

    fn writable(&self, privileged: bool) -> bool {
        match self.rights {
            1 | 2 => privileged,
            3 => true,
            _ => false,
        }
    }
}

/// A failed translation: the fault status (FS, and the domain at 7:4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub status: u32,
}

impl Fault {
    /// `code` is that of a first-level descriptor; the second level's is 2 higher.
    fn new(code: u32, second_level: bool, domain: u8) -> Self {
        Self { status: (code + 2 * u32::from(second_level)) | (u32::from(domain) << 4) }
    }
}

/// Fault codes of first-level descriptors (ARM ARM table B3-23).
const TRANSLATION: u32 = 0b00101;
const DOMAIN: u32 = 0b01001;
const PERMISSION: u32 = 0b01101;
const WALK_EXTERNAL: u32 = 0b01100;
/// Access flag faults of both levels.
const ACCESS_FLAG: [u32; 2] = [0b00011, 0b00110];

/// TTBR: walks go through the first-level cache (IRGN of the multiprocessing extensions, ARM ARM B4.1.154).
const TTBR_CACHED: u32 = 1 << 6 | 1;

/// Pages that the core remembers.
const ENTRIES: usize = 256;

/// The translation lookaside buffer: direct-mapped, one address space at a time.
pub(super) struct Tlb {
    entries: Box<[Option<(u32, Page)>; ENTRIES]>,
}

impl Tlb {
    pub fn new() -> Self {
        Self { entries: Box::new([None; ENTRIES]) }
    }

    pub fn forget(&mut self) {
        self.entries.fill(None);
    }
}

impl Core {
    /// The page of `address`, if the access is allowed.
    pub(super) fn translate(&mut self, bus: &mut World, address: u32, purpose: Purpose) -> Result<Page, Fault> {
        if self.mode() == Mode::Hyp || self.cp15.sctlr & SCTLR_M == 0 {
            if self.mode() == Mode::Hyp && self.cp15.hsctlr & SCTLR_M != 0 {
                let at = self.access(self.progress.stopped_at);
                bus.platform.misuse(Misuse::Unimplemented, address, &at);
            }
            let memory = if purpose == Purpose::Fetch { MemoryType::Uncached } else { MemoryType::StronglyOrdered };
            return Ok(Page::flat(address, memory));
        }
        let number = address / PAGE_SIZE;
        let slot = number as usize % ENTRIES;
        let page = match self.data.tlb.entries[slot] {
            Some((found, page)) if found == number => page,
            _ => {
                let page = self.walk(bus, address)?;
                self.data.tlb.entries[slot] = Some((number, page));
                page
            }
        };
        self.check(page, purpose)?;
        Ok(page)
    }

    /// Whether the page's domain and rights allow the access (ARM ARM B3.7).
    fn check(&self, page: Page, purpose: Purpose) -> Result<(), Fault> {
        let privileged = self.privileged() && !matches!(purpose, Purpose::UserRead | Purpose::UserWrite);
        match self.cp15.dacr >> (2 * page.domain) & 3 {
            1 => {}
            3 => return Ok(()),
            _ => return Err(Fault::new(DOMAIN, page.second_level, page.domain)),
        }
        let allowed = match purpose {
            Purpose::Fetch => {
                let forced = self.cp15.sctlr & SCTLR_WXN != 0 && page.writable(privileged);
                let never = page.execute_never || privileged && page.privileged_execute_never || forced;
                page.readable(privileged) && !never
            }
            _ if purpose.writes() => page.writable(privileged),
            _ => page.readable(privileged),
        };
        if allowed { Ok(()) } else { Err(Fault::new(PERMISSION, page.second_level, page.domain)) }
    }

    /// Reads the tables for `address`.
    fn walk(&mut self, bus: &mut World, address: u32) -> Result<Page, Fault> {
        self.charge(u64::from(self.costs.l2_hit));
        let cp15 = &self.cp15;
        if cp15.ttbcr & TTBCR_EAE != 0 || cp15.hcr & HCR_VM != 0 {
            let at = self.access(self.progress.stopped_at);
            bus.platform.misuse(Misuse::Unimplemented, address, &at);
        }
        let n = cp15.ttbcr & 7;
        let high = n != 0 && address >> (32 - n) != 0;
        let disabled = cp15.ttbcr >> if high { 5 } else { 4 } & 1 != 0;
        if disabled {
            return Err(Fault::new(TRANSLATION, false, 0));
        }
        let table = if high { cp15.ttbr1 & !0x3fff } else { cp15.ttbr0 & (!0u32 << (14 - n)) };
        let index = if high { address >> 20 } else { (address << n) >> (20 + n) };
        let cached = (if high { cp15.ttbr1 } else { cp15.ttbr0 }) & TTBR_CACHED != 0 && cp15.sctlr & SCTLR_C != 0;
        let first = self.descriptor(bus, table + 4 * index, cached).ok_or(Fault::new(WALK_EXTERNAL, false, 0))?;
        let domain = (first >> 5 & 0xf) as u8;
        match first & 3 {
            0 => Err(Fault::new(TRANSLATION, false, 0)),
            1 => {
                let entry = (first & !0x3ff) + 4 * (address >> 12 & 0xff);
                let second = self.descriptor(bus, entry, cached).ok_or(Fault::new(WALK_EXTERNAL, true, domain))?;
                self.page(address, first, second, domain)
            }
            _ => self.section(address, first),
        }
    }

    /// Reads one descriptor, through the caches or past them.
    fn descriptor(&self, bus: &mut World, address: u32, cached: bool) -> Option<u32> {
        let offset = bus.memory.offset(address, 4)?;
        if !cached && bus.memory.lines.is_modified(offset) {
            bus.platform.misuse(Misuse::StaleRead, address, &self.access(self.progress.stopped_at));
        }
        Some(u32::from_le_bytes(bus.memory.load(offset)))
    }

    fn section(&self, address: u32, first: u32) -> Result<Page, Fault> {
        let super_section = first >> 18 & 1 != 0;
        let domain = if super_section { 0 } else { (first >> 5 & 0xf) as u8 };
        let base = if super_section {
            first & 0xff00_0000 | address & 0x00ff_f000
        } else {
            first & 0xfff0_0000 | address & 0x000f_f000
        };
        Ok(Page {
            frame: base,
            memory: self.memory_type(first >> 12 & 7, first >> 2 & 3),
            rights: self.rights(first >> 10 & 3 | first >> 13 & 4, false, domain)?,
            execute_never: first >> 4 & 1 != 0,
            privileged_execute_never: first & 1 != 0,
            domain,
            second_level: false,
        })
    }

    fn page(&self, address: u32, first: u32, second: u32, domain: u8) -> Result<Page, Fault> {
        let large = second & 3 == 1;
        if second & 3 == 0 {
            return Err(Fault::new(TRANSLATION, true, domain));
        }
        let tex = second >> if large { 12 } else { 6 } & 7;
        let frame = if large { second & 0xffff_0000 | address & 0xf000 } else { second & 0xffff_f000 };
        Ok(Page {
            frame,
            memory: self.memory_type(tex, second >> 2 & 3),
            rights: self.rights(second >> 4 & 3 | second >> 7 & 4, true, domain)?,
            execute_never: if large { second >> 15 & 1 != 0 } else { second & 1 != 0 },
            privileged_execute_never: first >> 2 & 1 != 0,
            domain,
            second_level: true,
        })
    }

    /// `AP[2:0]`, with the access flag taken out of it if SCTLR.AFE says so (ARM ARM B3.7.1).
    fn rights(&self, bits: u32, second_level: bool, domain: u8) -> Result<u8, Fault> {
        if self.cp15.sctlr & SCTLR_AFE == 0 {
            return Ok(bits as u8);
        }
        if bits & 1 == 0 {
            let status = ACCESS_FLAG[usize::from(second_level)] | u32::from(domain) << 4;
            return Err(Fault { status });
        }
        Ok(bits as u8)
    }

    fn memory_type(&self, tex: u32, c_b: u32) -> MemoryType {
        if self.cp15.sctlr & SCTLR_TRE == 0 {
            return MemoryType::of(tex, c_b);
        }
        let shift = 2 * ((tex & 1) << 2 | c_b);
        match (self.cp15.prrr >> shift & 3, self.cp15.nmrr >> shift & 3) {
            (0, _) => MemoryType::StronglyOrdered,
            (1, _) => MemoryType::Device,
            (_, 0) => MemoryType::Uncached,
            _ => MemoryType::Cached,
        }
    }

    /// ATS1C**: translates without access; PAR's value (ARM ARM B4.2.4). `privileged` is whose rights count.
    pub(super) fn probe(&mut self, bus: &mut World, address: u32, privileged: bool, writes: bool) -> u32 {
        let purpose = match (privileged, writes) {
            (true, false) => Purpose::Read,
            (true, true) => Purpose::Write,
            (false, false) => Purpose::UserRead,
            (false, true) => Purpose::UserWrite,
        };
        match self.translate(bus, address, purpose) {
            Ok(page) => page.frame,
            Err(fault) => (fault.status & 0xf) << 1 | (fault.status >> 10 & 1) << 5 | 1,
        }
    }
}
