//! Bounded message channels: the shape of hackbench.

use crate::call::Call;
use crate::error::{Error, Result};
use crate::trap::{address, trap};

/// A queue of messages in the kernel, shared by whoever knows its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel(u32);

impl Channel {
    /// A new channel for `messages` messages of at most `size` bytes.
    ///
    /// # Errors
    /// [`Error::BadArgument`] beyond [`crate::types::MAX_MESSAGES`] or [`crate::types::MAX_MESSAGE`],
    /// [`Error::Exhausted`].
    pub fn create(messages: usize, size: usize) -> Result<Channel> {
        Error::decode(trap(Call::ChannelCreate, messages as u32, size as u32, 0, 0).0).map(Channel)
    }

    /// Its number.
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The channel with this number.
    pub const fn from_number(number: u32) -> Channel {
        Channel(number)
    }

    /// Appends a message; sleeps while the channel is full.
    #[inline]
    pub fn send(self, message: &[u8]) -> Result<()> {
        let (result, _) = trap(Call::ChannelSend, self.0, address(message.as_ptr()), message.len() as u32, 0);
        Error::decode(result).map(|_| ())
    }

    /// Takes the oldest message; sleeps while the channel is empty. Returns its length.
    ///
    /// # Errors
    /// [`Error::TooLong`] when the buffer is shorter than the channel's message size.
    #[inline]
    pub fn receive(self, into: &mut [u8]) -> Result<usize> {
        let (result, _) = trap(Call::ChannelReceive, self.0, address(into.as_mut_ptr()), into.len() as u32, 0);
        Error::decode(result).map(|length| length as usize)
    }

    /// Closes it; whoever waits gets [`Error::Closed`], and its number is free.
    pub fn close(self) -> Result<()> {
        Error::decode(trap(Call::ChannelClose, self.0, 0, 0, 0).0).map(|_| ())
    }
}
