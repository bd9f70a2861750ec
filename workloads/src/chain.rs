//! A chain like that of a video player: five stages hand each frame on, 30 frames a second, and every twelfth takes
//! three times as long. A frame that is not shown within one frame's time after it was due is dropped.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use abi::crew::Crew;
use abi::futex::Semaphore;
use abi::{clock, println};

use crate::decimal::Decimal;
use crate::init::Outcome;
use crate::load::{Load, burn};
use crate::machine::Machine;
use crate::request::Request;
use crate::scene::{Labels, Scene, moves, refused};
use crate::spread::Spread;

const STAGES: usize = 5;
/// The work of each stage for a usual frame in nanoseconds: parse, decode, scale, blend, show.
const WORK: [u64; STAGES] = [500_000, 5_000_000, 1_500_000, 1_000_000, 300_000];
const FRAME: u64 = 33_333_333;
/// Every so many frames one is complete, and takes this many times the work to decode.
const COMPLETE: u32 = 12;
const COMPLETE_WORK: u32 = 3;
const DEFAULT_FRAMES: u32 = 24;

static UNITS: [AtomicU32; STAGES] = [const { AtomicU32::new(0) }; STAGES];
static READY: [Semaphore; STAGES] = [const { Semaphore::new(0) }; STAGES];
static FRAMES: AtomicU32 = AtomicU32::new(0);
static BEGIN: AtomicU64 = AtomicU64::new(0);
static PERIOD: AtomicU64 = AtomicU64::new(0);
static DROPPED: AtomicU32 = AtomicU32::new(0);
static MOVES: AtomicU32 = AtomicU32::new(0);
/// From the time a frame was due to the time it was shown.
static LATENESS: Spread = Spread::new();

/// Runs the benchmark: argument `frames`.
pub fn run(request: &Request<'_>, machine: &Machine) -> Outcome {
    request.expect_only(&["frames"]);
    match measure(request, machine) {
        Ok(outcome) => outcome,
        Err(error) => refused("chain", error),
    }
}

fn measure(request: &Request<'_>, machine: &Machine) -> abi::Result<Outcome> {
    let frames = request.number("frames", 1..=100_000).unwrap_or(DEFAULT_FRAMES);
    let Some(load) = Load::measure(machine)? else { return Ok(Outcome::Failed) };
    for (units, work) in UNITS.iter().zip(WORK) {
        units.store(load.units(work), Ordering::Relaxed);
    }
    let period = FRAME * machine.slots();
    FRAMES.store(frames, Ordering::Relaxed);
    PERIOD.store(period, Ordering::Relaxed);
    DROPPED.store(0, Ordering::Relaxed);
    MOVES.store(0, Ordering::Relaxed);
    LATENESS.clear();
    BEGIN.store(clock::now() + period, Ordering::Relaxed);
    let mut crew = Crew::<STAGES>::new();
    for index in (0..STAGES).rev() {
        crew.start(machine.0.online, stage, index)?;
    }
    let scene = Scene::begin()?;
    let unwell = crew.wait()?;
    let drawn = scene.end()?;
    println!(
        "BENCH name=chain {} frames={frames} stretch={} dropped={} lateness_p99_ms={} lateness_max_ms={} mj_a_frame={} moves={} {drawn}",
        Labels(machine),
        machine.slots(),
        DROPPED.load(Ordering::Relaxed),
        Decimal::milliseconds(LATENESS.quantile(9_900)),
        Decimal::milliseconds(LATENESS.most()),
        Decimal::ratio(drawn.microjoules, 1_000 * u64::from(frames) * machine.slots()),
        MOVES.load(Ordering::Relaxed),
    );
    let whole = unwell == 0 && LATENESS.count() == frames;
    Ok(if whole { Outcome::Passed } else { Outcome::Failed })
}

fn stage(index: usize) {
    let (begin, period) = (BEGIN.load(Ordering::Relaxed), PERIOD.load(Ordering::Relaxed));
    for frame in 0..FRAMES.load(Ordering::Relaxed) {
        let due = begin + u64::from(frame) * period;
        match index {
            0 => clock::sleep_until(due),
            _ => READY[index].take(),
        }
        let complete = index == 1 && frame.is_multiple_of(COMPLETE);
        burn(UNITS[index].load(Ordering::Relaxed) * if complete { COMPLETE_WORK } else { 1 });
        if let Some(next) = READY.get(index + 1) {
            next.give();
            continue;
        }
        let lateness = clock::now() - due;
        LATENESS.add(lateness);
        if lateness > period {
            DROPPED.fetch_add(1, Ordering::Relaxed);
        }
    }
    MOVES.fetch_add(moves(), Ordering::Relaxed);
}
