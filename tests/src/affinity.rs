//! A bound task runs on its CPUs only; binding it anew moves it, running or asleep.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use abi::crew::Crew;
use abi::futex;
use abi::task::{Task, current, current_cpu, exit, spawn_on, yield_now};
use abi::types::MAX_CPUS;
use abi::{Error, clock};
use workloads::machine::Machine;

use crate::harness::{Detail, Verdict, expect, expect_end, expect_equal, expect_refused};
use crate::support::{Random, TICK, becomes, busy, on_each_cpu, wake_all_of};

/// Times that a bound task looks where it is.
const LOOKS: u32 = 50;
/// Changes of affinity in the storm, and rounds of each task's checksum.
const CHANGES: u32 = 300;
const ROUNDS: u32 = 150;
/// No change takes longer than this to be seen, in nanoseconds.
const SEEN_WITHIN: u64 = 2000 * TICK;

static WHERE: AtomicU32 = AtomicU32::new(u32::MAX);
static LOOKED: AtomicU32 = AtomicU32::new(0);
static STOP: AtomicBool = AtomicBool::new(false);
static ALARM: AtomicU32 = AtomicU32::new(0);

/// A bound task never finds itself elsewhere, though it yields, sleeps and works.
pub fn bound() -> Verdict {
    fn look(cpu: usize) {
        for round in 0..LOOKS {
            if current_cpu() != cpu || current().affinity() != Ok(1 << cpu) {
                exit(1);
            }
            match round % 10 {
                0 => clock::sleep(TICK / 2),
                1..5 => yield_now(),
                _ => busy(2000),
            }
        }
    }
    on_each_cpu(look)?;
    Ok(Detail::Plain)
}

/// A task that runs all the time obeys each new mask, and stays there.
pub fn change_running() -> Verdict {
    fn roam(_: usize) {
        while !STOP.load(Ordering::Relaxed) {
            WHERE.store(current_cpu() as u32, Ordering::Relaxed);
            LOOKED.fetch_add(1, Ordering::Relaxed);
            busy(2000);
        }
    }
    let machine = Machine::read();
    STOP.store(false, Ordering::Relaxed);
    let task = spawn_on(1 << machine.reference_cpu(), roam, 0)?;
    let mut moved = Ok(());
    for cpu in machine.online().chain(machine.online()) {
        task.set_affinity(1 << cpu)?;
        let arrived = becomes(SEEN_WITHIN, || WHERE.load(Ordering::Relaxed) == cpu as u32);
        let looked = LOOKED.load(Ordering::Relaxed);
        becomes(SEEN_WITHIN, || LOOKED.load(Ordering::Relaxed) > looked + 2);
        moved = moved.and(expect("the running task on its new CPU", arrived)).and(expect_equal(
            "its CPU afterwards",
            cpu as u32,
            WHERE.load(Ordering::Relaxed),
        ));
    }
    STOP.store(true, Ordering::Relaxed);
    expect_end(abi::task::End::Exited(0), task.join()?)?;
    moved.map(|()| Detail::Plain)
}

/// A task that sleeps wakes up where its new mask allows.
pub fn change_sleeping() -> Verdict {
    fn sleep_and_look(_: usize) {
        if futex::wait(&ALARM, 0).is_err() {
            exit(u32::MAX);
        }
        exit(current_cpu() as u32)
    }
    let machine = Machine::read();
    for from in machine.online() {
        for to in machine.online() {
            let task = spawn_on(1 << from, sleep_and_look, 0)?;
            clock::sleep(2 * TICK);
            task.set_affinity(1 << to)?;
            expect_equal("the mask of a sleeping task", 1u32 << to, task.affinity()?)?;
            expect("the sleeping task woken", wake_all_of(&ALARM, 1)?)?;
            expect_end(abi::task::End::Exited(to as u32), task.join()?)?;
        }
    }
    Ok(Detail::Plain)
}

/// A mask without an online CPU is refused, and so is a task that does not exist; the task's own mask stays.
pub fn mistakes() -> Verdict {
    let machine = Machine::read();
    let before = current().affinity()?;
    for mask in [0, !machine.0.online, 0x8000_0000 & !machine.0.online] {
        expect_refused("a mask without an online CPU", Error::BadArgument, current().set_affinity(mask))?;
    }
    expect_refused("the mask of nobody", Error::NoSuchTask, Task::from_number(u32::MAX).set_affinity(1))?;
    expect_equal("the mask after refusals", before, current().affinity()?)?;
    Ok(Detail::Plain)
}

/// Twice as many tasks as CPUs compute checksums while someone binds them here and there at random: all are right.
pub fn migration_storm() -> Verdict {
    fn compute(index: usize) {
        let wanted = checksum(index as u32, 0);
        for round in 0..ROUNDS {
            if checksum(index as u32, round & 1) != wanted {
                exit(1);
            }
        }
    }
    /// The checksum of a seed; with `pause` it yields half-way.
    fn checksum(seed: u32, pause: u32) -> (u32, u64) {
        let mut integer = seed;
        let mut fraction = f64::from(seed) + 0.5;
        for step in 0..2000u32 {
            integer = integer.rotate_left(5) ^ step.wrapping_mul(0x9E37_79B9);
            fraction = fraction * 0.999 + f64::from(step & 7);
            if pause == 1 && step == 1000 {
                yield_now();
            }
        }
        (integer, fraction.to_bits())
    }
    let machine = Machine::read();
    let mut crew = Crew::<{ 2 * MAX_CPUS }>::new();
    let mut tasks = [None; 2 * MAX_CPUS];
    for (index, task) in tasks.iter_mut().enumerate().take(2 * machine.cpus()) {
        *task = Some(crew.start(0, compute, index)?);
    }
    let mut random = Random::new(machine.0.online);
    let started = crew.size() as u32;
    for change in 0..CHANGES {
        let mask = random.below(255) + 1;
        // A task may have ended already, and a mask may name no online CPU: both are refused, and that is right.
        if let Some(task) = tasks[random.below(started) as usize] {
            let _ = task.set_affinity(mask);
        }
        if change % 4 == 0 {
            clock::sleep(TICK / 3);
        }
    }
    for task in tasks.into_iter().flatten() {
        // As above.
        let _ = task.set_affinity(machine.0.online);
    }
    expect_equal("tasks with a wrong checksum", 0u64, crew.wait()? as u64)?;
    Ok(Detail::Plain)
}
