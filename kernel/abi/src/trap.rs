//! The one instruction by which a task enters the kernel, and its twin for the host, where there is no kernel.
#![cfg_attr(target_os = "none", expect(unsafe_code, reason = "the system-call instruction"))]

use crate::Call;

/// Makes a system call. Returns `r0` and `r1`.
#[cfg(target_os = "none")]
#[inline(always)]
pub(crate) fn trap(call: Call, r0: u32, r1: u32, r2: u32, r3: u32) -> (u32, u32) {
    let (mut first, mut second) = (r0, r1);
    // SAFETY: the kernel preserves every register but r0 and r1, checks every argument, and touches only memory that
    // the caller handed over with the call (hence no `nomem`).
    unsafe {
        core::arch::asm!(
            "svc #0",
            in("r12") call as u32,
            inlateout("r0") first,
            inlateout("r1") second,
            in("r2") r2,
            in("r3") r3,
            options(nostack),
        );
    }
    (first, second)
}

/// The host has no kernel to call: everything is unsupported.
#[cfg(not(target_os = "none"))]
pub(crate) fn trap(_call: Call, _r0: u32, _r1: u32, _r2: u32, _r3: u32) -> (u32, u32) {
    (crate::Error::Unsupported.code(), 0)
}

/// An address as the kernel takes it. Tasks live in the low 4 GiB; on the host the value is meaningless and unused.
#[inline]
pub(crate) fn address<T: ?Sized>(of: *const T) -> u32 {
    of.cast::<u8>().addr() as u32
}
