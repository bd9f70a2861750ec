//! Where the linker put things: the bounds that the linker scripts define.
#![expect(unsafe_code, reason = "linker symbols")]

use core::ops::Range;

/// Stands for a linker symbol, of which only the address means anything.
#[repr(transparent)]
pub(super) struct Symbol(u8);

/// Declares pairs of linker symbols, each with a function that gives the range between them.
macro_rules! areas {
    ($($(#[$doc:meta])* $name:ident: $start:ident .. $end:ident;)+) => {
        // SAFETY: the linker scripts define all of these.
        unsafe extern "C" {
            $(safe static $start: Symbol; safe static $end: Symbol;)+
        }
        $(
            $(#[$doc])*
            #[inline(always)]
            pub(super) fn $name() -> Range<u32> {
                (&raw const $start).addr() as u32..(&raw const $end).addr() as u32
            }
        )+
    };
}

areas! {
    /// The whole image with everything that it uses.
    whole: __image_start..__image_end;
    /// The first instructions and the exception entries.
    entry_text: __entry_text_start..__entry_text_end;
    /// The kernel's code.
    kernel_text: __kernel_text_start..__kernel_text_end;
    /// Code that tasks may execute.
    user_text: __user_text_start..__user_text_end;
    /// The kernel's constants.
    kernel_rodata: __kernel_rodata_start..__kernel_rodata_end;
    /// Constants that tasks may read.
    user_rodata: __user_rodata_start..__user_rodata_end;
    /// The kernel's variables with initial values.
    kernel_data: __kernel_data_start..__kernel_data_end;
    /// The kernel's other variables.
    kernel_bss: __kernel_bss_start..__kernel_bss_end;
    /// The tasks' variables.
    user_data: __user_data_start..__user_data_end;
    /// SVC, ABT and UND stacks of all CPUs.
    cpu_stacks: __cpu_stacks_start..__cpu_stacks_end;
    /// The tasks' stacks.
    user_stacks: __user_stacks_start..__user_stacks_end;
}

// SAFETY: the linker scripts define it.
unsafe extern "C" {
    safe static _svc_stack_high_end: Symbol;
}

/// Bytes from one CPU's stack of a mode to the next, including the guard page; the linker scripts assert it.
pub(super) const CPU_STACK_STRIDE: u32 = 32 * 1024;

/// Where the SVC stack of `cpu` begins.
#[inline(always)]
pub(super) fn svc_stack_top(cpu: usize) -> u32 {
    (&raw const _svc_stack_high_end).addr() as u32 - cpu as u32 * CPU_STACK_STRIDE
}
