//! Channels and futexes: order, blocking, closing.

use abi::{Call, Error};
use arch::host;

use super::world::World;

const MESSAGE: u32 = host::USER_DATA.start;
const BUFFER: u32 = host::USER_DATA.start + 0x100;
const WORD: u32 = host::USER_DATA.start + 0x200;

/// A world with a second task on CPU 1 and a channel of two messages of 16 bytes.
fn pair() -> (World, u32) {
    let world = World::new("policy=pinned");
    world.spawn(0, 0b10);
    world.settle();
    let channel = world.call(0, Call::ChannelCreate, [2, 16, 0, 0]).expect("does not block").expect("there is room");
    (world, channel)
}

fn send(world: &World, cpu: usize, channel: u32, text: &[u8]) -> Option<abi::Result<u32>> {
    host::user_write(MESSAGE, text);
    world.call(cpu, Call::ChannelSend, [channel, MESSAGE, text.len() as u32, 0])
}

#[test]
fn messages_arrive_in_order() {
    let (world, channel) = pair();
    assert_eq!(send(&world, 0, channel, b"first"), Some(Ok(0)));
    assert_eq!(send(&world, 0, channel, b"second"), Some(Ok(0)));
    assert_eq!(world.call(1, Call::ChannelReceive, [channel, BUFFER, 16, 0]), Some(Ok(5)));
    assert_eq!(host::user_read(BUFFER, 5), b"first");
    assert_eq!(world.call(1, Call::ChannelReceive, [channel, BUFFER, 16, 0]), Some(Ok(6)));
    assert_eq!(host::user_read(BUFFER, 6), b"second");
}

#[test]
fn a_receiver_waits_for_its_message() {
    let (world, channel) = pair();
    assert_eq!(world.call(1, Call::ChannelReceive, [channel, BUFFER, 16, 0]), None);
    assert_eq!(world.running(1), None);
    assert_eq!(send(&world, 0, channel, b"late"), Some(Ok(0)));
    world.settle();
    assert_eq!(world.result(1), Ok(4));
    assert_eq!(host::user_read(BUFFER, 4), b"late");
}

#[test]
fn a_sender_waits_for_room() {
    let (world, channel) = pair();
    send(&world, 0, channel, b"1");
    send(&world, 0, channel, b"2");
    assert_eq!(send(&world, 0, channel, b"3"), None);
    assert_eq!(world.running(0), None);
    for expected in [b"1", b"2", b"3"] {
        assert_eq!(world.call(1, Call::ChannelReceive, [channel, BUFFER, 16, 0]), Some(Ok(1)));
        assert_eq!(host::user_read(BUFFER, 1), expected);
    }
    world.settle();
    assert_eq!(world.result(0), Ok(0));
}

#[test]
fn closing_tells_everyone_who_waits() {
    let (world, channel) = pair();
    world.call(1, Call::ChannelReceive, [channel, BUFFER, 16, 0]);
    assert_eq!(world.call(0, Call::ChannelClose, [channel, 0, 0, 0]), Some(Ok(0)));
    world.settle();
    assert_eq!(world.result(1), Err(Error::Closed));
    assert_eq!(send(&world, 0, channel, b"x"), Some(Err(Error::NoSuchChannel)));
}

#[test]
fn sizes_and_buffers_are_checked() {
    let (world, channel) = pair();
    assert_eq!(world.call(0, Call::ChannelCreate, [17, 16, 0, 0]), Some(Err(Error::BadArgument)));
    assert_eq!(world.call(0, Call::ChannelCreate, [1, 4097, 0, 0]), Some(Err(Error::BadArgument)));
    assert_eq!(send(&world, 0, channel, &[0; 17]), Some(Err(Error::TooLong)));
    assert_eq!(world.call(0, Call::ChannelReceive, [channel, BUFFER, 15, 0]), Some(Err(Error::TooLong)));
    assert_eq!(world.call(0, Call::ChannelReceive, [channel, 0x20, 16, 0]), Some(Err(Error::BadAddress)));
    assert_eq!(world.call(0, Call::ChannelSend, [channel, u32::MAX - 3, 16, 0]), Some(Err(Error::BadAddress)));
}

#[test]
fn messages_of_any_size_lie_whole_in_their_pages() {
    let (world, _) = pair();
    for size in [1, 100, 1365, 1366, 2049, 4096] {
        let channel =
            world.call(0, Call::ChannelCreate, [3, size, 0, 0]).expect("does not block").expect("three pages");
        let message = |number: u8| vec![number; size as usize];
        // Twice round, so that every place is used from both sides.
        for number in 0..3 {
            assert_eq!(send(&world, 0, channel, &message(number)), Some(Ok(0)));
        }
        for number in 3..9 {
            let length = world.call(1, Call::ChannelReceive, [channel, BUFFER + 0x2000, 4096, 0]);
            assert_eq!(length, Some(Ok(size)));
            assert_eq!(host::user_read(BUFFER + 0x2000, size as usize), message(number - 3));
            assert_eq!(send(&world, 0, channel, &message(number)), Some(Ok(0)));
        }
        assert_eq!(world.call(0, Call::ChannelClose, [channel, 0, 0, 0]), Some(Ok(0)));
    }
}

#[test]
fn pages_run_out_and_come_back() {
    let (world, channel) = pair();
    let create = |messages| world.call(0, Call::ChannelCreate, [messages, 4096, 0, 0]).expect("does not block");
    assert_eq!(create(4), Err(Error::Exhausted), "three are left, and none of them is lost by the attempt");
    let large = create(3).expect("the rest");
    assert_eq!(create(1), Err(Error::Exhausted));
    assert_eq!(world.call(0, Call::ChannelClose, [large, 0, 0, 0]), Some(Ok(0)));
    assert_eq!(world.call(0, Call::ChannelClose, [channel, 0, 0, 0]), Some(Ok(0)));
    assert!(create(4).is_ok());
}

#[test]
fn a_futex_sleeps_only_while_the_word_holds() {
    let world = World::new("policy=pinned");
    let child = world.spawn(0, 0b10);
    world.settle();
    host::user_write(WORD, &7_u32.to_le_bytes());
    assert_eq!(world.call(1, Call::FutexWait, [WORD, 8, 0, 0]), Some(Err(Error::Changed)));
    assert_eq!(world.call(1, Call::FutexWait, [WORD, 7, 0, 0]), None);
    assert_eq!(world.call(0, Call::FutexWake, [WORD + 4, 9, 0, 0]), Some(Ok(0)));
    assert_eq!(world.call(0, Call::FutexWake, [WORD, 9, 0, 0]), Some(Ok(1)));
    world.settle();
    assert_eq!(world.running(1), Some(child));
    assert_eq!(world.result(1), Ok(0));
    assert_eq!(world.call(0, Call::FutexWait, [WORD + 1, 7, 0, 0]), Some(Err(Error::BadAddress)));
}
