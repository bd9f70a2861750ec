//! Random numbers that are the same on every machine and for ever: splitmix64 (Steele, Lea and Flood, OOPSLA 2014).

/// A stream of numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number, of 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; 0 if that is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        let wide = u128::from(self.draw()) * u128::from(limit);
        u64::try_from(wide >> 64).unwrap_or(0)
    }

    /// A value of nearly normal distribution with mean 0 and the given deviation: the sum of twelve even ones.
    pub fn normal(&mut self, deviation: f64) -> f64 {
        let sum: f64 = (0..12).map(|_| self.below(1 << 20) as f64 / f64::from(1 << 20)).sum();
        (sum - 6.0) * deviation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_published_stream() {
        let mut random = Random::new(1_234_567);
        assert_eq!(random.draw(), 6_457_827_717_110_365_317);
        assert_eq!(random.draw(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn stays_below() {
        let mut random = Random::new(1);
        assert!((0..1000).all(|_| random.below(7) < 7));
        assert_eq!(random.below(0), 0);
        let mean = (0..10_000).map(|_| random.normal(2.0)).sum::<f64>() / 10_000.0;
        assert!(mean.abs() < 0.1, "{mean}");
    }
}
