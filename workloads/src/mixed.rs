//! Loops of two kinds: one half works in registers, the other walks through memory. On a chip the second kind loses
//! less on a slow core; an emulator has no caches to show it.

use core::hint::black_box;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use abi::crew::Crew;
use abi::{clock, println, task};

use crate::cost::CostRecord;
use crate::decimal::Decimal;
use crate::init::Outcome;
use crate::load::{Load, burn};
use crate::machine::Machine;
use crate::request::Request;
use crate::scene::{Labels, Scene, refused};

const MAX_LOOPS: usize = 16;
const DEFAULT_WORK: u64 = 20_000_000;
/// More than a LITTLE cluster's second-level cache of 512 KiB, in words.
const FIELD: usize = 160 * 1024;
/// From one word to the next: beyond a cache line and beyond what a prefetcher follows; prime, so that all are met.
const STRIDE: usize = 1_031;
/// Steps of the walk for one unit of work of the other kind.
const STEPS: u32 = 100;

static MEMORY: [AtomicU32; FIELD] = [const { AtomicU32::new(0) }; FIELD];
static UNITS: AtomicU32 = AtomicU32::new(0);
static BEGIN: AtomicU64 = AtomicU64::new(0);
/// The end of the last loop of each kind, after the beginning.
static ENDS: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
static MOVES: AtomicU32 = AtomicU32::new(0);
/// Mask of the big CPUs.
static BIG: AtomicU32 = AtomicU32::new(0);
static COSTS: [CostRecord; MAX_LOOPS] = [const { CostRecord::new() }; MAX_LOOPS];

/// Runs the benchmark: arguments `n` (loops of both kinds together) and `work` (of one loop).
pub fn run(request: &Request<'_>, machine: &Machine) -> Outcome {
    request.expect_only(&["n", "work"]);
    match measure(request, machine) {
        Ok(outcome) => outcome,
        Err(error) => refused("mixed", error),
    }
}

fn measure(request: &Request<'_>, machine: &Machine) -> abi::Result<Outcome> {
    let loops = request.number("n", 2..=MAX_LOOPS as u32).unwrap_or(machine.cpus().max(2) as u32);
    let work = request.duration("work").unwrap_or(DEFAULT_WORK);
    let Some(load) = Load::measure(machine)? else { return Ok(Outcome::Failed) };
    UNITS.store(load.units(work), Ordering::Relaxed);
    ENDS.iter().for_each(|end| end.store(0, Ordering::Relaxed));
    MOVES.store(0, Ordering::Relaxed);
    BIG.store(machine.0.big, Ordering::Relaxed);
    let scene = Scene::begin()?;
    BEGIN.store(clock::now(), Ordering::Relaxed);
    let mut crew = Crew::<MAX_LOOPS>::new();
    for index in 0..loops {
        crew.start(machine.0.online, mixed, index as usize)?;
    }
    let unwell = crew.wait()?;
    let drawn = scene.end()?;
    println!(
        "BENCH name=mixed {} n={loops} work_ms={} caches=none registers_ms={} memory_ms={} moves={} {drawn}",
        Labels(machine),
        Decimal::milliseconds(work),
        Decimal::milliseconds(ENDS[0].load(Ordering::Relaxed)),
        Decimal::milliseconds(ENDS[1].load(Ordering::Relaxed)),
        MOVES.load(Ordering::Relaxed),
    );
    for (index, cost) in COSTS[..loops as usize].iter().enumerate() {
        println!("TASK bench=mixed task={index} kind={} {}", ["registers", "memory"][index % 2], cost.get());
    }
    Ok(if unwell == 0 { Outcome::Passed } else { Outcome::Failed })
}

fn mixed(index: usize) {
    let units = UNITS.load(Ordering::Relaxed);
    if index.is_multiple_of(2) {
        burn(units)
    } else {
        walk(units, index)
    }
    ENDS[index % 2].fetch_max(clock::now() - BEGIN.load(Ordering::Relaxed), Ordering::Relaxed);
    let Ok(statistics) = task::current().statistics() else { task::exit(1) };
    MOVES.fetch_add(statistics.migrations, Ordering::Relaxed);
    COSTS[index].set(&statistics, BIG.load(Ordering::Relaxed));
}

/// Walks through memory, each step waiting for the one before.
fn walk(units: u32, from: usize) {
    let mut at = from;
    for _ in 0..units {
        for _ in 0..STEPS {
            let word = MEMORY[at].load(Ordering::Relaxed) as usize;
            at = (at + STRIDE + word) % FIELD;
        }
        at = black_box(at);
    }
}
