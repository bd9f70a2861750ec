//! Media instructions (ARM ARM A5.4).

use super::emit::Emit;
use super::{bit, field, undefined};
use crate::cpu::cost::Class;
use crate::cpu::op::{Function, Op};
use crate::cpu::{media, multiply};

pub(super) fn decode(emit: &mut Emit, word: u32) {
    let (op1, op2) = (field(word, 20, 5), field(word, 5, 3));
    match op1 {
        0..=7 => parallel(emit, word),
        8..=15 => packing(emit, word),
        16..=23 => products(emit, word),
        24 if op2 == 0 => {
            let op = Op::new(media::absolute_differences).d(field(word, 16, 4)).x(field(word, 12, 4));
            emit.main(op.m(field(word, 8, 4)).n(field(word, 0, 4)), Class::Media);
        }
        26 | 27 if op2 & 3 == 2 => extract(emit, word, media::field_extract::<true>),
        28 | 29 if op2 & 3 == 0 => insert(emit, word),
        30 | 31 if op2 & 3 == 2 => extract(emit, word, media::field_extract::<false>),
        _ => undefined(emit),
    }
}

fn parallel(emit: &mut Emit, word: u32) {
    let (prefix, op2) = (field(word, 20, 3), field(word, 5, 3));
    if prefix & 3 == 0 || matches!(op2, 5 | 6) {
        return undefined(emit);
    }
    let op = Op::new(media::parallel).d(field(word, 12, 4)).n(field(word, 16, 4)).m(field(word, 0, 4));
    emit.main(op.imm(prefix).x(op2), Class::Media);
}

/// Packing, unpacking, saturation and reversal (ARM ARM A5.4.3).
fn packing(emit: &mut Emit, word: u32) {
    let (op1, op2) = (field(word, 20, 3), field(word, 5, 3));
    let op = |function: Function| Op::new(function).n(field(word, 16, 4)).d(field(word, 12, 4)).m(field(word, 0, 4));
    let amount = field(word, 7, 5);
    let right = bit(word, 6);
    match (op1, op2) {
        (0, 0 | 2 | 4 | 6) => {
            let amount = if right && amount == 0 { 32 } else { amount };
            emit.main(op(media::pack).imm(amount).x(u32::from(right)), Class::Media);
        }
        (0, 5) => emit.main(op(media::select), Class::Media),
        (2 | 3, 0 | 2 | 4 | 6) => saturation(emit, word, media::saturate::<true>, field(word, 16, 5) + 1),
        (6 | 7, 0 | 2 | 4 | 6) => saturation(emit, word, media::saturate::<false>, field(word, 16, 5)),
        (2, 1) => {
            emit.main(op(media::saturate_halves::<true>).n(field(word, 0, 4)).x(field(word, 16, 4) + 1), Class::Media);
        }
        (6, 1) => {
            emit.main(op(media::saturate_halves::<false>).n(field(word, 0, 4)).x(field(word, 16, 4)), Class::Media);
        }
        (0 | 2 | 3 | 4 | 6 | 7, 3) => {
            emit.main(op(media::extend).imm(8 * field(word, 10, 2)).x(op1), Class::Alu);
        }
        (3, 1) => emit.main(op(media::reverse::<0>), Class::Alu),
        (3, 5) => emit.main(op(media::reverse::<1>), Class::Alu),
        (7, 1) => emit.main(op(media::reverse::<2>), Class::Alu),
        (7, 5) => emit.main(op(media::reverse::<3>), Class::Alu),
        _ => undefined(emit),
    }
}

fn saturation(emit: &mut Emit, word: u32, function: Function, bits: u32) {
    let (amount, right) = (field(word, 7, 5), bit(word, 6));
    let amount = if right && amount == 0 { 32 } else { amount };
    let op = Op::new(function).d(field(word, 12, 4)).n(field(word, 0, 4)).x(bits);
    emit.main(op.imm(amount | u32::from(right) << 8), Class::Media);
}

/// Signed multiplications, and division (ARM ARM A5.4.4).
fn products(emit: &mut Emit, word: u32) {
    let (op1, op2) = (field(word, 20, 3), field(word, 5, 3));
    let op = |function: Function| {
        Op::new(function).d(field(word, 16, 4)).x(field(word, 12, 4)).m(field(word, 8, 4)).n(field(word, 0, 4))
    };
    match (op1, op2) {
        (0, 0..=3) => emit.main(op(multiply::multiply_dual).imm(op2), Class::Multiply),
        (4, 0..=3) => emit.main(op(multiply::multiply_dual_long).imm(op2), Class::MultiplyLong),
        (5, 0 | 1 | 6 | 7) => {
            emit.main(op(multiply::multiply_most).imm(op2 & 1 | op2 >> 1 & 2), Class::MultiplyLong);
        }
        (1, 0) => emit.main(op(multiply::divide::<true>), Class::Divide),
        (3, 0) => emit.main(op(multiply::divide::<false>), Class::Divide),
        _ => undefined(emit),
    }
}

/// SBFX and UBFX.
fn extract(emit: &mut Emit, word: u32, function: Function) {
    let (low, width) = (field(word, 7, 5), field(word, 16, 5) + 1);
    if low + width > 32 {
        return undefined(emit);
    }
    emit.main(Op::new(function).d(field(word, 12, 4)).n(field(word, 0, 4)).imm(low).x(width), Class::Alu);
}

/// BFI and BFC.
fn insert(emit: &mut Emit, word: u32) {
    let (low, high) = (field(word, 7, 5), field(word, 16, 5));
    if high < low {
        return undefined(emit);
    }
    let mask = (u32::MAX >> (31 - (high - low))) << low;
    let op = Op::new(media::field_insert).d(field(word, 12, 4)).n(field(word, 0, 4));
    emit.main(op.imm(mask).x(low), Class::Alu);
}
