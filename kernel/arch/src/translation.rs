//! Entries of the short-descriptor translation tables (ARM DDI 0406C B3.5), with TEX remap and access flag off.
//!
//! One identity map for all CPUs and tasks. Normal memory is write-back, write-allocate and shareable, because four to
//! eight cores share it; devices are shareable device memory and never executed. Domain 0 is a client everywhere, so
//! that the permission bits count.

/// Bytes in a small page.
pub(crate) const PAGE: u32 = 4096;
/// Bytes in a section, which is what one first-level entry covers.
pub(crate) const SECTION: u32 = 1 << 20;

const NEVER_EXECUTE_PAGE: u32 = 1 << 0;
const SMALL_PAGE: u32 = 1 << 1;
const BUFFERABLE: u32 = 1 << 2;
const CACHEABLE: u32 = 1 << 3;
const PAGE_TABLE: u32 = 1;
const SECTION_ENTRY: u32 = 1 << 1;
const NEVER_EXECUTE_SECTION: u32 = 1 << 4;
const SHAREABLE_PAGE: u32 = 1 << 10;
const SHAREABLE_SECTION: u32 = 1 << 16;

/// What memory may be used for, and by whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// The kernel executes and reads it.
    KernelText,
    /// The kernel reads it.
    KernelConstants,
    /// The kernel reads and writes it.
    KernelData,
    /// Everybody executes and reads it.
    UserText,
    /// Everybody reads it.
    UserConstants,
    /// Everybody reads and writes it.
    UserData,
}

impl Access {
    /// AP\[2:0\] (table B3-8).
    const fn permissions(self) -> u32 {
        match self {
            Self::KernelText | Self::KernelConstants => 0b101,
            Self::KernelData => 0b001,
            Self::UserText | Self::UserConstants => 0b111,
            Self::UserData => 0b011,
        }
    }

    const fn is_executable(self) -> bool {
        matches!(self, Self::KernelText | Self::UserText)
    }
}

/// The second-level entry of the page at `address`.
pub(crate) const fn page(address: u32, access: Access) -> u32 {
    let permissions = access.permissions();
    let execution = if access.is_executable() { 0 } else { NEVER_EXECUTE_PAGE };
    (address & !(PAGE - 1))
        | SMALL_PAGE
        | execution
        | BUFFERABLE
        | CACHEABLE
        | (permissions & 0b011) << 4
        | 0b001 << 6 // TEX 001 with C and B: write-back, write-allocate, inner and outer
        | (permissions >> 2) << 9
        | SHAREABLE_PAGE
}

/// The first-level entry that refers to the second-level table at `table`.
pub(crate) const fn page_table(table: u32) -> u32 {
    (table & !0x3ff) | PAGE_TABLE
}

/// The first-level entry of a section of device registers at `address`, for the kernel alone.
pub(crate) const fn device_section(address: u32) -> u32 {
    // TEX 000, C 0, B 1: shareable device
    (address & !(SECTION - 1))
        | SECTION_ENTRY
        | BUFFERABLE
        | NEVER_EXECUTE_SECTION
        | Access::KernelData.permissions() << 10
}

/// The first-level entry of a section of normal memory at `address` that the kernel only reads: boot parameters.
pub(crate) const fn parameter_section(address: u32) -> u32 {
    let permissions = Access::KernelConstants.permissions();
    (address & !(SECTION - 1))
        | SECTION_ENTRY
        | BUFFERABLE
        | CACHEABLE
        | NEVER_EXECUTE_SECTION
        | (permissions & 0b011) << 10
        | 0b001 << 12
        | (permissions >> 2) << 15
        | SHAREABLE_SECTION
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_say_who_may_do_what() {
        // Values composed by hand from figure B3-5: S at 10, AP[2] at 9, TEX at 6, AP[1:0] at 4, C, B, 1, XN.
        assert_eq!(page(0x8001_0000, Access::KernelText), 0x8001_065e);
        assert_eq!(page(0x8001_0000, Access::KernelConstants), 0x8001_065f);
        assert_eq!(page(0x8001_0000, Access::KernelData), 0x8001_045f);
        assert_eq!(page(0x8001_0000, Access::UserText), 0x8001_067e);
        assert_eq!(page(0x8001_0000, Access::UserConstants), 0x8001_067f);
        assert_eq!(page(0x8001_0000, Access::UserData), 0x8001_047f);
    }

    #[test]
    fn nothing_is_both_writable_and_executable() {
        use Access::{KernelConstants, KernelData, KernelText, UserConstants, UserData, UserText};
        for access in [KernelText, KernelConstants, KernelData, UserText, UserConstants, UserData] {
            let entry = page(0, access);
            let (writable, executable) = (entry & 1 << 9 == 0, entry & 1 == 0);
            assert!(!(writable && executable), "{access:?}");
        }
    }

    #[test]
    fn sections() {
        assert_eq!(device_section(0x1c09_0000), 0x1c00_0416);
        assert_eq!(parameter_section(0x4400_0000), 0x4401_941e);
        assert_eq!(page_table(0x8010_0400), 0x8010_0401);
    }
}
