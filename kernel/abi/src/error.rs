//! Why a system call was refused.

/// The caller's mistake or the system's limit; travels as a negative number in `r0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Error {
    /// There is no system call with this number.
    NoSuchCall = -1,
    /// An argument is outside its range.
    BadArgument = -2,
    /// An address is not the caller's to use, is misaligned, or the range leaves what it may use.
    BadAddress = -3,
    /// There is no such task, or it has been joined already.
    NoSuchTask = -4,
    /// There is no such channel.
    NoSuchChannel = -5,
    /// No task block, channel or queue place is left.
    Exhausted = -6,
    /// The futex word did not hold the expected value.
    Changed = -7,
    /// The channel was closed.
    Closed = -8,
    /// The message does not fit the channel or the buffer.
    TooLong = -9,
    /// The caller may not do that now.
    Refused = -10,
    /// Not on this machine (the host build of the user library answers this to everything).
    Unsupported = -11,
}

/// What a system call gives: a value, or the reason why not.
pub type Result<T> = core::result::Result<T, Error>;

impl Error {
    const ALL: [Error; 11] = [
        Error::NoSuchCall,
        Error::BadArgument,
        Error::BadAddress,
        Error::NoSuchTask,
        Error::NoSuchChannel,
        Error::Exhausted,
        Error::Changed,
        Error::Closed,
        Error::TooLong,
        Error::Refused,
        Error::Unsupported,
    ];

    /// The error as it stands in `r0`.
    #[inline]
    pub const fn code(self) -> u32 {
        self as i32 as u32
    }

    /// The result in `r0`: values below 2^31 are successes. An unknown negative number reads as [`Error::Unsupported`].
    #[inline]
    pub const fn decode(r0: u32) -> Result<u32> {
        let value = r0 as i32;
        if value >= 0 {
            return Ok(r0);
        }
        let index = -(value as i64) as usize - 1;
        if index < Self::ALL.len() { Err(Self::ALL[index]) } else { Err(Error::Unsupported) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_survives_the_register() {
        for error in Error::ALL {
            assert_eq!(Error::decode(error.code()), Err(error));
        }
        assert_eq!(Error::decode(7), Ok(7));
        assert_eq!(Error::decode(0x8000_0000), Err(Error::Unsupported));
    }
}
