//! Whoever is at the other end of the line, and types.

use std::collections::VecDeque;

use crate::bus::Time;

/// Bytes that are still to come in, one after the other. A byte is held back until there is room for it: a person waits
/// for the echo, a terminal program can be told to, and a host that pipes a script in knows nothing of the line.
#[derive(Clone, Debug, Default)]
pub struct Typist {
    waiting: VecDeque<u8>,
    /// When the stop bit of the first of them has come, if it is on its way.
    arrives_at: Option<Time>,
}

impl Typist {
    /// Has more to send.
    pub fn types(&mut self, bytes: &[u8]) {
        self.waiting.extend(bytes);
    }

    /// Begins the next byte at `now` if there is room and none is on its way; it takes `character` nanoseconds.
    pub fn begin(&mut self, room: bool, now: Time, character: Time) {
        if room && self.arrives_at.is_none() && !self.waiting.is_empty() {
            self.arrives_at = Some(now + character);
        }
    }

    /// The byte that has arrived until `now`, and when it did.
    pub fn arrived(&mut self, now: Time) -> Option<(u8, Time)> {
        let at = self.arrives_at.take_if(|at| *at <= now)?;
        self.waiting.pop_front().map(|byte| (byte, at))
    }

    /// When a byte arrives next.
    pub fn next_event(&self) -> Option<Time> {
        self.arrives_at
    }
}
