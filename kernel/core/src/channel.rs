//! Bounded message channels. A message goes from the sender's memory straight into the buffer of a waiting receiver, or
//! into the channel's ring; whoever makes room or brings a message finishes the system call of the task that waited for
//! it.

use abi::types::{MAX_CHANNELS, MAX_MESSAGE, MAX_MESSAGES};
use abi::{Error, Result};
use sched::{Departure, Nanos};
use spin::Mutex;

use crate::cpu::Cpu;
use crate::kernel::Kernel;
use crate::pages::{PAGE, PageRef, Pages};
use crate::task::{TaskRef, Wait};
use crate::waitqueue::WaitQueue;

/// Messages in the order in which they came. None lies across the border of two pages.
struct Ring {
    pages: [Option<PageRef>; MAX_MESSAGES],
    lengths: [u16; MAX_MESSAGES],
    /// Messages that it has room for, and bytes of each.
    capacity: usize,
    size: usize,
    /// Where the oldest one lies, and how many there are.
    first: usize,
    count: usize,
}

impl Ring {
    const NONE: Ring = Ring {
        pages: [const { None }; MAX_MESSAGES],
        lengths: [0; MAX_MESSAGES],
        capacity: 0,
        size: 0,
        first: 0,
        count: 0,
    };

    /// Takes pages for `capacity` messages of `size` bytes; none of them when there are not enough.
    fn furnish(&mut self, capacity: usize, size: usize, stock: &Pages) -> Result<()> {
        (self.capacity, self.size) = (capacity, size);
        (self.first, self.count) = (0, 0);
        for place in 0..capacity.div_ceil(PAGE / size) {
            self.pages[place] = stock.take();
            if self.pages[place].is_none() {
                self.strip(stock);
                return Err(Error::Exhausted);
            }
        }
        Ok(())
    }

    /// Gives all pages back.
    fn strip(&mut self, stock: &Pages) {
        self.count = 0;
        self.pages.iter_mut().filter_map(Option::take).for_each(|page| stock.give_back(page));
    }

    fn is_full(&self) -> bool {
        self.count == self.capacity
    }

    /// The bytes of the message at a place.
    fn bytes(&mut self, place: usize, length: usize) -> &mut [u8] {
        let in_one_page = PAGE / self.size;
        let page = self.pages[place / in_one_page].as_mut().expect("an open channel has its pages");
        let start = place % in_one_page * self.size;
        &mut page[start..start + length]
    }

    /// Appends a message from user memory; there must be room.
    fn push(&mut self, address: u32, length: usize) -> Result<()> {
        let place = (self.first + self.count) % self.capacity;
        arch::user::read(address, self.bytes(place, length)).map_err(|_| Error::BadAddress)?;
        self.lengths[place] = length as u16;
        self.count += 1;
        Ok(())
    }

    /// Moves the oldest message to user memory; there must be one.
    fn pop(&mut self, address: u32) -> Result<u32> {
        let (place, length) = (self.first, self.lengths[self.first]);
        self.first = (place + 1) % self.capacity;
        self.count -= 1;
        arch::user::write(address, self.bytes(place, usize::from(length))).map_err(|_| Error::BadAddress)?;
        Ok(u32::from(length))
    }
}

struct Channel {
    open: bool,
    /// Counts re-uses of the place, so that a stale number is refused.
    generation: u32,
    ring: Ring,
    /// Tasks that wait for room; their messages lie checked in their own memory.
    senders: WaitQueue,
    /// Tasks that wait for a message. At most one of the two queues has anyone in it.
    receivers: WaitQueue,
}

/// All channels. Each lock is a leaf but for that of the pages: tasks are woken after it is released.
pub struct Channels {
    channels: [Mutex<Channel>; MAX_CHANNELS],
    pub(crate) pages: Pages,
}

impl Channels {
    /// No channel.
    pub const fn new() -> Channels {
        Channels {
            channels: [const {
                Mutex::new(Channel {
                    open: false,
                    generation: 0,
                    ring: Ring::NONE,
                    senders: WaitQueue::new(),
                    receivers: WaitQueue::new(),
                })
            }; MAX_CHANNELS],
            pages: Pages::new(),
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
                channel.ring.furnish(capacity, size, &self.pages)?;
                channel.open = true;
                channel.generation = (channel.generation + 1) % (i32::MAX as u32 / MAX_CHANNELS as u32);
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
fn wait_in(queue: &mut WaitQueue, cpu: &mut Cpu, wait: Wait, now: Nanos) {
    let task = cpu.give_up(now, Departure::Sleeps);
    task.wait = wait;
    queue.push(task);
}

impl Kernel {
    /// Sends a message; waits while the channel is full.
    #[inline(never)]
    pub(crate) fn channel_send(
        &'static self,
        cpu: &mut Cpu,
        number: u32,
        address: u32,
        length: u32,
        now: Nanos,
    ) -> Result<Option<u32>> {
        arch::user::readable(address, length).map_err(|_| Error::BadAddress)?;
        let receiver = self.channels.with(number, |channel| {
            if length as usize > channel.ring.size {
                return Err(Error::TooLong);
            }
            if let Some(receiver) = channel.receivers.pop() {
                return Ok(Some(receiver));
            }
            if channel.ring.is_full() {
                wait_in(&mut channel.senders, cpu, Wait::Buffer { address, length: length as usize }, now);
                return Ok(None);
            }
            channel.ring.push(address, length as usize).map(|()| None)
        })?;
        if let Some(receiver) = receiver {
            if let Wait::Buffer { address: to, .. } = receiver.wait {
                let copied = arch::user::copy(address, to, length as usize);
                receiver.context.set_result(copied.map_or(Error::BadAddress.code(), |()| length));
            }
            self.wake(cpu, receiver, now);
        }
        // A task that waits gets its result from whoever makes room for its message.
        Ok(cpu.current.is_some().then_some(0))
    }

    /// Receives a message; waits while the channel is empty.
    #[inline(never)]
    pub(crate) fn channel_receive(
        &'static self,
        cpu: &mut Cpu,
        number: u32,
        address: u32,
        length: u32,
        now: Nanos,
    ) -> Result<Option<u32>> {
        arch::user::writable(address, length).map_err(|_| Error::BadAddress)?;
        let taken = self.channels.with(number, |channel| {
            if (length as usize) < channel.ring.size {
                return Err(Error::TooLong);
            }
            if channel.ring.count == 0 {
                wait_in(&mut channel.receivers, cpu, Wait::Buffer { address, length: length as usize }, now);
                return Ok(None);
            }
            Ok(Some((channel.ring.pop(address)?, channel.refill())))
        })?;
        let Some((received, sender)) = taken else {
            return Ok(None);
        };
        if let Some(sender) = sender {
            self.wake(cpu, sender, now);
        }
        Ok(Some(received))
    }

    /// Closes a channel; everyone who waits there is told.
    pub(crate) fn channel_close(&'static self, cpu: &mut Cpu, number: u32, now: Nanos) -> Result<u32> {
        let mut waiters = self.channels.with(number, |channel| Ok(channel.shut(&self.channels.pages)))?;
        while let Some(waiter) = waiters.pop() {
            waiter.context.set_result(Error::Closed.code());
            self.wake(cpu, waiter, now);
        }
        Ok(0)
    }
}

impl Channel {
    /// There is room: takes the message of the sender that has waited longest and finishes its system call.
    fn refill(&mut self) -> Option<TaskRef> {
        let sender = self.senders.pop()?;
        if let Wait::Buffer { address, length } = sender.wait {
            let pushed = self.ring.push(address, length);
            sender.context.set_result(pushed.map_or_else(Error::code, |()| 0));
        }
        Some(sender)
    }

    /// Closes it. Returns those who waited.
    fn shut(&mut self, stock: &Pages) -> WaitQueue {
        self.open = false;
        self.ring.strip(stock);
        let waiters = if self.senders.is_empty() { &mut self.receivers } else { &mut self.senders };
        core::mem::take(waiters)
    }
}
