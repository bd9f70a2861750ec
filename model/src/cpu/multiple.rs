//! LDM and STM in all their forms (ARM ARM A5.5, B9.3.5, B9.3.17). `n` is the base, `imm` the register list, `m` how many
//! registers that is, `x` a combination of the options below.

use super::mode::Mode;
use super::op::{Op, attempt};
use super::{Core, World};

/// Addresses go up from the base.
pub(super) const UP: u32 = 1;
/// The base itself is not part of the area.
pub(super) const BEFORE: u32 = 2;
/// The base is moved.
pub(super) const WRITE_BACK: u32 = 4;

/// The lowest address, and what the base becomes.
#[inline(always)]
fn area(core: &Core, op: &Op) -> (u32, u32) {
    let options = u32::from(op.x);
    let bytes = 4 * u32::from(op.m);
    let base = core.reg(op.n);
    let before = options & BEFORE != 0;
    if options & UP != 0 {
        (base.wrapping_add(if before { 4 } else { 0 }), base.wrapping_add(bytes))
    } else {
        let low = base.wrapping_sub(bytes);
        (if before { low } else { low.wrapping_add(4) }, low)
    }
}

/// The registers of a list, lowest first.
#[inline(always)]
fn registers(mut list: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let number = list.trailing_zeros() as usize;
        if number >= 16 {
            return None;
        }
        list &= list - 1;
        Some(number)
    })
}

/// Loads the words of an area, one after the other.
fn load_area(core: &mut Core, bus: &mut World, start: u32, op: &Op, i: usize) -> Result<[u32; 16], super::op::Raised> {
    let mut values = [0; 16];
    core.check_aligned(start, 4, false, i)?;
    for (place, number) in registers(op.imm).enumerate() {
        values[number & 15] = core.load_word(bus, start.wrapping_add(4 * place as u32), i)?;
    }
    Ok(values)
}

/// LDM, also of a PC, which ends up in slot 15.
pub(super) fn load(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let (start, updated) = area(core, op);
    let write_back = u32::from(op.x) & WRITE_BACK != 0;
    if let Some(mut offset) = core.readable_words(start, u32::from(op.m)) {
        // Nothing can go wrong any more. A base that is loaded wins over its update.
        if write_back {
            core.set_reg(op.n, updated);
        }
        for number in registers(op.imm) {
            core.r[number & 15] = u32::from_le_bytes(bus.memory.load(offset));
            offset += 4;
        }
        return i + 1;
    }
    let values = attempt!(load_area(core, bus, start, op, i));
    if write_back {
        core.set_reg(op.n, updated);
    }
    for number in registers(op.imm) {
        core.r[number & 15] = values[number & 15];
    }
    i + 1
}

/// LDM of the USR mode's registers.
pub(super) fn load_user_bank(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let (start, _) = area(core, op);
    let values = attempt!(load_area(core, bus, start, op, i));
    for number in registers(op.imm) {
        core.set_banked(Mode::User, number, values[number & 15]);
    }
    i + 1
}

/// Stores `values` by list.
#[inline(always)]
fn store_area(
    core: &mut Core,
    bus: &mut World,
    start: u32,
    op: &Op,
    value: impl Fn(&Core, usize) -> u32,
    i: usize,
) -> Result<(), super::op::Raised> {
    core.check_aligned(start, 4, true, i)?;
    if let Some(offset) = core.writable_words(start, u32::from(op.m)) {
        for (place, number) in registers(op.imm).enumerate() {
            bus.memory.store(offset + 4 * place, value(core, number).to_le_bytes());
        }
    } else {
        for (place, number) in registers(op.imm).enumerate() {
            core.store_word(bus, start.wrapping_add(4 * place as u32), value(core, number), i)?;
        }
    }
    Ok(())
}

/// STM.
pub(super) fn store(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let (start, updated) = area(core, op);
    attempt!(store_area(core, bus, start, op, |core, number| core.r[number & 15], i));
    if u32::from(op.x) & WRITE_BACK != 0 {
        core.set_reg(op.n, updated);
    }
    i + 1
}

/// STM of the USR mode's registers.
pub(super) fn store_user_bank(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let (start, _) = area(core, op);
    let pc = core.r[15];
    let value = |core: &Core, number| if number == 15 { pc } else { core.banked(Mode::User, number) };
    attempt!(store_area(core, bus, start, op, value, i));
    i + 1
}

/// RFE: PC and CPSR from memory at the base `n`.
pub(super) fn return_from_exception(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let (start, updated) = area(core, op);
    attempt!(core.check_aligned(start, 4, false, i));
    let pc = attempt!(core.load_word(bus, start, i));
    let psr = attempt!(core.load_word(bus, start.wrapping_add(4), i));
    if u32::from(op.x) & WRITE_BACK != 0 {
        core.set_reg(op.n, updated);
    }
    core.exception_return(psr, pc);
    super::op::EXIT
}

/// SRS: LR and SPSR to the stack of the mode `imm`.
pub(super) fn store_return_state(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let Some(mode) = Mode::decode(op.imm) else { return core.undefined(i) };
    let base = core.banked(mode, 13);
    let options = u32::from(op.x);
    let updated = if options & UP != 0 { base.wrapping_add(8) } else { base.wrapping_sub(8) };
    let lowest = if options & UP != 0 { base } else { updated };
    let start = if (options & UP != 0) == (options & BEFORE != 0) { lowest.wrapping_add(4) } else { lowest };
    attempt!(core.check_aligned(start, 4, true, i));
    let (link, psr) = (core.r[14], core.spsr());
    attempt!(core.store_word(bus, start, link, i));
    attempt!(core.store_word(bus, start.wrapping_add(4), psr, i));
    if options & WRITE_BACK != 0 {
        core.set_banked(mode, 13, updated);
    }
    i + 1
}
