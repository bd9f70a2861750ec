//! Comparison and conversion.

use super::*;

/// Compares: N, Z, C, V at bits 31:28. `signal`: quiet NaNs are invalid as well.
pub(in crate::cpu) fn compare<const D: bool>(a: u64, b: u64, signal: bool, control: &mut Control) -> u32 {
    let (x, y) = (unpack(D, a, control), unpack(D, b, control));
    if x.is_nan() || y.is_nan() {
        if signal || x.is_signalling() || y.is_signalling() {
            control.raise(INVALID);
        }
        return 0x3000_0000;
    }
    // Sign and magnitude as one integer.
    let key = |number: Number, bits: u64| {
        let magnitude = if number.class == Class::Zero { 0 } else { (bits & !sign_bit(D)) as i64 };
        if number.negative { -magnitude } else { magnitude }
    };
    match key(x, a).cmp(&key(y, b)) {
        std::cmp::Ordering::Less => 0x8000_0000,
        std::cmp::Ordering::Equal => 0x6000_0000,
        std::cmp::Ordering::Greater => 0x2000_0000,
    }
}

/// Double to single (`D`: the source is double) or single to double.
pub(in crate::cpu) fn convert<const D: bool>(a: u64, control: &mut Control) -> u64 {
    let x = unpack(D, a, control);
    match x.class {
        Class::Nan { signalling } => {
            if signalling {
                control.raise(INVALID);
            }
            if control.0 & DEFAULT_NAN != 0 {
                return default_nan(!D);
            }
            let fraction = a & ((1 << fraction_bits(D)) - 1);
            let moved = if D { fraction >> 29 } else { fraction << 29 };
            signed(!D, x.negative, default_nan(!D) | moved)
        }
        Class::Infinity => signed(!D, x.negative, infinity(!D)),
        Class::Zero => signed(!D, x.negative, 0),
        Class::Finite => {
            round(!D, x.negative, x.exponent, u128::from(x.significand) << 64, control.rounding(), control)
        }
    }
}

/// To a fixed-point number of `width` bits, of which `fraction` are behind the point; saturating (ARM ARM FPToFixed).
pub(in crate::cpu) fn to_fixed<const D: bool>(
    a: u64,
    fraction: u32,
    width: u32,
    unsigned: bool,
    rounding: Rounding,
    control: &mut Control,
) -> u32 {
    let x = unpack(D, a, control);
    let (low, high) =
        if unsigned { (0, (1i128 << width) - 1) } else { (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1) };
    let saturate = |control: &mut Control| {
        control.raise(INVALID);
        (if x.negative { low } else { high }) as u32
    };
    match x.class {
        Class::Nan { .. } => {
            control.raise(INVALID);
            return 0;
        }
        Class::Infinity => return saturate(control),
        Class::Zero => return 0,
        Class::Finite => {}
    }
    // Value = significand * 2^(scale - 63).
    let scale = x.exponent + fraction as i32;
    if scale > 62 {
        return saturate(control);
    }
    // The point is put between the two halves of 128 bits.
    let fixed = shift_right_sticky(u128::from(x.significand) << 64, (63 - scale) as u32);
    let (whole, rest) = ((fixed >> 64) as u64, fixed as u64);
    let up = rounds_up(rounding, x.negative, whole & 1 != 0, rest, 1 << 63);
    let magnitude = i128::from(whole) + i128::from(up);
    let value = if x.negative { -magnitude } else { magnitude };
    if value < low || value > high {
        return saturate(control);
    }
    if rest != 0 {
        control.raise(INEXACT);
    }
    value as u32
}

/// From an integer with `fraction` bits behind the point (ARM ARM FixedToFP).
pub(in crate::cpu) fn from_fixed<const D: bool>(
    value: i64,
    fraction: u32,
    rounding: Rounding,
    control: &mut Control,
) -> u64 {
    if value == 0 {
        return 0;
    }
    let significand = u128::from(value.unsigned_abs());
    round(D, value < 0, 127 - fraction as i32, significand, rounding, control)
}
