//! Semihosting: what an emulator or a debugger does for its guest (Arm Semihosting for AArch32 and AArch64, 2022Q4).
//!
//! Calls are `SVC 0x123456` in A32 state. An emulator catches them before they become an exception; if nobody does, the
//! kernel's own SVC entry answers -1, which no call here takes for success.
#![expect(unsafe_code, reason = "semihosting calls")]

use core::arch::asm;

const SYS_GET_CMDLINE: u32 = 0x15;
const SYS_EXIT_EXTENDED: u32 = 0x20;
/// "The application ended by itself": the reason of an exit with a code.
const APPLICATION_EXIT: u32 = 0x20026;

/// The other side of semihosting, if there is one.
#[derive(Debug)]
pub struct Semihosting(());

impl Semihosting {
    /// Takes the right to call.
    ///
    /// # Safety
    ///
    /// An SVC from the kernel that nobody catches must return with -1 in r0 and all other registers but LR unchanged.
    #[must_use]
    pub const unsafe fn claim() -> Self {
        Self(())
    }

    /// Ends the emulator with this exit code. Returns if nobody answers. Only from the kernel.
    pub fn exit(&self, code: u32) {
        let mut block = [APPLICATION_EXIT, code];
        call(SYS_EXIT_EXTENDED, &mut block);
    }

    /// What the emulator's user wrote behind `-append`, in `buffer`. `None` if nobody answers, or if the text does not
    /// fit. The emulator puts the image's file name in front; that word is left out. Only from the kernel.
    pub fn command_line<'a>(&self, buffer: &'a mut [u8]) -> Option<&'a str> {
        let mut block = [buffer.as_mut_ptr().addr() as u32, buffer.len() as u32];
        if call(SYS_GET_CMDLINE, &mut block) != 0 {
            return None;
        }
        let text = core::str::from_utf8(buffer.get(..block[1] as usize)?).ok()?;
        Some(text.trim_end_matches('\0').split_once(' ').map_or("", |(_file, arguments)| arguments))
    }
}

fn call(operation: u32, block: &mut [u32; 2]) -> u32 {
    let result;
    // SAFETY: the block, and the buffer that it may name, live until the call returns; the rest is `claim`'s promise.
    unsafe {
        asm!(
            "svc #0x123456",
            inlateout("r0") operation => result,
            in("r1") block.as_mut_ptr(),
            lateout("lr") _,
            options(nostack),
        );
    }
    result
}
