//! The ways into the kernel, seen from the kernel.

use core::fmt;

use crate::IrqsOff;
use crate::context::Resume;

pub use crate::machine::entry::{install, run};

/// What the mechanism gives to the exception entries.
///
/// Every method runs on the CPU's own SVC stack with interrupts masked, and what it returns is resumed; the stack is
/// then forgotten. When a method is called, all registers of the task that ran are in its [`Context`].
///
/// [`Context`]: crate::context::Context
pub trait Kernel: Sync + 'static {
    /// The first context of this CPU. May idle until there is one.
    fn start(&'static self, irqs: IrqsOff) -> Resume;
    /// The current task executed SVC: number and arguments are in its context.
    fn system_call(&'static self, irqs: IrqsOff) -> Resume;
    /// An interrupt is pending: acknowledge it at the GIC.
    fn interrupt(&'static self, irqs: IrqsOff) -> Resume;
    /// The current task did what it must not.
    fn fault(&'static self, irqs: IrqsOff, fault: Fault) -> Resume;
    /// The kernel itself faulted: report and stop. May be called again while it runs, if it faults as well.
    fn broken(&'static self, record: &KernelFault) -> !;
}

/// The kinds of synchronous exceptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum FaultKind {
    /// Undefined instruction, which includes most privileged instructions in USR mode.
    Undefined = 0,
    /// Instruction fetch from where nothing may be executed.
    PrefetchAbort = 1,
    /// Access to memory that is not there or not allowed, or is misaligned.
    DataAbort = 2,
    /// A vector that this kernel never takes: FIQ or hypervisor trap.
    Unexpected = 3,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Undefined => "undefined",
            Self::PrefetchAbort => "prefetch_abort",
            Self::DataAbort => "data_abort",
            Self::Unexpected => "unexpected",
        })
    }
}

/// One fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Which exception it was.
    pub kind: FaultKind,
    /// Address of the instruction.
    pub pc: u32,
    /// Address that was accessed or fetched (DFAR, IFAR); for the other kinds that of the instruction.
    pub address: u32,
    /// Fault status register (DFSR, IFSR; ARM DDI 0406C B4.1.52, B4.1.96); 0 for the other kinds.
    pub status: u32,
}

/// A fault of the kernel with everything that a reader can use.
#[derive(Clone, Copy, Debug)]
pub struct KernelFault {
    /// What happened, and where.
    pub fault: Fault,
    /// Dense number of the CPU.
    pub cpu: usize,
    /// CPSR before the exception.
    pub cpsr: u32,
    /// r0-r12.
    pub registers: [u32; 13],
    /// SVC stack pointer.
    pub sp: u32,
    /// SVC link register.
    pub lr: u32,
}
