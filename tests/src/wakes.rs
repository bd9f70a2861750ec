//! Waking tasks of other CPUs.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use abi::clock;
use abi::crew::Crew;
use abi::futex::{self, Semaphore};
use abi::types::MAX_CPUS;
use workloads::machine::Machine;

use crate::harness::{Detail, Verdict, expect_at_most, expect_equal};
use crate::support::{Random, TICK, becomes, busy, patience};

/// Wake-ups of each pair of CPUs that are timed.
const TIMED: u32 = 4;
/// Remote wake-ups in all of which none may be lost.
const WAKES: u32 = 100_000;
/// With no ball back for this long, one was lost, in nanoseconds.
const STALLED: u64 = 5_000 * TICK;

static WORD: AtomicU32 = AtomicU32::new(0);
static STAMP: AtomicU64 = AtomicU64::new(0);
static WORST: AtomicU64 = AtomicU64::new(0);

static BALLS: [Semaphore; 2 * MAX_CPUS] = [const { Semaphore::new(0) }; 2 * MAX_CPUS];
static TURNS: AtomicU32 = AtomicU32::new(0);
static DONE: AtomicU32 = AtomicU32::new(0);
/// Balls that came back.
static CAUGHT: AtomicU32 = AtomicU32::new(0);

/// From every CPU a task of every other CPU is woken out of that CPU's idleness, in time.
pub fn all_pairs() -> Verdict {
    fn sleeper(_: usize) {
        for round in 0..TIMED {
            while WORD.load(Ordering::Acquire) == round {
                // Woken, or it changed before we slept.
                let _ = futex::wait(&WORD, round);
            }
            WORST.fetch_max(clock::now() - STAMP.load(Ordering::Acquire), Ordering::Relaxed);
        }
    }
    fn waker(_: usize) {
        for round in 0..TIMED {
            clock::sleep(2 * TICK + u64::from(round) * 130_000);
            STAMP.store(clock::now(), Ordering::Release);
            WORD.store(round + 1, Ordering::Release);
            // A valid word.
            let _ = futex::wake(&WORD, 1);
        }
    }
    let machine = Machine::read();
    if machine.cpus() == 1 {
        return Ok(Detail::Skipped("one_cpu"));
    }
    WORST.store(0, Ordering::Relaxed);
    for from in machine.online() {
        for to in machine.online().filter(|&to| to != from) {
            WORD.store(0, Ordering::Relaxed);
            let mut crew = Crew::<2>::new();
            crew.start(1 << to, sleeper, 0)?;
            crew.start(1 << from, waker, 0)?;
            expect_equal("tasks that ended badly", 0u64, crew.wait()? as u64)?;
        }
    }
    let worst = WORST.load(Ordering::Relaxed);
    expect_at_most("time from wake-up to woken task in ns", patience(&machine), worst)?;
    Ok(Detail::Time(worst))
}

/// Each CPU plays ball with the next one, all at once, at ever changing distances; every ball comes back.
pub fn none_lost() -> Verdict {
    fn server(cpu: usize) {
        let mut random = Random::new(cpu as u32);
        for _ in 0..TURNS.load(Ordering::Relaxed) {
            BALLS[2 * cpu].give();
            busy(random.below(200));
            BALLS[2 * cpu + 1].take();
            CAUGHT.fetch_add(1, Ordering::Relaxed);
        }
        DONE.fetch_add(1, Ordering::Relaxed);
    }
    fn client(cpu: usize) {
        let mut random = Random::new(!cpu as u32);
        for _ in 0..TURNS.load(Ordering::Relaxed) {
            BALLS[2 * cpu].take();
            busy(random.below(200));
            BALLS[2 * cpu + 1].give();
        }
        DONE.fetch_add(1, Ordering::Relaxed);
    }
    let machine = Machine::read();
    if machine.cpus() == 1 {
        return Ok(Detail::Skipped("one_cpu"));
    }
    // Each turn is two wake-ups.
    TURNS.store(WAKES / 2 / machine.cpus() as u32, Ordering::Relaxed);
    DONE.store(0, Ordering::Relaxed);
    let start = clock::now();
    let mut crew = Crew::<{ 2 * MAX_CPUS }>::new();
    for cpu in machine.online() {
        let next = machine.online().find(|&other| other > cpu).unwrap_or(machine.reference_cpu());
        let next = if next == cpu { machine.neighbour_of(cpu).unwrap_or(cpu) } else { next };
        crew.start(1 << next, client, cpu)?;
        crew.start(1 << cpu, server, cpu)?;
    }
    let players = crew.size() as u32;
    let mut caught = u32::MAX;
    while caught != CAUGHT.load(Ordering::Relaxed) && DONE.load(Ordering::Relaxed) < players {
        caught = CAUGHT.load(Ordering::Relaxed);
        becomes(STALLED, || DONE.load(Ordering::Relaxed) == players);
    }
    expect_equal("players that got all their balls", players, DONE.load(Ordering::Relaxed))?;
    expect_equal("players that ended badly", 0u64, crew.wait()? as u64)?;
    Ok(Detail::Time(clock::now() - start))
}
