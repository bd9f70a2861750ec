//! Power State Coordination Interface 0.2, 32-bit calls (ARM DEN 0022D 5.1).
#![expect(unsafe_code, reason = "calls into firmware")]

use core::arch::asm;

use super::smc;

pub use crate::common::{Conduit, PsciError};

const CPU_ON: u32 = 0x8400_0003;
const SYSTEM_OFF: u32 = 0x8400_0008;
const SYSTEM_RESET: u32 = 0x8400_0009;

/// Starts the core with this `mpidr` at `entry`, with its MMU and caches off.
///
/// # Errors
///
/// What the firmware says.
pub fn cpu_on(conduit: Conduit, mpidr: u32, entry: u32) -> Result<(), PsciError> {
    // SAFETY: the firmware starts another core at our start-up code and changes nothing of ours.
    PsciError::check(unsafe { call(conduit, CPU_ON, mpidr, entry) } as i32)
}

/// Switches the machine off; returns if the firmware cannot.
pub fn system_off(conduit: Conduit) {
    // SAFETY: takes no arguments; either the machine is off, or nothing has happened.
    unsafe { call(conduit, SYSTEM_OFF, 0, 0) };
}

/// Restarts the machine; returns if the firmware cannot.
pub fn system_reset(conduit: Conduit) {
    // SAFETY: as for `system_off`.
    unsafe { call(conduit, SYSTEM_RESET, 0, 0) };
}

/// # Safety
///
/// The arguments must make a call that leaves this CPU's state alone, as the calling convention promises
/// (ARM DEN 0028 2.6: r4-r11 and the stack pointer are preserved).
unsafe fn call(conduit: Conduit, function: u32, first: u32, second: u32) -> u32 {
    let answer;
    match conduit {
        // SAFETY: the caller's promise.
        Conduit::Hvc => unsafe {
            asm!(
                ".arch_extension virt", "hvc #0",
                inlateout("r0") function => answer, inlateout("r1") first => _, inlateout("r2") second => _,
                inlateout("r3") 0 => _, lateout("r12") _, options(nostack),
            );
        },
        // SAFETY: the caller's promise.
        Conduit::Smc => [answer, ..] = unsafe { smc::call([function, first, second, 0]) },
    }
    answer
}
