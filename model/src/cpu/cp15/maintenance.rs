//! Cache and TLB maintenance (ARM ARM B4.2): on the state that tells dirty and stale lines, and on what the cores
//! remember of translations.

use super::{Name, Undefined};
use crate::cpu::mmu::Purpose;
use crate::cpu::{Core, World};

impl Core {
    /// Writes to c7 and c8.
    pub(super) fn maintain(&mut self, bus: &mut World, name: Name, value: u32, i: usize) -> Result<(), Undefined> {
        match name.tuple() {
            // Barriers, branch predictors, and NOP.
            (7, 0, 5, 4 | 6 | 7) | (7, 0, 10, 4 | 5) | (7, 0, 1, 6) | (7, 0, 0, 4) => {}
            (7, 0, 4, 0) => self.cp15.par = value,
            (7, 0, 1, 0) | (7, 0, 5, 0) => bus.memory.refresh_all(),
            (7, 0, 5, 1) => self.by_address(bus, value, i, |memory, offset| memory.refresh(offset)),
            (7, 0, 6, 1) | (7, 0, 10, 1) | (7, 0, 11, 1) | (7, 0, 14, 1) => {
                self.by_address(bus, value, i, |memory, offset| memory.clean(offset));
            }
            (7, 0, 6 | 10 | 14, 2) => {
                bus.memory.clean_all();
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
    fn by_address(
        &mut self,
        bus: &mut World,
        address: u32,
        i: usize,
        maintain: impl Fn(&mut crate::bus::Memory, usize),
    ) {
        let Ok((physical, _)) = self.resolve(bus, address, Purpose::Read, i) else { return };
        if let Some(offset) = bus.memory.offset(physical, 1) {
            maintain(&mut bus.memory, offset);
            self.attention = true;
        }
    }
}
