//! Data processing (ARM ARM A5.2.1-A5.2.3): sixteen operations on a register and a flexible operand.

use super::condition::Flags;
use super::op::{EXIT, Function, Op};
use super::{Core, World};

/// A kind of flexible operand.
pub(super) trait Operand {
    /// Its value.
    fn value(core: &Core, op: &Op) -> u32;
    /// Its value and the shifter's carry.
    fn with_carry(core: &Core, op: &Op) -> (u32, u32);
}

/// `imm`; `x` is 0 if it leaves the carry alone, else 1 + the carry.
pub(super) struct Immediate;
/// Register `m`.
pub(super) struct Register;
/// Register `m` shifted by `x`, which is 1 to 31 for LSL and ROR, and 1 to 32 for LSR and ASR.
pub(super) struct Lsl;
pub(super) struct Lsr;
pub(super) struct Asr;
pub(super) struct Ror;
/// Register `m` shifted right by one through the carry.
pub(super) struct Rrx;
/// Register `m` shifted by register `imm`, in the manner `x` (0-3: LSL, LSR, ASR, ROR).
pub(super) struct ByRegister;

impl Operand for Immediate {
    #[inline(always)]
    fn value(_: &Core, op: &Op) -> u32 {
        op.imm
    }

    #[inline(always)]
    fn with_carry(core: &Core, op: &Op) -> (u32, u32) {
        (op.imm, if op.x == 0 { core.flags.carry } else { u32::from(op.x) - 1 })
    }
}

impl Operand for Register {
    #[inline(always)]
    fn value(core: &Core, op: &Op) -> u32 {
        core.reg(op.m)
    }

    #[inline(always)]
    fn with_carry(core: &Core, op: &Op) -> (u32, u32) {
        (core.reg(op.m), core.flags.carry)
    }
}

impl Operand for Lsl {
    #[inline(always)]
    fn value(core: &Core, op: &Op) -> u32 {
        core.reg(op.m) << (op.x & 31)
    }

    #[inline(always)]
    fn with_carry(core: &Core, op: &Op) -> (u32, u32) {
        let value = core.reg(op.m);
        (value << (op.x & 31), value >> (32u32.wrapping_sub(u32::from(op.x)) & 31) & 1)
    }
}

impl Operand for Lsr {
    #[inline(always)]
    fn value(core: &Core, op: &Op) -> u32 {
        (u64::from(core.reg(op.m)) >> (op.x & 63)) as u32
    }

    #[inline(always)]
    fn with_carry(core: &Core, op: &Op) -> (u32, u32) {
        (Self::value(core, op), core.reg(op.m) >> (u32::from(op.x).wrapping_sub(1) & 31) & 1)
    }
}

impl Operand for Asr {
    #[inline(always)]
    fn value(core: &Core, op: &Op) -> u32 {
        (i64::from(core.reg(op.m) as i32) >> (op.x & 63)) as u32
    }

    #[inline(always)]
    fn with_carry(core: &Core, op: &Op) -> (u32, u32) {
        (Self::value(core, op), core.reg(op.m) >> (u32::from(op.x).wrapping_sub(1) & 31) & 1)
    }
}

impl Operand for Ror {
    #[inline(always)]
    fn value(core: &Core, op: &Op) -> u32 {
        core.reg(op.m).rotate_right(u32::from(op.x))
    }

    #[inline(always)]
    fn with_carry(core: &Core, op: &Op) -> (u32, u32) {
        let value = Self::value(core, op);
        (value, value >> 31)
    }
}

impl Operand for Rrx {
    #[inline(always)]
    fn value(core: &Core, op: &Op) -> u32 {
        core.reg(op.m) >> 1 | core.flags.carry << 31
    }

    #[inline(always)]
    fn with_carry(core: &Core, op: &Op) -> (u32, u32) {
        (Self::value(core, op), core.reg(op.m) & 1)
    }
}

impl Operand for ByRegister {
    fn value(core: &Core, op: &Op) -> u32 {
        Self::with_carry(core, op).0
    }

    fn with_carry(core: &Core, op: &Op) -> (u32, u32) {
        shift_by_register(core.reg(op.m), op.x, core.reg(op.imm as u8) & 0xff, core.flags.carry)
    }
}

/// Shift by the low byte of a register (ARM ARM A8.4.3): by 0 leaves the carry alone, by 32 and more is defined.
fn shift_by_register(value: u32, manner: u8, amount: u32, carry: u32) -> (u32, u32) {
    if amount == 0 {
        return (value, carry);
    }
    // In 64 bits, the last bit shifted out stays visible.
    let far = amount.min(40);
    match manner {
        0 => {
            let wide = u64::from(value) << far;
            (wide as u32, (wide >> 32) as u32 & 1)
        }
        1 => {
            let wide = u64::from(value) << 32 >> far;
            ((wide >> 32) as u32, (wide >> 31) as u32 & 1)
        }
        2 => {
            let wide = i64::from(value as i32) << 31 >> (far - 1);
            ((wide >> 32) as u32, (wide >> 31) as u32 & 1)
        }
        _ => {
            let rotated = value.rotate_right(amount);
            (rotated, rotated >> 31)
        }
    }
}

/// `a + b + carry`, with carry and overflow.
#[inline(always)]
fn add_with_carry(flags: &mut Flags, a: u32, b: u32, carry: u32) -> u32 {
    let wide = u64::from(a) + u64::from(b) + u64::from(carry);
    let result = wide as u32;
    flags.carry = (wide >> 32) as u32;
    flags.overflow = (a ^ result) & (b ^ result);
    result
}

/// Operation `CODE` (the encoding's: AND 0, EOR 1, ... MVN 15), setting flags if `S`.
fn data<const CODE: u8, const S: bool, O: Operand>(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    let n = core.reg(op.n);
    let logical = matches!(CODE, 0 | 1 | 8 | 9 | 12..);
    let (m, carry) = if S && logical { O::with_carry(core, op) } else { (O::value(core, op), core.flags.carry) };
    let result = if logical {
        match CODE {
            0 | 8 => n & m,
            1 | 9 => n ^ m,
            12 => n | m,
            13 => m,
            14 => n & !m,
            _ => !m,
        }
    } else {
        let (a, b, carry_in) = match CODE {
            2 | 10 => (n, !m, 1),
            3 => (m, !n, 1),
            4 | 11 => (n, m, 0),
            5 => (n, m, carry),
            6 => (n, !m, carry),
            _ => (m, !n, carry),
        };
        if S { add_with_carry(&mut core.flags, a, b, carry_in) } else { a.wrapping_add(b).wrapping_add(carry_in) }
    };
    if S {
        core.flags.set_nz(result);
        if logical {
            core.flags.carry = carry;
        }
    }
    if !matches!(CODE, 8..=11) {
        core.set_reg(op.d, result);
    }
    i + 1
}

/// The sixteen operations for one kind of operand, without and with flags.
macro_rules! operations {
    ($operand:ty) => {
        operations!($operand: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    ($operand:ty: $($code:literal)*) => {
        [$([data::<$code, false, $operand>, data::<$code, true, $operand>]),*]
    };
}

type Table = [[Function; 2]; 16];

/// By kind of operand; the shifts by an immediate follow the encoding of the shift type.
const SHIFTED: [Table; 4] = [operations!(Lsl), operations!(Lsr), operations!(Asr), operations!(Ror)];
const IMMEDIATE: Table = operations!(Immediate);
const REGISTER: Table = operations!(Register);
const ROTATED_THROUGH_CARRY: Table = operations!(Rrx);
const BY_REGISTER: Table = operations!(ByRegister);

/// Operation `code` with an immediate.
pub(super) fn immediate(code: u32, flags: bool) -> Function {
    IMMEDIATE[code as usize & 15][usize::from(flags)]
}

/// Operation `code` with a register shifted by another one.
pub(super) fn by_register(code: u32, flags: bool) -> Function {
    BY_REGISTER[code as usize & 15][usize::from(flags)]
}

/// Operation `code` with a register shifted by an immediate in its encoded form: the function and the amount.
pub(super) fn shifted(code: u32, flags: bool, manner: u32, amount: u32) -> (Function, u32) {
    let (table, amount) = match (manner & 3, amount) {
        (0, 0) => (&REGISTER, 0),
        (1 | 2, 0) => (&SHIFTED[manner as usize & 3], 32),
        (3, 0) => (&ROTATED_THROUGH_CARRY, 1),
        (manner, amount) => (&SHIFTED[manner as usize], amount),
    };
    (table[code as usize & 15][usize::from(flags)], amount)
}

/// Operation with flags and PC as destination: an exception return (ARM ARM B9.3.20). The result is in slot 15.
pub(super) fn return_from_exception(core: &mut Core, _: &mut World, _: &Op, _: usize) -> usize {
    let psr = core.spsr();
    core.exception_return(psr, core.r[15]);
    EXIT
}

/// MOVT.
pub(super) fn move_top(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    core.set_reg(op.d, core.reg(op.d) & 0xffff | op.imm);
    i + 1
}

#[cfg(test)]
mod tests {
    use super::shift_by_register;

    #[test]
    fn shifts_by_register_at_their_edges() {
        let value = 0x8000_0001;
        for (manner, amount, result) in [
            (0, 0, (value, 7)),
            (0, 1, (2, 1)),
            (0, 32, (0, 1)),
            (0, 33, (0, 0)),
            (1, 1, (0x4000_0000, 1)),
            (1, 32, (0, 1)),
            (1, 33, (0, 0)),
            (2, 1, (0xc000_0000, 1)),
            (2, 31, (0xffff_ffff, 0)),
            (2, 32, (0xffff_ffff, 1)),
            (2, 255, (0xffff_ffff, 1)),
            (3, 1, (0xc000_0000, 1)),
            (3, 32, (value, 1)),
            (3, 64, (value, 1)),
        ] {
            assert_eq!(shift_by_register(value, manner, amount, 7), result, "manner {manner} by {amount}");
        }
    }
}
