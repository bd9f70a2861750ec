//! Energy of something whose power is constant between changes.

/// A meter. Energy is in femtojoules: microwatts times nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Meter {
    since: u64,
    microwatts: u64,
    femtojoules: u128,
}

impl Meter {
    /// From `now` on the power is this one.
    pub fn set(&mut self, now: u64, microwatts: u64) {
        self.read(now);
        self.microwatts = microwatts;
    }

    /// All energy up to `now`.
    pub fn read(&mut self, now: u64) -> u128 {
        self.femtojoules += u128::from(self.microwatts) * u128::from(now - self.since);
        self.since = now;
        self.femtojoules
    }

    /// The power in force.
    pub fn microwatts(&self) -> u64 {
        self.microwatts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_up_piece_by_piece() {
        let mut meter = Meter::default();
        meter.set(10, 2_000_000);
        meter.set(20, 1_000_000);
        assert_eq!(meter.read(30), 20_000_000 + 10_000_000, "2 W for 10 ns and 1 W for 10 ns, in fJ");
        assert_eq!(meter.read(30), 30_000_000);
    }
}
