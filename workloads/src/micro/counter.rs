//! The cycle counter (PMCCNTR; Arm ARM DDI 0406C, B4.1.113), which the kernel opens to tasks at boot.
//!
//! Under `-icount shift=0` QEMU's clock advances by one nanosecond an instruction and this counter by one a nanosecond,
//! so it counts the instructions of all CPUs; [`counts_instructions`] finds out whether it does.
#![cfg_attr(
    target_os = "none",
    expect(unsafe_code, reason = "a register read and an instruction sequence of known length")
)]

/// The counter now; wraps round.
#[cfg(target_os = "none")]
#[inline(always)]
pub fn now() -> u32 {
    let count;
    // SAFETY: reads a counter into a register. It is no `nomem`, so that memory accesses stay on their side of it.
    unsafe { core::arch::asm!("mrc p15, 0, {}, c9, c13, 0", out(reg) count, options(nostack, preserves_flags)) };
    count
}

/// Spends exactly `2 * rounds` instructions in a loop, and a few around it.
#[cfg(target_os = "none")]
fn spin(rounds: u32) {
    // SAFETY: counts a register of its own down to zero.
    unsafe { core::arch::asm!("2: subs {0}, {0}, #1", "bne 2b", inout(reg) rounds => _, options(nostack)) };
}

/// The host has no such counter.
#[cfg(not(target_os = "none"))]
pub fn now() -> u32 {
    0
}

#[cfg(not(target_os = "none"))]
fn spin(_rounds: u32) {}

/// Whether a difference of two readings is a number of executed instructions: two loops of known length differ by just
/// that.
pub fn counts_instructions() -> bool {
    const SHORT: u32 = 100;
    const LONG: u32 = 400;
    // An interrupt only ever adds: the least of several runs is free of them.
    let least = |rounds: u32| (0..9).map(|_| timed_spin(rounds)).min().unwrap_or(0);
    least(LONG).wrapping_sub(least(SHORT)) == 2 * (LONG - SHORT)
}

/// What the counter says of a loop. Never inlined, so that what stands around the loop is the same for every length.
#[inline(never)]
fn timed_spin(rounds: u32) -> u32 {
    let start = now();
    spin(rounds);
    now().wrapping_sub(start)
}
