//! Death, designed first: one CPU dies loudly, the others stop, a record survives.
//!
//! The first CPU that panics wins; the others are stopped by an IPI, or park when they panic too. The record is written
//! to memory that a warm reset leaves alone and to the console without any lock, since the lock may be held by the
//! dying. The next boot prints the record before anything else.

use core::fmt::{self, Write};
use core::sync::atomic::{AtomicBool, Ordering};

use arch::entry::KernelFault;

use crate::board::Ending;
use crate::kernel::Kernel;

/// The exit code of a system that panicked: that of a Rust program.
pub const PANIC_CODE: u32 = 101;

/// Set by the first CPU that dies.
static DYING: AtomicBool = AtomicBool::new(false);

/// The record: text, cut to its room.
struct Record {
    text: [u8; Record::ROOM],
    length: usize,
}

impl Record {
    const ROOM: usize = 512;

    fn of(what: fmt::Arguments<'_>) -> Record {
        let mut record = Record { text: [0; Record::ROOM], length: 0 };
        // A record never refuses text: it cuts.
        let _ = record.write_fmt(what);
        record
    }

    fn as_str(&self) -> &str {
        core::str::from_utf8(&self.text[..self.length]).unwrap_or("(record is not UTF-8)")
    }
}

impl Write for Record {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let taken = text.floor_char_boundary(Record::ROOM - self.length);
        self.text[self.length..self.length + taken].copy_from_slice(&text.as_bytes()[..taken]);
        self.length += taken;
        Ok(())
    }
}

impl Kernel {
    /// Ends the system because of a broken promise. Callable in any state, on any stack.
    pub(crate) fn die(&self, what: fmt::Arguments<'_>) -> ! {
        let irqs = arch::cpu::mask_interrupts();
        if DYING.swap(true, Ordering::AcqRel) {
            // Somebody dies already; or this CPU does, and printing made it worse.
            arch::cpu::halt();
        }
        arch::ipi::stop_others(irqs);
        let record = Record::of(format_args!("PANIC cpu={} {what}", irqs.cpu()));
        arch::survivor::store(record.as_str().as_bytes());
        let Some(board) = self.board.get() else {
            arch::cpu::halt();
        };
        self.output.write_unlocked(board.console(), format_args!("\n{}\n", record.as_str()));
        board.end(Ending::Halt(PANIC_CODE))
    }

    /// The kernel itself faulted.
    pub(crate) fn die_of_fault(&self, broken: &KernelFault) -> ! {
        let KernelFault { fault, sp, lr, cpsr, registers, .. } = broken;
        self.die(format_args!(
            "at={:#010x} message=\"{} in the kernel\" addr={:#010x} status={:#x} lr={lr:#010x} sp={sp:#010x} cpsr={cpsr:#x} registers={registers:x?}",
            fault.pc, fault.kind, fault.address, fault.status
        ))
    }
}

/// Prints the record of the previous system's death, if there is one.
pub(crate) fn report_previous(kernel: &Kernel) {
    let mut text = [0; Record::ROOM];
    if let Some(length) = arch::survivor::take(&mut text) {
        let record = core::str::from_utf8(&text[..length.min(Record::ROOM)]).unwrap_or("(not UTF-8)");
        kernel.print(format_args!("previous boot ended with: {record}"));
    }
}

/// What panics call. It may run in a task, whose text this is part of as well (see the linker script): then only the
/// task dies.
#[cfg(target_os = "none")]
#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    if arch::cpu::is_user() {
        abi::task::panicked_with(info)
    }
    match info.location() {
        Some(at) => {
            crate::boot::KERNEL.die(format_args!("at={}:{} message=\"{}\"", at.file(), at.line(), info.message()))
        }
        None => crate::boot::KERNEL.die(format_args!("at=? message=\"{}\"", info.message())),
    }
}
