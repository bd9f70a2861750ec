//! System calls with wrong arguments: an error for the caller, never a fault of the kernel.

use core::sync::atomic::AtomicU32;

use abi::channel::Channel;
use abi::task::{End, current, exit, spawn, spawn_raw};
use abi::types::{FaultKind, MAX_TASKS, MAX_WRITE};
use abi::{Call, Error, system};
use workloads::machine::Machine;

use crate::harness::{Detail, Failure, Verdict, expect, expect_end, expect_equal, expect_refused};
use crate::probe;

static DATA: AtomicU32 = AtomicU32::new(0);
static CONSTANT: [u32; 4] = [1, 2, 3, 4];

/// A value that no word of memory holds by chance.
const UNLIKELY: u32 = 0x5EED_BEA7;

/// Ranges (address, length) that no task may use for anything.
fn hostile_ranges() -> [(u32, u32); 12] {
    let data = DATA.as_ptr().addr() as u32;
    let kernel_text = probe::kernel_text() as u32;
    let kernel_data = probe::kernel_data() as u32;
    let guard = probe::stack_guard() as u32;
    [
        (0, 4),
        (1, 8),
        (0xFFFF_FFFF, 1),
        (0xFFFF_FFF0, 0x20),
        (0x8000_0000, 0x8000_0000),
        (kernel_text, 4),
        (kernel_data, 4),
        (kernel_data - 4, 16),
        (guard, 4),
        (guard + 4096 - 4, 8),
        (data, 0xFFFF_FFFF),
        (data, 0x8000_0000),
    ]
}

fn expect_error(what: &'static str, result: u32) -> Result<(), Failure> {
    expect(what, Error::decode(result).is_err())
}

/// Numbers that are no system call are refused as such.
pub fn unknown() -> Verdict {
    for number in [Call::ALL.len() as u32, 0x7FFF_FFFF, 0x8000_0000, u32::MAX] {
        expect_refused("an unknown call", Error::NoSuchCall, Error::decode(probe::call(number, [0; 4])))?;
    }
    Ok(Detail::Plain)
}

/// Every call that takes memory refuses ranges that are not the caller's, and what is read-only where it would write.
pub fn bad_addresses() -> Verdict {
    let me = current().number();
    let channel = Channel::create(2, 64)?;
    channel.send(&[1; 8])?;
    for (address, length) in hostile_ranges() {
        reads_refused(address, length, channel)?;
        // Where only the length is wrong the kernel may write less, and would be right to: such ranges are for reading.
        if address != DATA.as_ptr().addr() as u32 {
            writes_refused(address, length, me, channel)?;
        }
    }
    let text = (unknown as fn() -> Verdict as usize) as u32;
    for read_only in [text, CONSTANT.as_ptr().addr() as u32] {
        writes_refused(read_only & !3, 64, me, channel)?;
    }
    let data = DATA.as_ptr().addr() as u32;
    for entry in [0, probe::kernel_text() as u32, probe::kernel_data() as u32, data, 0xFFFF_FFFC, text | 2] {
        expect("an entry that is no user text refused", spawn_raw(entry, 0, 0, 0).is_err())?;
    }
    let too_long = probe::call(Call::ConsoleWrite as u32, [text, MAX_WRITE as u32 + 1, 0, 0]);
    expect_error("a write beyond the longest refused", too_long)?;
    let mut message = [0; 64];
    expect_equal("length of the message that was left alone", 8u64, channel.receive(&mut message)? as u64)?;
    channel.close()?;
    panic_with_bad_message()
}

fn reads_refused(address: u32, length: u32, channel: Channel) -> Result<(), Failure> {
    let calls = [
        ("console write", Call::ConsoleWrite, [address, length, 0, 0]),
        ("channel send", Call::ChannelSend, [channel.number(), address, length, 0]),
        ("futex wait", Call::FutexWait, [address, UNLIKELY, 0, 0]),
    ];
    for (what, call, arguments) in calls {
        // A futex is one word: where that is the caller's own, the length does not matter.
        if call != Call::FutexWait || length <= 0x20 {
            expect_error(what, probe::call(call as u32, arguments))?;
        }
    }
    Ok(())
}

fn writes_refused(address: u32, length: u32, me: u32, channel: Channel) -> Result<(), Failure> {
    let calls = [
        ("console read", Call::ConsoleRead, [address, length, 0, 0]),
        ("channel receive", Call::ChannelReceive, [channel.number(), address, length.max(64), 0]),
        ("boot arguments", Call::BootArguments, [address, length, 0, 0]),
        ("statistics", Call::Statistics, [me, address, 0, 0]),
        ("system information", Call::SystemInfo, [address, 0, 0, 0]),
        ("counters", Call::Counters, [address, 0, 0, 0]),
    ];
    for (what, call, arguments) in calls {
        expect_error(what, probe::call(call as u32, arguments))?;
    }
    Ok(())
}

/// A task whose last words are not its own dies all the same.
fn panic_with_bad_message() -> Verdict {
    fn panic_badly(which: usize) {
        let (address, length) = hostile_ranges()[which];
        probe::call(Call::Panicked as u32, [address, length, 0, 0]);
        exit(1);
    }
    for which in 0..hostile_ranges().len() {
        expect_end(End::Killed(FaultKind::Panic), spawn(panic_badly, which)?.join()?)?;
    }
    Ok(Detail::Plain)
}

/// A word of every mebibyte, and of every page near the kernel, is offered as a futex: it is refused, or was the
/// caller's.
pub fn all_of_memory() -> Verdict {
    let near = (probe::kernel_text() as u32) & !0xFFFF;
    let pages = (0..2048).map(|page| near + page * 4096);
    let mebibytes = (0..4096).map(|mebibyte| mebibyte << 20);
    for address in mebibytes.chain(pages) {
        let result = Error::decode(probe::call(Call::FutexWait as u32, [address, UNLIKELY, 0, 0]));
        let known = matches!(result, Err(Error::BadAddress | Error::Changed));
        expect("a word of memory refused or compared", known)?;
    }
    Ok(Detail::Plain)
}

/// Every call with every combination of extreme words returns.
pub fn hostile_words() -> Verdict {
    let rule = Machine::read().rule();
    let words = [0, 3, probe::kernel_data() as u32, probe::stack_guard() as u32, 0x7FFF_FFFF, 0x8000_0000, u32::MAX];
    for call in Call::ALL {
        for first in words {
            for second in words {
                for third in words {
                    if returns_and_harms_nobody(call, first, second) {
                        let result = probe::call(call as u32, [first, second, third, !first]);
                        // The clock fills the whole word; every other call leaves a value below 2^31 or an error.
                        let known = call == Call::Clock || Error::decode(result) != Err(Error::Unsupported);
                        expect("a value or a known error", known)?;
                    }
                }
            }
        }
    }
    system::set_policy(rule.0, rule.1)?;
    Ok(Detail::Plain)
}

/// Whether a call with these first words comes back, without ending or binding any task that lives.
fn returns_and_harms_nobody(call: Call, first: u32, second: u32) -> bool {
    match call {
        Call::Exit | Call::Shutdown | Call::Panicked => false,
        Call::SleepUntil => second == 0,
        Call::ConsoleRead => second != 0,
        Call::Join | Call::SetAffinity => first >= MAX_TASKS as u32,
        Call::Diagnose => first == 0 && second == 0 || first > 0xFF,
        Call::ChannelCreate => first > 0xFF,
        _ => true,
    }
}
