//! Data processing and miscellaneous instructions (ARM ARM A5.2).

use super::emit::Emit;
use super::{bit, field, transfer, undefined, unimplemented};
use crate::cpu::cost::Class;
use crate::cpu::op::{Function, Op};
use crate::cpu::{branch, data, exclusive, media, multiply, status, system};

pub(super) fn decode(emit: &mut Emit, word: u32) {
    let (op, op2) = (field(word, 20, 5), field(word, 4, 4));
    // TST to CMN without flags are other instructions.
    let miscellaneous = op & 0b11001 == 0b10000;
    if bit(word, 25) {
        match op {
            0b10000 => {
                emit.main(Op::new(data::immediate(13, false)).d(field(word, 12, 4)).imm(immediate16(word)), Class::Alu)
            }
            0b10100 => {
                emit.main(Op::new(data::move_top).d(field(word, 12, 4)).imm(immediate16(word) << 16), Class::Alu)
            }
            0b10010 | 0b10110 => status_immediate(emit, word),
            _ => with_immediate(emit, word),
        }
    } else if op2 == 0b1001 {
        if op & 0b10000 == 0 { multiplication(emit, word) } else { synchronisation(emit, word) }
    } else if op2 & 0b1001 == 0b1001 {
        transfer::halves(emit, word);
    } else if miscellaneous {
        if op2 & 0b1000 == 0 { others(emit, word) } else { multiply_halves(emit, word) }
    } else if bit(word, 4) {
        with_register(emit, word);
    } else {
        with_shift(emit, word);
    }
}

/// The 16-bit immediate of MOVW and MOVT.
fn immediate16(word: u32) -> u32 {
    field(word, 16, 4) << 12 | field(word, 0, 12)
}

/// Adds a data-processing operation; a result in R15 is a jump, with flags an exception return.
fn finish(emit: &mut Emit, word: u32, op: Op, class: Class) {
    let (code, flags, d) = (field(word, 21, 4), bit(word, 20), field(word, 12, 4));
    let compares = matches!(code, 8..=11);
    let returns = d == 15 && flags && !compares;
    emit.main(op.d(d).n(field(word, 16, 4)), class);
    if d == 15 && !compares {
        let last: Function = if returns { data::return_from_exception } else { branch::jump_to_result };
        emit.work(Class::BranchIndirect, 1);
        emit.end_with(Op::new(last));
    }
}

/// Whether the operation sets flags as far as its function is concerned: not when it returns from an exception.
fn sets_flags(word: u32) -> bool {
    bit(word, 20) && (field(word, 12, 4) != 15 || matches!(field(word, 21, 4), 8..=11))
}

fn with_immediate(emit: &mut Emit, word: u32) {
    let rotation = 2 * field(word, 8, 4);
    let value = field(word, 0, 8).rotate_right(rotation);
    let carry = if rotation == 0 { 0 } else { 1 + (value >> 31) };
    emit.reads(&[field(word, 16, 4)]);
    let function = data::immediate(field(word, 21, 4), sets_flags(word));
    finish(emit, word, Op::new(function).imm(value).x(carry), Class::Alu);
}

fn with_shift(emit: &mut Emit, word: u32) {
    let m = field(word, 0, 4);
    emit.reads(&[field(word, 16, 4), m]);
    let (manner, amount) = (field(word, 5, 2), field(word, 7, 5));
    let (function, amount) = data::shifted(field(word, 21, 4), sets_flags(word), manner, amount);
    let class = if amount == 0 { Class::Alu } else { Class::Shift };
    finish(emit, word, Op::new(function).m(m).x(amount), class);
}

fn with_register(emit: &mut Emit, word: u32) {
    let function = data::by_register(field(word, 21, 4), sets_flags(word));
    let op = Op::new(function).m(field(word, 0, 4)).imm(field(word, 8, 4)).x(field(word, 5, 2));
    finish(emit, word, op, Class::Shift);
}

/// MSR with an immediate, and hints.
fn status_immediate(emit: &mut Emit, word: u32) {
    let mask = field(word, 16, 4);
    if mask != 0 || bit(word, 22) {
        let value = field(word, 0, 8).rotate_right(2 * field(word, 8, 4));
        return write_status_immediate(emit, mask, bit(word, 22), value);
    }
    match field(word, 0, 8) {
        2 => emit.end(Op::new(system::wait_for_event), Class::System),
        3 => emit.end(Op::new(system::wait_for_interrupt), Class::System),
        4 => emit.main(Op::new(system::send_event), Class::System),
        // NOP, YIELD, DBG, and hints of later architectures.
        _ => emit.main(Op::new(system::nothing), Class::Alu),
    }
}

fn write_status_immediate(emit: &mut Emit, mask: u32, spsr: bool, value: u32) {
    emit.main_after(
        Op::new(branch::see_pc).imm(value),
        Op::new(status::write).m(15).n(mask).x(u32::from(spsr)),
        Class::System,
    );
}

fn multiplication(emit: &mut Emit, word: u32) {
    let flags = usize::from(bit(word, 20));
    let op = |function: Function| {
        Op::new(function).d(field(word, 16, 4)).x(field(word, 12, 4)).m(field(word, 8, 4)).n(field(word, 0, 4))
    };
    use multiply::{multiply as short, multiply_long as long};
    match field(word, 21, 3) {
        0 => emit.main(op([short::<0, false>, short::<0, true>][flags]), Class::Multiply),
        1 => emit.main(op([short::<1, false>, short::<1, true>][flags]), Class::Multiply),
        2 if flags == 0 => emit.main(op(long::<4, false>), Class::MultiplyLong),
        3 if flags == 0 => emit.main(op(short::<2, false>), Class::Multiply),
        4 => emit.main(op([long::<0, false>, long::<0, true>][flags]), Class::MultiplyLong),
        5 => emit.main(op([long::<1, false>, long::<1, true>][flags]), Class::MultiplyLong),
        6 => emit.main(op([long::<2, false>, long::<2, true>][flags]), Class::MultiplyLong),
        7 => emit.main(op([long::<3, false>, long::<3, true>][flags]), Class::MultiplyLong),
        _ => undefined(emit),
    }
}

/// SMLAxy and its kin: the factors are in the same places as in MUL.
fn multiply_halves(emit: &mut Emit, word: u32) {
    let (x, y) = (field(word, 5, 1), field(word, 6, 1));
    let function = match (field(word, 21, 2), x) {
        (0, _) => multiply::multiply_halves::<0>,
        (1, 0) => multiply::multiply_halves::<1>,
        (1, _) => multiply::multiply_halves::<2>,
        (2, _) => multiply::multiply_halves::<3>,
        _ => multiply::multiply_halves::<4>,
    };
    let op = Op::new(function).d(field(word, 16, 4)).x(field(word, 12, 4)).m(field(word, 8, 4)).n(field(word, 0, 4));
    emit.main(op.imm(x | y << 1), Class::Multiply);
}

/// SWP and exclusives (ARM ARM A5.2.10).
fn synchronisation(emit: &mut Emit, word: u32) {
    use crate::cpu::transfer::{BYTE, HALF, WORD};
    const DOUBLE: u8 = exclusive::DOUBLE;
    let op = |function: Function| Op::new(function).n(field(word, 16, 4)).d(field(word, 12, 4)).m(field(word, 0, 4));
    let function: Function = match field(word, 20, 4) {
        0b0000 => exclusive::swap::<WORD>,
        0b0100 => exclusive::swap::<BYTE>,
        0b1000 => exclusive::store::<WORD>,
        0b1001 => exclusive::load::<WORD>,
        0b1010 => exclusive::store::<DOUBLE>,
        0b1011 => exclusive::load::<DOUBLE>,
        0b1100 => exclusive::store::<BYTE>,
        0b1101 => exclusive::load::<BYTE>,
        0b1110 => exclusive::store::<HALF>,
        0b1111 => exclusive::load::<HALF>,
        _ => return undefined(emit),
    };
    // LDAEX and its kin came with ARMv8: bits 11:8 are ones here.
    if bit(word, 23) && field(word, 8, 4) != 0xf {
        return undefined(emit);
    }
    emit.main(op(function), Class::Exclusive);
}

/// Miscellaneous instructions (ARM ARM A5.2.12).
fn others(emit: &mut Emit, word: u32) {
    let (op, op2) = (field(word, 21, 2), field(word, 4, 3));
    let (d, m) = (field(word, 12, 4), field(word, 0, 4));
    let spsr = u32::from(bit(word, 22));
    match (op2, op) {
        (0, _) if bit(word, 9) => {
            let sysm = field(word, 8, 1) << 4 | field(word, 16, 4);
            if op & 1 == 0 {
                emit.main(Op::new(status::read_banked).d(d).imm(sysm).x(spsr), Class::System);
            } else {
                emit.main(Op::new(status::write_banked).m(m).imm(sysm).x(spsr), Class::System);
            }
        }
        (0, 0 | 2) => emit.main(Op::new(status::read).d(d).x(spsr), Class::System),
        (0, _) => emit.main(Op::new(status::write).m(m).n(field(word, 16, 4)).x(spsr), Class::System),
        (1, 1) => {
            emit.reads(&[m]);
            emit.end(Op::new(branch::branch_exchange).m(m), Class::BranchIndirect);
        }
        (1, 3) => emit.main(Op::new(media::leading_zeros).d(d).m(m), Class::Alu),
        // BXJ without Jazelle is BX.
        (2, 1) => emit.end(Op::new(branch::branch_exchange).m(m), Class::BranchIndirect),
        (3, 1) => {
            let link = emit.pc().wrapping_add(4);
            emit.end(Op::new(branch::branch_link_exchange).m(m).imm(link), Class::BranchIndirect);
        }
        (5, _) => emit.main(Op::new(media::saturating).d(d).m(m).n(field(word, 16, 4)).x(op), Class::Media),
        (6, 3) => emit.end(Op::new(status::return_from_hyp), Class::System),
        (7, 0) => emit.end(Op::new(system::halt).imm(immediate_call(word)), Class::System),
        (7, 1) => emit.end(Op::new(system::breakpoint).imm(immediate_call(word)), Class::System),
        (7, 2) => emit.end(Op::new(system::hypervisor_call).imm(immediate_call(word)), Class::System),
        (7, 3) => emit.end(Op::new(system::monitor_call).imm(field(word, 0, 4)), Class::System),
        (4, _) => unimplemented(emit, word),
        _ => undefined(emit),
    }
}

/// The 16-bit immediate of HLT, BKPT and HVC.
fn immediate_call(word: u32) -> u32 {
    field(word, 8, 12) << 4 | field(word, 0, 4)
}
