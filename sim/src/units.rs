//! Times as people write them, and the unit of work.

use sched::Nanos;

/// Work is counted in nanoseconds of the fastest CPU at its highest OPP, times 2^14: a speed is a [`sched::Rate`], so
/// speed times elapsed nanoseconds is work, without rounding.
pub(crate) const WORK_SHIFT: u32 = 14;

/// The longest time that is read: work of 12 days is more than 64 bits hold.
const LONGEST: Nanos = Nanos::from_millis(1_000_000_000);

/// Reads a time as [`parse_time`] does that is not 0.
///
/// # Errors
/// Says what was expected.
pub fn positive_time(text: &str) -> Result<Nanos, String> {
    let time = parse_time(text)?;
    if time == Nanos::ZERO { Err(format!("expected a time above 0, found \"{text}\"")) } else { Ok(time) }
}

/// Reads "28 s", "1.6ms", "250 us" or "5ns". A number without a unit is not a time.
///
/// # Errors
/// Says what was expected.
pub fn parse_time(text: &str) -> Result<Nanos, String> {
    let wrong = || format!("expected a time such as \"16 ms\", \"1.6ms\", \"250us\" or \"28 s\", found \"{text}\"");
    let text = text.trim();
    let split = text.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(wrong)?;
    let (number, unit) = (text[..split].trim(), text[split..].trim());
    let scale: u64 = match unit {
        "ns" => 1,
        "us" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        _ => return Err(wrong()),
    };
    let time = decimal(number, scale).map(Nanos::new).ok_or_else(wrong)?;
    if time > LONGEST { Err(format!("expected a time of at most 1000000 s, found \"{text}\"")) } else { Ok(time) }
}

/// `number`, which may have a decimal fraction, times `scale`, rounded down.
fn decimal(number: &str, scale: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty() && text.len() <= 12;
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    let unit = 10_u64.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let fraction = u128::from(fraction.parse::<u64>().ok()?) * u128::from(scale) / u128::from(unit);
    whole.parse::<u64>().ok()?.checked_mul(scale)?.checked_add(u64::try_from(fraction).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_people_write() {
        for (text, nanos) in [("28 s", 28_000_000_000), ("1.6ms", 1_600_000), (" 250us ", 250_000), ("5ns", 5)] {
            assert_eq!(parse_time(text), Ok(Nanos::new(nanos)), "{text}");
        }
    }

    #[test]
    fn refuses_the_rest() {
        for text in ["", "16", "ms", "-1 ms", "1..5 ms", "1 hour", "99999999999999 s", "1000001 s", "1e3 ms"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
        assert!(positive_time("1ns").is_ok() && positive_time("0.0 ms").is_err());
    }
}
