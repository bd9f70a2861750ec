//! Which addresses a task may touch.
//!
//! A system call gets addresses from a task; before the kernel touches one, it asks here. The rules are those of the
//! page tables for USR mode, so that the kernel never reads or writes for a task what the task could not itself.

use core::ops::Range;

/// User stacks, one for each possible task.
pub const STACK_SLOTS: usize = 512;
/// Distance of two stacks, in bytes.
pub(crate) const STACK_STRIDE: u32 = 16 * 1024;
/// The unmapped page at the low end of each stack.
pub(crate) const GUARD: u32 = 4096;

/// Usable bytes of a user stack.
pub const STACK_SIZE: usize = (STACK_STRIDE - GUARD) as usize;

/// The address is not one that the task may use in this way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadAddress;

/// The parts of the image that USR mode can see. Bounds are page addresses.
#[derive(Clone, Debug)]
pub(crate) struct UserLayout {
    /// Code that tasks execute.
    pub(crate) text: Range<u32>,
    /// Constants that tasks read.
    pub(crate) rodata: Range<u32>,
    /// Variables of all tasks.
    pub(crate) data: Range<u32>,
    /// Lowest address of the stack area.
    pub(crate) stacks: u32,
}

impl UserLayout {
    /// Checks that a task may read `length` bytes at `address`. No bytes may be read anywhere: an empty slice has an
    /// address, but no memory.
    #[inline]
    pub(crate) fn check_read(&self, address: u32, length: usize) -> Result<(), BadAddress> {
        let allowed = length == 0
            || self.is_writable(address, length)
            || contains(&self.rodata, address, length)
            || contains(&self.text, address, length);
        if allowed { Ok(()) } else { Err(BadAddress) }
    }

    /// Checks that a task may write `length` bytes at `address`; no bytes, anywhere.
    #[inline]
    pub(crate) fn check_write(&self, address: u32, length: usize) -> Result<(), BadAddress> {
        if length == 0 || self.is_writable(address, length) { Ok(()) } else { Err(BadAddress) }
    }

    /// Checks that a task may read, or write, the word at `address`.
    #[inline]
    pub(crate) fn check_word(&self, address: u32) -> Result<(), BadAddress> {
        if address.is_multiple_of(4) { self.check_write(address, 4) } else { Err(BadAddress) }
    }

    /// Whether a task may begin at `address`: a word of A32 code, or a halfword of T32 code marked by bit 0.
    pub(crate) fn is_code(&self, address: u32) -> bool {
        match address & 3 {
            0 => contains(&self.text, address, 4),
            2 => false,
            _ => contains(&self.text, address & !1, 2),
        }
    }

    /// The usable part of stack `slot`.
    ///
    /// # Panics
    ///
    /// If there is no such slot.
    pub(crate) fn stack(&self, slot: usize) -> Range<u32> {
        assert!(slot < STACK_SLOTS, "there are {STACK_SLOTS} user stacks");
        let base = self.stacks + slot as u32 * STACK_STRIDE;
        base + GUARD..base + STACK_STRIDE
    }

    #[inline]
    fn is_writable(&self, address: u32, length: usize) -> bool {
        length == 0 || contains(&self.data, address, length) || self.is_in_one_stack(address, length)
    }

    /// A buffer on a stack ends where the stack ends: the next bytes are another task's guard page.
    #[inline]
    fn is_in_one_stack(&self, address: u32, length: usize) -> bool {
        let offset = address.wrapping_sub(self.stacks);
        let within = offset % STACK_STRIDE;
        offset < STACK_SLOTS as u32 * STACK_STRIDE && within >= GUARD && length <= (STACK_STRIDE - within) as usize
    }
}

/// Whether `length` bytes at `address` lie within `range`, without any sum that could wrap.
#[inline]
fn contains(range: &Range<u32>, address: u32, length: usize) -> bool {
    range.contains(&address) && length <= (range.end - address) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LAYOUT: UserLayout = UserLayout {
        text: 0x8002_0000..0x8003_0000,
        rodata: 0x8004_0000..0x8004_1000,
        data: 0x8005_0000..0x8005_2000,
        stacks: 0x8020_0000,
    };

    #[test]
    fn text_and_constants_are_for_reading_only() {
        for address in [0x8002_0000, 0x8004_0ffc] {
            assert_eq!(LAYOUT.check_read(address, 4), Ok(()));
            assert_eq!(LAYOUT.check_write(address, 4), Err(BadAddress));
        }
    }

    #[test]
    fn a_buffer_must_end_where_its_area_ends() {
        assert_eq!(LAYOUT.check_write(0x8005_0000, 0x2000), Ok(()));
        assert_eq!(LAYOUT.check_write(0x8005_0000, 0x2001), Err(BadAddress));
        assert_eq!(LAYOUT.check_read(0x8005_1fff, usize::MAX), Err(BadAddress));
        assert_eq!(LAYOUT.check_read(0xffff_ffff, 2), Err(BadAddress));
    }

    #[test]
    fn no_bytes_are_everywhere() {
        assert_eq!(LAYOUT.check_read(1, 0), Ok(()));
        assert_eq!(LAYOUT.check_write(0, 0), Ok(()));
    }

    #[test]
    fn guard_pages_belong_to_nobody() {
        let Range { start, end } = LAYOUT.stack(5);
        assert_eq!(end - start, 12 * 1024);
        assert_eq!(LAYOUT.check_write(start, 12 * 1024), Ok(()));
        assert_eq!(LAYOUT.check_write(start - 1, 1), Err(BadAddress));
        assert_eq!(LAYOUT.check_write(end - 1, 2), Err(BadAddress));
        assert_eq!(LAYOUT.check_write(end, 1), Err(BadAddress), "the next stack's guard");
        assert_eq!(LAYOUT.check_write(LAYOUT.stack(STACK_SLOTS - 1).end, 1), Err(BadAddress));
    }

    #[test]
    fn words_are_aligned() {
        assert_eq!(LAYOUT.check_word(0x8005_0004), Ok(()));
        assert_eq!(LAYOUT.check_word(0x8005_0006), Err(BadAddress));
        assert_eq!(LAYOUT.check_word(0x8004_0000), Err(BadAddress), "constants are no place to wait on");
    }

    #[test]
    fn code_is_text_in_both_instruction_sets() {
        assert!(LAYOUT.is_code(0x8002_0000) && LAYOUT.is_code(0x8002_0101));
        assert!(!LAYOUT.is_code(0x8003_0000) && !LAYOUT.is_code(0x8005_0000) && !LAYOUT.is_code(0));
    }

    proptest! {
        #[test]
        fn what_is_allowed_is_mapped_at_both_ends(address: u32, length in 1usize..0x4000) {
            if LAYOUT.check_write(address, length).is_ok() {
                let last = address.checked_add(length as u32 - 1).expect("allowed buffers do not wrap");
                prop_assert_eq!(LAYOUT.check_write(last, 1), Ok(()));
            }
        }

        #[test]
        fn stack_buffers_are_judged_like_their_bytes(offset in 0u32..0x10_000, length in 1usize..0x5000) {
            let address = 0x8020_0000 + offset;
            let each = (0..length as u32).all(|byte| LAYOUT.check_write(address + byte, 1).is_ok());
            prop_assert_eq!(LAYOUT.check_write(address, length).is_ok(), each);
        }
    }
}
