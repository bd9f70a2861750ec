//! Calls into the secure monitor.
#![expect(unsafe_code, reason = "calls into firmware")]

use core::arch::asm;

/// Calls the monitor with r0-r3 and returns what it leaves there.
///
/// # Safety
///
/// There is a monitor, and it answers this call without changing anything that Rust relies on: memory of the image,
/// r4-r11 and the stack pointer (as ARM DEN 0028 2.6 has it, and older monitors keep it).
pub unsafe fn call(registers: [u32; 4]) -> [u32; 4] {
    let [mut r0, mut r1, mut r2, mut r3] = registers;
    // SAFETY: the caller's promise.
    unsafe {
        asm!(
            ".arch_extension sec", "smc #0",
            inlateout("r0") r0, inlateout("r1") r1, inlateout("r2") r2, inlateout("r3") r3,
            lateout("r12") _, lateout("lr") _, options(nostack),
        );
    }
    [r0, r1, r2, r3]
}
