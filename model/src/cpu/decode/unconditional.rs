//! Instructions in the space of condition 15 (ARM ARM A5.7).

use super::emit::Emit;
use super::{bit, coprocessor, field, undefined, unimplemented};
use crate::cpu::cost::Class;
use crate::cpu::op::Op;
use crate::cpu::{branch, exclusive, multiple, status, system};

pub(super) fn decode(emit: &mut Emit, word: u32) {
    match field(word, 25, 3) {
        0 if field(word, 20, 5) == 0b10000 => change_state(emit, word),
        // Advanced SIMD.
        1 => unimplemented(emit, word),
        2 | 3 => memory(emit, word),
        4 => exception_state(emit, word),
        5 => {
            let distance = ((word << 8) as i32 >> 6) as u32 | field(word, 24, 1) << 1;
            let target = emit.pc().wrapping_add(8).wrapping_add(distance);
            let next = emit.count() + 1;
            emit.end(Op::new(branch::branch_link_thumb).imm(target).x(next), Class::Branch);
        }
        6 => coprocessor::memory(emit, word),
        7 if !bit(word, 24) => coprocessor::register(emit, word),
        _ => undefined(emit),
    }
}

/// CPS and SETEND.
fn change_state(emit: &mut Emit, word: u32) {
    if bit(word, 16) {
        return emit.main(Op::new(status::set_endian).x(field(word, 9, 1)), Class::System);
    }
    // imod: 2 enables, 3 disables; masks A, I, F at 8:6.
    let (imod, with_mode) = (field(word, 18, 2), field(word, 17, 1));
    let masks = if imod & 2 != 0 { field(word, 6, 3) } else { 0 };
    let op = Op::new(status::change_state).x(masks).m(imod & 1).imm(with_mode << 5 | field(word, 0, 5));
    emit.end(op, Class::System);
}

/// Preloads, barriers and CLREX (ARM ARM A5.7.1); Advanced SIMD loads and stores.
fn memory(emit: &mut Emit, word: u32) {
    let op1 = field(word, 20, 7);
    if op1 == 0b1010111 {
        return match field(word, 4, 4) {
            1 => emit.main(Op::new(exclusive::clear), Class::Barrier),
            4 | 5 => emit.main(Op::new(system::nothing), Class::Barrier),
            6 => emit.end(Op::new(system::synchronise), Class::Barrier),
            _ => undefined(emit),
        };
    }
    match op1 & 0b1110111 {
        0b1010001 | 0b1010101 | 0b1000101 => emit.main(Op::new(system::nothing), Class::Alu),
        0b1110001 | 0b1110101 | 0b1100101 if !bit(word, 4) => emit.main(Op::new(system::nothing), Class::Alu),
        _ if op1 & 0b1110001 == 0b1000000 => unimplemented(emit, word),
        // Unallocated memory hints do nothing.
        _ if op1 & 0b1010111 == 0b1000001 => emit.main(Op::new(system::nothing), Class::Alu),
        _ => undefined(emit),
    }
}

/// SRS and RFE.
fn exception_state(emit: &mut Emit, word: u32) {
    let (lowest, moved) = multiple::layout(word, 2);
    match (bit(word, 22), bit(word, 20)) {
        (true, false) => {
            let op = Op::new(multiple::store_return_state).imm(field(word, 0, 5)).d(lowest).x(moved);
            emit.main(op, Class::Store);
            emit.work(Class::Transfer, 1);
        }
        (false, true) => {
            let op = Op::new(multiple::return_from_exception).n(field(word, 16, 4)).d(lowest).x(moved);
            emit.end(op, Class::System);
        }
        _ => undefined(emit),
    }
}
