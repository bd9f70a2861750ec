//! hackbench: in each group 20 senders write to each of 20 receivers, through one bounded channel a receiver.
//!
//! The shape is that of the Linux original (Zhang, Molnar; rt-tests), with tasks for processes and channels for socket
//! pairs: up to ten groups of 40 tasks, messages of up to 4096 bytes.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use abi::channel::Channel;
use abi::crew::Crew;
use abi::futex::Gate;
use abi::types::{MAX_CHANNELS, MAX_MESSAGE, MAX_MESSAGES, MAX_TASKS};
use abi::{Error, clock, println};

use crate::decimal::Decimal;
use crate::init::Outcome;
use crate::machine::Machine;
use crate::request::Request;
use crate::scene::{Drawn, Labels, Scene};

/// Senders, and receivers, of one group.
const SIDE: usize = 20;
/// The original's.
const MAX_GROUPS: usize = 10;
// With the task that waits for them and the first task.
const _: () = assert!(MAX_GROUPS * SIDE <= MAX_CHANNELS && MAX_GROUPS * 2 * SIDE + 2 <= MAX_TASKS);
/// Bytes that wait in a channel at most, if its longest message is no longer.
const QUEUE: usize = 16 * 1024;
/// No channel has this number.
const NO_CHANNEL: u32 = u32::MAX;
const DEFAULT_LOOPS: u32 = 20;
const DEFAULT_SIZE: u32 = 100;

static CHANNELS: [AtomicU32; MAX_GROUPS * SIDE] = [const { AtomicU32::new(0) }; MAX_GROUPS * SIDE];
static LOOPS: AtomicU32 = AtomicU32::new(0);
static SIZE: AtomicU32 = AtomicU32::new(0);
static START: Gate = Gate::new();
/// When the last task of all ended.
static LAST_END: AtomicU64 = AtomicU64::new(0);
static MOVES: AtomicU32 = AtomicU32::new(0);
static SWITCHES: AtomicU32 = AtomicU32::new(0);

/// Runs the benchmark: arguments `groups`, `loops` (messages from each sender to each receiver), `size` (bytes of a
/// message).
pub fn run(request: &Request<'_>, machine: &Machine) -> Outcome {
    request.expect_only(&["groups", "loops", "size"]);
    let groups = request.number("groups", 1..=MAX_GROUPS as u32).unwrap_or(1);
    let loops = request.number("loops", 1..=1_000_000).unwrap_or(DEFAULT_LOOPS);
    let size = request.number("size", 1..=MAX_MESSAGE as u32).unwrap_or(DEFAULT_SIZE);
    LOOPS.store(loops, Ordering::Relaxed);
    SIZE.store(size, Ordering::Relaxed);
    let (elapsed, drawn) = match exchange(groups as usize) {
        Ok(Some(taken)) => taken,
        Ok(None) => {
            println!("hackbench: a message was lost, doubled or spoilt");
            return Outcome::Failed;
        }
        Err(Error::Exhausted) => return Outcome::Skipped("no_room"),
        Err(error) => {
            println!("hackbench: a system call was refused ({error:?})");
            return Outcome::Failed;
        }
    };
    let messages = u64::from(groups) * (SIDE * SIDE) as u64 * u64::from(loops);
    let moves = MOVES.load(Ordering::Relaxed);
    let switches = u64::from(SWITCHES.load(Ordering::Relaxed));
    println!(
        "BENCH name=hackbench {} groups={groups} loops={loops} size={size} queue={} messages={messages} exchange_ms={} switches={switches} \
         switches_per_s={} moves={moves} {drawn}",
        Labels(machine),
        queue(size as usize),
        Decimal::milliseconds(elapsed),
        switches * 1_000_000_000 / elapsed.max(1),
    );
    println!();
    println!("hackbench: {messages} messages of {size} bytes between {} tasks", 2 * SIDE as u32 * groups);
    println!(
        "  {} ms, {moves} moves; pace {}, not a performance figure",
        Decimal::milliseconds(elapsed),
        machine.pace()
    );
    Outcome::Passed
}

/// One run of all groups: the time of the exchange in nanoseconds and what all of it drew, or `None` when a task ended
/// badly.
fn exchange(groups: usize) -> abi::Result<Option<(u64, Drawn)>> {
    let scene = Scene::begin()?;
    START.close();
    LAST_END.store(0, Ordering::Relaxed);
    MOVES.store(0, Ordering::Relaxed);
    SWITCHES.store(0, Ordering::Relaxed);
    let channels = &CHANNELS[..groups * SIDE];
    channels.iter().for_each(|channel| channel.store(NO_CHANNEL, Ordering::Relaxed));
    let mut crew = Crew::<{ 2 * MAX_GROUPS * SIDE }>::new();
    let gathered = gather(channels, &mut crew);
    if gathered.is_err() {
        // Whoever was started finds no channel and ends.
        close(channels)?;
    }
    let start = clock::now();
    START.open();
    let unwell = crew.wait()?;
    gathered?;
    let drawn = scene.end()?;
    close(channels)?;
    Ok((unwell == 0).then(|| (LAST_END.load(Ordering::Acquire) - start, drawn)))
}

/// Makes the channels and starts the tasks, which wait for the start.
fn gather(channels: &[AtomicU32], crew: &mut Crew<{ 2 * MAX_GROUPS * SIDE }>) -> abi::Result<()> {
    let size = SIZE.load(Ordering::Relaxed) as usize;
    for channel in channels {
        channel.store(Channel::create(queue(size), size)?.number(), Ordering::Relaxed);
    }
    for place in 0..channels.len() {
        crew.start(0, receiver, place)?;
        crew.start(0, sender, place)?;
    }
    Ok(())
}

/// Closes those that were made.
fn close(channels: &[AtomicU32]) -> abi::Result<()> {
    let made = channels.iter().map(|channel| channel.load(Ordering::Relaxed)).filter(|number| *number != NO_CHANNEL);
    made.map(Channel::from_number).try_for_each(Channel::close)
}

/// How many messages of this size a channel holds.
fn queue(size: usize) -> usize {
    MAX_MESSAGES.min(QUEUE / size)
}

/// Sends each receiver of its group its messages, in turn.
fn sender(place: usize) {
    let group = place / SIDE * SIDE;
    let message = [place as u8; MAX_MESSAGE];
    let message = &message[..SIZE.load(Ordering::Relaxed) as usize];
    START.wait();
    for _ in 0..LOOPS.load(Ordering::Relaxed) {
        for channel in &CHANNELS[group..group + SIDE] {
            if Channel::from_number(channel.load(Ordering::Relaxed)).send(message).is_err() {
                abi::task::exit(1);
            }
        }
    }
    finish();
}

/// Takes what all senders of its group send to it, and checks the count of each.
fn receiver(place: usize) {
    let group = place / SIDE * SIDE;
    let loops = LOOPS.load(Ordering::Relaxed);
    let size = SIZE.load(Ordering::Relaxed) as usize;
    let channel = Channel::from_number(CHANNELS[place].load(Ordering::Relaxed));
    let mut from = [0; SIDE];
    let mut message = [0; MAX_MESSAGE];
    START.wait();
    for _ in 0..loops * SIDE as u32 {
        let whole = channel.receive(&mut message) == Ok(size) && message[0] == message[size - 1];
        let sender = (message[0] as usize).wrapping_sub(group);
        if !whole || sender >= SIDE {
            abi::task::exit(1);
        }
        from[sender] += 1;
    }
    if from != [loops; SIDE] {
        abi::task::exit(1);
    }
    finish();
}

fn finish() {
    if let Ok(statistics) = abi::task::current().statistics() {
        MOVES.fetch_add(statistics.migrations, Ordering::Relaxed);
        SWITCHES.fetch_add(statistics.switches, Ordering::Relaxed);
    }
    LAST_END.fetch_max(clock::now(), Ordering::AcqRel);
}
