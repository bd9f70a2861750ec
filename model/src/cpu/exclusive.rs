//! Exclusive accesses (ARM ARM A3.4) and SWP. `n` is the address, `d` the first register of loaded or stored data or of
//! the status, `m` the first register of stored data.

use super::cp15::{SCTLR_C, SCTLR_M};
use super::mmu::{MemoryType, Purpose};
use super::op::{Op, Raised, attempt};
use super::transfer::{BYTE, HALF};
use super::{Core, World};
use crate::bus::Misuse;

/// Two words.
pub(super) const DOUBLE: u8 = 5;

const fn bytes(kind: u8) -> u32 {
    match kind {
        BYTE => 1,
        HALF => 2,
        DOUBLE => 8,
        _ => 4,
    }
}

impl Core {
    /// Physical address for an exclusive access; names what the hardware would not do.
    fn exclusive_address(&mut self, bus: &mut World, address: u32, purpose: Purpose, i: usize) -> Result<u32, Raised> {
        let (physical, memory) = self.resolve(bus, address, purpose, i)?;
        if !self.caches(memory) {
            let on = self.cp15.sctlr & (SCTLR_C | SCTLR_M) == SCTLR_C | SCTLR_M;
            let kind =
                if on && memory != MemoryType::Uncached { Misuse::ExclusiveDevice } else { Misuse::ExclusiveUncached };
            bus.platform.misuse(kind, address, &self.access(i));
        }
        Ok(physical)
    }
}

/// LDREX, LDREXB, LDREXH, LDREXD.
pub(super) fn load<const KIND: u8>(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let address = core.reg(op.n);
    attempt!(core.check_aligned(address, bytes(KIND), false, i));
    let physical = attempt!(core.exclusive_address(bus, address, Purpose::Read, i));
    if KIND == DOUBLE {
        let mut words = [0; 2];
        attempt!(core.load_words(bus, address, &mut words, i));
        core.set_reg(op.d, words[0]);
        core.set_reg(op.d + 1, words[1]);
    } else {
        let value = attempt!(core.load::<KIND>(bus, address, i));
        core.set_reg(op.d, value);
    }
    bus.monitor.reserve(core.index, physical);
    i + 1
}

/// STREX, STREXB, STREXH, STREXD: 0 in `d` if the reservation still stood.
pub(super) fn store<const KIND: u8>(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let address = core.reg(op.n);
    attempt!(core.check_aligned(address, bytes(KIND), true, i));
    let physical = attempt!(core.exclusive_address(bus, address, Purpose::Write, i));
    let holds = bus.monitor.holds(core.index, physical);
    bus.monitor.clear(core.index);
    if holds {
        let value = core.reg(op.m);
        if KIND == DOUBLE {
            attempt!(core.store_words(bus, address, &[value, core.reg(op.m + 1)], i));
        } else {
            attempt!(core.store::<KIND>(bus, address, value, i));
        }
    }
    core.set_reg(op.d, u32::from(!holds));
    i + 1
}

/// CLREX.
pub(super) fn clear(core: &mut Core, bus: &mut World, _: &Op, i: usize) -> usize {
    bus.monitor.clear(core.index);
    i + 1
}

/// SWP and SWPB: undefined unless SCTLR.SW enables them (ARM ARM A8.8.229).
pub(super) fn swap<const KIND: u8>(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    if core.cp15.sctlr & super::cp15::SCTLR_SW == 0 {
        return core.undefined(i);
    }
    let (address, value) = (core.reg(op.n), core.reg(op.m));
    attempt!(core.check_aligned(address, bytes(KIND), true, i));
    let old = attempt!(core.load::<KIND>(bus, address, i));
    attempt!(core.store::<KIND>(bus, address, value, i));
    core.set_reg(op.d, old);
    i + 1
}
