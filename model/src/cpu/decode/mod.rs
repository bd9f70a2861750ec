//! From A32 instructions to operations (ARM ARM A5). T32 would be a second set of these functions, giving the same
//! operations.

mod coprocessor;
mod data;
mod emit;
mod media;
mod transfer;
mod unconditional;

use super::branch;
use super::code::Block;
use super::cost::Class;
use super::op::Op;
use super::{Costs, system};
use crate::bus::{Memory, PAGE_SIZE};
use emit::Emit;

/// Most instructions of a block.
const LONGEST: u32 = 32;

/// A field of `width` bits at bit `at`.
const fn field(word: u32, at: u32, width: u32) -> u32 {
    word >> at & ((1 << width) - 1)
}

/// One bit.
const fn bit(word: u32, at: u32) -> bool {
    word >> at & 1 != 0
}

/// Decodes the block at virtual address `start`, whose code is at `offset` in memory.
pub(super) fn decode_block(start: u32, offset: usize, memory: &Memory, costs: &[Costs; 2]) -> Block {
    let mut emit = Emit::new(start);
    let room = (PAGE_SIZE - start % PAGE_SIZE) / 4;
    for number in 0..room.min(LONGEST) {
        let word = u32::from_le_bytes(memory.load(offset + 4 * number as usize));
        emit.begin(word >> 28);
        instruction(&mut emit, word);
        if emit.finish() {
            break;
        }
    }
    emit.block(costs)
}

/// Decodes one instruction (ARM ARM table A5-1).
fn instruction(emit: &mut Emit, word: u32) {
    if word >> 28 == 15 {
        return unconditional::decode(emit, word);
    }
    match field(word, 25, 3) {
        0 | 1 => data::decode(emit, word),
        2 => transfer::word_or_byte(emit, word),
        3 if bit(word, 4) => media::decode(emit, word),
        3 => transfer::word_or_byte(emit, word),
        4 => transfer::multiple(emit, word),
        5 => branch_to(emit, word),
        6 => coprocessor::memory(emit, word),
        _ if bit(word, 24) => {
            emit.end(Op::new(system::supervisor_call).imm(word & 0x00ff_ffff), Class::System);
        }
        _ => coprocessor::register(emit, word),
    }
}

/// B and BL.
fn branch_to(emit: &mut Emit, word: u32) {
    let distance = (word << 8) as i32 >> 6;
    let target = emit.pc().wrapping_add(8).wrapping_add(distance as u32);
    let next = emit.count() + 1;
    if bit(word, 24) {
        emit.end(Op::new(branch::branch_link).imm(target).x(next), Class::Branch);
        return;
    }
    let condition = emit.take_condition();
    let table = if target == emit.start() { &branch::REPEAT } else { &branch::BRANCH };
    emit.end(Op::new(table[condition as usize]).imm(target).x(next), Class::Branch);
}

/// An instruction that the architecture leaves undefined.
fn undefined(emit: &mut Emit) {
    emit.end(Op::new(system::undefined), Class::System);
}

/// An instruction that exists, but not here.
fn unimplemented(emit: &mut Emit, word: u32) {
    emit.end(Op::new(system::unimplemented).imm(word), Class::System);
}
