//! Temperature.

use core::fmt;

/// A temperature in thousandths of a degree Celsius.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MilliCelsius(i32);

impl MilliCelsius {
    /// A number of thousandths of a degree.
    #[must_use]
    pub const fn new(millidegrees: i32) -> Self {
        Self(millidegrees)
    }

    /// A number of degrees.
    #[must_use]
    pub const fn from_celsius(degrees: i32) -> Self {
        Self(degrees * 1_000)
    }

    /// The number of thousandths of a degree.
    #[inline]
    #[must_use]
    pub const fn get(self) -> i32 {
        self.0
    }
}

impl fmt::Display for MilliCelsius {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{:03}", self.0 / 1_000, (self.0 % 1_000).abs())
    }
}
