//! The arithmetic of the series: its constants, how a sum ages, and what average it stands for.

/// Units in a period.
pub const PERIOD: u32 = 1024;
/// Periods after which half of a signal is left.
pub const HALF_LIFE: u32 = 32;
/// The sum of an entity that never rests: the fixed point of `m·y + 1024`.
pub const MAX_SUM: u32 = 47_742;
/// The sum of which an average is a fraction, at the start of a period.
pub const DIVIDER: u32 = MAX_SUM - PERIOD;
/// Periods after which nothing is left of a sum of 32 bits.
const FORGOTTEN: u32 = HALF_LIFE * u32::BITS;

/// `floor((2^32 - 1) · y^n)`.
const INVERSE: [u32; HALF_LIFE as usize] = [
    0xffff_ffff,
    0xfa83_b2da,
    0xf525_7d14,
    0xefe4_b99a,
    0xeac0_c6e6,
    0xe5b9_06e6,
    0xe0cc_deeb,
    0xdbfb_b796,
    0xd744_fcc9,
    0xd2a8_1d91,
    0xce24_8c14,
    0xc9b9_bd85,
    0xc567_2a10,
    0xc12c_4cc9,
    0xbd08_a39e,
    0xb8fb_af46,
    0xb504_f333,
    0xb123_f581,
    0xad58_3ee9,
    0xa9a1_5ab4,
    0xa5fe_d6a9,
    0xa270_4302,
    0x9ef5_325f,
    0x9b8d_39b9,
    0x9837_f050,
    0x94f4_efa8,
    0x91c3_d373,
    0x8ea4_398a,
    0x8b95_c1e3,
    0x8898_0e80,
    0x85aa_c367,
    0x82cd_8698,
];

/// `value · y^periods`, rounded down.
#[inline]
pub fn decay(value: u32, periods: u32) -> u32 {
    if periods >= FORGOTTEN {
        return 0;
    }
    let halved = value >> (periods / HALF_LIFE);
    ((u64::from(halved) * u64::from(INVERSE[(periods % HALF_LIFE) as usize])) >> 32) as u32
}

/// `sum / (DIVIDER + position)` without a division, which the ARM target would do in software.
///
/// The reciprocal is taken from the chord through the two ends of the short range of dividers. The chord lies
/// above 1/x by at most 1.2e-4 of it, so a quotient up to 1024 is right or one too large.
#[inline]
pub fn average(sum: u32, position: u32) -> u32 {
    const FIRST: u32 = ((1_u64 << 32) / DIVIDER as u64) as u32 + 1;
    const LAST: u32 = ((1_u64 << 32) / MAX_SUM as u64) as u32;
    let reciprocal = FIRST - ((position * (FIRST - LAST)) >> 10);
    let quotient = ((u64::from(sum) * u64::from(reciprocal)) >> 32) as u32;
    if quotient * (DIVIDER + position) > sum { quotient - 1 } else { quotient }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn constants_are_those_of_the_reference() {
        for (n, &inverse) in INVERSE.iter().enumerate() {
            let exact = (f64::from(u32::MAX) * 0.5_f64.powf(n as f64 / 32.0)).floor();
            assert!((f64::from(inverse) - exact).abs() <= 1.0, "inverse[{n}]");
        }
        assert_eq!((INVERSE[1], INVERSE[16], INVERSE[31]), (0xfa83_b2da, 0xb504_f333, 0x82cd_8698));
    }

    #[test]
    fn the_maximum_is_a_fixed_point_reached_after_345_periods() {
        // The reference program begins with one full period and counts from -1.
        let (mut sum, mut steps) = (PERIOD, -1);
        loop {
            let next = decay(sum, 1) + PERIOD;
            if next == sum {
                break;
            }
            (sum, steps) = (next, steps + 1);
        }
        assert_eq!((sum, steps), (MAX_SUM, 345));
    }

    #[test]
    fn half_is_left_after_a_half_life_and_nothing_after_63() {
        assert_eq!(decay(40_000, HALF_LIFE), 19_999, "the first factor is just below one");
        assert_eq!(decay(u32::MAX, FORGOTTEN), 0);
        assert_eq!(decay(u32::MAX, FORGOTTEN + 1), 0);
    }

    proptest! {
        #[test]
        fn the_average_is_the_exact_quotient(position in 0..PERIOD, share in 0_u32..=1 << 10, rest in 0..DIVIDER) {
            let divider = DIVIDER + position;
            let sum = (share * divider + rest).min(divider << 10);
            prop_assert_eq!(average(sum, position), sum / divider);
        }
    }
}
