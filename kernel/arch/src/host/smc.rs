//! Calls into the secure monitor; the host has none.
#![expect(unsafe_code, reason = "has the signature of the target's")]

/// Answers -1 in r0, as a monitor that does not know the call.
///
/// # Safety
///
/// None here; the target has conditions.
#[must_use]
pub const unsafe fn call(registers: [u32; 4]) -> [u32; 4] {
    let [_, r1, r2, r3] = registers;
    [!0, r1, r2, r3]
}
