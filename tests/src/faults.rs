//! A task that faults dies, its joiner is told why, and nobody else notices.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use abi::crew::Crew;
use abi::system;
use abi::task::{End, Entry, exit, spawn_on};
use abi::types::{FaultKind, MAX_CPUS};
use workloads::machine::Machine;

use crate::harness::{Detail, Failure, Verdict, expect_end, expect_equal};
use crate::probe;
use crate::support::busy;

/// Tasks killed on each CPU beside one that works.
const VICTIMS: u32 = 3;

static STOP: AtomicBool = AtomicBool::new(false);
static WORKERS: AtomicU32 = AtomicU32::new(0);

/// A task with this program dies of this, on every CPU, and is counted.
pub fn dies_of(kind: FaultKind, program: Entry, argument: usize) -> Result<(), Failure> {
    let before = system::counters()?.faults;
    let mut killed = 0;
    for cpu in Machine::read().online() {
        expect_end(End::Killed(kind), spawn_on(1 << cpu, program, argument)?.join()?)?;
        killed += 1;
    }
    expect_equal("faults counted", before + killed, system::counters()?.faults)
}

/// An instruction that does not exist.
pub fn undefined() -> Verdict {
    dies_of(FaultKind::Undefined, probe::undefined_instruction, 0).map(|()| Detail::Plain)
}

/// An instruction that only the kernel may execute.
pub fn privileged() -> Verdict {
    dies_of(FaultKind::Undefined, probe::privileged_instruction, 0).map(|()| Detail::Plain)
}

/// A panic in a task's own code.
pub fn panic() -> Verdict {
    fn broken(_: usize) {
        panic!("a panic that the self-test wants");
    }
    dies_of(FaultKind::Panic, broken, 0).map(|()| Detail::Plain)
}

/// On every CPU a task works while others of the same CPU die; its sums stay right.
pub fn others_unharmed() -> Verdict {
    fn worker(_: usize) {
        WORKERS.fetch_add(1, Ordering::Relaxed);
        while !STOP.load(Ordering::Relaxed) {
            let mut sum = 0u32;
            for term in 0..1000 {
                sum = core::hint::black_box(sum + term);
            }
            if sum != 499_500 {
                exit(1);
            }
            busy(100);
        }
    }
    STOP.store(false, Ordering::Relaxed);
    WORKERS.store(0, Ordering::Relaxed);
    let machine = Machine::read();
    let mut workers = Crew::<MAX_CPUS>::new();
    for cpu in machine.online() {
        workers.start(1 << cpu, worker, cpu)?;
    }
    let mut outcome = Ok(());
    for _ in 0..VICTIMS {
        outcome = outcome.and(dies_of(FaultKind::Undefined, probe::undefined_instruction, 0));
    }
    STOP.store(true, Ordering::Relaxed);
    expect_equal("workers that ended badly", 0u64, workers.wait()? as u64)?;
    outcome?;
    expect_equal("workers that worked", machine.cpus() as u64, WORKERS.load(Ordering::Relaxed))?;
    Ok(Detail::Plain)
}
