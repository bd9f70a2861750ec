//! LDM and STM in all their forms (ARM ARM A5.5, B9.3.5, B9.3.17). `n` is the base, `imm` the register list, `m` how
//! many registers that is, `d` and `x` where the area lies, see [`layout`].

use super::condition::instances;
use super::mode::Mode;
use super::op::{Function, Op, Raised, attempt};
use super::{Core, World};

/// How an area of `count` words lies to its base by bits 24:21 of the instruction: distance from the base to the lowest
/// word, and how far the base moves; both in bytes.
pub(super) fn layout(word: u32, count: u32) -> (u32, u32) {
    let bit = |n: u32| word >> n & 1 != 0;
    let (before, up, write_back) = (bit(24), bit(23), bit(21));
    let bytes = 4 * count;
    let lowest = if up { 0 } else { bytes.wrapping_neg() };
    let lowest = if before == up { lowest.wrapping_add(4) } else { lowest };
    let moved = if up { bytes } else { bytes.wrapping_neg() };
    (lowest, if write_back { moved } else { 0 })
}

/// A distance that was cut to a byte.
#[inline(always)]
fn distance(byte: u8) -> u32 {
    i32::from(byte as i8) as u32
}

/// Address of the lowest word.
#[inline(always)]
fn start(core: &Core, op: &Op) -> u32 {
    core.reg(op.n).wrapping_add(distance(op.d))
}

/// Moves the base, if it moves.
#[inline(always)]
fn update(core: &mut Core, op: &Op) {
    core.set_reg(op.n, core.reg(op.n).wrapping_add(distance(op.x)));
}

/// The registers of a list, lowest first. It does not end: whoever takes from it knows how many there are.
#[inline(always)]
fn registers(mut list: u32) -> impl Iterator<Item = usize> {
    std::iter::repeat_with(move || {
        let number = list.trailing_zeros() as usize & 15;
        list &= list.wrapping_sub(1);
        number
    })
}

/// LDM of `N` registers, also of a PC, which ends up in slot 15.
fn load<const N: usize>(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let Some(offset) = core.readable_words(start(core, op), N as u32) else {
        return load_by_parts(core, bus, op, i);
    };
    // Nothing can go wrong any more. A base that is loaded wins over its update.
    update(core, op);
    for (word, number) in bus.memory.words(offset, N).zip(registers(op.imm)) {
        core.r[number] = u32::from_le_bytes(*word);
    }
    i + 1
}

/// LDM of an area that is not all in one line and known.
#[inline(never)]
fn load_by_parts(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let words = attempt!(load_list(core, bus, op, i));
    update(core, op);
    for (word, number) in words[..op.m.into()].iter().zip(registers(op.imm)) {
        core.r[number] = *word;
    }
    i + 1
}

/// Reads the words of a list, in the order of its registers.
fn load_list(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> Result<[u32; 16], Raised> {
    let mut words = [0; 16];
    let start = start(core, op);
    core.check_aligned(start, 4, false, i)?;
    core.load_words(bus, start, &mut words[..op.m.into()], i)?;
    Ok(words)
}

/// One function a number of registers, each without a loop.
macro_rules! by_count {
    ($function:ident) => {
        instances!($function: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
    };
}

/// LDM by the number of registers less one.
pub(super) const LOAD: [Function; 16] = by_count!(load);
/// STM by the number of registers less one.
pub(super) const STORE: [Function; 16] = by_count!(store);

/// LDM of the USR mode's registers.
pub(super) fn load_user_bank(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let words = attempt!(load_list(core, bus, op, i));
    for (word, number) in words[..op.m.into()].iter().zip(registers(op.imm)) {
        core.set_banked(Mode::User, number, *word);
    }
    i + 1
}

/// STM of `N` registers.
fn store<const N: usize>(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let Some(offset) = core.writable_words(start(core, op), N as u32) else {
        return store_by_parts(core, bus, op, i);
    };
    for (word, number) in bus.memory.words_mut(offset, N).zip(registers(op.imm)) {
        *word = core.r[number].to_le_bytes();
    }
    update(core, op);
    i + 1
}

/// STM to an area that is not all in one line and known.
#[inline(never)]
fn store_by_parts(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    attempt!(store_list(core, bus, op, |core, number| core.r[number], i));
    update(core, op);
    i + 1
}

/// Writes the words of a list, in the order of its registers.
fn store_list(
    core: &mut Core,
    bus: &mut World,
    op: &Op,
    value: impl Fn(&Core, usize) -> u32,
    i: usize,
) -> Result<(), Raised> {
    let mut words = [0; 16];
    let words = &mut words[..op.m.into()];
    for (word, number) in words.iter_mut().zip(registers(op.imm)) {
        *word = value(core, number);
    }
    let start = start(core, op);
    core.check_aligned(start, 4, true, i)?;
    core.store_words(bus, start, words, i)
}

/// STM of the USR mode's registers.
pub(super) fn store_user_bank(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let pc = core.r[15];
    let value = |core: &Core, number| if number == 15 { pc } else { core.banked(Mode::User, number) };
    attempt!(store_list(core, bus, op, value, i));
    i + 1
}

/// RFE: PC and CPSR from memory at the base `n`.
pub(super) fn return_from_exception(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let mut words = [0; 2];
    let start = start(core, op);
    attempt!(core.check_aligned(start, 4, false, i));
    attempt!(core.load_words(bus, start, &mut words, i));
    update(core, op);
    let [pc, psr] = words;
    core.exception_return(psr, pc);
    super::op::EXIT
}

/// SRS: LR and SPSR to the stack of the mode `imm`.
pub(super) fn store_return_state(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let Some(mode) = Mode::decode(op.imm) else { return core.undefined(i) };
    let base = core.banked(mode, 13);
    let start = base.wrapping_add(distance(op.d));
    attempt!(core.check_aligned(start, 4, true, i));
    let words = [core.r[14], core.spsr()];
    attempt!(core.store_words(bus, start, &words, i));
    core.set_banked(mode, 13, base.wrapping_add(distance(op.x)));
    i + 1
}
