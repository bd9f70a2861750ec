//! Moves between the register files, loads and stores (ARM ARM A7.6-A7.9).

use super::{ENABLE, need_unit};
use crate::cpu::op::{Op, attempt};
use crate::cpu::{Core, World};

/// FPSCR bits that can be written: flags, QC, AHP, DN, FZ, RMode, Stride, Len, and the cumulative exceptions.
const FPSCR_WRITABLE: u32 = 0xfff7_009f;

/// VMOV between core register `d` and word `n` of the registers: to the core if `x`.
pub(in crate::cpu) fn move_word(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    need_unit!(core, i);
    if op.x != 0 {
        core.set_reg(op.d, core.vfp.words[usize::from(op.n & 63)]);
    } else {
        core.vfp.words[usize::from(op.n & 63)] = core.reg(op.d);
    }
    i + 1
}

/// VMOV between core registers `d`, `n` and the words `m`, `m + 1`: to the core if `x`.
pub(in crate::cpu) fn move_pair(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    need_unit!(core, i);
    for (register, word) in [(op.d, op.m), (op.n, op.m + 1)] {
        if op.x != 0 {
            core.set_reg(register, core.vfp.words[usize::from(word & 63)]);
        } else {
            core.vfp.words[usize::from(word & 63)] = core.reg(register);
        }
    }
    i + 1
}

/// VMRS (15: the flags) and VMSR of the system register `n`: to the core if `x`.
pub(in crate::cpu) fn system_register(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    let register = op.n;
    // FPSCR is open to all; the others, FPEXC first of all, are reached while the unit is still off.
    let allowed = if register == 1 { core.vfp.usable() } else { core.vfp.accessible && core.privileged() };
    if !allowed {
        return core.undefined(i);
    }
    if op.x == 0 {
        let value = core.reg(op.d);
        match register {
            1 => core.vfp.control.0 = value & FPSCR_WRITABLE,
            8 => core.vfp.fpexc = value & ENABLE,
            _ => {}
        }
        return i + 1;
    }
    let value = match register {
        0 => core.identity.float[0],
        1 => core.vfp.control.0,
        6 => core.identity.float[1],
        7 => core.identity.float[2],
        8 => core.vfp.fpexc,
        _ => 0,
    };
    if op.d == 15 {
        core.flags.set_nzcv(value);
    } else {
        core.set_reg(op.d, value);
    }
    i + 1
}

/// VLDR of `D` or single `d` at register `n` plus `imm`.
pub(in crate::cpu) fn load<const D: bool>(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    need_unit!(core, i);
    let address = core.reg(op.n).wrapping_add(op.imm);
    attempt!(core.check_aligned(address, 4, false, i));
    let mut words = [0; 2];
    attempt!(core.load_words(bus, address, &mut words[..1 + usize::from(D)], i));
    core.vfp.set::<D>(op.d, u64::from(words[0]) | u64::from(words[1]) << 32);
    i + 1
}

/// VSTR.
pub(in crate::cpu) fn store<const D: bool>(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    need_unit!(core, i);
    let address = core.reg(op.n).wrapping_add(op.imm);
    attempt!(core.check_aligned(address, 4, true, i));
    let bits = core.vfp.get::<D>(op.d);
    let words = [bits as u32, (bits >> 32) as u32];
    attempt!(core.store_words(bus, address, &words[..1 + usize::from(D)], i));
    i + 1
}

/// Options of multiple transfers: down from the base, and moving the base.
pub(in crate::cpu) const DOWN: u32 = 1;
pub(in crate::cpu) const WRITE_BACK: u32 = 2;
/// A load.
pub(in crate::cpu) const LOAD: u32 = 4;
/// More words than this in one transfer are UNPREDICTABLE.
pub(in crate::cpu) const MOST_WORDS: u32 = 32;

/// VLDM and VSTM (`x`: the options above) of `m` words from word `d` on; the base moves by `imm`.
pub(in crate::cpu) fn multiple(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    need_unit!(core, i);
    let options = u32::from(op.x);
    let base = core.reg(op.n);
    let start = if options & DOWN != 0 { base.wrapping_sub(op.imm) } else { base };
    let loads = options & LOAD != 0;
    attempt!(core.check_aligned(start, 4, !loads, i));
    let range = usize::from(op.d)..usize::from(op.d) + usize::from(op.m);
    let mut words = [0; MOST_WORDS as usize];
    let words = &mut words[..range.len()];
    if loads {
        attempt!(core.load_words(bus, start, words, i));
        core.vfp.words[range].copy_from_slice(words);
    } else {
        words.copy_from_slice(&core.vfp.words[range]);
        attempt!(core.store_words(bus, start, words, i));
    }
    if options & WRITE_BACK != 0 {
        let updated = if options & DOWN != 0 { start } else { base.wrapping_add(op.imm) };
        core.set_reg(op.n, updated);
    }
    i + 1
}
