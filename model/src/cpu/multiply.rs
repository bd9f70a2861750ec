//! Multiplication and division (ARM ARM A5.2.5, A5.4.4). `d` is the result (of long ones the high word), `n` and `m`
//! the factors, `x` the accumulator (of long ones the low word).

use super::op::Op;
use super::{Core, World};

/// MUL, MLA, MLS, by `KIND` 0, 1, 2; setting N and Z if `S`.
pub(super) fn multiply<const KIND: u8, const S: bool>(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    let product = core.reg(op.n).wrapping_mul(core.reg(op.m));
    let result = match KIND {
        0 => product,
        1 => core.reg(op.x).wrapping_add(product),
        _ => core.reg(op.x).wrapping_sub(product),
    };
    core.set_reg(op.d, result);
    if S {
        core.flags.set_nz(result);
    }
    i + 1
}

/// UMULL, UMLAL, SMULL, SMLAL, UMAAL, by `KIND` 0 to 4.
pub(super) fn multiply_long<const KIND: u8, const S: bool>(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    let (n, m) = (core.reg(op.n), core.reg(op.m));
    let old = u64::from(core.reg(op.d)) << 32 | u64::from(core.reg(op.x));
    let unsigned = u64::from(n) * u64::from(m);
    let signed = (i64::from(n as i32) * i64::from(m as i32)) as u64;
    let result = match KIND {
        0 => unsigned,
        1 => old.wrapping_add(unsigned),
        2 => signed,
        3 => old.wrapping_add(signed),
        _ => unsigned + (old >> 32) + (old & 0xffff_ffff),
    };
    core.set_reg(op.x, result as u32);
    core.set_reg(op.d, (result >> 32) as u32);
    if S {
        core.flags.set_nz_long(result);
    }
    i + 1
}

/// UDIV and SDIV (`SIGNED`): division by zero gives zero (ARM ARM A8.8.165, A8.8.248).
pub(super) fn divide<const SIGNED: bool>(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    let (n, m) = (core.reg(op.n), core.reg(op.m));
    let result = match (m, SIGNED) {
        (0, _) => 0,
        (_, false) => n / m,
        (_, true) => (n as i32).wrapping_div(m as i32) as u32,
    };
    core.set_reg(op.d, result);
    i + 1
}

/// The half of a register that bit `top` of the options selects, signed.
fn half(value: u32, top: bool) -> i64 {
    i64::from(if top { (value >> 16) as i16 } else { value as i16 })
}

/// Adds as SMLA does: overflow of the accumulation sets Q, the result wraps.
fn accumulate(core: &mut Core, product: i64, addend: u32) -> u32 {
    let sum = product + i64::from(addend as i32);
    core.flags.saturated |= sum != i64::from(sum as i32);
    sum as u32
}

/// SMLAxy, SMLAWy, SMULWy, SMLALxy, SMULxy by `KIND` 0 to 4; bits 0 and 1 of `imm` select the top half of `n` and `m`.
pub(super) fn multiply_halves<const KIND: u8>(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    let m = half(core.reg(op.m), op.imm & 2 != 0);
    let n = half(core.reg(op.n), op.imm & 1 != 0);
    let wide = (i64::from(core.reg(op.n) as i32) * m) >> 16;
    let addend = core.reg(op.x);
    match KIND {
        0 => {
            let result = accumulate(core, n * m, addend);
            core.set_reg(op.d, result);
        }
        1 => {
            let result = accumulate(core, wide, addend);
            core.set_reg(op.d, result);
        }
        2 => core.set_reg(op.d, wide as u32),
        3 => {
            let old = u64::from(core.reg(op.d)) << 32 | u64::from(addend);
            let result = old.wrapping_add((n * m) as u64);
            core.set_reg(op.x, result as u32);
            core.set_reg(op.d, (result >> 32) as u32);
        }
        _ => core.set_reg(op.d, (n * m) as u32),
    }
    i + 1
}

/// SMUAD, SMUSD, SMLAD, SMLSD (`x` 15: no accumulator) and their X forms: bit 0 of `imm` swaps the halves of `m`, bit 1
/// subtracts.
pub(super) fn multiply_dual(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    let sum = dual(core, op);
    let result = if op.x == 15 {
        core.flags.saturated |= sum != i64::from(sum as i32);
        sum as u32
    } else {
        let addend = core.reg(op.x);
        accumulate(core, sum, addend)
    };
    core.set_reg(op.d, result);
    i + 1
}

/// SMLALD, SMLSLD and their X forms, options as above.
pub(super) fn multiply_dual_long(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    let old = u64::from(core.reg(op.d)) << 32 | u64::from(core.reg(op.x));
    let result = old.wrapping_add(dual(core, op) as u64);
    core.set_reg(op.x, result as u32);
    core.set_reg(op.d, (result >> 32) as u32);
    i + 1
}

fn dual(core: &Core, op: &Op) -> i64 {
    let n = core.reg(op.n);
    let m = core.reg(op.m).rotate_right(if op.imm & 1 != 0 { 16 } else { 0 });
    let (low, high) = (half(n, false) * half(m, false), half(n, true) * half(m, true));
    if op.imm & 2 != 0 { low - high } else { low + high }
}

/// SMMUL (`x` 15), SMMLA, SMMLS: bit 0 of `imm` rounds, bit 1 subtracts.
pub(super) fn multiply_most(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    let product = i64::from(core.reg(op.n) as i32) * i64::from(core.reg(op.m) as i32);
    let addend = if op.x == 15 { 0 } else { i64::from(core.reg(op.x) as i32) << 32 };
    let sum = if op.imm & 2 != 0 { addend.wrapping_sub(product) } else { addend.wrapping_add(product) };
    let rounding = if op.imm & 1 != 0 { 0x8000_0000 } else { 0 };
    core.set_reg(op.d, (sum.wrapping_add(rounding) >> 32) as u32);
    i + 1
}
