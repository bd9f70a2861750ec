//! Conversions between precisions, to integers and to fixed-point numbers (ARM ARM A8.8.305-309).

use super::need_unit;
use crate::cpu::float::{self, Rounding};
use crate::cpu::op::Op;
use crate::cpu::{Core, World};

/// VCVT between precisions; `D`: from double.
pub(in crate::cpu) fn convert<const D: bool>(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    need_unit!(core, i);
    let m = core.vfp.get::<D>(op.m);
    let bits = float::convert::<D>(m, &mut core.vfp.control);
    if D {
        core.vfp.set::<false>(op.d, bits);
    } else {
        core.vfp.set::<true>(op.d, bits);
    }
    i + 1
}

/// VCVT and VCVTR to an integer: bit 0 of `x` unsigned, bit 1 by FPSCR's rounding mode instead of to zero.
pub(in crate::cpu) fn to_integer<const D: bool>(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    need_unit!(core, i);
    let m = core.vfp.get::<D>(op.m);
    let control = &mut core.vfp.control;
    let rounding = if op.x & 2 != 0 { control.rounding() } else { Rounding::Zero };
    let value = float::to_fixed::<D>(m, 0, 32, op.x & 1 != 0, rounding, control);
    core.vfp.set::<false>(op.d, u64::from(value));
    i + 1
}

/// VCVT from an integer: bit 0 of `x` unsigned.
pub(in crate::cpu) fn from_integer<const D: bool>(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    need_unit!(core, i);
    let raw = core.vfp.get::<false>(op.m) as u32;
    let value = if op.x & 1 != 0 { i64::from(raw) } else { i64::from(raw as i32) };
    let control = &mut core.vfp.control;
    let bits = float::from_fixed::<D>(value, 0, control.rounding(), control);
    core.vfp.set::<D>(op.d, bits);
    i + 1
}

/// VCVT to (bit 2 of `x`) or from a fixed-point number in the same register: `imm` is the number of fraction bits, bit
/// 0 of `x` unsigned, bit 1 32 bits wide instead of 16.
pub(in crate::cpu) fn fixed_point<const D: bool>(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    need_unit!(core, i);
    let raw = core.vfp.get::<D>(op.d);
    let (unsigned, wide) = (op.x & 1 != 0, op.x & 2 != 0);
    let control = &mut core.vfp.control;
    let result = if op.x & 4 != 0 {
        let value = float::to_fixed::<D>(raw, op.imm, if wide { 32 } else { 16 }, unsigned, Rounding::Zero, control);
        // The result is extended over the whole register.
        let extended = match (unsigned, wide) {
            (true, false) => i64::from(value as u16),
            (true, true) => i64::from(value),
            (false, false) => i64::from(value as i16),
            (false, true) => i64::from(value as i32),
        };
        extended as u64
    } else {
        let value = match (unsigned, wide) {
            (true, false) => i64::from(raw as u16),
            (true, true) => i64::from(raw as u32),
            (false, false) => i64::from(raw as i16),
            (false, true) => i64::from(raw as i32),
        };
        float::from_fixed::<D>(value, op.imm, Rounding::Nearest, control)
    };
    core.vfp.set::<D>(op.d, result);
    i + 1
}
