//! Cache and TLB maintenance (ARM ARM B4.2): on the state that tells dirty and stale lines, and on what the cores
//! remember of translations.

use super::{Name, Undefined};
use crate::bus::CacheLines;
use crate::cpu::mmu::Purpose;
use crate::cpu::{Core, World};

impl Core {
    /// Writes to c7 and c8.
    pub(super) fn maintain(&mut self, bus: &mut World, name: Name, value: u32, i: usize) -> Result<(), Undefined> {
        match name.tuple() {
            // Barriers, branch predictors, and NOP.
            (7, 0, 5, 4 | 6 | 7) | (7, 0, 10, 4 | 5) | (7, 0, 1, 6) | (7, 0, 0, 4) => {}
            (7, 0, 4, 0) => self.cp15.par = value,
            (7, 0, 1, 0) | (7, 0, 5, 0) => bus.memory.lines.refresh_all(),
            (7, 0, 5, 1) => self.by_address(bus, value, i, CacheLines::refresh),
            (7, 0, 10, 1) => self.by_address(bus, value, i, CacheLines::clean),
            (7, 0, 11, 1) => self.by_address(bus, value, i, CacheLines::clean_for_fetches),
            (7, 0, 6 | 14, 1) => self.by_address(bus, value, i, CacheLines::invalidate),
            // The caches that came up with the core held nothing that counts.
            (7, 0, 6, 2) => {}
            (7, 0, 10 | 14, 2) => {
                // A loop over sets and ways of one level; whose lines they are is not known here.
                let second_level = value & 0xe != 0;
                if second_level {
                    bus.memory.lines.clean_all()
                } else {
                    bus.memory.lines.clean_all_for_fetches()
                }
                self.attention = true;
            }
            (7, 0, 8, n @ 0..=3) => self.cp15.par = self.probe(bus, value, n & 2 == 0, n & 1 != 0),
            (8, 0 | 4, 3, _) => {
                self.cp15.tlb_invalidated = true;
                bus.tlb_epoch = bus.tlb_epoch.wrapping_add(1);
                self.attention = true;
            }
            (8, 0 | 4, 5..=7, _) => {
                self.cp15.tlb_invalidated = true;
                self.forget_translations();
            }
            _ => return Err(Undefined),
        }
        Ok(())
    }

    /// Maintains one line by virtual address: an address without translation aborts, one outside RAM does nothing.
    fn by_address(&mut self, bus: &mut World, address: u32, i: usize, maintain: impl Fn(&mut CacheLines, usize)) {
        let Ok((physical, _)) = self.resolve(bus, address, Purpose::Read, i) else { return };
        if let Some(offset) = bus.memory.offset(physical, 1) {
            maintain(&mut bus.memory.lines, offset);
            self.attention = true;
        }
    }
}
