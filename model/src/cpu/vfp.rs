//! The floating-point unit, VFPv3 (ARM ARM A7): registers and operations. Register fields of operations number singles (0
//! to 31) or doubles (0 to 31, of which the upper half has no singles), as the operation's precision says.

use super::float::{self, Arithmetic, Control, Rounding};
use super::op::{Function, Op, attempt};
use super::{Core, World};

/// FPEXC.EN.
const ENABLE: u32 = 1 << 30;
/// FPSCR bits that can be written: flags, QC, AHP, DN, FZ, RMode, Stride, Len, and the cumulative exceptions.
const FPSCR_WRITABLE: u32 = 0xfff7_009f;

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

/// VCVT between precisions; `D`: from double.
pub(super) fn convert<const D: bool>(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
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
pub(super) fn to_integer<const D: bool>(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    need_unit!(core, i);
    let m = core.vfp.get::<D>(op.m);
    let control = &mut core.vfp.control;
    let rounding = if op.x & 2 != 0 { control.rounding() } else { Rounding::Zero };
    let value = float::to_fixed::<D>(m, 0, 32, op.x & 1 != 0, rounding, control);
    core.vfp.set::<false>(op.d, u64::from(value));
    i + 1
}

/// VCVT from an integer: bit 0 of `x` unsigned.
pub(super) fn from_integer<const D: bool>(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    need_unit!(core, i);
    let raw = core.vfp.get::<false>(op.m) as u32;
    let value = if op.x & 1 != 0 { i64::from(raw) } else { i64::from(raw as i32) };
    let control = &mut core.vfp.control;
    let bits = float::from_fixed::<D>(value, 0, control.rounding(), control);
    core.vfp.set::<D>(op.d, bits);
    i + 1
}

/// VCVT to (bit 2 of `x`) or from a fixed-point number in the same register: `imm` is the number of fraction bits, bit 0
/// of `x` unsigned, bit 1 32 bits wide instead of 16.
pub(super) fn fixed_point<const D: bool>(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
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

/// VMOV between core register `d` and word `n` of the registers: to the core if `x`.
pub(super) fn move_word(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    need_unit!(core, i);
    if op.x != 0 {
        core.set_reg(op.d, core.vfp.words[usize::from(op.n & 63)]);
    } else {
        core.vfp.words[usize::from(op.n & 63)] = core.reg(op.d);
    }
    i + 1
}

/// VMOV between core registers `d`, `n` and the words `m`, `m + 1`: to the core if `x`.
pub(super) fn move_pair(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
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
pub(super) fn system_register(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
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
pub(super) fn load<const D: bool>(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    need_unit!(core, i);
    let address = core.reg(op.n).wrapping_add(op.imm);
    attempt!(core.check_aligned(address, 4, false, i));
    let mut words = [0; 2];
    attempt!(core.load_words(bus, address, &mut words[..1 + usize::from(D)], i));
    core.vfp.set::<D>(op.d, u64::from(words[0]) | u64::from(words[1]) << 32);
    i + 1
}

/// VSTR.
pub(super) fn store<const D: bool>(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    need_unit!(core, i);
    let address = core.reg(op.n).wrapping_add(op.imm);
    attempt!(core.check_aligned(address, 4, true, i));
    let bits = core.vfp.get::<D>(op.d);
    let words = [bits as u32, (bits >> 32) as u32];
    attempt!(core.store_words(bus, address, &words[..1 + usize::from(D)], i));
    i + 1
}

/// Options of multiple transfers: down from the base, and moving the base.
pub(super) const DOWN: u32 = 1;
pub(super) const WRITE_BACK: u32 = 2;
/// A load.
pub(super) const LOAD: u32 = 4;
/// More words than this in one transfer are UNPREDICTABLE.
pub(super) const MOST_WORDS: u32 = 32;

/// VLDM and VSTM (`x`: the options above) of `m` words from word `d` on; the base moves by `imm`.
pub(super) fn multiple(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
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
