//! Counting what passed and what failed.

use std::fmt;
use std::ops::AddAssign;

/// Checks done. Its text is the last line of `cargo xtask test`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub passed: u32,
    pub failed: u32,
}

impl Tally {
    /// One check.
    pub const fn one(passed: bool) -> Self {
        if passed { Self { passed: 1, failed: 0 } } else { Self { passed: 0, failed: 1 } }
    }

    /// Reads the closing line of a test binary: "test result: ok. 12 passed; 0 failed; 1 ignored; ...".
    pub fn from_line(line: &str) -> Option<Self> {
        let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
        let count = |word: &str| {
            let part = counts.split("; ").find_map(|part| part.strip_suffix(word))?;
            part.trim().parse().ok()
        };
        Some(Self { passed: count("passed")?, failed: count("failed")? })
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_of_test_binaries_are_read() {
        let good = "test result: ok. 19 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.33s";
        assert_eq!(Tally::from_line(good), Some(Tally { passed: 19, failed: 0 }));
        let bad = "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out";
        assert_eq!(Tally::from_line(bad), Some(Tally { passed: 3, failed: 1 }));
    }

    #[test]
    fn other_lines_count_nothing() {
        assert_eq!(Tally::from_line("test pelt::constants ... ok"), None);
        assert_eq!(Tally::from_line("DONE 12 passed, 0 failed"), None);
    }

    #[test]
    fn the_sum_reads_as_the_contract_says() {
        let mut sum = Tally::one(true);
        sum += Tally::one(false);
        sum += Tally { passed: 4, failed: 0 };
        assert_eq!(sum.to_string(), "5 passed, 1 failed");
    }
}
