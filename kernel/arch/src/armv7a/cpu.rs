//! The executing CPU.
#![expect(unsafe_code, reason = "system registers and the instructions that wait")]

use core::arch::asm;
use core::sync::atomic::{AtomicU32, Ordering};

use aarch32_cpu::asm::{dsb, isb, wfi};
use aarch32_cpu::register::{
    SysRegRead, SysRegWrite, actlr::Actlr, pmccntr::Pmccntr, pmcntenset::Pmcntenset, pmcr::Pmcr, pmselr::Pmselr,
    pmuserenr::Pmuserenr, pmxevcntr::Pmxevcntr, pmxevtyper::Pmxevtyper, tpidrprw::Tpidrprw,
};

use crate::IrqsOff;

pub use crate::common::{Counts, EntryMode};

const USR: u32 = 0x10;
const MODE: u32 = 0x1f;
const ACTLR_SMP: u32 = 1 << 6;
/// The common event "instruction architecturally executed" (ARM DDI 0406C C12.8.2).
const INST_RETIRED: u32 = 0x08;
/// The enable bits of the cycle counter and of event counter 0.
const COUNTERS: u32 = 1 << 31 | 1;

/// Bit n: CPU n came in HYP mode. Each CPU sets its own bit, with the MMU on.
static CAME_IN_HYP: AtomicU32 = AtomicU32::new(0);
/// Bit n: the event counter of CPU n counts instructions.
static COUNTS_INSTRUCTIONS: AtomicU32 = AtomicU32::new(0);

/// Gives the executing CPU its number, starts its counters and lets tasks read them.
pub(super) fn init(cpu: usize, came_in_hyp: bool) {
    // SAFETY: TPIDRPRW is ours alone. The counters count in every mode (ARM DDI 0406C C12.8); that tasks may use them
    // is a decision: they time themselves. What a task could spoil that way is a hint to the policy, never more.
    unsafe {
        Tpidrprw::write_raw(cpu as u32);
        // PMCCFILTR: before ARMv8 it has no number of its own but is selected.
        Pmselr::write_raw(31);
        isb();
        Pmxevtyper::write_raw(0);
        // Counter 0 stays selected: `counts` reads it at every switch.
        Pmselr::write_raw(0);
        isb();
        Pmxevtyper::write_raw(INST_RETIRED);
        Pmcntenset::write_raw(COUNTERS);
        Pmcr::write_raw(Pmcr::read_raw() | 0b101);
        Pmuserenr::write_raw(1);
    }
    CAME_IN_HYP.fetch_or((came_in_hyp as u32) << cpu, Ordering::Relaxed);
    isb();
    let before = counts();
    isb();
    let counts = counts().since(before).instructions > 0;
    COUNTS_INSTRUCTIONS.fetch_or(u32::from(counts) << cpu, Ordering::Relaxed);
}

/// The executing CPU's dense number. Privileged.
#[inline(always)]
#[must_use]
pub fn current() -> usize {
    Tpidrprw::read_raw() as usize
}

/// Waits until an interrupt is pending, although interrupts are masked: it is not taken but can be acknowledged.
#[inline]
pub fn wait_for_interrupt(_irqs: IrqsOff) {
    // What was written before, to memory or to the timer, must be done before the core sleeps.
    isb();
    dsb();
    wfi();
}

/// A hint inside a waiting loop: YIELD, which under QEMU lets another CPU run.
#[inline]
pub fn relax() {
    core::hint::spin_loop();
}

/// Stops the executing CPU for ever, interrupts masked.
pub fn halt() -> ! {
    loop {
        dsb();
        wfi();
    }
}

/// The cycle counter, which wraps. Under QEMU with `-icount shift=0` it counts instructions. Tasks may call this.
#[inline(always)]
#[must_use]
pub fn cycles() -> u32 {
    Pmccntr::read_raw()
}

/// Whether [`counts`] of a CPU tells instructions. Found out when the CPU started: an emulator may have cycles only.
#[must_use]
pub fn counts_instructions(cpu: usize) -> bool {
    COUNTS_INSTRUCTIONS.load(Ordering::Relaxed) >> cpu & 1 != 0
}

/// What the executing CPU has done so far.
#[inline]
#[must_use]
pub fn counts() -> Counts {
    Counts { cycles: Pmccntr::read_raw(), instructions: Pmxevcntr::read_raw() }
}

/// Whether a task is executing, not the kernel. Anyone may ask.
#[inline(always)]
#[must_use]
pub fn is_user() -> bool {
    let status: u32;
    // SAFETY: reading CPSR has no effect; mode bits read correctly in USR mode.
    unsafe { asm!("mrs {}, cpsr", out(reg) status, options(nomem, nostack, preserves_flags)) };
    status & MODE == USR
}

/// The mode in which the executing CPU came to the image.
#[must_use]
pub fn entry_mode() -> EntryMode {
    match CAME_IN_HYP.load(Ordering::Relaxed) >> current() & 1 {
        0 => EntryMode::Svc,
        _ => EntryMode::Hyp,
    }
}

/// Makes the executing CPU take part in hardware coherency: sets ACTLR.SMP, which must come before its caches are on.
/// In the non-secure world firmware may have done it, and may refuse the write: [`is_coherent`] tells.
pub fn join_coherency(_cpu: usize) {
    let control = Actlr::read_raw();
    if control & ACTLR_SMP == 0 {
        // SAFETY: the bit only adds the core to those that are snooped.
        unsafe { Actlr::write_raw(control | ACTLR_SMP) };
        isb();
    }
}

/// Auxiliary control with the bit that [`is_coherent`] looks for: what firmware is to write where we may not.
#[must_use]
pub fn coherent_auxiliary_control() -> u32 {
    Actlr::read_raw() | ACTLR_SMP
}

/// L2ACTLR, the auxiliary control of the cluster's second-level cache: on a Cortex-A15 (ARM DDI 0438 4.3.60). Other
/// cores have no such register, or another one.
#[must_use]
pub fn l2_auxiliary_control() -> u32 {
    let control;
    // SAFETY: reading the register has no effect.
    unsafe { asm!("mrc p15, 1, {}, c15, c0, 0", out(reg) control, options(nomem, nostack, preserves_flags)) };
    control
}

/// Whether the executing CPU takes part in hardware coherency: ACTLR.SMP, read back. QEMU has no such bit and says no.
#[must_use]
pub fn is_coherent() -> bool {
    Actlr::read_raw() & ACTLR_SMP != 0
}

/// Masks interrupts on the executing CPU, from whatever state it is in: for the way into a panic.
#[must_use]
pub fn mask_interrupts() -> IrqsOff {
    // SAFETY: masking more than before cannot break anything that holds now.
    unsafe { asm!("cpsid if", options(nomem, nostack)) };
    IrqsOff::new(current())
}

/// Reads an address that is never mapped, so that the kernel's own fault handling can be tested.
pub fn touch_unmapped() {
    // SAFETY: the first page is never mapped: the load faults, and the kernel dies of it as the caller wants.
    unsafe { asm!("ldr {0}, [{0}]", inout(reg) 0 => _, options(nostack)) };
}
