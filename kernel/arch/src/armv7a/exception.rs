//! Exceptions: which mode runs what, and why.
//!
//! Tasks run in USR mode and the kernel in SVC mode, always with interrupts masked. So the kernel is entered from USR
//! mode only, by SVC, an interrupt or a fault, and never nests: one SVC stack a CPU is enough, and whatever is on it is
//! forgotten when the kernel leaves. The classic damage of nesting (LR_svc overwritten, an odd stack) cannot happen.
//!
//! A task's registers live in its task block, in the `Frame` of its context, and nowhere else: to switch is to leave
//! through another frame. For that, **while a task runs, SP_svc of its CPU points at `Frame::registers`**. An entry is
//! then SRSDB, which puts PC and CPSR just below, and STMIA with the user-mode registers; SRSDB can address the SVC
//! bank from IRQ, ABT and UND mode as well (ARM DDI 0406C B9.3.16), so all entries look alike. Then SP_svc moves to
//! the CPU's SVC stack, whose top the frame holds, and Rust can be called.
//!
//! ```text
//! USR --SVC----> SVC  SRSDB                 \
//! USR --IRQ----> IRQ  SRSDB to SVC, CPS SVC  > save r0-r14, d0-d31, FPSCR; SP_svc := the CPU's stack; up-call
//! USR --fault--> ABT/UND  likewise          /                                      |
//! USR <--RFEDB-- SVC  restore the frame that the up-call returned; SP_svc := that frame
//!
//! SVC --fault--> ABT/UND  a bug in the kernel: full record on that mode's own stack, and no way back
//! SVC --SVC----> SVC  returns -1 at once: a semihosting call that nobody answered
//! ```
//!
//! - All floating-point registers are saved before Rust runs, because after a wake-up another CPU may resume the task
//!   before this CPU has left the kernel. All are loaded on the way out, also when the same task goes on: it may have
//!   run elsewhere and come back while this CPU idled inside the kernel (docs/adr/0001). There are 32 of them on the
//!   A15 and the A7, and the compiler's armv7a-none-eabihf uses all, although it claims VFPv3-D16.
//! - IRQ mode needs no stack, FIQ stays masked for ever, and HYP mode is left at start-up: their vectors, when taken
//!   all the same, are reported like a fault of the kernel.
//! - CLREX on the way out: an exclusive access that the exception interrupted must fail (ARM DDI 0406C A3.4.4).
//! - ABT and UND stacks exist for faults of the kernel only; of a task's fault they hold one word for a moment.
//!
//! The vectors are those of aarch32-rt; its handlers, which return to where they came from, are replaced here.
#![expect(unsafe_code, reason = "the exception entries")]

use core::arch::global_asm;
use core::mem::offset_of;

// Its vectors and stack set-up are used by name, in assembly.
use aarch32_rt as _;

use super::entry::{UPCALLS, Upcalls, kernel_fault};
use crate::context::Frame;
use crate::entry::FaultKind;

const REGISTERS: usize = offset_of!(Frame, registers);
const FLOATS: usize = offset_of!(Frame, floats);

// SRSDB and RFEDB work on the two words below `registers`; the up-calls are loaded in pairs with the kernel.
const _: () = assert!(REGISTERS == 8 && offset_of!(Frame, program_counter) == 0 && offset_of!(Frame, status) == 4);
const _: () = assert!(offset_of!(Frame, float_status) == FLOATS + 32 * 8 && size_of::<Frame>() == 336);
const _: () = assert!(offset_of!(Upcalls, kernel) == 0 && offset_of!(Upcalls, system_call) == 4);

global_asm!(
    r#"
    .pushsection .text.exception, "ax", %progbits
    .arm
    .fpu    vfpv3

    // In SVC mode, with SP at the registers of the task's frame and its PC and CPSR saved: saves the rest and changes
    // to the CPU's stack. Leaves r0 = the frame's `float_status`, r1 = the CPU's number, r2 = the up-calls.
    .macro  save_task
    stmia   sp, {{r0-r14}}^
    add     r0, sp, #{floats_from_registers}
    vmrs    r1, fpscr
    vstmia  r0!, {{d0-d15}}
    vstmia  r0!, {{d16-d31}}
    str     r1, [r0]
    ldr     r2, ={upcalls}
    mrc     p15, 0, r1, c13, c0, 4
    ldr     sp, [sp, #{kernel_stack_from_registers}]
    .endm

    .global _asm_svc_handler
    .type   _asm_svc_handler, %function
_asm_svc_handler:
    srsdb   sp, #0x13
    mrs     lr, spsr
    tst     lr, #0xf                // USR is 0x10
    bne     1f
    save_task
    ldm     r2, {{r0, r3}}
    blx     r3

    // Leaves the kernel. r0 = context to resume, SP = top of this CPU's SVC stack.
    .global arch_resume
arch_resume:
    str     sp, [r0, #{kernel_stack}]
    add     sp, r0, #{registers}
    add     r1, r0, #{floats}
    vldmia  r1!, {{d0-d15}}
    vldmia  r1, {{d16-d31}}
    ldr     r2, [r0, #{float_status}]
    vmsr    fpscr, r2
    clrex
    ldmia   sp, {{r0-r14}}^
    rfedb   sp

    // From the kernel: a semihosting call without a debugger or emulator that takes it.
1:  mvn     r0, #0
    rfedb   sp

    .global _asm_irq_handler
    .type   _asm_irq_handler, %function
_asm_irq_handler:
    sub     lr, lr, #4
    srsdb   sp, #0x13
    cps     #0x13
    save_task
    ldr     r0, [r2]
    ldr     r3, [r2, #{interrupt}]
    blx     r3
    b       arch_resume

    // In the exception's mode, with LR = the faulting instruction.
    .macro  fault_entry kind
    str     r0, [sp, #-4]
    mrs     r0, spsr
    tst     r0, #0xf
    ldr     r0, [sp, #-4]
    bne     2f
    srsdb   sp, #0x13
    cps     #0x13
    save_task
    mov     r4, r2
    mov     r2, #\kind
    b       arch_task_fault
2:  sub     sp, sp, #72
    stmia   sp, {{r0-r12}}
    mov     r1, #\kind
    b       arch_kernel_fault
    .endm

arch_task_fault:
    ldr     r3, [r0, #-{float_status}] // PC
    ldr     r0, [r4]
    ldr     r4, [r4, #{fault}]
    blx     r4
    b       arch_resume

    // In the exception's mode, r1 = kind, r0-r12 saved at SP, LR = the faulting instruction.
arch_kernel_fault:
    mov     r0, sp
    str     lr, [r0, #52]
    mrs     r3, spsr
    str     r3, [r0, #56]
    mrs     r4, cpsr
    cps     #0x13
    str     sp, [r0, #60]
    str     lr, [r0, #64]
    msr     cpsr_c, r4
    bic     sp, sp, #7
    b       {kernel_fault}

    .global _asm_undefined_handler
    .type   _asm_undefined_handler, %function
_asm_undefined_handler:
    str     r0, [sp, #-4]
    mrs     r0, spsr
    tst     r0, #0x20               // T32: the instruction began two bytes before
    ldr     r0, [sp, #-4]
    subeq   lr, lr, #4
    subne   lr, lr, #2
    fault_entry {undefined}

    .global _asm_prefetch_abort_handler
    .type   _asm_prefetch_abort_handler, %function
_asm_prefetch_abort_handler:
    sub     lr, lr, #4
    fault_entry {prefetch_abort}

    .global _asm_data_abort_handler
    .type   _asm_data_abort_handler, %function
_asm_data_abort_handler:
    sub     lr, lr, #8
    fault_entry {data_abort}

    .global _asm_hvc_handler
    .global _asm_fiq_handler
    .type   _asm_hvc_handler, %function
    .type   _asm_fiq_handler, %function
_asm_hvc_handler:
_asm_fiq_handler:
    sub     lr, lr, #4
    sub     sp, sp, #72
    stmia   sp, {{r0-r12}}
    mov     r1, #{unexpected}
    b       arch_kernel_fault
    .ltorg
    .popsection
    "#,
    upcalls = sym UPCALLS,
    interrupt = const offset_of!(Upcalls, interrupt),
    fault = const offset_of!(Upcalls, fault),
    registers = const REGISTERS,
    floats = const FLOATS,
    float_status = const offset_of!(Frame, float_status),
    kernel_stack = const offset_of!(Frame, kernel_stack),
    floats_from_registers = const FLOATS - REGISTERS,
    kernel_stack_from_registers = const offset_of!(Frame, kernel_stack) - REGISTERS,
    kernel_fault = sym kernel_fault,
    undefined = const FaultKind::Undefined as u32,
    prefetch_abort = const FaultKind::PrefetchAbort as u32,
    data_abort = const FaultKind::DataAbort as u32,
    unexpected = const FaultKind::Unexpected as u32,
);
