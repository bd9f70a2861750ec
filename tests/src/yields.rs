//! Yielding: the other one really runs, and a storm of it breaks nothing.

use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use abi::clock;
use abi::crew::Crew;
use abi::task::{exit, yield_now};
use workloads::machine::Machine;

use crate::harness::{Detail, Verdict, expect_at_most, expect_equal};
use crate::support::{busy, time_is_exact};

/// Turns of each of the two tasks that alternate.
const TURNS: usize = 200;
/// Tasks of the storm, yields of each, and bytes of canary on each one's stack.
const STORM: usize = 64;
const GUSTS: u32 = 200;
const CANARIES: usize = 512;

static LOG: [AtomicU32; 2 * TURNS] = [const { AtomicU32::new(0) }; 2 * TURNS];
static NEXT: AtomicUsize = AtomicUsize::new(0);
static PRESENT: AtomicU32 = AtomicU32::new(0);

/// Two equal tasks of one CPU that yield in turn alternate strictly. On every CPU.
pub fn alternation() -> Verdict {
    fn player(name: usize) {
        // Both are there before the first mark, so that neither has a start on the other.
        PRESENT.fetch_add(1, Ordering::Relaxed);
        while PRESENT.load(Ordering::Relaxed) < 2 {
            yield_now();
        }
        for _ in 0..TURNS {
            let place = NEXT.fetch_add(1, Ordering::Relaxed);
            LOG[place].store(name as u32, Ordering::Relaxed);
            yield_now();
        }
    }
    let machine = Machine::read();
    // A tick between a player's mark and its yield gives the other one a turn more: that is no fault.
    let doubles = if time_is_exact(&machine) { 2 } else { TURNS as u64 / 10 };
    for cpu in machine.online() {
        NEXT.store(0, Ordering::Relaxed);
        PRESENT.store(0, Ordering::Relaxed);
        let mut crew = Crew::<2>::new();
        crew.start(1 << cpu, player, 1)?;
        crew.start(1 << cpu, player, 2)?;
        expect_equal("players that ended badly", 0u64, crew.wait()? as u64)?;
        let twice =
            LOG.windows(2).filter(|pair| pair[0].load(Ordering::Relaxed) == pair[1].load(Ordering::Relaxed)).count();
        expect_at_most("turns taken twice in a row", doubles, twice as u64)?;
    }
    Ok(Detail::Plain)
}

/// 64 tasks, free to run anywhere, yield all the time; every stack keeps what its task wrote there.
pub fn storm() -> Verdict {
    fn yielder(index: usize) {
        let canary = [index as u8 ^ 0x5A; CANARIES];
        for gust in 0..GUSTS {
            yield_now();
            busy(gust & 15);
            if core::hint::black_box(&canary).iter().any(|&byte| byte != index as u8 ^ 0x5A) {
                exit(1);
            }
        }
    }
    let start = clock::now();
    let mut crew = Crew::<STORM>::new();
    for index in 0..STORM {
        crew.start(0, yielder, index)?;
    }
    expect_equal("tasks whose stack was touched", 0u64, crew.wait()? as u64)?;
    Ok(Detail::Time(clock::now() - start))
}
