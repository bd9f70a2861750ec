//! Coprocessor instructions: the floating-point unit (10, 11) and system control (15) (ARM ARM A5.6, A7.5-A7.9).

use super::emit::Emit;
use super::{bit, field, undefined, unimplemented};
use crate::cpu::cost::Class;
use crate::cpu::op::{Function, Op};
use crate::cpu::{cp15, vfp};

/// The register that a four-bit field and its extension bit name.
fn number(word: u32, at: u32, extension: u32, double: bool) -> u32 {
    let (four, one) = (field(word, at, 4), field(word, extension, 1));
    if double { one << 4 | four } else { four << 1 | one }
}

fn is_float(word: u32) -> bool {
    field(word, 9, 3) == 0b101
}

/// Bits 27:25 = 6: loads, stores, and 64-bit transfers.
pub(super) fn memory(emit: &mut Emit, word: u32) {
    let pair = field(word, 21, 4) == 0b0010;
    match (pair, is_float(word)) {
        (true, true) => pair_transfer(emit, word),
        (true, false) if field(word, 8, 4) == 15 => {
            let imm = field(word, 4, 4) << 4 | field(word, 0, 4);
            let op = Op::new(cp15::transfer_long).d(field(word, 12, 4)).n(field(word, 16, 4)).imm(imm);
            emit.main(op.x(field(word, 20, 1)), Class::System);
            // Counters of the generic timer.
            if field(word, 0, 4) == 14 {
                emit.pause();
            }
        }
        (false, true) => float_memory(emit, word),
        _ => undefined(emit),
    }
}

fn pair_transfer(emit: &mut Emit, word: u32) {
    let double = bit(word, 8);
    let m = number(word, 0, 5, double);
    let single = if double { 2 * m } else { m };
    if field(word, 6, 2) != 0 || !bit(word, 4) || !double && single == 31 {
        return undefined(emit);
    }
    let op = Op::new(vfp::move_pair).d(field(word, 12, 4)).n(field(word, 16, 4)).m(single);
    emit.main(op.x(field(word, 20, 1)), Class::FloatMove);
}

/// VLDR, VSTR, VLDM, VSTM.
fn float_memory(emit: &mut Emit, word: u32) {
    let (before, up, write_back, loads) = (bit(word, 24), bit(word, 23), bit(word, 21), bit(word, 20));
    let double = bit(word, 8);
    let d = number(word, 12, 22, double);
    let (n, words) = (field(word, 16, 4), field(word, 0, 8));
    emit.reads(&[n]);
    let class = if loads { Class::Load } else { Class::Store };
    if before && !write_back {
        let function: Function = match (loads, double) {
            (true, true) => vfp::load::<true>,
            (true, false) => vfp::load::<false>,
            (false, true) => vfp::store::<true>,
            (false, false) => vfp::store::<false>,
        };
        let offset = 4 * words;
        let op = Op::new(function).d(d).n(n).imm(if up { offset } else { offset.wrapping_neg() });
        return emit.main(op, class);
    }
    let (first, count) = if double { (2 * d, words & !1) } else { (d, words) };
    if before == up || !(1..=vfp::MOST_WORDS).contains(&count) || first + count > if double { 64 } else { 32 } {
        return undefined(emit);
    }
    let options =
        (u32::from(before) * vfp::DOWN) | (u32::from(write_back) * vfp::WRITE_BACK) | (u32::from(loads) * vfp::LOAD);
    emit.main(Op::new(vfp::multiple).d(first).n(n).m(count).imm(4 * words).x(options), class);
    emit.work(Class::Transfer, count - 1);
}

/// Bits 27:24 = 14: operations and 32-bit transfers.
pub(super) fn register(emit: &mut Emit, word: u32) {
    if is_float(word) && word >> 28 != 15 {
        if bit(word, 4) { float_transfer(emit, word) } else { float_operation(emit, word) }
    } else if field(word, 8, 4) == 15 && bit(word, 4) && word >> 28 != 15 {
        let function: Function = if bit(word, 20) { cp15::read } else { cp15::write };
        emit.main(Op::new(function).d(field(word, 12, 4)).imm(word), Class::System);
        // Counters of the performance monitor, and the generic timer.
        if matches!(field(word, 16, 4), 9 | 14) {
            emit.pause();
        }
    } else if matches!(field(word, 8, 4), 10 | 11 | 14) {
        unimplemented(emit, word);
    } else {
        undefined(emit);
    }
}

/// VMOV, VMRS and VMSR between the register files (ARM ARM A7.8).
fn float_transfer(emit: &mut Emit, word: u32) {
    let (d, n, reads) = (field(word, 12, 4), field(word, 16, 4), field(word, 20, 1));
    let kind = field(word, 21, 3);
    if bit(word, 8) {
        // One half of a double; of the widths, only words are not Advanced SIMD.
        let double = number(word, 16, 7, true);
        if kind & !1 != 0 || field(word, 5, 2) != 0 {
            return unimplemented(emit, word);
        }
        let op = Op::new(vfp::move_word).d(d).n(2 * double + (kind & 1)).x(reads);
        return emit.main(op, Class::FloatMove);
    }
    match kind {
        0 => {
            let op = Op::new(vfp::move_word).d(d).n(n << 1 | field(word, 7, 1)).x(reads);
            emit.main(op, Class::FloatMove);
        }
        7 => emit.main(Op::new(vfp::system_register).d(d).n(n).x(reads), Class::FloatMove),
        _ => undefined(emit),
    }
}

/// Operations on floating-point registers (ARM ARM A7.5).
fn float_operation(emit: &mut Emit, word: u32) {
    let double = bit(word, 8);
    let opcode = field(word, 23, 1) << 2 | field(word, 20, 2);
    let alternative = bit(word, 6);
    let (kind, class) = match (opcode, alternative) {
        (0, false) => (vfp::ACCUMULATE, Class::FloatMultiply),
        (0, true) => (vfp::ACCUMULATE_NEGATED, Class::FloatMultiply),
        (1, true) => (vfp::NEGATED_ACCUMULATE, Class::FloatMultiply),
        (1, false) => (vfp::NEGATED_SUBTRACT, Class::FloatMultiply),
        (2, false) => (vfp::MULTIPLY, Class::FloatMultiply),
        (2, true) => (vfp::NEGATED_MULTIPLY, Class::FloatMultiply),
        (3, false) => (vfp::ADD, Class::FloatAdd),
        (3, true) => (vfp::SUBTRACT, Class::FloatAdd),
        (4, false) => (vfp::DIVIDE, if double { Class::FloatDivideDouble } else { Class::FloatDivide }),
        (7, _) => return float_other(emit, word),
        // Fused multiplication came with VFPv4.
        _ => return unimplemented(emit, word),
    };
    let (d, n, m) = (number(word, 12, 22, double), number(word, 16, 7, double), number(word, 0, 5, double));
    emit.main(Op::new(vfp::arithmetic_of(kind, double)).d(d).n(n).m(m), class);
}

/// Functions by precision.
fn by_precision(double: bool, on_single: Function, on_double: Function) -> Op {
    Op::new(if double { on_double } else { on_single })
}

/// Operations with one operand (ARM ARM table A7-17).
fn float_other(emit: &mut Emit, word: u32) {
    let double = bit(word, 8);
    let (op2, top) = (field(word, 16, 4), bit(word, 7));
    let (d, m) = (number(word, 12, 22, double), number(word, 0, 5, double));
    let single_d = field(word, 12, 4) << 1 | field(word, 22, 1);
    let single_m = field(word, 0, 4) << 1 | field(word, 5, 1);
    if !bit(word, 6) {
        let op = by_precision(double, vfp::immediate::<false>, vfp::immediate::<true>);
        return emit.main(op.d(d).imm(op2 << 4 | field(word, 0, 4)), Class::FloatMove);
    }
    match op2 {
        0 | 1 => {
            let kind = op2 << 1 | u32::from(top);
            let class = match (kind, double) {
                (3, false) => Class::FloatDivide,
                (3, true) => Class::FloatDivideDouble,
                _ => Class::FloatMove,
            };
            emit.main(by_precision(double, vfp::unary::<false>, vfp::unary::<true>).d(d).m(m).x(kind), class);
        }
        4 | 5 => {
            let op = by_precision(double, vfp::compare::<false>, vfp::compare::<true>);
            emit.main(op.d(d).m(m).x(u32::from(top) | (op2 & 1) << 1), Class::FloatAdd);
        }
        7 if top => {
            let d = number(word, 12, 22, !double);
            let op = by_precision(double, vfp::convert::<false>, vfp::convert::<true>);
            emit.main(op.d(d).m(m), Class::FloatAdd);
        }
        8 => {
            let op = by_precision(double, vfp::from_integer::<false>, vfp::from_integer::<true>);
            emit.main(op.d(d).m(single_m).x(u32::from(!top)), Class::FloatAdd);
        }
        12 | 13 => {
            let op = by_precision(double, vfp::to_integer::<false>, vfp::to_integer::<true>);
            emit.main(op.d(single_d).m(m).x(u32::from(op2 == 12) | u32::from(!top) << 1), Class::FloatAdd);
        }
        10 | 11 | 14 | 15 => fixed_point(emit, word, d, double),
        // Half precision.
        2 | 3 => unimplemented(emit, word),
        _ => undefined(emit),
    }
}

fn fixed_point(emit: &mut Emit, word: u32, d: u32, double: bool) {
    let wide = bit(word, 7);
    let size = if wide { 32 } else { 16 };
    let encoded = field(word, 0, 4) << 1 | field(word, 5, 1);
    let Some(fraction) = u32::checked_sub(size, encoded) else { return undefined(emit) };
    let options = field(word, 16, 1) | u32::from(wide) << 1 | field(word, 18, 1) << 2;
    let op = by_precision(double, vfp::fixed_point::<false>, vfp::fixed_point::<true>);
    emit.main(op.d(d).imm(fraction).x(options), Class::FloatAdd);
}
