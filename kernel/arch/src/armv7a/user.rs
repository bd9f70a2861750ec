//! The tasks' memory, as the kernel may touch it on their behalf.
//!
//! All tasks share one identity map, so an address means the same to the kernel; what has to be found out is whether
//! the task could have made the access itself.
#![expect(unsafe_code, reason = "accesses memory by addresses that came from tasks")]

use core::ops::Range;
use core::ptr;
use core::sync::atomic::{AtomicU32, Ordering};

use super::image;
use crate::BadAddress;
use crate::layout::UserLayout;

pub use crate::layout::{STACK_SIZE, STACK_SLOTS};

#[inline(always)]
fn layout() -> UserLayout {
    UserLayout {
        text: image::user_text(),
        rodata: image::user_rodata(),
        data: image::user_data(),
        stacks: image::user_stacks().start,
    }
}

/// Copies from a task.
///
/// # Errors
///
/// If the task could not read all of it itself.
#[inline]
pub fn read(address: u32, into: &mut [u8]) -> Result<(), BadAddress> {
    layout().check_read(address, into.len())?;
    // SAFETY: mapped and readable; `into` is the kernel's, so they do not overlap. Another task may write meanwhile:
    // then the copy is as torn as the task asked for, and bytes have no invalid values.
    unsafe { ptr::copy_nonoverlapping(address as *const u8, into.as_mut_ptr(), into.len()) };
    Ok(())
}

/// Copies to a task.
///
/// # Errors
///
/// If the task could not write all of it itself.
#[inline]
pub fn write(address: u32, from: &[u8]) -> Result<(), BadAddress> {
    layout().check_write(address, from.len())?;
    // SAFETY: mapped, writable and no memory of the kernel's: Rust knows no reference to it.
    unsafe { ptr::copy_nonoverlapping(from.as_ptr(), address as *mut u8, from.len()) };
    Ok(())
}

/// Reads an aligned word that a task can write.
///
/// # Errors
///
/// If the task could not write it itself.
#[inline]
pub fn load_word(address: u32) -> Result<u32, BadAddress> {
    Ok(word(address)?.load(Ordering::Acquire))
}

/// Writes an aligned word of a task.
///
/// # Errors
///
/// If the task could not write it itself.
#[inline]
pub fn store_word(address: u32, value: u32) -> Result<(), BadAddress> {
    word(address)?.store(value, Ordering::Release);
    Ok(())
}

#[inline]
fn word(address: u32) -> Result<&'static AtomicU32, BadAddress> {
    layout().check_word(address)?;
    // SAFETY: mapped for ever, writable, aligned, and no memory of the kernel's.
    Ok(unsafe { AtomicU32::from_ptr(address as *mut u32) })
}

/// Whether a task may begin at `address`.
#[must_use]
pub fn is_code(address: u32) -> bool {
    layout().is_code(address)
}

/// End of user stack `slot`: where its stack pointer starts.
///
/// # Panics
///
/// If `slot` is not below [`STACK_SLOTS`].
#[must_use]
pub fn stack_top(slot: usize) -> u32 {
    layout().stack(slot).end
}

/// The usable addresses of user stack `slot`.
///
/// # Panics
///
/// If `slot` is not below [`STACK_SLOTS`].
#[must_use]
pub fn stack_range(slot: usize) -> Range<u32> {
    layout().stack(slot)
}

/// Copies from one task to another, or to itself.
///
/// # Errors
///
/// If one could not read, or the other could not write, all of it itself.
pub fn copy(from: u32, to: u32, length: usize) -> Result<(), BadAddress> {
    layout().check_read(from, length)?;
    layout().check_write(to, length)?;
    // SAFETY: mapped, readable and writable, and no memory of the kernel's; the two may overlap.
    unsafe { ptr::copy(from as *const u8, to as *mut u8, length) };
    Ok(())
}

/// Checks that a task could read all of a range itself.
///
/// # Errors
///
/// If it could not.
#[inline]
pub fn readable(address: u32, length: u32) -> Result<(), BadAddress> {
    layout().check_read(address, length as usize)
}

/// Checks that a task could write all of a range itself.
///
/// # Errors
///
/// If it could not.
#[inline]
pub fn writable(address: u32, length: u32) -> Result<(), BadAddress> {
    layout().check_write(address, length as usize)
}
