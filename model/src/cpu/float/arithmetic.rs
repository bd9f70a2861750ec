//! Addition, multiplication, division and square root.

use super::*;

/// The four operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cpu) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// `a` and `b` by an operation.
#[inline(always)]
pub(in crate::cpu) fn arithmetic<const D: bool>(operation: Arithmetic, a: u64, b: u64, control: &mut Control) -> u64 {
    // With the inexact flag already set, an operation on normal numbers and zeros with such a result changes no flag,
    // and every IEEE 754 host rounds it to nearest in the same way.
    const PLAIN: u32 = 3 << 22 | INEXACT;
    if control.0 & PLAIN == INEXACT {
        let result = if D {
            on_host(operation, f64::from_bits(a), f64::from_bits(b)).map(f64::to_bits)
        } else {
            on_host(operation, f32::from_bits(a as u32), f32::from_bits(b as u32)).map(|x| u64::from(x.to_bits()))
        };
        if let Some(bits) = result {
            return bits;
        }
    }
    in_integers(D, operation, a, b, control)
}

/// A host's floating-point type.
trait Host:
    Copy
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + std::ops::Div<Output = Self>
{
    /// Whether the number is normal and not the smallest such, to which a tiny result may have been rounded.
    fn is_plain(self) -> bool;
    fn is_zero(self) -> bool;
}

macro_rules! host {
    ($type:ty) => {
        impl Host for $type {
            #[inline(always)]
            fn is_plain(self) -> bool {
                self.abs() > Self::MIN_POSITIVE && self.abs() <= Self::MAX
            }

            #[inline(always)]
            fn is_zero(self) -> bool {
                self == 0.0
            }
        }
    };
}

host!(f32);
host!(f64);

#[inline(always)]
fn on_host<F: Host>(operation: Arithmetic, a: F, b: F) -> Option<F> {
    let simple = |x: F| x.is_plain() || x.is_zero();
    if !simple(a) || !simple(b) {
        return None;
    }
    let result = match operation {
        Arithmetic::Add => a + b,
        Arithmetic::Subtract => a - b,
        Arithmetic::Multiply => a * b,
        Arithmetic::Divide if b.is_zero() => return None,
        Arithmetic::Divide => a / b,
    };
    // Sums are zero only if they are exactly that; other results could be zero because they are too small.
    let exact_zero = || match operation {
        Arithmetic::Add | Arithmetic::Subtract => result.is_zero(),
        Arithmetic::Multiply => a.is_zero() || b.is_zero(),
        Arithmetic::Divide => a.is_zero(),
    };
    (result.is_plain() || exact_zero()).then_some(result)
}

#[inline(never)]
pub(super) fn in_integers(d: bool, operation: Arithmetic, a: u64, b: u64, control: &mut Control) -> u64 {
    let (x, y) = (unpack(d, a, control), unpack(d, b, control));
    if let Some(nan) = propagate(d, &[(x, a), (y, b)], control) {
        return nan;
    }
    match operation {
        Arithmetic::Add => add(d, x, y, control),
        Arithmetic::Subtract => add(d, x, Number { negative: !y.negative, ..y }, control),
        Arithmetic::Multiply => multiply(d, x, y, control),
        Arithmetic::Divide => divide(d, x, y, control),
    }
}

fn add(d: bool, x: Number, y: Number, control: &mut Control) -> u64 {
    match (x.class, y.class) {
        (Class::Infinity, Class::Infinity) if x.negative != y.negative => return invalid(d, control),
        (Class::Infinity, _) => return signed(d, x.negative, infinity(d)),
        (_, Class::Infinity) => return signed(d, y.negative, infinity(d)),
        (Class::Zero, Class::Zero) if x.negative == y.negative => return signed(d, x.negative, 0),
        _ => {}
    }
    let (big, small) = if y.class == Class::Zero
        || x.class != Class::Zero && (x.exponent, x.significand) >= (y.exponent, y.significand)
    {
        (x, y)
    } else {
        (y, x)
    };
    // One bit of headroom for the carry.
    let a = u128::from(big.significand) << 63;
    let distance = (i64::from(big.exponent) - i64::from(small.exponent)).clamp(0, 200) as u32;
    let b = shift_right_sticky(u128::from(small.significand) << 63, distance);
    let sum = if big.negative == small.negative { a + b } else { a - b };
    let rounding = control.rounding();
    if sum == 0 {
        return signed(d, rounding == Rounding::Down, 0);
    }
    round(d, big.negative, big.exponent + 1, sum, rounding, control)
}

fn multiply(d: bool, x: Number, y: Number, control: &mut Control) -> u64 {
    let negative = x.negative != y.negative;
    match (x.class, y.class) {
        (Class::Infinity, Class::Zero) | (Class::Zero, Class::Infinity) => invalid(d, control),
        (Class::Infinity, _) | (_, Class::Infinity) => signed(d, negative, infinity(d)),
        (Class::Zero, _) | (_, Class::Zero) => signed(d, negative, 0),
        _ => {
            let product = u128::from(x.significand) * u128::from(y.significand);
            round(d, negative, x.exponent + y.exponent + 1, product, control.rounding(), control)
        }
    }
}

fn divide(d: bool, x: Number, y: Number, control: &mut Control) -> u64 {
    let negative = x.negative != y.negative;
    match (x.class, y.class) {
        (Class::Infinity, Class::Infinity) | (Class::Zero, Class::Zero) => invalid(d, control),
        (Class::Infinity, _) => signed(d, negative, infinity(d)),
        (Class::Zero, _) | (_, Class::Infinity) => signed(d, negative, 0),
        (_, Class::Zero) => {
            control.raise(DIVISION_BY_ZERO);
            signed(d, negative, infinity(d))
        }
        _ => {
            let (dividend, divisor) = (u128::from(x.significand) << 64, u128::from(y.significand));
            // The quotient has 64 or 65 bits; its last one is made sticky below that.
            let quotient = (dividend / divisor) << 1 | u128::from(dividend % divisor != 0);
            round(d, negative, x.exponent - y.exponent + 127 - 65, quotient, control.rounding(), control)
        }
    }
}

/// Square root.
pub(in crate::cpu) fn square_root<const D: bool>(a: u64, control: &mut Control) -> u64 {
    let x = unpack(D, a, control);
    if let Some(nan) = propagate(D, &[(x, a)], control) {
        return nan;
    }
    match x.class {
        Class::Zero => signed(D, x.negative, 0),
        _ if x.negative => invalid(D, control),
        Class::Infinity => infinity(D),
        _ => {
            // An even exponent is halved.
            let odd = x.exponent & 1 != 0;
            let radicand = u128::from(x.significand) << if odd { 64 } else { 63 };
            let root = radicand.isqrt();
            let sticky = u128::from(root * root != radicand);
            round(D, false, (x.exponent >> 1) + 127 - 64, root << 1 | sticky, control.rounding(), control)
        }
    }
}
