//! The loop itself, and what one run of it leaves behind.

use core::hint::black_box;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use abi::{clock, task};

use crate::cost::{Cost, CostRecord};

/// Loops that one race can have.
pub const MAX_LOOPS: usize = 32;

/// Rounds of one unit of work; a unit is far shorter than a tick.
const ROUNDS: u32 = 1000;

/// Units of work that each loop of this race does.
static UNITS: AtomicU32 = AtomicU32::new(0);
/// Mask of the big CPUs, for the account of each loop.
static BIG: AtomicU32 = AtomicU32::new(0);
static RECORDS: [Record; MAX_LOOPS] = [const { Record::new() }; MAX_LOOPS];

/// What a loop reports about itself when it has ended. Times in nanoseconds.
struct Record {
    start: AtomicU64,
    end: AtomicU64,
    cost: CostRecord,
}

impl Record {
    const fn new() -> Record {
        Record { start: AtomicU64::new(0), end: AtomicU64::new(0), cost: CostRecord::new() }
    }
}

/// One loop's way through the machine. Times in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Run {
    /// When it executed its first instruction.
    pub start: u64,
    /// When it had done its work.
    pub end: u64,
    /// What it has cost.
    pub cost: Cost,
}

/// Sets what the loops that are started next do. No loop may be running.
pub fn prepare(units: u32, big: u32) {
    UNITS.store(units, Ordering::Relaxed);
    BIG.store(big, Ordering::Relaxed);
}

/// What loop `index` left behind; it must have ended.
pub fn result(index: usize) -> Run {
    let record = &RECORDS[index];
    Run {
        start: record.start.load(Ordering::Acquire),
        end: record.end.load(Ordering::Acquire),
        cost: record.cost.get(),
    }
}

/// The task of loop `index`.
pub fn looper(index: usize) {
    let record = &RECORDS[index];
    record.start.store(clock::now(), Ordering::Release);
    burn(UNITS.load(Ordering::Relaxed));
    record.end.store(clock::now(), Ordering::Release);
    let Ok(statistics) = task::current().statistics() else { task::exit(1) };
    record.cost.set(&statistics, BIG.load(Ordering::Relaxed));
}

/// Does `units` units of integer work in registers: the counting loop of the seed, with a step that no compiler can
/// skip.
fn burn(units: u32) {
    let mut state = black_box(1u32);
    for _ in 0..units {
        for _ in 0..ROUNDS {
            // The linear congruential step of Numerical Recipes, 2nd edition, section 7.1.
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        }
        state = black_box(state);
    }
}
