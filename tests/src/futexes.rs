//! Sleeping on a word.

use core::sync::atomic::{AtomicU32, Ordering};

use abi::Error;
use abi::clock;
use abi::crew::Crew;
use abi::futex;
use abi::task::{End, exit, spawn};

use crate::harness::{Detail, Verdict, expect, expect_end, expect_equal, expect_refused};
use crate::support::{TICK, becomes, wake_all_of};

/// Tasks that sleep on the word.
const SLEEPERS: usize = 5;

static WORD: AtomicU32 = AtomicU32::new(0);
static OTHER: AtomicU32 = AtomicU32::new(0);
static WOKEN: AtomicU32 = AtomicU32::new(0);

fn sleep_once(_: usize) {
    if futex::wait(&WORD, 1).is_err() {
        exit(1);
    }
    WOKEN.fetch_add(1, Ordering::Relaxed);
}

/// Who sleeps stays asleep until woken on that word; at most as many are woken as was asked, and the count returned is
/// theirs.
pub fn semantics() -> Verdict {
    WORD.store(1, Ordering::Relaxed);
    WOKEN.store(0, Ordering::Relaxed);
    let mut crew = Crew::<SLEEPERS>::new();
    for _ in 0..SLEEPERS {
        crew.start(0, sleep_once, 0)?;
    }
    clock::sleep(5 * TICK);
    expect_equal("woken before anyone woke them", 0u32, WOKEN.load(Ordering::Relaxed))?;
    expect_equal("woken on another word", 0u32, futex::wake(&OTHER, u32::MAX)?)?;
    expect_equal("woken by a wake-up of none", 0u32, futex::wake(&WORD, 0)?)?;
    expect("two sleepers woken by wake-ups of two in all", wake_all_of(&WORD, 2)?)?;
    becomes(1000 * TICK, || WOKEN.load(Ordering::Relaxed) >= 2);
    clock::sleep(5 * TICK);
    expect_equal("awake after a wake-up of two", 2u32, WOKEN.load(Ordering::Relaxed))?;
    expect("the others woken by as many", wake_all_of(&WORD, SLEEPERS as u32 - 2)?)?;
    expect_equal("woken when nobody sleeps", 0u32, futex::wake(&WORD, u32::MAX)?)?;
    expect_equal("sleepers that ended badly", 0u64, crew.wait()? as u64)?;
    Ok(Detail::Plain)
}

/// A word that holds something else is not slept on; a misaligned one or none is refused.
pub fn mistakes() -> Verdict {
    fn sleep_on_changed(_: usize) {
        exit(u32::from(futex::wait(&WORD, 77) != Err(Error::Changed)))
    }
    WORD.store(1, Ordering::Relaxed);
    expect_refused("sleep on a changed word", Error::Changed, futex::wait(&WORD, 2))?;
    expect_end(End::Exited(0), spawn(sleep_on_changed, 0)?.join()?)?;
    let address = WORD.as_ptr().addr() as u32;
    for misaligned in 1..4 {
        expect_refused("sleep on a misaligned word", Error::BadAddress, futex::wait_raw(address + misaligned, 0))?;
    }
    for nowhere in [0, 4, 0xFFFF_FFFC] {
        expect_refused("sleep on no memory", Error::BadAddress, futex::wait_raw(nowhere, 0))?;
    }
    Ok(Detail::Plain)
}
