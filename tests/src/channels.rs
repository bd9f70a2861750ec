//! Message channels: order, limits, closing.

use core::sync::atomic::{AtomicU32, Ordering};

use abi::channel::Channel;
use abi::crew::Crew;
use abi::task::{End, exit, spawn};
use abi::types::{MAX_CHANNELS, MAX_MESSAGE, MAX_MESSAGES};
use abi::{Error, clock};

use crate::harness::{Detail, Verdict, expect, expect_end, expect_equal, expect_refused};
use crate::support::TICK;

/// Senders into one channel, messages of each, and receivers out of it.
const SENDERS: usize = 6;
const MESSAGES: u32 = 400;
const RECEIVERS: usize = 3;

static CHANNEL: AtomicU32 = AtomicU32::new(0);
static RECEIVED: AtomicU32 = AtomicU32::new(0);
static SUM: AtomicU32 = AtomicU32::new(0);

fn channel() -> Channel {
    Channel::from_number(CHANNEL.load(Ordering::Relaxed))
}

/// Several senders and receivers share a channel of few places: no message is lost or doubled, and each receiver sees
/// those of one sender in the order in which they were sent.
pub fn order() -> Verdict {
    fn sender(name: usize) {
        for count in 0..MESSAGES {
            let mut message = [0; 8];
            message[..4].copy_from_slice(&(name as u32).to_le_bytes());
            message[4..].copy_from_slice(&count.to_le_bytes());
            if channel().send(&message).is_err() {
                exit(1);
            }
        }
    }
    fn receiver(_: usize) {
        let mut next = [0; SENDERS];
        let mut message = [0; 8];
        while channel().receive(&mut message) == Ok(message.len()) {
            let [a, b, c, d, count @ ..] = message;
            let (name, count) = (u32::from_le_bytes([a, b, c, d]) as usize, u32::from_le_bytes(count));
            if name >= SENDERS || count < next[name] {
                exit(1);
            }
            next[name] = count + 1;
            SUM.fetch_add(count, Ordering::Relaxed);
            RECEIVED.fetch_add(1, Ordering::Relaxed);
        }
    }
    CHANNEL.store(Channel::create(4, 8)?.number(), Ordering::Relaxed);
    RECEIVED.store(0, Ordering::Relaxed);
    SUM.store(0, Ordering::Relaxed);
    let mut receivers = Crew::<RECEIVERS>::new();
    for _ in 0..RECEIVERS {
        receivers.start(0, receiver, 0)?;
    }
    let mut senders = Crew::<SENDERS>::new();
    for name in 0..SENDERS {
        senders.start(0, sender, name)?;
    }
    expect_equal("senders that ended badly", 0u64, senders.wait()? as u64)?;
    // What was sent is received or in the channel; its receivers come for the rest before it is closed.
    let sent = SENDERS as u32 * MESSAGES;
    crate::support::becomes(5000 * TICK, || RECEIVED.load(Ordering::Relaxed) == sent);
    channel().close()?;
    expect_equal("receivers that saw disorder", 0u64, receivers.wait()? as u64)?;
    expect_equal("messages received", sent, RECEIVED.load(Ordering::Relaxed))?;
    expect_equal("sum of the messages", SENDERS as u32 * (MESSAGES * (MESSAGES - 1) / 2), SUM.load(Ordering::Relaxed))?;
    Ok(Detail::Plain)
}

/// Sizes beyond the limits are refused, messages have the length they were sent with, and all channels can be used up
/// and come back.
pub fn limits() -> Verdict {
    for (messages, size) in [(0, 8), (MAX_MESSAGES + 1, 8), (1, MAX_MESSAGE + 1), (usize::MAX, usize::MAX)] {
        expect_refused("a channel beyond the limits", Error::BadArgument, Channel::create(messages, size))?;
    }
    let channel = Channel::create(2, 16)?;
    expect_refused("a message longer than the channel's", Error::TooLong, channel.send(&[1; 17]))?;
    channel.send(&[7; 5])?;
    channel.send(&[])?;
    let mut short = [0; 15];
    expect_refused("a buffer shorter than the channel's messages", Error::TooLong, channel.receive(&mut short))?;
    let mut buffer = [0; 16];
    expect_equal("length of a message", 5u64, channel.receive(&mut buffer)? as u64)?;
    expect("the bytes that were sent and no others", buffer[..6] == [7, 7, 7, 7, 7, 0])?;
    expect_equal("length of an empty message", 0u64, channel.receive(&mut buffer)? as u64)?;
    channel.close()?;
    let mut channels = [None; MAX_CHANNELS];
    let mut free = 0;
    while let Ok(one) = Channel::create(1, 1) {
        expect("an end of all channels", free < MAX_CHANNELS)?;
        channels[free] = Some(one);
        free += 1;
    }
    expect_equal("channels free", MAX_CHANNELS as u64, free as u64)?;
    expect_refused("one channel more", Error::Exhausted, Channel::create(1, 1))?;
    for one in channels.into_iter().flatten() {
        one.close()?;
    }
    Ok(Detail::Plain)
}

/// What a task saw of a channel that was closed while it waited, or before.
const CLOSED: u32 = 1;
const TOO_LATE: u32 = 2;

/// Closing a channel wakes whoever waits on it, with the reason; afterwards it is no channel any more.
pub fn close() -> Verdict {
    fn receive_closed(_: usize) {
        exit_with(channel().receive(&mut [0; 4]).map(|_| ()))
    }
    fn send_closed(_: usize) {
        // The first message fills the channel.
        exit_with(channel().send(&[1; 4]).and_then(|()| channel().send(&[2; 4])))
    }
    fn exit_with(result: abi::Result<()>) {
        exit(match result {
            Err(Error::Closed) => CLOSED,
            Err(Error::NoSuchChannel) => TOO_LATE,
            _ => u32::MAX,
        })
    }
    for waiter in [receive_closed as abi::task::Entry, send_closed] {
        let mut end = End::Exited(TOO_LATE);
        let mut pause = 4 * TICK;
        // On a busy host the task may not wait yet when the channel is closed: then once more, with more time.
        while end == End::Exited(TOO_LATE) && pause < 1000 * TICK {
            CHANNEL.store(Channel::create(1, 4)?.number(), Ordering::Relaxed);
            let task = spawn(waiter, 0)?;
            clock::sleep(pause);
            channel().close()?;
            end = task.join()?;
            pause *= 2;
        }
        expect_end(End::Exited(CLOSED), end)?;
        expect_refused("a message into a closed channel", Error::NoSuchChannel, channel().send(&[1]))?;
        expect_refused("a message out of a closed channel", Error::NoSuchChannel, channel().receive(&mut [0; 4]))?;
        expect_refused("a second close", Error::NoSuchChannel, channel().close())?;
    }
    Ok(Detail::Plain)
}
