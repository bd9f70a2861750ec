//! Numbers with a decimal point, printed without floating point.

use core::fmt;

/// A fixed-point number: `value` units of 10^-`places`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    value: u64,
    places: u32,
}

impl Decimal {
    /// A time in milliseconds with two decimals, rounded to the nearest.
    pub const fn milliseconds(nanoseconds: u64) -> Decimal {
        Decimal { value: (nanoseconds + 5_000) / 10_000, places: 2 }
    }

    /// A time in microseconds with two decimals, rounded to the nearest.
    pub const fn microseconds(nanoseconds: u64) -> Decimal {
        Decimal { value: (nanoseconds + 5) / 10, places: 2 }
    }

    /// A quotient with three decimals, rounded to the nearest; 0 when there is nothing to divide by.
    pub const fn ratio(numerator: u64, denominator: u64) -> Decimal {
        match (numerator * 1000 + denominator / 2).checked_div(denominator) {
            Some(value) => Decimal { value, places: 3 },
            None => Decimal { value: 0, places: 3 },
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The longest u64 has 20 digits; the point and a leading zero come on top.
        let mut digits = [0; 24];
        let mut at = digits.len();
        let mut rest = self.value;
        let mut written = 0;
        while rest > 0 || written <= self.places {
            if written == self.places && self.places > 0 {
                at -= 1;
                digits[at] = b'.';
            }
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            written += 1;
        }
        formatter.pad_integral(true, "", core::str::from_utf8(&digits[at..]).map_err(|_| fmt::Error)?)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::format;

    #[test]
    fn points_stand_where_they_should() {
        assert_eq!(format!("{}", Decimal::milliseconds(0)), "0.00");
        assert_eq!(format!("{}", Decimal::milliseconds(5_000)), "0.01");
        assert_eq!(format!("{}", Decimal::milliseconds(800_123_456)), "800.12");
        assert_eq!(format!("{}", Decimal::microseconds(412)), "0.41");
        assert_eq!(format!("{}", Decimal::ratio(4096, 2972)), "1.378");
        assert_eq!(format!("{}", Decimal::ratio(1, 0)), "0.000");
        assert_eq!(
            format!("{:>9}|{:<7}|", Decimal::milliseconds(1_230_000), Decimal::ratio(2, 1)),
            "     1.23|2.000  |"
        );
    }
}
