//! What a task is made of as far as the processor knows.
#![expect(unsafe_code, reason = "the fields are written by the exception entry, behind Rust's back")]

use core::cell::UnsafeCell;
use core::ptr::NonNull;

/// CPSR of a fresh task: USR mode, A32, IRQs on, FIQs masked for ever (ARM DDI 0406C B1.3.3).
const USER_STATUS: u32 = 0x10 | FIQ_MASKED;
const FIQ_MASKED: u32 = 1 << 6;
const THUMB: u32 = 1 << 5;
const SP: usize = 13;
const LR: usize = 14;

/// The registers of a task while it does not run, and the address of the kernel stack while it does.
///
/// The order of the fields is a contract with the exception entry, which addresses `registers`: SRSDB puts PC and CPSR
/// just below it, STMIA puts r0-r14 at it, and the rest follows.
///
/// A context lives in a static task block. While its task runs, the entry code of that CPU may write to it at any
/// time; the kernel never looks at a context whose task runs on another CPU.
#[derive(Debug)]
#[repr(C, align(8))]
pub struct Context(UnsafeCell<Frame>);

/// The layout that the exception entry knows.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub(crate) struct Frame {
    pub(crate) program_counter: u32,
    pub(crate) status: u32,
    pub(crate) registers: [u32; 15],
    /// Top of the SVC stack of the CPU that runs the task; written at each resumption.
    pub(crate) kernel_stack: u32,
    pub(crate) floats: [u64; 32],
    pub(crate) float_status: u32,
}

impl Frame {
    /// All zero, so that a pool of task blocks costs no byte of the image.
    pub(crate) const EMPTY: Self =
        Self { program_counter: 0, status: 0, registers: [0; 15], kernel_stack: 0, floats: [0; 32], float_status: 0 };
}

// SAFETY: a context is plain registers; which CPU may touch it is the owner's business (see the type's description).
unsafe impl Sync for Context {}

impl Default for Context {
    fn default() -> Self {
        Self::new()
    }
}

impl Context {
    /// An empty context, to be prepared before it is resumed.
    #[must_use]
    pub const fn new() -> Self {
        Self(UnsafeCell::new(Frame::EMPTY))
    }

    /// Makes this the context of a fresh task that begins at `entry` (bit 0 set: in T32 code) on the stack that ends at
    /// `stack_top`, with `arguments` in r0-r2. Everything else is zero: no word of the kernel or of an earlier task
    /// leaks into a new one.
    pub fn prepare(&mut self, entry: u32, stack_top: u32, arguments: [u32; 3]) {
        let frame = self.0.get_mut();
        crate::machine::frame::clear(frame);
        frame.program_counter = entry & !1;
        frame.status = if entry & 1 == 0 { USER_STATUS } else { USER_STATUS | THUMB };
        frame.registers[..arguments.len()].copy_from_slice(&arguments);
        frame.registers[SP] = stack_top;
    }

    /// The system-call number: r12.
    #[inline]
    #[must_use]
    pub fn number(&self) -> u32 {
        self.frame().registers[12]
    }

    /// Argument `index` of a system call: r0-r3.
    ///
    /// # Panics
    ///
    /// If `index` is above 3.
    #[inline]
    #[must_use]
    pub fn argument(&self, index: usize) -> u32 {
        assert!(index <= 3, "a system call has four arguments");
        self.frame().registers[index]
    }

    /// Sets r0, the first word of a system call's result.
    #[inline]
    pub fn set_result(&mut self, value: u32) {
        self.0.get_mut().registers[0] = value;
    }

    /// Sets r0 and r1.
    #[inline]
    pub fn set_result_pair(&mut self, low: u32, high: u32) {
        let registers = &mut self.0.get_mut().registers;
        registers[0] = low;
        registers[1] = high;
    }

    /// Register r0-r14.
    ///
    /// # Panics
    ///
    /// If `index` is above 14.
    #[must_use]
    pub fn register(&self, index: usize) -> u32 {
        self.frame().registers[index]
    }

    /// Sets register r0-r14, as the task would have before it enters the kernel.
    ///
    /// # Panics
    ///
    /// If `index` is above 14.
    #[cfg(not(target_os = "none"))]
    pub fn set_register(&mut self, index: usize, value: u32) {
        self.0.get_mut().registers[index] = value;
    }

    /// Where the task goes on.
    #[must_use]
    pub fn program_counter(&self) -> u32 {
        self.frame().program_counter
    }

    /// The task's r14.
    #[must_use]
    pub fn link_register(&self) -> u32 {
        self.frame().registers[LR]
    }

    /// The task's CPSR.
    #[must_use]
    pub fn status(&self) -> u32 {
        self.frame().status
    }

    /// The order to go on with this context, for the kernel's entry to return. The context must stay where it is until
    /// the kernel is entered again: task blocks are statics.
    #[inline]
    #[must_use = "a context goes on only when the kernel's entry returns it"]
    pub fn resume(&self) -> Resume {
        Resume(NonNull::from(self))
    }

    #[inline]
    fn frame(&self) -> &Frame {
        // SAFETY: the entry code writes only while the task runs, and then the kernel does not look (see the type).
        unsafe { &*self.0.get() }
    }
}

/// The context that the CPU goes on with when the kernel's entry returns.
#[derive(Debug)]
#[repr(transparent)]
pub struct Resume(NonNull<Context>);

impl Resume {
    /// Whether this is the order to resume `context`.
    #[must_use]
    pub fn is(&self, context: &Context) -> bool {
        core::ptr::eq(self.0.as_ptr(), context)
    }

    /// What the exit code restores.
    #[cfg(target_os = "none")]
    #[inline(always)]
    pub(crate) fn into_raw(self) -> *const Context {
        self.0.as_ptr()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_task_gets_its_arguments_and_nothing_else() {
        let mut context = Context::new();
        context.set_result_pair(!0, !0);
        context.prepare(0x8000_1234, 0x8010_0000, [1, 2, 3]);
        assert_eq!([0, 1, 2].map(|index| context.argument(index)), [1, 2, 3]);
        assert!((3..13).all(|index| context.register(index) == 0));
        assert_eq!(context.register(SP), 0x8010_0000);
        assert_eq!(context.program_counter(), 0x8000_1234);
        assert_eq!(context.status(), 0x50, "USR mode, IRQs on, FIQs masked");
    }

    #[test]
    fn bit_0_of_the_entry_selects_t32() {
        let mut context = Context::new();
        context.prepare(0x8000_1235, 0, [0; 3]);
        assert_eq!(context.program_counter(), 0x8000_1234);
        assert_eq!(context.status(), 0x70);
    }

    #[test]
    fn results_go_to_the_first_registers() {
        let mut context = Context::new();
        context.set_result_pair(5, 6);
        context.set_result(7);
        assert_eq!((context.register(0), context.register(1)), (7, 6));
        assert_eq!(context.number(), 0);
    }

    #[test]
    fn resume_names_its_context() {
        let (one, other) = (Context::new(), Context::new());
        assert!(one.resume().is(&one) && !one.resume().is(&other));
    }
}
