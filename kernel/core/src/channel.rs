//! Bounded message channels. A message goes from the sender's memory straight into the buffer of a waiting receiver, or into the
//! channel's ring; whoever makes room or brings a message finishes the system call of the task that waited for it.

use abi::types::{MAX_CHANNELS, MAX_MESSAGE, MAX_MESSAGES, MAX_TASKS};
use abi::{Error, Result};
use heapless::Deque;
use sched::{Departure, Nanos};
use spin::Mutex;

use crate::cpu::Cpu;
use crate::kernel::Kernel;
use crate::task::{TaskRef, Wait};

#[derive(Clone, Copy)]
struct Message {
    bytes: [u8; MAX_MESSAGE],
    length: usize,
}

impl Message {
    /// Copies a message out of user memory.
    fn read(address: u32, length: usize) -> Result<Message> {
        let mut message = Message { bytes: [0; MAX_MESSAGE], length };
        arch::user::read(address, &mut message.bytes[..length]).map_err(|_| Error::BadAddress)?;
        Ok(message)
    }

    /// Copies it into user memory.
    fn write(&self, address: u32) -> Result<()> {
        arch::user::write(address, &self.bytes[..self.length]).map_err(|_| Error::BadAddress)
    }
}

struct Channel {
    open: bool,
    /// Counts re-uses of the place, so that a stale number is refused.
    generation: u32,
    capacity: usize,
    size: usize,
    messages: Deque<Message, MAX_MESSAGES>,
    /// Tasks that wait for room; their messages lie checked in their own memory.
    senders: Deque<TaskRef, MAX_TASKS>,
    /// Tasks that wait for a message. At most one of the two queues has anyone in it.
    receivers: Deque<TaskRef, MAX_TASKS>,
}

/// All channels. Each lock is a leaf: tasks are woken after it is released.
pub struct Channels {
    channels: [Mutex<Channel>; MAX_CHANNELS],
}

impl Channels {
    /// No channel.
    pub const fn new() -> Channels {
        Channels {
            channels: [const {
                Mutex::new(Channel {
                    open: false,
                    generation: 0,
                    capacity: 0,
                    size: 0,
                    messages: Deque::new(),
                    senders: Deque::new(),
                    receivers: Deque::new(),
                })
            }; MAX_CHANNELS],
        }
    }

    /// Opens a channel. Returns its number.
    pub fn create(&self, capacity: u32, size: u32) -> Result<u32> {
        let (capacity, size) = (capacity as usize, size as usize);
        if !(1..=MAX_MESSAGES).contains(&capacity) || !(1..=MAX_MESSAGE).contains(&size) {
            return Err(Error::BadArgument);
        }
        for (place, channel) in self.channels.iter().enumerate() {
            let mut channel = channel.lock();
            if !channel.open {
                channel.open = true;
                channel.generation = (channel.generation + 1) % (i32::MAX as u32 / MAX_CHANNELS as u32);
                channel.capacity = capacity;
                channel.size = size;
                return Ok(channel.generation * MAX_CHANNELS as u32 + place as u32);
            }
        }
        Err(Error::Exhausted)
    }

    fn with<R>(&self, number: u32, act: impl FnOnce(&mut Channel) -> Result<R>) -> Result<R> {
        let mut channel = self.channels[number as usize % MAX_CHANNELS].lock();
        if !channel.open || channel.generation != number / MAX_CHANNELS as u32 {
            return Err(Error::NoSuchChannel);
        }
        act(&mut channel)
    }
}

impl Default for Channels {
    fn default() -> Self {
        Channels::new()
    }
}

/// Puts the running task into a queue of waiting tasks.
fn wait_in(queue: &mut Deque<TaskRef, MAX_TASKS>, cpu: &mut Cpu, wait: Wait, now: Nanos) {
    let task = cpu.give_up(now, Departure::Sleeps);
    task.wait = wait;
    if queue.push_back(task).is_err() {
        unreachable!("there is a place for every task");
    }
}

impl Kernel {
    /// Sends a message; waits while the channel is full.
    pub(crate) fn channel_send(
        &'static self,
        cpu: &mut Cpu,
        number: u32,
        address: u32,
        length: u32,
        now: Nanos,
    ) -> Result<Option<u32>> {
        let length = length as usize;
        if length > MAX_MESSAGE {
            return Err(Error::TooLong);
        }
        let message = Message::read(address, length)?;
        let receiver = self.channels.with(number, |channel| {
            if length > channel.size {
                return Err(Error::TooLong);
            }
            if let Some(receiver) = channel.receivers.pop_front() {
                return Ok(Some(receiver));
            }
            if channel.messages.len() < channel.capacity {
                if channel.messages.push_back(message).is_err() {
                    unreachable!("a channel's capacity is at most that of its ring");
                }
            } else {
                wait_in(&mut channel.senders, cpu, Wait::Buffer { address, length }, now);
            }
            Ok(None)
        })?;
        if let Some(receiver) = receiver {
            if let Wait::Buffer { address, .. } = receiver.wait {
                let result = message.write(address).map_or_else(Error::code, |()| length as u32);
                receiver.context.set_result(result);
            }
            self.wake(cpu, receiver, now);
        }
        // A task that waits gets its result from whoever makes room for its message.
        Ok(cpu.current.is_some().then_some(0))
    }

    /// Receives a message; waits while the channel is empty.
    pub(crate) fn channel_receive(
        &'static self,
        cpu: &mut Cpu,
        number: u32,
        address: u32,
        length: u32,
        now: Nanos,
    ) -> Result<Option<u32>> {
        arch::user::writable(address, length).map_err(|_| Error::BadAddress)?;
        let length = length as usize;
        let taken = self.channels.with(number, |channel| {
            if length < channel.size {
                return Err(Error::TooLong);
            }
            let Some(message) = channel.messages.pop_front() else {
                wait_in(&mut channel.receivers, cpu, Wait::Buffer { address, length }, now);
                return Ok(None);
            };
            Ok(Some((message, channel.refill())))
        })?;
        let Some((message, sender)) = taken else {
            return Ok(None);
        };
        if let Some(sender) = sender {
            self.wake(cpu, sender, now);
        }
        message.write(address)?;
        Ok(Some(message.length as u32))
    }

    /// Closes a channel; everyone who waits there is told.
    pub(crate) fn channel_close(&'static self, cpu: &mut Cpu, number: u32, now: Nanos) -> Result<u32> {
        // Waiters are woken one by one, so that the lock is never held over a wake-up. With the last one gone it is shut.
        while let Some(waiter) = self.channels.with(number, Channel::shut)? {
            waiter.context.set_result(Error::Closed.code());
            self.wake(cpu, waiter, now);
        }
        Ok(0)
    }
}

impl Channel {
    /// There is room: takes the message of the sender that has waited longest and finishes its system call.
    fn refill(&mut self) -> Option<TaskRef> {
        let sender = self.senders.pop_front()?;
        if let Wait::Buffer { address, length } = sender.wait {
            let result = Message::read(address, length).map(|message| {
                if self.messages.push_back(message).is_err() {
                    unreachable!("a message was taken a moment ago");
                }
            });
            sender.context.set_result(result.map_or_else(Error::code, |()| 0));
        }
        Some(sender)
    }

    /// Drops the messages; takes a task that waits here, or closes the channel when there is none.
    fn shut(&mut self) -> Result<Option<TaskRef>> {
        self.messages.clear();
        let waiter = self.senders.pop_front().or_else(|| self.receivers.pop_front());
        self.open = waiter.is_some();
        Ok(waiter)
    }
}
