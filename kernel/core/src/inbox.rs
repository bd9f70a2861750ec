//! What CPUs send one another. Only the owner of an inbox takes from it; the lock is held for one push or one pop.

use core::sync::atomic::{AtomicBool, Ordering};

use abi::types::{MAX_CPUS, MAX_TASKS};
use heapless::Deque;
use sched::{Arrival, CpuId, TaskId, Why};
use spin::Mutex;

use crate::task::TaskRef;

/// Something another CPU wants of this one.
pub enum Message {
    /// Take this task over.
    Take {
        /// The task, and with it its ownership.
        task: TaskRef,
        /// How it arrives.
        arrival: Arrival,
        /// Why it comes here.
        why: Why,
    },
    /// The task that was asked for, or the one offered in exchange back again: the answer that its CPU waits for.
    Answer {
        /// The task, and with it its ownership.
        task: TaskRef,
        /// Why it comes here.
        why: Why,
    },
    /// An idle CPU asks for a task.
    Pull {
        /// Who asks.
        to: CpuId,
        /// Whether it wants the running task rather than a waiting one.
        running: bool,
        /// Why.
        why: Why,
    },
    /// Take this task and give the one that you run in exchange.
    Exchange {
        /// The task offered.
        task: TaskRef,
        /// Who offers it.
        from: CpuId,
        /// The task wanted; if another one runs by now, the offer goes back.
        expected: TaskId,
        /// Why.
        why: Why,
    },
    /// The other answer: the task that was asked for is not there any more.
    Nothing,
    /// Print your trace ring.
    DumpTrace,
}

/// Every task can be in one inbox at once; each CPU has at most one request open, and an answer to its own on the way.
const PLACES: usize = MAX_TASKS + 2 * MAX_CPUS;

/// The inbox of one CPU.
pub struct Inbox {
    filled: AtomicBool,
    messages: Mutex<Deque<Message, PLACES>>,
}

impl Inbox {
    /// An empty inbox.
    pub const fn new() -> Inbox {
        Inbox { filled: AtomicBool::new(false), messages: Mutex::new(Deque::new()) }
    }

    /// Leaves a message. The caller pokes the owner afterwards.
    pub fn push(&self, message: Message) {
        let pushed = self.messages.lock().push_back(message);
        assert!(pushed.is_ok(), "an inbox has a place for every task and every request");
        self.filled.store(true, Ordering::Release);
    }

    /// Takes the oldest message; costs one load when there is none.
    #[inline]
    pub fn pop(&self) -> Option<Message> {
        if !self.filled.load(Ordering::Acquire) {
            return None;
        }
        let mut messages = self.messages.lock();
        let message = messages.pop_front();
        if messages.is_empty() {
            // Under the lock, so that a push that follows sets it again.
            self.filled.store(false, Ordering::Relaxed);
        }
        message
    }
}

impl Default for Inbox {
    fn default() -> Self {
        Inbox::new()
    }
}
