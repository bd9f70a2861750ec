//! What a plan for 24 tasks takes on an ARM core: instructions and stack.
//!
//! A program without a kernel for one core of QEMU's machine `virt` under `-icount shift=0`, where the cycle counter counts
//! instructions exactly. It links the policy as the kernel does, plans on every price list, prints a line for each and ends by
//! semihosting. The end-to-end test `plan` runs it and holds the figures against the budget.
#![no_std]
#![no_main]
#![expect(unsafe_code, reason = "a program without a kernel begins with nothing, and asks QEMU for all it needs")]

use core::arch::{asm, global_asm};
use core::fmt::{self, Write};
use core::panic::PanicInfo;
use core::ptr;

use sched::planner::{self, Limits};
use sched::{CoreType, CpuMask, Demand, Energy, IdleCost, Nanos, Plan, Rate, TaskId};
use soc::exynos5422;

// A stack; VFP on, as the compiler may use it to copy; the cycle counter on (Arm ARM DDI 0406C, B4.1.116 and B4.1.117).
global_asm!(
    ".fpu vfpv3",
    ".section .bss.stack, \"aw\", %nobits",
    ".balign 8",
    "stack_bottom: .space 65536",
    "stack_top:",
    ".text",
    ".global _start",
    "_start:",
    "ldr sp, =stack_top",
    "mrc p15, 0, r0, c1, c0, 2",
    "orr r0, r0, #0x00f00000",
    "mcr p15, 0, r0, c1, c0, 2",
    "isb",
    "mov r0, #0x40000000",
    "vmsr fpexc, r0",
    "mov r0, #5",
    "mcr p15, 0, r0, c9, c12, 0",
    "mov r0, #0x80000000",
    "mcr p15, 0, r0, c9, c12, 1",
    "b {main}",
    main = sym main,
);

unsafe extern "C" {
    static mut stack_bottom: [u32; 65_536 / 4];
}

/// A call to the debugger that QEMU plays (Arm semihosting, IHI 0068).
fn ask(operation: u32, argument: u32) {
    // SAFETY: the operations that are used here read one word or one byte and change nothing but the result in r0.
    unsafe { asm!("svc #0x123456", inout("r0") operation => _, in("r1") argument, options(nostack)) };
}

fn exit(good: bool) -> ! {
    // ADP_Stopped_ApplicationExit, or any other reason.
    ask(0x18, if good { 0x20026 } else { 0x20023 });
    loop {
        core::hint::spin_loop();
    }
}

struct Console;

impl Write for Console {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            ask(3, ptr::from_ref(&byte).addr() as u32);
        }
        Ok(())
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    let _ = writeln!(Console, "PANIC {info}");
    exit(false)
}

/// The cycle counter.
#[inline(always)]
fn count() -> u32 {
    let count;
    // SAFETY: reads a counter. It is no `nomem`, so that memory accesses stay on their side of it.
    unsafe { asm!("mrc p15, 0, {}, c9, c13, 0", out(reg) count, options(nostack, preserves_flags)) };
    count
}

/// Whether the counter counts instructions: two loops of known length differ by just that.
fn counts_instructions() -> bool {
    #[inline(never)]
    fn spin(rounds: u32) -> u32 {
        let start = count();
        // SAFETY: counts a register of its own down to zero.
        unsafe { asm!("2: subs {0}, {0}, #1", "bne 2b", inout(reg) rounds => _, options(nostack)) };
        count().wrapping_sub(start)
    }
    spin(400).wrapping_sub(spin(100)) == 600
}

/// The words of stack below what is in use, less a margin for the caller's own.
fn below() -> usize {
    let pointer: usize;
    // SAFETY: reads a register.
    unsafe { asm!("mov {}, sp", out(reg) pointer, options(nomem, nostack, preserves_flags)) };
    (pointer - (&raw const stack_bottom).addr()) / 4 - 16
}

/// Clears all of the stack that is not in use.
#[inline(never)]
fn clear_stack() {
    for index in 0..below() {
        // SAFETY: the symbol is the lower end of the stack, and nobody owns what is below the stack pointer: there are no interrupts.
        unsafe { (&raw mut stack_bottom).cast::<u32>().add(index).write_volatile(0) };
    }
}

/// The bytes that have been used below the caller's frame since the stack was cleared.
#[inline(never)]
fn stack_used() -> usize {
    // SAFETY: as for writing.
    let is_clear = |index: &usize| unsafe { (&raw const stack_bottom).cast::<u32>().add(*index).read_volatile() } == 0;
    let below = below();
    (below - (0..below).take_while(is_clear).count()) * 4
}

const PERIOD: Nanos = Nanos::from_millis(16);

/// 24 tasks: a tenth of a big core each, a tenth of a LITTLE one, all different, or all different and with speeds of their own; released together.
fn demands(case: &str, energy: &Energy) -> [Demand; 24] {
    let little = energy.cluster(CoreType::Little).levels().last().map_or(0, |top| top.speed.get() / 10);
    core::array::from_fn(|task| {
        let work = match case {
            "a" => Rate::permyriad(1_000),
            "b" => Rate::new(little),
            _ => Rate::of(20 + task as u32 * 7),
        };
        let demand = Demand::steady(TaskId::new(task as u32), work).every(PERIOD, Nanos::ZERO);
        match (case, task as u32) {
            ("own", task) => Demand { ratio: 800 + task * 40, stall: [500 + task * 20, 300 + task * 25], ..demand },
            _ => demand,
        }
    })
}

extern "C" fn main() -> ! {
    if !counts_instructions() {
        let _ = writeln!(Console, "PLAN skipped why=the_counter_counts_no_instructions");
        exit(false);
    }
    let (mut plan, mut before) = (Plan::none(), Plan::none());
    let (mut most, mut deepest) = (0, 0);
    for profile in exynos5422::PROFILES {
        for (name, idle) in [("ignored", IdleCost::Ignored), ("always", IdleCost::Always), ("gated", IdleCost::Gated)] {
            let energy = Energy::new(&exynos5422::MACHINE, CpuMask::ALL, profile, idle);
            for case in ["a", "b", "unequal", "own"] {
                let demands = demands(case, &energy);
                for (cuts, split) in [("no", false), ("yes", true)] {
                    let limits = Limits { split, ..Limits::all(&energy) };
                    clear_stack();
                    let start = count();
                    planner::plan_into(&mut plan, &energy, &demands, &limits, &before, PERIOD);
                    let instructions = count().wrapping_sub(start);
                    (most, deepest) = (most.max(instructions), deepest.max(stack_used()));
                    let power = plan.power().get() / 1_000;
                    let _ = writeln!(
                        Console,
                        "PLAN class={} idle={name} case={case} cuts={cuts} insn={instructions} effort={} power_mw={power}",
                        profile.name,
                        plan.effort()
                    );
                    core::mem::swap(&mut plan, &mut before);
                }
            }
        }
    }
    let _ = writeln!(Console, "PLAN tasks=24 most_insn={most} stack_bytes={deepest}");
    exit(true)
}
