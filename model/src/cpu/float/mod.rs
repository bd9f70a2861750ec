//! Floating-point arithmetic as ARMv7 defines it (ARM ARM A2.7, IEEE 754-2008): in integers, so that results and flags
//! are the same on any host. The host's own arithmetic does the frequent case in which it cannot differ.

mod arithmetic;
mod convert;
#[cfg(test)]
mod tests;

pub(super) use arithmetic::{Arithmetic, arithmetic, square_root};
pub(super) use convert::{compare, convert, from_fixed, to_fixed};

/// FPSCR bits: default NaN, flush to zero.
pub(super) const DEFAULT_NAN: u32 = 1 << 25;
pub(super) const FLUSH_TO_ZERO: u32 = 1 << 24;
/// Cumulative exception flags.
const INVALID: u32 = 1;
const DIVISION_BY_ZERO: u32 = 1 << 1;
const OVERFLOW: u32 = 1 << 2;
const UNDERFLOW: u32 = 1 << 3;
const INEXACT: u32 = 1 << 4;
const INPUT_DENORMAL: u32 = 1 << 7;

/// FPSCR, as operations read its modes and set its flags.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Control(pub u32);

/// Rounding modes, in FPSCR.RMode's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rounding {
    Nearest,
    Up,
    Down,
    Zero,
}

impl Control {
    pub fn rounding(self) -> Rounding {
        match self.0 >> 22 & 3 {
            0 => Rounding::Nearest,
            1 => Rounding::Up,
            2 => Rounding::Down,
            _ => Rounding::Zero,
        }
    }

    fn raise(&mut self, flags: u32) {
        self.0 |= flags;
    }
}

/// Single or double precision (`D`): fraction and exponent widths.
const fn fraction_bits(d: bool) -> u32 {
    if d { 52 } else { 23 }
}

const fn exponent_mask(d: bool) -> u64 {
    if d { 0x7ff } else { 0xff }
}

const fn bias(d: bool) -> i32 {
    if d { 1023 } else { 127 }
}

const fn sign_bit(d: bool) -> u64 {
    if d { 1 << 63 } else { 1 << 31 }
}

const fn quiet_bit(d: bool) -> u64 {
    1 << (fraction_bits(d) - 1)
}

const fn infinity(d: bool) -> u64 {
    exponent_mask(d) << fraction_bits(d)
}

const fn default_nan(d: bool) -> u64 {
    infinity(d) | quiet_bit(d)
}

fn signed(d: bool, negative: bool, bits: u64) -> u64 {
    if negative { bits | sign_bit(d) } else { bits }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Zero,
    Finite,
    Infinity,
    Nan { signalling: bool },
}

/// A number taken apart: `significand * 2^(exponent - 63)`, bit 63 of the significand set if finite.
#[derive(Clone, Copy, Debug)]
struct Number {
    class: Class,
    negative: bool,
    exponent: i32,
    significand: u64,
}

impl Number {
    fn is_nan(&self) -> bool {
        matches!(self.class, Class::Nan { .. })
    }

    fn is_signalling(&self) -> bool {
        self.class == Class::Nan { signalling: true }
    }
}

/// Takes `bits` apart (ARM ARM FPUnpack).
fn unpack(d: bool, bits: u64, control: &mut Control) -> Number {
    let negative = bits & sign_bit(d) != 0;
    let exponent = bits >> fraction_bits(d) & exponent_mask(d);
    let fraction = bits & ((1 << fraction_bits(d)) - 1);
    let number = |class| Number { class, negative, exponent: 0, significand: 0 };
    if exponent == exponent_mask(d) {
        return number(match fraction {
            0 => Class::Infinity,
            _ => Class::Nan { signalling: fraction & quiet_bit(d) == 0 },
        });
    }
    if exponent == 0 {
        if fraction == 0 {
            return number(Class::Zero);
        }
        if control.0 & FLUSH_TO_ZERO != 0 {
            control.raise(INPUT_DENORMAL);
            return number(Class::Zero);
        }
        let shift = fraction.leading_zeros();
        let exponent = 1 - bias(d) + 63 - fraction_bits(d) as i32 - shift as i32;
        return Number { class: Class::Finite, negative, exponent, significand: fraction << shift };
    }
    let significand = (fraction | 1 << fraction_bits(d)) << (63 - fraction_bits(d));
    Number { class: Class::Finite, negative, exponent: exponent as i32 - bias(d), significand }
}

/// Shifts right; what falls out leaves its trace in the lowest bit.
fn shift_right_sticky(value: u128, amount: u32) -> u128 {
    match amount {
        0 => value,
        1..=127 => value >> amount | u128::from(value << (128 - amount) != 0),
        _ => u128::from(value != 0),
    }
}

/// Whether a magnitude with `rest` of `unit` left over is rounded up.
fn rounds_up(rounding: Rounding, negative: bool, odd: bool, rest: u64, half: u64) -> bool {
    match rounding {
        Rounding::Nearest => rest > half || rest == half && odd,
        Rounding::Up => !negative && rest != 0,
        Rounding::Down => negative && rest != 0,
        Rounding::Zero => false,
    }
}

/// Rounds and packs `significand * 2^(exponent - 127)`, whose lowest bit is sticky (ARM ARM FPRound).
fn round(d: bool, negative: bool, exponent: i32, significand: u128, rounding: Rounding, control: &mut Control) -> u64 {
    if significand == 0 {
        return signed(d, negative, 0);
    }
    let shift = significand.leading_zeros();
    let exponent = exponent - shift as i32;
    let significand = shift_right_sticky(significand << shift, 64) as u64;
    let mut biased = exponent + bias(d);
    let mut spare = 63 - fraction_bits(d);
    let tiny = biased < 1;
    if tiny {
        if control.0 & FLUSH_TO_ZERO != 0 {
            control.raise(UNDERFLOW);
            return signed(d, negative, 0);
        }
        spare += (1 - biased) as u32;
        biased = 0;
    }
    let (kept, rest, half) = if spare > 64 {
        (0, 1, 2)
    } else if spare == 64 {
        (0, significand, 1 << 63)
    } else {
        (significand >> spare, significand & ((1 << spare) - 1), 1 << (spare - 1))
    };
    let inexact = rest != 0;
    let up = rounds_up(rounding, negative, kept & 1 != 0, rest, half);
    // The hidden one adds to the exponent, and so does a carry out of the fraction.
    let hidden = if tiny { 0 } else { 1u64 << fraction_bits(d) };
    let bits = ((biased as u64) << fraction_bits(d)) + (kept - hidden.min(kept)) + u64::from(up);
    if biased >= exponent_mask(d) as i32 || bits >= infinity(d) {
        control.raise(OVERFLOW | INEXACT);
        let to_infinity = match rounding {
            Rounding::Nearest => true,
            Rounding::Up => !negative,
            Rounding::Down => negative,
            Rounding::Zero => false,
        };
        return signed(d, negative, if to_infinity { infinity(d) } else { infinity(d) - 1 });
    }
    if inexact {
        control.raise(if tiny { UNDERFLOW | INEXACT } else { INEXACT });
    }
    signed(d, negative, bits)
}

/// An invalid operation's result.
fn invalid(d: bool, control: &mut Control) -> u64 {
    control.raise(INVALID);
    default_nan(d)
}

/// The NaN that an operation with NaN operands gives (ARM ARM FPProcessNaNs).
fn propagate(d: bool, operands: &[(Number, u64)], control: &mut Control) -> Option<u64> {
    let signalling = operands.iter().find(|(number, _)| number.is_signalling());
    if signalling.is_some() {
        control.raise(INVALID);
    }
    let &(_, bits) = signalling.or_else(|| operands.iter().find(|(number, _)| number.is_nan()))?;
    Some(if control.0 & DEFAULT_NAN != 0 { default_nan(d) } else { bits | quiet_bit(d) })
}
