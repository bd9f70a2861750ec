//! The kernel behind the exception entries.
#![expect(unsafe_code, reason = "called by the exception entries; changes stacks")]

use core::arch::asm;
use core::cell::UnsafeCell;
use core::ptr;

use aarch32_cpu::register::{SysRegRead, dfar::Dfar, dfsr::Dfsr, ifar::Ifar, ifsr::Ifsr};

use super::{cpu, image};
use crate::IrqsOff;
use crate::context::Context;
use crate::entry::{Fault, FaultKind, Kernel, KernelFault};

/// The kernel and its methods, with their types erased; the exception entries load pairs of words from here.
#[repr(C)]
pub(super) struct Upcalls {
    pub(super) kernel: *const (),
    pub(super) system_call: extern "C" fn(*const (), usize) -> *const Context,
    pub(super) interrupt: extern "C" fn(*const (), usize) -> *const Context,
    pub(super) fault: extern "C" fn(*const (), usize, FaultKind, u32) -> *const Context,
    start: extern "C" fn(*const (), usize) -> *const Context,
    broken: fn(*const (), &KernelFault) -> !,
}

#[repr(transparent)]
pub(super) struct Installed(UnsafeCell<Upcalls>);

// SAFETY: written once by the boot CPU, before others run and before there are tasks; read-only after that.
unsafe impl Sync for Installed {}

/// Until a kernel is installed, everything that happens stops the CPU.
pub(super) static UPCALLS: Installed = Installed(UnsafeCell::new(Upcalls {
    kernel: ptr::null(),
    system_call: nobody,
    interrupt: nobody,
    fault: nobody_faults,
    start: nobody,
    broken: nobody_breaks,
}));

extern "C" fn nobody(_kernel: *const (), _cpu: usize) -> *const Context {
    cpu::halt()
}

extern "C" fn nobody_faults(_kernel: *const (), _cpu: usize, _kind: FaultKind, _pc: u32) -> *const Context {
    cpu::halt()
}

fn nobody_breaks(_kernel: *const (), _record: &KernelFault) -> ! {
    cpu::halt()
}

/// Puts `kernel` behind the exception entries. Once, on the boot CPU, before other CPUs are started.
///
/// The methods are compiled into the functions that the entries call: an up-call costs one load and one branch.
pub fn install<K: Kernel>(kernel: &'static K) {
    let upcalls = Upcalls {
        kernel: ptr::from_ref(kernel).cast(),
        system_call: system_call::<K>,
        interrupt: interrupt::<K>,
        fault: fault::<K>,
        start: start::<K>,
        broken: broken::<K>,
    };
    // SAFETY: the boot CPU is alone, and there is no task whose exception could read this now.
    unsafe { UPCALLS.0.get().write(upcalls) };
}

/// # Safety
///
/// `kernel` was installed as a `&'static K`.
#[inline(always)]
unsafe fn installed<K: Kernel>(kernel: *const ()) -> &'static K {
    // SAFETY: the caller's promise.
    unsafe { &*kernel.cast::<K>() }
}

extern "C" fn start<K: Kernel>(kernel: *const (), cpu: usize) -> *const Context {
    // SAFETY: the pointer comes from `install::<K>`.
    unsafe { installed::<K>(kernel) }.start(IrqsOff::new(cpu)).into_raw()
}

extern "C" fn system_call<K: Kernel>(kernel: *const (), cpu: usize) -> *const Context {
    // SAFETY: the pointer comes from `install::<K>`.
    unsafe { installed::<K>(kernel) }.system_call(IrqsOff::new(cpu)).into_raw()
}

extern "C" fn interrupt<K: Kernel>(kernel: *const (), cpu: usize) -> *const Context {
    // SAFETY: the pointer comes from `install::<K>`.
    unsafe { installed::<K>(kernel) }.interrupt(IrqsOff::new(cpu)).into_raw()
}

extern "C" fn fault<K: Kernel>(kernel: *const (), cpu: usize, kind: FaultKind, pc: u32) -> *const Context {
    // SAFETY: the pointer comes from `install::<K>`.
    unsafe { installed::<K>(kernel) }.fault(IrqsOff::new(cpu), describe(kind, pc)).into_raw()
}

fn broken<K: Kernel>(kernel: *const (), record: &KernelFault) -> ! {
    // SAFETY: the pointer comes from `install::<K>`.
    unsafe { installed::<K>(kernel) }.broken(record)
}

/// Completes a fault with what the fault registers of the executing CPU say.
fn describe(kind: FaultKind, pc: u32) -> Fault {
    let (address, status) = match kind {
        FaultKind::PrefetchAbort => (Ifar::read_raw(), Ifsr::read_raw()),
        FaultKind::DataAbort => (Dfar::read_raw(), Dfsr::read_raw()),
        FaultKind::Undefined | FaultKind::Unexpected => (pc, 0),
    };
    Fault { kind, pc, address, status }
}

/// What the exception entry finds when the kernel itself faults.
#[repr(C)]
pub(super) struct Wreck {
    registers: [u32; 13],
    pc: u32,
    cpsr: u32,
    sp: u32,
    lr: u32,
}

/// The kernel faulted. Runs on the stack of the exception's mode.
pub(super) extern "C" fn kernel_fault(wreck: &Wreck, kind: FaultKind) -> ! {
    let record = KernelFault {
        fault: describe(kind, wreck.pc),
        cpu: cpu::current(),
        cpsr: wreck.cpsr,
        registers: wreck.registers,
        sp: wreck.sp,
        lr: wreck.lr,
    };
    // SAFETY: nobody writes the table after `install`.
    let upcalls = unsafe { &*UPCALLS.0.get() };
    (upcalls.broken)(upcalls.kernel, &record)
}

/// Ends the start-up of the executing CPU: what the kernel's `start` returns is resumed. Abandons the caller's stack
/// frames, so that the kernel begins at the top of this CPU's SVC stack each time.
pub fn run(irqs: IrqsOff) -> ! {
    // SAFETY: nobody writes the table after `install`.
    let upcalls = unsafe { &*UPCALLS.0.get() };
    // SAFETY: this function does not return, so the frames that are given up are never looked at again; the stack is
    // this CPU's own.
    unsafe {
        asm!(
            "mov sp, {top}",
            "blx {start}",
            "b   arch_resume",
            top = in(reg) image::svc_stack_top(irqs.cpu()),
            start = in(reg) upcalls.start,
            in("r0") upcalls.kernel,
            in("r1") irqs.cpu(),
            options(noreturn),
        )
    }
}
