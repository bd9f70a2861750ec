//! Which CPUs there are, what they can do, and the kernel's own counts.

use abi::task::{End, current_cpu, exit, spawn_on};
use abi::types::{Diagnosis, Goal, MAX_CPUS, Policy};
use abi::{Error, clock, system};
use workloads::machine::Machine;

use crate::harness::{Detail, Verdict, expect, expect_at_most, expect_end, expect_equal, expect_refused};
use crate::support::{TICK, busy};

/// Jobs in which the slow loop comes round several times.
const PLANNED_JOBS: u32 = 40;

/// Tasks that exist while a test runs alone: the first task, the self-test, the test.
const RESIDENTS: u32 = 3;

/// Every CPU that is said to be online runs a task that is bound to it; the others are refused.
pub fn online() -> Verdict {
    fn report(_: usize) {
        exit(current_cpu() as u32)
    }
    let machine = Machine::read();
    expect("at least one CPU online", machine.cpus() > 0)?;
    expect_equal("CPUs online that the board does not have", 0u32, machine.0.online >> machine.0.cpus)?;
    for cpu in 0..MAX_CPUS {
        if machine.0.online & (1 << cpu) != 0 {
            expect_end(End::Exited(cpu as u32), spawn_on(1 << cpu, report, 0)?.join()?)?;
        } else {
            expect_refused("a task for an absent CPU", Error::BadArgument, spawn_on(1 << cpu, report, 0))?;
        }
    }
    Ok(Detail::Plain)
}

/// The largest CPU that is online has capacity 1024, big CPUs have more than the others, and none has nothing.
pub fn capacities() -> Verdict {
    let machine = Machine::read();
    let capacity = |cpu: usize| machine.0.capacity[cpu];
    let is_big = |cpu: usize| machine.0.big & (1 << cpu) != 0;
    expect_equal("the largest capacity", 1024u32, machine.online().map(capacity).max().unwrap_or(0))?;
    expect("a capacity above 0 on every CPU", machine.online().all(|cpu| capacity(cpu) > 0))?;
    let least_big = machine.online().filter(|&cpu| is_big(cpu)).map(capacity).min();
    let most_little = machine.online().filter(|&cpu| !is_big(cpu)).map(capacity).max();
    let ordered = least_big.zip(most_little).is_none_or(|(big, little)| big > little);
    expect("big CPUs larger than LITTLE ones", ordered)?;
    expect("a timer frequency", machine.0.timer_hz > 0)?;
    Ok(Detail::Plain)
}

/// While nobody has anything to do no CPU ticks: only the sleeper's own wake-up, and what its CPU does around it.
pub fn quiet_when_idle() -> Verdict {
    let machine = Machine::read();
    let before = system::counters()?;
    clock::sleep(500 * TICK);
    let after = system::counters()?;
    expect_at_most("ticks in 500 idle ms", 20, u64::from(after.ticks - before.ticks))?;
    expect_at_most("IPIs in 500 idle ms", 4 * machine.cpus() as u64, u64::from(after.ipis - before.ipis))?;
    expect_equal("characters that the console dropped", 0u32, after.dropped_characters)?;
    Ok(Detail::Plain)
}

/// After all the tests before, no task is left but those that must be.
pub fn nothing_leaked() -> Verdict {
    expect_equal("tasks", RESIDENTS, system::counters()?.tasks)?;
    Ok(Detail::Plain)
}

/// In all the tests before, the mechanism never had to refuse what the policy wanted.
pub fn no_verdict_refused() -> Verdict {
    expect_equal("refused verdicts", 0u32, system::counters()?.refused)?;
    Ok(Detail::Plain)
}

/// Bytes of a kernel stack that may have been used: three quarters of what it has beside its guard page.
const MOST_STACK: u64 = 21 * 1024;

/// After everything before it, and with a plan made by each CPU in turn, every CPU's kernel stack has room to spare.
pub fn stack_headroom() -> Verdict {
    /// Works in short jobs for as long as a few plans take, then tells what it took.
    fn provoke(_: usize) {
        for _ in 0..PLANNED_JOBS {
            busy(2_000);
            clock::sleep(TICK);
        }
        exit(system::diagnose(Diagnosis::StackUsed, 0).unwrap_or(u32::MAX))
    }
    let machine = Machine::read();
    let rule = machine.rule();
    system::set_policy(Policy::Gear, Goal::Energy)?;
    let mut most = 0;
    for cpu in machine.online() {
        match spawn_on(1 << cpu, provoke, 0)?.join()? {
            End::Exited(used) => most = most.max(used),
            saw => expect_end(End::Exited(0), saw)?,
        }
    }
    system::set_policy(rule.0, rule.1)?;
    expect_at_most("bytes of a kernel stack used", MOST_STACK, most.into())?;
    Ok(Detail::Plain)
}
