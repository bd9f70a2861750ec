//! One clock for all CPUs, and sleeping on an absolute grid.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use abi::clock;
use abi::crew::Crew;
use abi::futex::Semaphore;
use abi::system;
use abi::task::exit;
use abi::types::{Diagnosis, MAX_CPUS};
use workloads::machine::Machine;

use crate::harness::{Detail, Verdict, expect, expect_at_most, expect_equal};
use crate::support::{TICK, on_each_cpu, patience};

/// Laps of the token.
const LAPS: u32 = 20;
/// Sleeps on the grid after the masked section, and their period in nanoseconds.
const GRID: u64 = 10;
const PERIOD: u64 = 2 * TICK;
/// How long interrupts stay masked, in microseconds: longer than a period.
const MASKED_US: u32 = 5_000;

static TOKENS: [Semaphore; MAX_CPUS] = [const { Semaphore::new(0) }; MAX_CPUS];
/// The latest time that any holder of the token saw.
static LATEST: AtomicU64 = AtomicU64::new(0);
static ONLINE: AtomicU32 = AtomicU32::new(0);
/// How late the grid's sleeper was at worst, and at its end, in nanoseconds.
static WORST: AtomicU64 = AtomicU64::new(0);
static AT_END: AtomicU64 = AtomicU64::new(0);
/// What became of the masked section.
static MASKED: AtomicU32 = AtomicU32::new(WAITING);
const WAITING: u32 = 0;
const HELD: u32 = 1;
const REFUSED: u32 = 2;

/// A token goes round the CPUs; nobody who gets it reads an earlier time than the one before. In each register pair
/// that the clock fills, halves that do not belong together would show as a leap of four seconds.
pub fn one_clock() -> Verdict {
    fn holder(cpu: usize) {
        let online = ONLINE.load(Ordering::Relaxed);
        let next = (1..=MAX_CPUS).map(|step| (cpu + step) % MAX_CPUS).find(|&other| online & (1 << other) != 0);
        for _ in 0..LAPS {
            TOKENS[cpu].take();
            let now = clock::now();
            let before = LATEST.swap(now, Ordering::AcqRel);
            if now < before {
                exit(1);
            }
            TOKENS[next.unwrap_or(cpu)].give();
        }
    }
    let machine = Machine::read();
    ONLINE.store(machine.0.online, Ordering::Relaxed);
    LATEST.store(clock::now(), Ordering::Relaxed);
    TOKENS[machine.reference_cpu()].give();
    on_each_cpu(holder)?;
    TOKENS[machine.reference_cpu()].take();
    Ok(Detail::Plain)
}

/// No sleeper wakes before its time, and none long after it.
pub fn never_early() -> Verdict {
    fn sleeper(_: usize) {
        for round in 0..10 {
            let deadline = clock::now() + 300_000 + round * 70_001;
            clock::sleep_until(deadline);
            let now = clock::now();
            if now < deadline {
                exit(1);
            }
            WORST.fetch_max(now - deadline, Ordering::Relaxed);
        }
    }
    WORST.store(0, Ordering::Relaxed);
    on_each_cpu(sleeper)?;
    let worst = WORST.load(Ordering::Relaxed);
    expect_at_most("lateness", patience(&Machine::read()), worst)?;
    Ok(Detail::Time(worst))
}

/// A deadline that has just passed, or is about to, is no deadline of the far future.
pub fn past_deadline() -> Verdict {
    fn sleeper(_: usize) {
        for ahead in -2_000i64..3_000 {
            // Every step of the counter (16 ns at most at 62.5 MHz), and less, on both sides of now.
            if ahead % 250 == 0 || (-8..64).contains(&ahead) {
                let start = clock::now();
                clock::sleep_until(start.saturating_add_signed(ahead));
                WORST.fetch_max(clock::now() - start, Ordering::Relaxed);
            }
        }
        clock::sleep_until(0);
    }
    WORST.store(0, Ordering::Relaxed);
    on_each_cpu(sleeper)?;
    let worst = WORST.load(Ordering::Relaxed);
    expect_at_most("lateness", patience(&Machine::read()), worst)?;
    Ok(Detail::Time(worst))
}

/// A task that sleeps on a grid is late while its CPU keeps interrupts masked, and in step again afterwards.
pub fn grid_over_masked_section() -> Verdict {
    let machine = Machine::read();
    for cpu in machine.online() {
        WORST.store(0, Ordering::Relaxed);
        MASKED.store(WAITING, Ordering::Relaxed);
        let mut crew = Crew::<2>::new();
        crew.start(1 << cpu, sleep_on_grid, 0)?;
        crew.start(1 << cpu, mask_interrupts, 0)?;
        expect_equal("tasks that ended badly", 0u64, crew.wait()? as u64)?;
        if MASKED.load(Ordering::Relaxed) == REFUSED {
            return Ok(Detail::Skipped("diagnose_refused"));
        }
        let worst = WORST.load(Ordering::Relaxed);
        expect("a sleeper held up by the masked section", worst >= u64::from(MASKED_US) * 1000 - PERIOD)?;
        expect_at_most("lateness at the end", patience(&machine), AT_END.load(Ordering::Relaxed))?;
    }
    Ok(Detail::Plain)
}

fn sleep_on_grid(_: usize) {
    let mut next = clock::now();
    let mut left = GRID;
    while left > 0 {
        // The masked section is over, or will not come.
        if MASKED.load(Ordering::Relaxed) != WAITING {
            left -= 1;
        }
        next += PERIOD;
        clock::sleep_until(next);
        let now = clock::now();
        if now < next {
            exit(1);
        }
        WORST.fetch_max(now - next, Ordering::Relaxed);
        AT_END.store(now - next, Ordering::Relaxed);
    }
}

fn mask_interrupts(_: usize) {
    clock::sleep(GRID / 2 * PERIOD);
    let held = system::diagnose(Diagnosis::HoldInterrupts, MASKED_US);
    MASKED.store(if held.is_ok() { HELD } else { REFUSED }, Ordering::Relaxed);
}
