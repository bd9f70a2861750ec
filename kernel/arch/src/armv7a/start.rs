//! The first instructions: from whatever the loader left to Rust on a stack.
//!
//! Every core comes through here, with the MMU off and nothing known:
//!
//! ```text
//! _start ----------.                          _start_secondary (firmware brings it here)
//!                  v                                  |
//!        caches found on? clean them        <---------'
//!        HYP? clean its state, drop to SVC
//!        SCTLR to a known value, alignment checked; caches, TLBs, predictors invalidated
//!        MPIDR looked up in the board's table: unknown cores sleep for ever
//!                  |
//!      .-----------+------------------------------.
//!      boots                  parks                 secondary
//!      clears .bss            WFE until released ->  |
//!      stacks, VFP, start_boot                      stacks, VFP, start_secondary
//! ```
//!
//! Caches are off after reset and after a loader that starts Linux; what they hold then is nobody's, so it is
//! invalidated and never cleaned. Only a loader's "go" may leave them on, with parts of the image in them.
//!
//! "Boots" is whoever comes to `_start`, unless the board says that all cores start there at once; then it is CPU 0.
//!
//! Nothing here writes memory before the boot core is known, and nothing executes LDREX or STREX: exclusives need
//! memory attributes that exist only with the MMU on (ARM DDI 0406C A3.4.5). Registers held throughout: r8-r10 what the
//! loader passed in r0-r2, r11 bit 0 "secondary", bit 1 "came in HYP", bit 2 "caches were on", r12 the dense CPU
//! number.
#![expect(unsafe_code, reason = "no Rust before there is a stack")]

use core::arch::global_asm;
use core::mem::offset_of;

use super::boot::Platform;
use super::smp;

/// SCTLR while the MMU is off: the bits that read as one, and the alignment check. Memory is strongly ordered then,
/// where an unaligned access is a bug that QEMU alone would forgive (ARM DDI 0406C A3.2.2).
const SCTLR_EARLY: u32 = super::mmu::SCTLR_ONES | 1 << 1;

global_asm!(
    r#"
    .pushsection .text.start, "ax", %progbits
    .arm
    .arch_extension virt
    .fpu    vfpv3-d16
    .global _start
    .type   _start, %function
_start:
    cpsid   aif
    mov     r8, r0
    mov     r9, r1
    mov     r10, r2
    mov     r11, #0
    b       arch_from_any_mode
    .size   _start, . - _start

    .global _start_secondary
    .type   _start_secondary, %function
_start_secondary:
    cpsid   aif
    mov     r11, #1

arch_from_any_mode:
    mrs     r0, cpsr
    and     r0, r0, #0x1f
    cmp     r0, #0x1a               // HYP
    beq     11f                     // no conditional MRC: it may be undefined even where its condition fails
    mrc     p15, 0, r0, c1, c0, 0   // SCTLR
    b       12f
11: mrc     p15, 4, r0, c1, c0, 0   // HSCTLR
12: tst     r0, #4
    beq     1f
    orr     r11, r11, #4
    mrc     p15, 1, r0, c0, c0, 1   // CLIDR
    ubfx    r0, r0, #24, #3         // to the level of coherence, while the caches are still on
    bl      arch_empty_data_caches
1:  mrs     r0, cpsr
    and     r0, r0, #0x1f
    cmp     r0, #0x1a
    bne     2f

    // Nothing of the hypervisor's may act on us later (ARM DDI 0406C B1.8, B8.1.2).
    orr     r11, r11, #2
    mov     r0, #0
    mcr     p15, 4, r0, c1, c1, 0   // HCR: no traps, no second stage
    mcr     p15, 4, r0, c1, c1, 2   // HCPTR: no coprocessor traps
    mcr     p15, 4, r0, c1, c1, 3   // HSTR: no system register traps
    mcrr    p15, 6, r0, r0, c2      // VTTBR: VMID 0
    mrc     p15, 4, r1, c1, c1, 1   // HDCR: no traps; HPMN keeps the event counters ours
    and     r1, r1, #0x1f
    mcr     p15, 4, r1, c1, c1, 1
    mrc     p15, 0, r1, c0, c0, 0   // MIDR and MPIDR show the real ones
    mcr     p15, 4, r1, c0, c0, 0
    mrc     p15, 0, r1, c0, c0, 5
    mcr     p15, 4, r1, c0, c0, 5
    mrc     p15, 4, r1, c14, c1, 0  // CNTHCTL: physical counter and timer are open
    orr     r1, r1, #3
    mcr     p15, 4, r1, c14, c1, 0
    mcrr    p15, 4, r0, r0, c14     // CNTVOFF: one time for all cores
    mcr     p15, 4, r0, c14, c2, 1  // CNTHP_CTL: off
    ldr     r1, =arch_hyp_vectors
    mcr     p15, 4, r1, c12, c0, 0  // HVBAR: a trap that cannot happen stops the core
    mrc     p15, 4, r1, c1, c0, 0   // HSCTLR: MMU, caches, checks off; little-endian A32 exceptions
    ldr     r2, ={hsctlr_off}
    bic     r1, r1, r2
    mcr     p15, 4, r1, c1, c0, 0
    ldr     r1, ={sctlr}            // before the exception return: PL1 must not run with garbage
    mcr     p15, 0, r1, c1, c0, 0
    mov     r1, #0x1d3              // SVC, A32, everything masked
    msr     spsr_cxsf, r1
    ldr     r1, =2f
    msr     elr_hyp, r1
    isb
    eret

2:  cps     #0x13
    ldr     r0, ={sctlr}
    mcr     p15, 0, r0, c1, c0, 0
    mov     r0, #0
    mcr     p15, 0, r0, c2, c0, 2   // TTBCR: short descriptors, TTBR0 alone
    mcr     p15, 0, r0, c14, c3, 1  // CNTV_CTL: no alarm
    isb

    // A core's own level may hold what the loader left; so may the shared one, but only the boot core may touch it.
    mrc     p15, 1, r7, c0, c0, 1   // CLIDR
    tst     r11, #1
    ubfxeq  r0, r7, #24, #3         // boot core: to the level of coherence
    ubfxne  r0, r7, #21, #3         // others: to the level of unification, inner shareable
    bl      arch_empty_data_caches
    mov     r0, #0
    mcr     p15, 0, r0, c7, c5, 0   // ICIALLU
    mcr     p15, 0, r0, c7, c5, 6   // BPIALL
    mcr     p15, 0, r0, c8, c7, 0   // TLBIALL
    ldr     r0, =_vector_table
    mcr     p15, 0, r0, c12, c0, 0  // VBAR
    dsb
    isb

    mrc     p15, 0, r0, c0, c0, 5   // MPIDR, affinity only
    bic     r0, r0, #0xff000000
    ldr     r1, =ARCH_PLATFORM
    ldr     r2, [r1, #{cpu_count}]
    add     r3, r1, #{cpus}
    mov     r12, #0
3:  cmp     r12, r2
    bhs     arch_sleep_for_ever
    ldr     r4, [r3, r12, lsl #2]
    cmp     r4, r0
    addne   r12, r12, #1
    bne     3b

    tst     r11, #1
    bne     arch_secondary
    ldr     r2, [r1, #{all_cores_start}]
    cmp     r2, #0
    cmpne   r12, #0
    bne     arch_park

    ldr     r0, =__bss_start
    ldr     r1, =__bss_end
    mov     r2, #0
    mov     r3, #0
    mov     r4, #0
    mov     r5, #0
4:  cmp     r0, r1
    stmialo r0!, {{r2-r5}}
    blo     4b
    bl      arch_make_stacks
    and     r0, r11, #2
    orr     r0, r12, r0, lsl #7
    mov     r1, r8
    mov     r2, r9
    mov     r3, r10
    b       {start_boot}

    // Random memory cannot look like a release: three words must fit, and the boot core wipes them first.
arch_park:
    ldr     r0, ={releases}
    add     r0, r0, r12, lsl #{release_shift}
    ldr     r4, ={release_magic}
    ldr     r5, =_start_secondary
5:  wfe
    ldmia   r0, {{r1-r3}}
    cmp     r1, r4
    cmpeq   r2, r5
    mvneq   r3, r3
    cmpeq   r3, r5
    bne     5b
    mov     r1, #0                  // used up: a warm reset must not find it
    str     r1, [r0]
    dsb

arch_secondary:
    bl      arch_make_stacks
    and     r0, r11, #2
    orr     r0, r12, r0, lsl #7
    b       {start_secondary}

    // The board does not know this core: it gets no number, no stack and no work.
arch_sleep_for_ever:
    wfi
    b       arch_sleep_for_ever

    // Stacks of all modes, and the floating-point unit. Ends in SVC mode; changes r0-r3.
arch_make_stacks:
    mov     r4, lr
    mov     r0, r12
    bl      _asm_stack_setup_preallocated
    cps     #0x13
    mrc     p15, 0, r0, c1, c0, 2
    orr     r0, r0, #0xf00000       // CPACR: CP10 and CP11 for everybody
    mcr     p15, 0, r0, c1, c0, 2
    isb
    mov     r0, #0x40000000
    vmsr    fpexc, r0
    bx      r4

    // Invalidates the r0 lowest levels of data cache by set and way (ARM DDI 0406C B2.2.4), and cleans them if they
    // were on. Changes r0-r7.
arch_empty_data_caches:
    lsl     r0, r0, #1
    mov     r1, #0                  // level, times two
6:  cmp     r1, r0
    bhs     9f
    mrc     p15, 1, r2, c0, c0, 1   // CLIDR
    add     r3, r1, r1, lsr #1
    lsr     r2, r2, r3
    and     r2, r2, #7
    cmp     r2, #2                  // below: no data cache at this level
    blo     8f
    mcr     p15, 2, r1, c0, c0, 0   // CSSELR
    isb
    mrc     p15, 1, r2, c0, c0, 0   // CCSIDR
    and     r3, r2, #7
    add     r3, r3, #4              // log2 of the line's bytes
    ubfx    r4, r2, #3, #10         // last way
    ubfx    r5, r2, #13, #15        // last set
    clz     r6, r4
7:  mov     r2, r5
10: orr     r7, r1, r4, lsl r6
    orr     r7, r7, r2, lsl r3
    tst     r11, #4
    mcreq   p15, 0, r7, c7, c6, 2   // DCISW
    mcrne   p15, 0, r7, c7, c14, 2  // DCCISW
    subs    r2, r2, #1
    bhs     10b
    subs    r4, r4, #1
    bhs     7b
    dsb                             // between levels: Cortex-A7 erratum 814220
8:  add     r1, r1, #2
    b       6b
9:  dsb
    bx      lr

    .ltorg
    .balign 32
arch_hyp_vectors:
    .rept   8
    b       .
    .endr
    .popsection
    "#,
    sctlr = const SCTLR_EARLY,
    hsctlr_off = const 1 << 30 | 1 << 25 | 1 << 19 | 1 << 12 | 1 << 2 | 1 << 1 | 1,
    cpu_count = const offset_of!(Platform, cpu_count),
    cpus = const offset_of!(Platform, cpus),
    all_cores_start = const offset_of!(Platform, all_cores_start),
    releases = sym smp::RELEASES,
    release_shift = const smp::RELEASE_SHIFT,
    release_magic = const smp::RELEASE_MAGIC,
    start_boot = sym super::boot::start_boot,
    start_secondary = sym super::boot::start_secondary,
);
