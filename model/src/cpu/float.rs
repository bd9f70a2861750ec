//! Floating-point arithmetic as ARMv7 defines it (ARM ARM A2.7, IEEE 754-2008): in integers, so that results and flags
//! are the same on any host. The host's own arithmetic does the frequent case in which it cannot differ.

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

/// The four operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// `a` and `b` by an operation.
#[inline(always)]
pub(super) fn arithmetic<const D: bool>(operation: Arithmetic, a: u64, b: u64, control: &mut Control) -> u64 {
    // With the inexact flag already set, an operation on normal numbers with a normal result changes no flag, and every
    // IEEE 754 host rounds it to nearest in the same way.
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
}

impl Host for f32 {
    #[inline(always)]
    fn is_plain(self) -> bool {
        self.abs() > Self::MIN_POSITIVE && self.abs() <= Self::MAX
    }
}

impl Host for f64 {
    #[inline(always)]
    fn is_plain(self) -> bool {
        self.abs() > Self::MIN_POSITIVE && self.abs() <= Self::MAX
    }
}

#[inline(always)]
fn on_host<F: Host>(operation: Arithmetic, a: F, b: F) -> Option<F> {
    if !a.is_plain() || !b.is_plain() {
        return None;
    }
    let result = match operation {
        Arithmetic::Add => a + b,
        Arithmetic::Subtract => a - b,
        Arithmetic::Multiply => a * b,
        Arithmetic::Divide => a / b,
    };
    result.is_plain().then_some(result)
}

#[inline(never)]
fn in_integers(d: bool, operation: Arithmetic, a: u64, b: u64, control: &mut Control) -> u64 {
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
pub(super) fn square_root<const D: bool>(a: u64, control: &mut Control) -> u64 {
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

/// Compares: N, Z, C, V at bits 31:28. `signal`: quiet NaNs are invalid as well.
pub(super) fn compare<const D: bool>(a: u64, b: u64, signal: bool, control: &mut Control) -> u32 {
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
pub(super) fn convert<const D: bool>(a: u64, control: &mut Control) -> u64 {
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
pub(super) fn to_fixed<const D: bool>(
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
pub(super) fn from_fixed<const D: bool>(value: i64, fraction: u32, rounding: Rounding, control: &mut Control) -> u64 {
    if value == 0 {
        return 0;
    }
    let significand = u128::from(value.unsigned_abs());
    round(D, value < 0, 127 - fraction as i32, significand, rounding, control)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INPUTS: [f64; 12] =
        [0.0, -0.0, 1.0, -1.5, 0.1, 1e300, 1e-300, 5e-324, f64::MAX, f64::MIN_POSITIVE, f64::INFINITY, 3.0];

    /// The host rounds to nearest by the same standard.
    #[test]
    fn agrees_with_the_host_where_no_nan_comes_out() {
        for a in INPUTS {
            for b in INPUTS {
                for (operation, expected) in [
                    (Arithmetic::Add, a + b),
                    (Arithmetic::Subtract, a - b),
                    (Arithmetic::Multiply, a * b),
                    (Arithmetic::Divide, a / b),
                ] {
                    let result = in_integers(true, operation, a.to_bits(), b.to_bits(), &mut Control(0));
                    if expected.is_nan() {
                        assert_eq!(result, default_nan(true));
                    } else {
                        assert_eq!(f64::from_bits(result).to_bits(), expected.to_bits(), "{a} {operation:?} {b}");
                    }
                    let (a, b) = (a as f32, b as f32);
                    let expected = match operation {
                        Arithmetic::Add => a + b,
                        Arithmetic::Subtract => a - b,
                        Arithmetic::Multiply => a * b,
                        Arithmetic::Divide => a / b,
                    };
                    let (x, y) = (u64::from(a.to_bits()), u64::from(b.to_bits()));
                    let result = in_integers(false, operation, x, y, &mut Control(0));
                    if !expected.is_nan() {
                        assert_eq!(result, u64::from(expected.to_bits()), "{a} {operation:?} {b}");
                    }
                }
            }
            let root = square_root::<true>(a.to_bits(), &mut Control(0));
            if a >= 0.0 {
                assert_eq!(root, a.sqrt().to_bits(), "root of {a}");
            }
            assert_eq!(convert::<true>(a.to_bits(), &mut Control(0)), u64::from((a as f32).to_bits()), "{a}");
        }
    }

    #[test]
    fn raises_the_flags_of_the_standard() {
        let flags = |operation, a: f64, b: f64| {
            let mut control = Control(0);
            in_integers(true, operation, a.to_bits(), b.to_bits(), &mut control);
            control.0
        };
        assert_eq!(flags(Arithmetic::Add, 1.0, 2.0), 0);
        assert_eq!(flags(Arithmetic::Add, 1.0, 1e-20), INEXACT);
        assert_eq!(flags(Arithmetic::Divide, 1.0, 0.0), DIVISION_BY_ZERO);
        assert_eq!(flags(Arithmetic::Multiply, f64::MAX, 2.0), OVERFLOW | INEXACT);
        assert_eq!(flags(Arithmetic::Multiply, 1e-300, 1e-300), UNDERFLOW | INEXACT);
        assert_eq!(flags(Arithmetic::Subtract, f64::INFINITY, f64::INFINITY), INVALID);
    }

    #[test]
    fn conversion_to_integers_saturates() {
        let to = |a: f64, unsigned| {
            let mut control = Control(0);
            (to_fixed::<true>(a.to_bits(), 0, 32, unsigned, Rounding::Zero, &mut control), control.0)
        };
        assert_eq!(to(-1.5, false), (-1i32 as u32, INEXACT));
        assert_eq!(to(-1.5, true), (0, INVALID));
        assert_eq!(to(-0.5, true), (0, INEXACT));
        assert_eq!(to(4294967295.0, true), (u32::MAX, 0));
        assert_eq!(to(4294967296.0, true), (u32::MAX, INVALID));
        assert_eq!(to(-2147483648.0, false), (0x8000_0000, 0));
        assert_eq!(to(f64::NAN, false), (0, INVALID));
    }
}
