//! The floating-point unit, VFPv3 (ARM ARM A7): registers and operations. Register fields of operations number singles
//! (0 to 31) or doubles (0 to 31, of which the upper half has no singles), as the operation's precision says.

mod convert;
mod transfer;

pub(super) use convert::{convert, fixed_point, from_integer, to_integer};
pub(super) use transfer::{
    DOWN, LOAD, MOST_WORDS, WRITE_BACK, load, move_pair, move_word, multiple, store, system_register,
};

use super::float::{self, Arithmetic, Control};
use super::op::{Function, Op};
use super::{Core, World};

/// FPEXC.EN.
const ENABLE: u32 = 1 << 30;

/// Registers of the floating-point unit.
#[derive(Clone, Debug)]
pub(super) struct Vfp {
    /// All registers as words: double n is words 2n and 2n + 1.
    words: [u32; 64],
    control: Control,
    fpexc: u32,
    /// CPACR and HCPTR let the current mode use it.
    pub accessible: bool,
}

impl Default for Vfp {
    fn default() -> Self {
        Self { words: [0; 64], control: Control(0), fpexc: 0, accessible: false }
    }
}

impl Vfp {
    /// Sets FPEXC.EN.
    pub fn enable(&mut self) {
        self.fpexc |= ENABLE;
    }

    #[inline(always)]
    fn usable(&self) -> bool {
        self.accessible && self.fpexc & ENABLE != 0
    }

    #[inline(always)]
    fn get<const D: bool>(&self, number: u8) -> u64 {
        if D {
            let low = usize::from(number & 31) * 2;
            u64::from(self.words[low]) | u64::from(self.words[low + 1]) << 32
        } else {
            u64::from(self.words[usize::from(number & 31)])
        }
    }

    #[inline(always)]
    fn set<const D: bool>(&mut self, number: u8, bits: u64) {
        if D {
            let low = usize::from(number & 31) * 2;
            self.words[low] = bits as u32;
            self.words[low + 1] = (bits >> 32) as u32;
        } else {
            self.words[usize::from(number & 31)] = bits as u32;
        }
    }
}

/// Ends the block with an undefined instruction if the unit is off.
macro_rules! need_unit {
    ($core:ident, $i:ident) => {
        if !$core.vfp.usable() {
            return $core.undefined($i);
        }
    };
}
use need_unit;

/// Arithmetic, by the `KIND` constants below.
pub(super) fn arithmetic<const KIND: u8, const D: bool>(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    need_unit!(core, i);
    let sign = if D { 1 << 63 } else { 1 << 31 };
    let vfp = &mut core.vfp;
    let (n, m, d) = (vfp.get::<D>(op.n), vfp.get::<D>(op.m), vfp.get::<D>(op.d));
    let control = &mut vfp.control;
    let calculate = float::arithmetic::<D>;
    let result = match KIND {
        ADD => calculate(Arithmetic::Add, n, m, control),
        SUBTRACT => calculate(Arithmetic::Subtract, n, m, control),
        MULTIPLY => calculate(Arithmetic::Multiply, n, m, control),
        NEGATED_MULTIPLY => calculate(Arithmetic::Multiply, n, m, control) ^ sign,
        DIVIDE => calculate(Arithmetic::Divide, n, m, control),
        _ => {
            // The product is rounded before it is accumulated.
            let product = calculate(Arithmetic::Multiply, n, m, control);
            let product = if matches!(KIND, ACCUMULATE | NEGATED_SUBTRACT) { product } else { product ^ sign };
            let addend = if matches!(KIND, NEGATED_ACCUMULATE | NEGATED_SUBTRACT) { d ^ sign } else { d };
            calculate(Arithmetic::Add, addend, product, control)
        }
    };
    vfp.set::<D>(op.d, result);
    i + 1
}

/// VADD, VSUB, VMUL, VNMUL, VDIV, VMLA, VMLS, VNMLA, VNMLS.
pub(super) const ADD: u8 = 0;
pub(super) const SUBTRACT: u8 = 1;
pub(super) const MULTIPLY: u8 = 2;
pub(super) const NEGATED_MULTIPLY: u8 = 3;
pub(super) const DIVIDE: u8 = 4;
pub(super) const ACCUMULATE: u8 = 5;
pub(super) const ACCUMULATE_NEGATED: u8 = 6;
pub(super) const NEGATED_ACCUMULATE: u8 = 7;
pub(super) const NEGATED_SUBTRACT: u8 = 8;

/// The arithmetic operation of a kind, single or double.
pub(super) fn arithmetic_of(kind: u8, double: bool) -> Function {
    const TABLE: [[Function; 2]; 9] = [
        [arithmetic::<0, false>, arithmetic::<0, true>],
        [arithmetic::<1, false>, arithmetic::<1, true>],
        [arithmetic::<2, false>, arithmetic::<2, true>],
        [arithmetic::<3, false>, arithmetic::<3, true>],
        [arithmetic::<4, false>, arithmetic::<4, true>],
        [arithmetic::<5, false>, arithmetic::<5, true>],
        [arithmetic::<6, false>, arithmetic::<6, true>],
        [arithmetic::<7, false>, arithmetic::<7, true>],
        [arithmetic::<8, false>, arithmetic::<8, true>],
    ];
    TABLE[usize::from(kind)][usize::from(double)]
}

/// VMOV between registers, VABS, VNEG, VSQRT by `x` 0 to 3.
pub(super) fn unary<const D: bool>(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    need_unit!(core, i);
    let sign = if D { 1 << 63 } else { 1 << 31 };
    let m = core.vfp.get::<D>(op.m);
    let result = match op.x {
        0 => m,
        1 => m & !sign,
        2 => m ^ sign,
        _ => float::square_root::<D>(m, &mut core.vfp.control),
    };
    core.vfp.set::<D>(op.d, result);
    i + 1
}

/// VMOV of an immediate: `imm` holds the encoded byte, expanded here (ARM ARM VFPExpandImm).
pub(super) fn immediate<const D: bool>(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    need_unit!(core, i);
    let (sign, b, rest) = (u64::from(op.imm >> 7), op.imm & 0x40 != 0, u64::from(op.imm & 0x3f));
    let bits = if D {
        sign << 63 | if b { 0x3fc0 } else { 0x4000 } << 48 | rest << 48
    } else {
        sign << 31 | if b { 0x3e00 } else { 0x4000 } << 16 | rest << 19
    };
    core.vfp.set::<D>(op.d, bits);
    i + 1
}

/// VCMP and VCMPE (bit 0 of `x`), with zero if bit 1 is set.
pub(super) fn compare<const D: bool>(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    need_unit!(core, i);
    let (d, m) = (core.vfp.get::<D>(op.d), if op.x & 2 != 0 { 0 } else { core.vfp.get::<D>(op.m) });
    let control = &mut core.vfp.control;
    let flags = float::compare::<D>(d, m, op.x & 1 != 0, control);
    control.0 = control.0 & 0x0fff_ffff | flags;
    i + 1
}
