//! Registers belong to their task: as it starts, across interrupts, and across being preempted and moved.

use abi::crew::Crew;
use abi::task::{End, exit, spawn_raw};
use abi::types::MAX_CPUS;
use workloads::machine::Machine;

use crate::harness::{Detail, Verdict, expect, expect_end, expect_equal};
use crate::probe;
use crate::support::on_each_cpu;

/// Rounds of the loop of one check: two instructions each, a good part of a tick.
const ROUNDS: u32 = 200_000;
/// Checks of one task.
const CHECKS: u32 = 20;
/// Rounding modes and exception flags of FPSCR (Arm ARM DDI 0406C, B4.1.58) that the tasks tell each other apart by.
const STATUS_BITS: u32 = 0x00C0_009F;

/// A task starts with a stack pointer that is a multiple of 8, as the procedure call standard wants it (AAPCS32,
/// 6.2.1.2).
pub fn stack_alignment() -> Verdict {
    for cpu in Machine::read().online() {
        let task = spawn_raw((probe::exit_with_alignment as extern "C" fn() as usize) as u32, 0, 0, 1 << cpu)?;
        expect_end(End::Exited(0), task.join()?)?;
    }
    Ok(Detail::Plain)
}

/// A task starts with nothing in its registers that the kernel or another task left there.
pub fn fresh() -> Verdict {
    let entry = (probe::exit_with_leftovers as extern "C" fn() as usize) as u32;
    for cpu in Machine::read().online() {
        expect_end(End::Exited(0), spawn_raw(entry, 0, 0, 1 << cpu)?.join()?)?;
    }
    expect_equal("mode and interrupt mask after a try to change them", 0x10u32, probe::mask_interrupts())?;
    Ok(Detail::Plain)
}

/// `r0`-`r12` and `lr` survive the ticks that break into a loop.
pub fn over_interrupts() -> Verdict {
    fn hold(cpu: usize) {
        for check in 0..CHECKS {
            let seed = 0x1357_9BD1u32.wrapping_mul(check + 1) ^ ((cpu as u32) << 28);
            if probe::differences_in_core_registers(seed, ROUNDS) != 0 {
                exit(1);
            }
        }
    }
    on_each_cpu(hold)?;
    Ok(Detail::Plain)
}

/// `d0`-`d15` and FPSCR survive preemption by a task that fills them with others, on every CPU, and a yield to it.
pub fn floating_point() -> Verdict {
    let machine = Machine::read();
    let mut crew = Crew::<{ 2 * MAX_CPUS }>::new();
    for cpu in machine.online() {
        for twin in 0..2 {
            crew.start(1 << cpu, hold_floating_point, 2 * cpu + twin)?;
        }
    }
    expect_equal("tasks that found foreign registers", 0u64, crew.wait()? as u64)?;
    // And free to move: more tasks than CPUs.
    let mut crew = Crew::<{ 2 * MAX_CPUS }>::new();
    for index in 0..machine.cpus() + 1 {
        crew.start(machine.0.online, hold_floating_point, index)?;
    }
    expect("registers kept by tasks that may move", crew.wait()? == 0)?;
    Ok(Detail::Plain)
}

fn hold_floating_point(index: usize) {
    for check in 0..CHECKS {
        let mut patterns = [0; 16];
        for (register, pattern) in patterns.iter_mut().enumerate() {
            *pattern = (0x0101_0101_0101_0101 * (index as u64 + 1)) ^ ((register as u64) << 56) ^ u64::from(check);
        }
        let wanted = patterns;
        let status = ((index as u32 & 3) << 22) | ((index as u32 >> 2) & 0x1F);
        let after = probe::hold_floating_point(&mut patterns, status, ROUNDS / 2);
        if patterns != wanted || after & STATUS_BITS != status {
            exit(1);
        }
    }
}
