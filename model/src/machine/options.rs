//! What may end a run, and what is typed during one.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Duration;

use crate::bus::Time;

/// How long a run may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// In model time.
    pub model: Time,
    /// In the host's time: the only thing in a run that may differ between two.
    pub host: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { model: Time::MAX, host: Duration::from_secs(300) }
    }
}

/// What comes in on the console: at given model times, or from somebody who sits there.
#[derive(Debug, Default)]
pub struct Typing {
    script: VecDeque<(Time, Vec<u8>)>,
    live: Option<Receiver<Vec<u8>>>,
}

impl Typing {
    /// Nothing is ever typed.
    #[must_use]
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Each text at its time, which do not decrease.
    #[must_use]
    pub fn script(script: impl IntoIterator<Item = (Time, Vec<u8>)>) -> Self {
        Self { script: script.into_iter().collect(), live: None }
    }

    /// Whatever arrives on the channel, when it arrives. Such a run is not repeatable.
    #[must_use]
    pub fn live(channel: Receiver<Vec<u8>>) -> Self {
        Self { script: VecDeque::new(), live: Some(channel) }
    }

    /// What is typed until `now`.
    pub(super) fn due(&mut self, now: Time) -> Vec<Vec<u8>> {
        let mut due = Vec::new();
        while self.script.front().is_some_and(|(time, _)| *time <= now) {
            due.extend(self.script.pop_front().map(|(_, bytes)| bytes));
        }
        match self.live.as_ref().map(Receiver::try_recv) {
            Some(Ok(bytes)) => due.push(bytes),
            Some(Err(TryRecvError::Disconnected)) => self.live = None,
            Some(Err(TryRecvError::Empty)) | None => {}
        }
        due
    }

    /// When something is typed next, as far as that is known.
    pub(super) fn next(&self) -> Option<Time> {
        self.script.front().map(|(time, _)| *time)
    }

    /// Whether somebody sits there.
    pub(super) fn is_live(&self) -> bool {
        self.live.is_some()
    }
}
