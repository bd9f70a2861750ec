//! What a task may do with memory: each forbidden access kills it, and only it.

use core::sync::atomic::{AtomicU32, Ordering};

use abi::types::FaultKind;

use crate::faults::dies_of;
use crate::harness::{Detail, Verdict};
use crate::probe;

/// `bx lr`: what a function that does nothing consists of.
const RETURN: u32 = 0xE12F_FF1E;

static CONSTANT: [u32; 4] = [RETURN; 4];
static DATA: [AtomicU32; 4] = [const { AtomicU32::new(RETURN) }; 4];

/// Text is not to be written.
pub fn write_text() -> Verdict {
    dies_of(FaultKind::DataAbort, probe::store, probe::load as fn(usize) as usize)?;
    Ok(Detail::Plain)
}

/// Neither are constants.
pub fn write_constant() -> Verdict {
    dies_of(FaultKind::DataAbort, probe::store, CONSTANT.as_ptr().expose_provenance())?;
    Ok(Detail::Plain)
}

/// Data is not to be executed.
pub fn execute_data() -> Verdict {
    DATA[0].store(RETURN, Ordering::Relaxed);
    dies_of(FaultKind::PrefetchAbort, probe::execute, DATA.as_ptr().expose_provenance())?;
    Ok(Detail::Plain)
}

/// Neither is the stack.
pub fn execute_stack() -> Verdict {
    fn execute_own_stack(_: usize) {
        let code = core::hint::black_box([RETURN; 4]);
        probe::execute(code.as_ptr().expose_provenance());
    }
    dies_of(FaultKind::PrefetchAbort, execute_own_stack, 0)?;
    Ok(Detail::Plain)
}

/// Nothing is at address 0, and nothing at the other end.
pub fn null() -> Verdict {
    for address in [0, 0xFFFF_FFFC] {
        dies_of(FaultKind::DataAbort, probe::load, address)?;
        dies_of(FaultKind::DataAbort, probe::store, address)?;
    }
    dies_of(FaultKind::PrefetchAbort, probe::execute, 0)?;
    Ok(Detail::Plain)
}

/// The kernel's text is the kernel's: not to be read, written or executed.
pub fn kernel_text() -> Verdict {
    let address = probe::kernel_text();
    dies_of(FaultKind::DataAbort, probe::load, address)?;
    dies_of(FaultKind::DataAbort, probe::store, address)?;
    dies_of(FaultKind::PrefetchAbort, probe::execute, address)?;
    Ok(Detail::Plain)
}

/// So is its data.
pub fn kernel_data() -> Verdict {
    let address = probe::kernel_data();
    dies_of(FaultKind::DataAbort, probe::load, address)?;
    dies_of(FaultKind::DataAbort, probe::store, address)?;
    dies_of(FaultKind::PrefetchAbort, probe::execute, address)?;
    Ok(Detail::Plain)
}

/// A stack that overflows runs into its guard page.
pub fn stack_overflow() -> Verdict {
    #[expect(unconditional_recursion, reason = "the stack shall overflow")]
    fn descend(depth: usize) {
        let frame = core::hint::black_box([depth; 64]);
        descend(frame[0] + 1);
        core::hint::black_box(frame);
    }
    dies_of(FaultKind::DataAbort, descend, 0)?;
    Ok(Detail::Plain)
}
