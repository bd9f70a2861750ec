//! What may end a run, and what is typed during one.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;

use crate::bus::Time;

/// Takes what leaves the console, and says whether there is still somebody who wants more.
pub type Show<'a> = dyn FnMut(&[u8]) -> ControlFlow<()> + 'a;

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

    /// The same, but what comes before a `pause` in the host's time is typed at once, at power-on: a run whose input is
    /// there from the start is repeatable.
    #[must_use]
    pub fn piped(channel: Receiver<Vec<u8>>, pause: Duration) -> Self {
        let mut ready = Vec::new();
        let ended = loop {
            match channel.recv_timeout(pause) {
                Ok(bytes) => ready.extend(bytes),
                Err(end) => break end == RecvTimeoutError::Disconnected,
            }
        };
        let script = if ready.is_empty() { VecDeque::new() } else { VecDeque::from([(0, ready)]) };
        Self { script, live: (!ended).then_some(channel) }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    const PAUSE: Duration = Duration::from_millis(20);

    #[test]
    fn input_that_is_there_from_the_start_is_typed_at_power_on() {
        let (sender, receiver) = mpsc::channel();
        let parts = [b"he".to_vec(), b"lp\n".to_vec()];
        parts.into_iter().for_each(|bytes| sender.send(bytes).expect("the other end is here"));
        let mut typing = Typing::piped(receiver, PAUSE);
        assert_eq!(typing.due(0), [b"help\n".to_vec()]);
        // The other program has said nothing for a while, and may go on.
        assert!(typing.is_live());
        sender.send(b"halt\n".to_vec()).expect("the other end is here");
        assert_eq!(typing.due(5), [b"halt\n".to_vec()]);
    }

    #[test]
    fn input_that_has_ended_is_not_waited_for() {
        let (sender, receiver) = mpsc::channel::<Vec<u8>>();
        drop(sender);
        let mut typing = Typing::piped(receiver, PAUSE);
        assert!(!typing.is_live() && typing.due(0).is_empty() && typing.next().is_none());
    }
}
