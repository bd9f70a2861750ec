//! Loads and stores (ARM ARM A5.2.8, A5.3, A5.5).

use super::emit::Emit;
use super::{bit, field, undefined};
use crate::cpu::cost::Class;
use crate::cpu::op::{Function, Op};
use crate::cpu::transfer::{
    AnyAddress, BYTE, GENERAL, HALF, INDEXED, OFFSET, POST_INDEXED, PRE_INDEXED, SIGNED_BYTE, SIGNED_HALF, Transfers,
    WORD,
};
use crate::cpu::{branch, data, multiple as multiples, transfer};

/// The addressing bits that all single transfers share.
fn addressing(word: u32) -> AnyAddress {
    let before = bit(word, 24);
    AnyAddress { add: bit(word, 23), before, write_back: !before || bit(word, 21), ..AnyAddress::default() }
}

/// Bits W without P: the access is made with the rights of USR mode.
fn as_user(word: u32) -> bool {
    !bit(word, 24) && bit(word, 21)
}

/// The cheapest way of addressing that does, and the operation's immediate.
fn best(address: AnyAddress) -> (&'static Transfers, u32) {
    let signed = if address.add { address.offset } else { address.offset.wrapping_neg() };
    if address.register {
        let simple = address.add && address.before && !address.write_back && address.manner == 0;
        return if simple { (&INDEXED, 0) } else { (&GENERAL, address.pack()) };
    }
    match (address.before, address.write_back) {
        (true, false) => (&OFFSET, signed),
        (true, true) => (&PRE_INDEXED, signed),
        (false, _) => (&POST_INDEXED, signed),
    }
}

/// Adds a load or store of `kind` in register `d`.
fn single(emit: &mut Emit, word: u32, address: AnyAddress, kind: u8, loads: bool) {
    let (n, d, m) = (field(word, 16, 4), field(word, 12, 4), field(word, 0, 4));
    emit.reads(&[n]);
    if !loads {
        emit.reads(&[d]);
    }
    if as_user(word) {
        let function: Function = if loads { transfer::load_as_user } else { transfer::store_as_user };
        let class = if loads { Class::Load } else { Class::Store };
        return emit.main(Op::new(function).n(n).d(d).m(m).imm(address.pack()).x(u32::from(kind)), class);
    }
    let (transfers, imm) = best(address);
    let function = if loads { transfers.load[usize::from(kind)] } else { transfers.store[usize::from(kind)] };
    let class = if loads { Class::Load } else { Class::Store };
    emit.main(Op::new(function).n(n).d(d).m(m).imm(imm).x(address.amount), class);
    if loads && d == 15 {
        emit.work(Class::BranchIndirect, 1);
        emit.end_with(Op::new(branch::jump_to_result));
    }
}

/// LDR, LDRB, STR, STRB.
pub(super) fn word_or_byte(emit: &mut Emit, word: u32) {
    let mut address = addressing(word);
    if bit(word, 25) {
        address.register = true;
        address.manner = field(word, 5, 2);
        address.amount = field(word, 7, 5);
    } else {
        address.offset = field(word, 0, 12);
    }
    let kind = if bit(word, 22) { BYTE } else { WORD };
    single(emit, word, address, kind, bit(word, 20));
}

/// LDRH, LDRSB, LDRSH, STRH, LDRD, STRD.
pub(super) fn halves(emit: &mut Emit, word: u32) {
    let mut address = addressing(word);
    if bit(word, 22) {
        address.offset = field(word, 8, 4) << 4 | field(word, 0, 4);
    } else {
        address.register = true;
    }
    match (bit(word, 20), field(word, 5, 2)) {
        (false, 1) => single(emit, word, address, HALF, false),
        (true, 1) => single(emit, word, address, HALF, true),
        (true, 2) => single(emit, word, address, SIGNED_BYTE, true),
        (true, _) => single(emit, word, address, SIGNED_HALF, true),
        (false, kind) => double(emit, word, address, kind == 2),
    }
}

fn double(emit: &mut Emit, word: u32, address: AnyAddress, loads: bool) {
    let (n, d) = (field(word, 16, 4), field(word, 12, 4));
    if d & 1 != 0 || d == 14 {
        return undefined(emit);
    }
    emit.reads(&[n]);
    let function: Function = if loads { transfer::load_double } else { transfer::store_double };
    let op = Op::new(function).n(n).d(d).m(field(word, 0, 4)).imm(address.pack());
    emit.main(op, if loads { Class::Load } else { Class::Store });
    emit.work(Class::Transfer, 1);
}

/// LDM and STM.
pub(super) fn multiple(emit: &mut Emit, word: u32) {
    let (n, list) = (field(word, 16, 4), field(word, 0, 16));
    let count = list.count_ones();
    if count == 0 {
        return undefined(emit);
    }
    let (loads, with_pc) = (bit(word, 20), bit(list, 15));
    let user = bit(word, 22) && !(loads && with_pc);
    let (lowest, moved) = multiples::layout(word, count);
    let function: Function = match (loads, user) {
        (true, false) => multiples::LOAD[count as usize - 1],
        (true, true) => multiples::load_user_bank,
        (false, false) => multiples::STORE[count as usize - 1],
        (false, true) => multiples::store_user_bank,
    };
    if !loads && with_pc {
        emit.reads(&[15]);
    }
    let op = Op::new(function).n(n).imm(list).m(count).d(lowest).x(moved);
    emit.main(op, if loads { Class::Load } else { Class::Store });
    emit.work(Class::Transfer, count - 1);
    if loads && with_pc {
        let last: Function = if bit(word, 22) { data::return_from_exception } else { branch::jump_to_result };
        emit.work(Class::BranchIndirect, 1);
        emit.end_with(Op::new(last));
    }
}
