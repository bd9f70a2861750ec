//! The slow way to memory: translation, alignment, devices, and what it all costs.

use super::PRIVILEGED;
use crate::bus::{Misuse, Size};
use crate::cpu::cp15::{SCTLR_A, SCTLR_C, SCTLR_M};
use crate::cpu::mmu::{MemoryType, Purpose};
use crate::cpu::mode::PSR_E;
use crate::cpu::op::Raised;
use crate::cpu::{Core, Exception, Mode, World};

/// Fault status of an alignment fault and of a synchronous external abort.
pub(super) const ALIGNMENT: u32 = 0b00001;
const EXTERNAL: u32 = 0b01000;
/// DFSR.WnR.
const WRITE_NOT_READ: u32 = 1 << 11;

/// The slow way.
impl Core {
    /// Raises a data abort.
    #[cold]
    pub(in crate::cpu) fn abort(&mut self, status: u32, address: u32, writes: bool, i: usize) -> Raised {
        let status = status | if writes { WRITE_NOT_READ } else { 0 };
        self.raise(Exception::DataAbort { status, address }, i);
        Raised
    }

    /// Physical address and type for an access of `size`, or its data abort.
    pub(in crate::cpu) fn resolve(
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
    pub(in crate::cpu) fn caches(&self, memory: MemoryType) -> bool {
        memory == MemoryType::Cached && self.cp15.sctlr & (SCTLR_C | SCTLR_M) == SCTLR_C | SCTLR_M
    }

    #[inline(never)]
    pub(in crate::cpu) fn load_slow(
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
            if bus.memory.lines.read_cached(offset) {
                bus.platform.misuse(Misuse::StaleCopy, physical, &self.access(i));
            }
            if purpose == Purpose::Read {
                self.data.reads.admit(address, offset, self.data.rank & PRIVILEGED);
            }
        } else {
            self.charge_time(self.costs.uncached);
            if bus.memory.lines.is_modified(offset) {
                bus.platform.misuse(Misuse::StaleRead, physical, &self.access(i));
            }
        }
        Ok(match size {
            Size::Byte => u32::from(bus.memory.load::<1>(offset)[0]),
            Size::Half => u32::from(u16::from_le_bytes(bus.memory.load(offset))),
            Size::Word => u32::from_le_bytes(bus.memory.load(offset)),
        })
    }

    #[inline(never)]
    pub(in crate::cpu) fn store_slow(
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
        if bus.memory.lines.is_code(offset) {
            bus.memory.lines.change_code(offset);
            self.attention = true;
        }
        if cached {
            self.touch(bus, physical);
            if bus.memory.lines.write_cached(offset) {
                bus.platform.misuse(Misuse::StaleCopy, physical, &self.access(i));
            }
            if purpose == Purpose::Write {
                self.data.writes.admit(address, offset, self.data.rank & PRIVILEGED);
            }
        } else {
            self.charge_time(self.costs.uncached);
            if bus.memory.lines.write_past_caches(offset) {
                bus.platform.misuse(Misuse::LostWrite, physical, &self.access(i));
            }
        }
        match size {
            Size::Byte => bus.memory.store(offset, [value as u8]),
            Size::Half => bus.memory.store(offset, (value as u16).to_le_bytes()),
            Size::Word => bus.memory.store(offset, value.to_le_bytes()),
        }
        Ok(())
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
            let ahead = self.data.streams.follow(physical);
            self.charge_time(if ahead { self.costs.ahead } else { self.costs.dram });
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
