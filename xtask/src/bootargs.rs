//! What may be passed to the kernel at boot: what is too long would be cut somewhere on the way, without a word.

use anyhow::Result;

use crate::failure::Failure;

/// Bytes that the kernel's programs read of them (`MAX_BOOT_ARGUMENTS` in `kernel/abi`, which a test compares).
pub const KEPT: usize = 512;

/// Somebody on the way with less room than the others.
pub struct Limit {
    /// Bytes that it takes.
    pub most: usize,
    /// Who it is.
    pub whose: &'static str,
}

/// The limit of every kernel of ours.
pub const KERNEL: Limit = Limit { most: KEPT, whose: "the kernel keeps no more (MAX_BOOT_ARGUMENTS)" };

/// Whether they fit.
///
/// # Errors
///
/// [`Failure::Usage`] with the limit and whose it is.
pub fn check(bootargs: &str, limit: &Limit) -> Result<()> {
    let (length, Limit { most, whose }) = (bootargs.len(), limit);
    if length > *most {
        let text = format!("boot arguments of {length} bytes: expected at most {most}, {whose}");
        return Err(Failure::Usage(text).into());
    }
    // The kernel splits at spaces and understands ASCII; QEMU and the scripts of U-Boot take lines.
    match bootargs.chars().find(|character| *character != ' ' && !character.is_ascii_graphic()) {
        Some(character) => {
            Err(Failure::Usage(format!("{character:?} in boot arguments: expected printable ASCII")).into())
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_keeps_what_is_said_here() {
        let types = include_str!("../../kernel/abi/src/types.rs");
        assert!(types.contains(&format!("pub const MAX_BOOT_ARGUMENTS: usize = {KEPT};")));
    }

    #[test]
    fn what_fits_is_taken_and_no_byte_more() {
        assert!(check(&"x".repeat(KEPT), &KERNEL).is_ok());
        let error = check(&"x".repeat(KEPT + 1), &KERNEL).expect_err("one too many").to_string();
        assert_eq!(
            error,
            "boot arguments of 513 bytes: expected at most 512, the kernel keeps no more (MAX_BOOT_ARGUMENTS)"
        );
    }

    #[test]
    fn what_would_not_arrive_is_refused() {
        for bad in ["two\nlines", "tab\there", "µ"] {
            assert!(check(bad, &KERNEL).expect_err(bad).to_string().contains("ASCII"), "{bad}");
        }
    }
}
