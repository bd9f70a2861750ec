//! The integer arithmetic against the host's, and the flags.

use super::arithmetic::in_integers;
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
