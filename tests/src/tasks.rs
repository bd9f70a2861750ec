//! Starting, ending, waiting for tasks; their numbers and their accounts.

use core::sync::atomic::{AtomicU32, Ordering};

use abi::clock;
use abi::futex::Gate;
use abi::task::{End, Task, current, exit, spawn, spawn_on};
use abi::types::MAX_TASKS;
use abi::{Error, system};
use workloads::machine::Machine;

use crate::harness::{Detail, Verdict, expect, expect_at_most, expect_end, expect_equal, expect_refused};
use crate::support::{TICK, becomes, busy, time_is_exact};

/// Tasks that a system must be able to have at once.
const LEAST_TASKS: u32 = 64;

static DOOR: Gate = Gate::new();
static PASSED: AtomicU32 = AtomicU32::new(0);

/// Exit codes reach the joiner whole, whether the task ended before or after it was waited for.
pub fn join() -> Verdict {
    fn exit_with(code: usize) {
        exit(code as u32)
    }
    fn late_exit_with(code: usize) {
        clock::sleep(2 * TICK);
        exit(code as u32)
    }
    fn come_back(_: usize) {}
    for code in [0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF] {
        expect_end(End::Exited(code), spawn(late_exit_with, code as usize)?.join()?)?;
        let early = spawn(exit_with, code as usize)?;
        clock::sleep(2 * TICK);
        expect_end(End::Exited(code), early.join()?)?;
    }
    expect_end(End::Exited(0), spawn(come_back, 0)?.join()?)?;
    Ok(Detail::Plain)
}

/// Nobody can be waited for twice, nobody can wait for itself, and there are no other tasks than there are.
pub fn join_mistakes() -> Verdict {
    fn nothing(_: usize) {}
    let task = spawn(nothing, 0)?;
    task.join()?;
    expect_refused("a second join", Error::NoSuchTask, task.join())?;
    expect_refused("a join of oneself", Error::BadArgument, current().join())?;
    // The first is the last slot's before its first task.
    for number in [MAX_TASKS as u32 - 1, 0x7FFF_FFFF, 0x8000_0000, u32::MAX] {
        expect_refused("a join of nobody", Error::NoSuchTask, Task::from_number(number).join())?;
        expect_refused("statistics of nobody", Error::NoSuchTask, Task::from_number(number).statistics())?;
        expect_refused("an affinity of nobody", Error::NoSuchTask, Task::from_number(number).affinity())?;
    }
    Ok(Detail::Plain)
}

/// All task blocks can be used up, the next one is refused, and all come back; twice, so that none is lost on the way.
pub fn exhaustion() -> Verdict {
    fn wait_at_door(_: usize) {
        DOOR.wait();
        PASSED.fetch_add(1, Ordering::Relaxed);
    }
    let before = system::counters()?.tasks;
    let mut sizes = [0; 2];
    for size in &mut sizes {
        DOOR.close();
        PASSED.store(0, Ordering::Relaxed);
        let mut tasks = [None; MAX_TASKS];
        let mut refusal = None;
        for place in &mut tasks {
            match spawn(wait_at_door, 0) {
                Ok(task) => *place = Some(task),
                Err(error) => {
                    refusal = Some(error);
                    break;
                }
            }
            *size += 1u32;
        }
        DOOR.open();
        for task in tasks.iter().flatten() {
            expect_end(End::Exited(0), task.join()?)?;
        }
        expect("the last task refused as exhausted", refusal == Some(Error::Exhausted))?;
        expect_equal("tasks that went through the door", *size, PASSED.load(Ordering::Relaxed))?;
    }
    expect("room for the tasks of a real load", sizes[0] + before >= LEAST_TASKS)?;
    expect_equal("tasks of the second time", sizes[0], sizes[1])?;
    expect_equal("tasks afterwards", before, system::counters()?.tasks)?;
    Ok(Detail::Plain)
}

/// The account of a task adds up: its own and the kernel's time stay within its time on CPUs, and that within its life.
pub fn statistics() -> Verdict {
    fn work_a_while(_: usize) {
        let start = clock::now();
        while clock::now() < start + 10 * TICK {
            busy(1000);
        }
        let Ok(statistics) = current().statistics() else { exit(2) };
        let life = clock::now() - start;
        let on_cpus: u64 = statistics.on_cpu_ns.iter().sum();
        let used = statistics.user_ns + statistics.system_ns;
        let sound = used <= on_cpus && statistics.user_ns > 0 && statistics.system_ns > 0;
        // It was started before `start` was read, hence the tick of room.
        let alive = on_cpus <= life + 2 * TICK && on_cpus >= life / 2;
        exit(if !sound { 3 } else { u32::from(!alive) })
    }
    fn sleep_at_door(_: usize) {
        DOOR.wait();
    }
    let machine = Machine::read();
    for cpu in machine.online() {
        expect_end(End::Exited(0), spawn_on(1 << cpu, work_a_while, 0)?.join()?)?;
    }
    DOOR.close();
    let sleeper = spawn_on(1 << machine.reference_cpu(), sleep_at_door, 0)?;
    clock::sleep(20 * TICK);
    expect_refused("the account of another who lives", Error::Refused, sleeper.statistics())?;
    DOOR.open();
    // Once it has ended and until it is joined, its account is there to be read.
    expect("an account of one who has ended", becomes(1000 * TICK, || sleeper.statistics().is_ok()))?;
    let slept = sleeper.statistics()?;
    expect_end(End::Exited(0), sleeper.join()?)?;
    let room = if time_is_exact(&machine) { 2 * TICK } else { 1000 * TICK };
    expect_at_most("time on CPUs of a task that slept", room, slept.on_cpu_ns.iter().sum())?;
    expect_equal("moves of a bound task", 0u32, slept.migrations)?;
    Ok(Detail::Plain)
}
