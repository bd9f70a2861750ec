//! Media instructions (ARM ARM A5.4): parallel and saturating arithmetic, packing, extension, bit fields, reversal.

use super::op::Op;
use super::{Core, World};

/// How a parallel operation treats its lanes' results.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// S, U: wrap, and set GE.
    Modulo,
    /// Q, UQ: saturate.
    Saturate,
    /// SH, UH: halve.
    Halve,
}

/// One lane of `bits` bits: the result, and whether GE is set for it.
fn lane(a: i32, b: i32, subtract: bool, signed: bool, manner: Manner, bits: u32) -> (u32, bool) {
    let sum = if subtract { a - b } else { a + b };
    let greater_equal = if signed || subtract { sum >= 0 } else { sum >= 1 << bits };
    let (low, high) = if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    let result = match manner {
        Manner::Modulo => sum,
        Manner::Saturate => sum.clamp(low, high),
        Manner::Halve => sum >> 1,
    };
    (result as u32 & ((1 << bits) - 1), greater_equal)
}

/// The lane of `bits` bits at bit `at`.
fn extract(value: u32, at: u32, bits: u32, signed: bool) -> i32 {
    let top = 32 - bits;
    let shifted = value >> at << top;
    if signed { shifted as i32 >> top } else { (shifted >> top) as i32 }
}

/// Parallel addition and subtraction: `x` is op2 (0 ADD16, 1 ASX, 2 SAX, 3 SUB16, 4 ADD8, 7 SUB8), `imm` the encoding's
/// prefix bits 22:20 (1 S, 2 Q, 3 SH, 5 U, 6 UQ, 7 UH).
pub(super) fn parallel(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    let (n, m) = (core.reg(op.n), core.reg(op.m));
    let signed = op.imm & 4 == 0;
    let manner = match op.imm & 3 {
        1 => Manner::Modulo,
        2 => Manner::Saturate,
        _ => Manner::Halve,
    };
    let bits = if op.x & 4 != 0 { 8 } else { 16 };
    let mut result = 0;
    let mut greater_equal = 0;
    for at in (0..32).step_by(bits as usize) {
        let high = at != 0;
        let crossed = matches!(op.x, 1 | 2);
        let subtract = match op.x {
            1 => !high,
            2 => high,
            3 | 7 => true,
            _ => false,
        };
        let other = if crossed { 16 - at } else { at };
        let (value, set) =
            lane(extract(n, at, bits, signed), extract(m, other, bits, signed), subtract, signed, manner, bits);
        result |= value << at;
        if set {
            greater_equal |= ((1 << (bits / 8)) - 1) << (at / 8);
        }
    }
    core.set_reg(op.d, result);
    if manner == Manner::Modulo {
        core.flags.greater_equal = greater_equal;
    }
    i + 1
}

/// QADD, QSUB, QDADD, QDSUB by `x` 0 to 3: `m` and `n` as in the assembler's order.
pub(super) fn saturating(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    let mut saturated = core.flags.saturated;
    let mut saturate = |value: i64| {
        let clamped = value.clamp(i64::from(i32::MIN), i64::from(i32::MAX));
        saturated |= clamped != value;
        clamped
    };
    let (m, mut n) = (i64::from(core.reg(op.m) as i32), i64::from(core.reg(op.n) as i32));
    if op.x & 2 != 0 {
        n = saturate(2 * n);
    }
    let result = saturate(if op.x & 1 != 0 { m - n } else { m + n });
    core.flags.saturated = saturated;
    core.set_reg(op.d, result as u32);
    i + 1
}

/// SSAT and USAT (`SIGNED`) of register `n` to `x` bits. `imm` holds the shift: amount, and at bit 8 whether it is ASR.
pub(super) fn saturate<const SIGNED: bool>(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    let value = core.reg(op.n) as i32;
    let amount = op.imm & 0xff;
    let shifted = if op.imm & 0x100 != 0 { value >> amount.min(31) } else { value << amount };
    let result = clamp::<SIGNED>(core, shifted, u32::from(op.x));
    core.set_reg(op.d, result);
    i + 1
}

/// SSAT16 and USAT16 of register `n` to `x` bits.
pub(super) fn saturate_halves<const SIGNED: bool>(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    let value = core.reg(op.n);
    let low = clamp::<SIGNED>(core, i32::from(value as i16), u32::from(op.x));
    let high = clamp::<SIGNED>(core, i32::from((value >> 16) as i16), u32::from(op.x));
    core.set_reg(op.d, low & 0xffff | high << 16);
    i + 1
}

fn clamp<const SIGNED: bool>(core: &mut Core, value: i32, bits: u32) -> u32 {
    let (low, high) = if SIGNED { (-1i64 << (bits - 1), (1i64 << (bits - 1)) - 1) } else { (0, (1i64 << bits) - 1) };
    let clamped = i64::from(value).clamp(low, high);
    core.flags.saturated |= clamped != i64::from(value);
    clamped as u32
}

/// SXTB16, SXTB, SXTH, UXTB16, UXTB, UXTH and, with `n` other than 15, their accumulating forms. `imm` is the rotation,
/// `x` the encoding's bits 22:20 (0, 2, 3 signed; 4, 6, 7 unsigned).
pub(super) fn extend(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    let value = core.reg(op.m).rotate_right(op.imm);
    let bytes = |signed: bool| {
        let (low, high) = (extract(value, 0, 8, signed) as u32, extract(value, 16, 8, signed) as u32);
        low & 0xffff | high << 16
    };
    let extended = match op.x {
        0 => bytes(true),
        2 => value as i8 as u32,
        3 => value as i16 as u32,
        4 => bytes(false),
        6 => value & 0xff,
        _ => value & 0xffff,
    };
    let base = if op.n == 15 { 0 } else { core.reg(op.n) };
    let result = if op.x & 3 == 0 {
        base.wrapping_add(extended) & 0xffff | (base >> 16).wrapping_add(extended >> 16) << 16
    } else {
        base.wrapping_add(extended)
    };
    core.set_reg(op.d, result);
    i + 1
}

/// PKHBT and PKHTB (`x` 1): `imm` is the shift.
pub(super) fn pack(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    let (n, m) = (core.reg(op.n), core.reg(op.m));
    let result = if op.x == 0 {
        n & 0xffff | m << op.imm & 0xffff_0000
    } else {
        n & 0xffff_0000 | (m as i32 >> op.imm.min(31)) as u32 & 0xffff
    };
    core.set_reg(op.d, result);
    i + 1
}

/// SEL by GE.
pub(super) fn select(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    let mask = (0..4).fold(
        0,
        |mask, byte| {
            if core.flags.greater_equal >> byte & 1 != 0 { mask | 0xff << (8 * byte) } else { mask }
        },
    );
    core.set_reg(op.d, core.reg(op.n) & mask | core.reg(op.m) & !mask);
    i + 1
}

/// USAD8, and USADA8 with `x` other than 15.
pub(super) fn absolute_differences(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    let (n, m) = (core.reg(op.n).to_le_bytes(), core.reg(op.m).to_le_bytes());
    let sum: u32 = n.iter().zip(m).map(|(&a, b)| u32::from(a.abs_diff(b))).sum();
    let base = if op.x == 15 { 0 } else { core.reg(op.x) };
    core.set_reg(op.d, base.wrapping_add(sum));
    i + 1
}

/// REV, REV16, RBIT, REVSH by `KIND` 0 to 3.
pub(super) fn reverse<const KIND: u8>(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    let value = core.reg(op.m);
    let result = match KIND {
        0 => value.swap_bytes(),
        1 => value.swap_bytes().rotate_right(16),
        2 => value.reverse_bits(),
        _ => (value as u16).swap_bytes() as i16 as u32,
    };
    core.set_reg(op.d, result);
    i + 1
}

/// CLZ.
pub(super) fn leading_zeros(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    core.set_reg(op.d, core.reg(op.m).leading_zeros());
    i + 1
}

/// SBFX and UBFX (`SIGNED`): `imm` is the lowest bit, `x` the width.
pub(super) fn field_extract<const SIGNED: bool>(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    core.set_reg(op.d, extract(core.reg(op.n), op.imm, u32::from(op.x), SIGNED) as u32);
    i + 1
}

/// BFI, and BFC with `n` 15: `imm` is the mask, `x` the lowest bit.
pub(super) fn field_insert(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    let source = if op.n == 15 { 0 } else { core.reg(op.n) << op.x };
    core.set_reg(op.d, core.reg(op.d) & !op.imm | source & op.imm);
    i + 1
}
