//! What tasks wait for besides time.

use std::collections::VecDeque;

use crate::program::Step;

/// The objects of a scenario, by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Objects {
    pub channels: Vec<Channel>,
    pub conditions: Vec<VecDeque<u32>>,
    pub locks: Vec<Lock>,
    pub barriers: Vec<Barrier>,
    pub suspended: Vec<u32>,
}

/// What becomes of a task that meets others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meeting {
    /// It goes on.
    Goes,
    /// It waits, and goes on when it is woken.
    Waits,
    /// It waits, and does the step again when it is woken: somebody else may have been faster.
    WaitsAndTriesAgain,
}

impl Objects {
    /// Does a step that concerns other tasks. Those who are to be woken for it are added to `woken`.
    pub fn meet(&mut self, step: Step, task: u32, woken: &mut Vec<u32>) -> Meeting {
        let done = match step {
            Step::Send(channel) => {
                return self.channels[channel].send(task).map_or(Meeting::WaitsAndTriesAgain, |other| {
                    woken.extend(other);
                    Meeting::Goes
                });
            }
            Step::Receive(channel) => {
                return self.channels[channel].receive(task).map_or(Meeting::WaitsAndTriesAgain, |other| {
                    woken.extend(other);
                    Meeting::Goes
                });
            }
            Step::Lock(lock) => self.locks[lock].take(task),
            Step::Barrier(barrier) => self.barriers[barrier].arrive(task).map(|others| woken.extend(others)).is_some(),
            Step::Wait(condition) => {
                self.conditions[condition].push_back(task);
                false
            }
            Step::Suspend => {
                self.suspended.push(task);
                false
            }
            Step::Unlock(lock) => {
                woken.extend(self.locks[lock].give_back());
                true
            }
            Step::Signal(condition) => {
                woken.extend(self.conditions[condition].pop_front());
                true
            }
            Step::Broadcast(condition) => {
                woken.extend(self.conditions[condition].drain(..));
                true
            }
            Step::Resume(first, count) => {
                let named = |task: &mut u32| (first..first + count).contains(task);
                woken.extend(self.suspended.extract_if(.., named));
                true
            }
            // The others concern the task alone.
            _ => true,
        };
        if done { Meeting::Goes } else { Meeting::Waits }
    }
}

/// A bounded queue of messages without content.
#[derive(Clone, Debug)]
pub(crate) struct Channel {
    pub room: u32,
    pub filled: u32,
    pub senders: VecDeque<u32>,
    pub receivers: VecDeque<u32>,
}

impl Channel {
    pub fn new(room: u32) -> Self {
        Self { room: room.max(1), filled: 0, senders: VecDeque::new(), receivers: VecDeque::new() }
    }

    /// Puts one in; who is to be woken for it. `None` if it is full: the task waits.
    pub fn send(&mut self, task: u32) -> Option<Option<u32>> {
        if self.filled == self.room {
            self.senders.push_back(task);
            return None;
        }
        self.filled += 1;
        Some(self.receivers.pop_front())
    }

    /// Takes one out; who is to be woken for it. `None` if it is empty: the task waits.
    pub fn receive(&mut self, task: u32) -> Option<Option<u32>> {
        if self.filled == 0 {
            self.receivers.push_back(task);
            return None;
        }
        self.filled -= 1;
        Some(self.senders.pop_front())
    }
}

/// A lock that goes to those who wait in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lock {
    holder: Option<u32>,
    waiters: VecDeque<u32>,
}

impl Lock {
    /// Whether the task has it now; else it waits.
    pub fn take(&mut self, task: u32) -> bool {
        match self.holder {
            None => self.holder = Some(task),
            Some(holder) if holder == task => {}
            Some(_) => {
                self.waiters.push_back(task);
                return false;
            }
        }
        true
    }

    /// Gives it to the next, who is to be woken.
    pub fn give_back(&mut self) -> Option<u32> {
        self.holder = self.waiters.pop_front();
        self.holder
    }
}

/// A meeting point.
#[derive(Clone, Debug)]
pub(crate) struct Barrier {
    pub parties: u32,
    pub waiters: Vec<u32>,
}

impl Barrier {
    /// If the task is the last one: all others, to be woken. Else it waits.
    pub fn arrive(&mut self, task: u32) -> Option<Vec<u32>> {
        if self.waiters.len() + 1 >= self.parties as usize {
            return Some(std::mem::take(&mut self.waiters));
        }
        self.waiters.push(task);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_blocks_at_both_ends() {
        let mut channel = Channel::new(1);
        assert_eq!(channel.receive(7), None);
        assert_eq!(channel.send(1), Some(Some(7)));
        assert_eq!(channel.send(2), None);
        assert_eq!(channel.receive(7), Some(Some(2)));
    }

    #[test]
    fn a_lock_is_handed_over_in_order() {
        let mut lock = Lock::default();
        assert!(lock.take(1) && lock.take(1) && !lock.take(2) && !lock.take(3));
        assert_eq!((lock.give_back(), lock.give_back(), lock.give_back()), (Some(2), Some(3), None));
    }

    #[test]
    fn a_barrier_opens_for_the_last() {
        let mut barrier = Barrier { parties: 3, waiters: vec![] };
        assert_eq!((barrier.arrive(1), barrier.arrive(2), barrier.arrive(3)), (None, None, Some(vec![1, 2])));
    }
}
