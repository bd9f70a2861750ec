//! Loads and stores of one register or two (ARM ARM A5.2.8, A5.3).

use super::mmu::Purpose;
use super::op::{Function, Op, attempt};
use super::{Core, World};
use crate::bus::Size;

/// A way to form the address: the address itself, and what the base register becomes.
pub(super) trait Addressing {
    fn resolve(core: &Core, op: &Op) -> (u32, u32);
    /// Whether the base register may change.
    const UPDATES: bool = true;
}

/// `[n, #imm]`
pub(super) struct Offset;
/// `[n, m, lsl #x]`
pub(super) struct Indexed;
/// `[n, #imm]!`
pub(super) struct PreIndexed;
/// `[n], #imm`
pub(super) struct PostIndexed;
/// Whatever [`AnyAddress`] says in `imm`.
pub(super) struct General;

impl Addressing for Offset {
    const UPDATES: bool = false;

    #[inline(always)]
    fn resolve(core: &Core, op: &Op) -> (u32, u32) {
        (core.reg(op.n).wrapping_add(op.imm), 0)
    }
}

impl Addressing for Indexed {
    const UPDATES: bool = false;

    #[inline(always)]
    fn resolve(core: &Core, op: &Op) -> (u32, u32) {
        (core.reg(op.n).wrapping_add(core.reg(op.m) << (op.x & 31)), 0)
    }
}

impl Addressing for PreIndexed {
    #[inline(always)]
    fn resolve(core: &Core, op: &Op) -> (u32, u32) {
        let address = core.reg(op.n).wrapping_add(op.imm);
        (address, address)
    }
}

impl Addressing for PostIndexed {
    #[inline(always)]
    fn resolve(core: &Core, op: &Op) -> (u32, u32) {
        let address = core.reg(op.n);
        (address, address.wrapping_add(op.imm))
    }
}

/// The parts of a rare addressing mode, packed into an operation's `imm`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AnyAddress {
    pub add: bool,
    pub before: bool,
    pub write_back: bool,
    /// Offset is register `m`, shifted; else `offset`.
    pub register: bool,
    /// Shift type and encoded amount.
    pub manner: u32,
    pub amount: u32,
    pub offset: u32,
}

impl AnyAddress {
    pub fn pack(self) -> u32 {
        u32::from(self.add)
            | u32::from(self.before) << 1
            | u32::from(self.write_back) << 2
            | u32::from(self.register) << 3
            | self.manner << 4
            | self.amount << 8
            | self.offset << 16
    }
}

impl Addressing for General {
    fn resolve(core: &Core, op: &Op) -> (u32, u32) {
        let bit = |n: u32| op.imm >> n & 1 != 0;
        let offset = if bit(3) {
            let (value, amount) = (core.reg(op.m), op.imm >> 8 & 0x1f);
            match (op.imm >> 4 & 3, amount) {
                (0, _) => value << amount,
                (1, 0) => 0,
                (1, _) => value >> amount,
                (2, 0) => (value as i32 >> 31) as u32,
                (2, _) => (value as i32 >> amount) as u32,
                (_, 0) => value >> 1 | core.flags.carry << 31,
                (_, _) => value.rotate_right(amount),
            }
        } else {
            op.imm >> 16
        };
        let base = core.reg(op.n);
        let moved = if bit(0) { base.wrapping_add(offset) } else { base.wrapping_sub(offset) };
        (if bit(1) { moved } else { base }, if bit(2) { moved } else { base })
    }
}

/// Kinds of loaded and stored data.
pub(super) const WORD: u8 = 0;
pub(super) const BYTE: u8 = 1;
pub(super) const HALF: u8 = 2;
pub(super) const SIGNED_BYTE: u8 = 3;
pub(super) const SIGNED_HALF: u8 = 4;

/// A value as a register holds it.
#[inline(always)]
fn extended<const KIND: u8>(value: u32) -> u32 {
    match KIND {
        SIGNED_BYTE => value as i8 as u32,
        SIGNED_HALF => value as i16 as u32,
        _ => value,
    }
}

/// The slow way is a function of its own: in this one it would make the fast way save the host's registers.
fn load<const KIND: u8, A: Addressing>(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let (address, updated) = A::resolve(core, op);
    let Some(value) = core.load_known::<KIND>(bus, address) else {
        return load_unknown::<KIND, A>(core, bus, op, i);
    };
    if A::UPDATES {
        core.set_reg(op.n, updated);
    }
    core.set_reg(op.d, extended::<KIND>(value));
    i + 1
}

#[inline(never)]
fn load_unknown<const KIND: u8, A: Addressing>(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let (address, updated) = A::resolve(core, op);
    let value = attempt!(core.load_slow(bus, address, size(KIND), Purpose::Read, i));
    if A::UPDATES {
        core.set_reg(op.n, updated);
    }
    core.set_reg(op.d, extended::<KIND>(value));
    i + 1
}

fn store<const KIND: u8, A: Addressing>(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let (address, updated) = A::resolve(core, op);
    if !core.store_known::<KIND>(bus, address, core.reg(op.d)) {
        return store_unknown::<KIND, A>(core, bus, op, i);
    }
    if A::UPDATES {
        core.set_reg(op.n, updated);
    }
    i + 1
}

#[inline(never)]
fn store_unknown<const KIND: u8, A: Addressing>(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let (address, updated) = A::resolve(core, op);
    attempt!(core.store_slow(bus, address, core.reg(op.d), size(KIND), Purpose::Write, i));
    if A::UPDATES {
        core.set_reg(op.n, updated);
    }
    i + 1
}

/// The loads and stores with one way of addressing.
pub(super) struct Transfers {
    pub load: [Function; 5],
    pub store: [Function; 3],
}

impl Transfers {
    const fn new<A: Addressing>() -> Self {
        Self {
            load: [load::<WORD, A>, load::<BYTE, A>, load::<HALF, A>, load::<SIGNED_BYTE, A>, load::<SIGNED_HALF, A>],
            store: [store::<WORD, A>, store::<BYTE, A>, store::<HALF, A>],
        }
    }
}

pub(super) const OFFSET: Transfers = Transfers::new::<Offset>();
pub(super) const INDEXED: Transfers = Transfers::new::<Indexed>();
pub(super) const PRE_INDEXED: Transfers = Transfers::new::<PreIndexed>();
pub(super) const POST_INDEXED: Transfers = Transfers::new::<PostIndexed>();
pub(super) const GENERAL: Transfers = Transfers::new::<General>();

/// LDRT and its kin, `x` being the kind of data: with the rights of USR mode.
pub(super) fn load_as_user(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let (address, updated) = General::resolve(core, op);
    let value = attempt!(core.load_slow(bus, address, size(op.x), Purpose::UserRead, i));
    core.set_reg(op.n, updated);
    let value = match op.x {
        SIGNED_BYTE => extended::<SIGNED_BYTE>(value),
        SIGNED_HALF => extended::<SIGNED_HALF>(value),
        _ => value,
    };
    core.set_reg(op.d, value);
    i + 1
}

/// STRT and its kin.
pub(super) fn store_as_user(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let (address, updated) = General::resolve(core, op);
    attempt!(core.store_slow(bus, address, core.reg(op.d), size(op.x), Purpose::UserWrite, i));
    core.set_reg(op.n, updated);
    i + 1
}

/// How wide a kind of data is.
pub(super) const fn size(kind: u8) -> Size {
    match kind {
        WORD => Size::Word,
        BYTE | SIGNED_BYTE => Size::Byte,
        _ => Size::Half,
    }
}

/// LDRD.
pub(super) fn load_double(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let (address, updated) = General::resolve(core, op);
    attempt!(core.check_aligned(address, 4, false, i));
    let mut words = [0; 2];
    attempt!(core.load_words(bus, address, &mut words, i));
    core.set_reg(op.n, updated);
    core.set_reg(op.d, words[0]);
    core.set_reg(op.d + 1, words[1]);
    i + 1
}

/// STRD.
pub(super) fn store_double(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let (address, updated) = General::resolve(core, op);
    attempt!(core.check_aligned(address, 4, true, i));
    let words = [core.reg(op.d), core.reg(op.d + 1)];
    attempt!(core.store_words(bus, address, &words, i));
    core.set_reg(op.n, updated);
    i + 1
}
