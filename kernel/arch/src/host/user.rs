//! The tasks' memory: bytes that belong to the test thread.

use core::ops::Range;

use super::{Machine, USER_BYTES, USER_DATA, USER_STACKS, USER_TEXT, machine};
use crate::BadAddress;
use crate::layout::UserLayout;

pub use crate::layout::{STACK_SIZE, STACK_SLOTS};

const LAYOUT: UserLayout =
    UserLayout { text: USER_TEXT, rodata: USER_TEXT.end..USER_TEXT.end, data: USER_DATA, stacks: USER_STACKS };

/// The bytes behind a user address.
pub(super) fn memory(machine: &mut Machine, address: u32, length: usize) -> &mut [u8] {
    if length == 0 {
        return &mut [];
    }
    machine.user.resize(USER_BYTES, 0);
    let offset = address.checked_sub(USER_TEXT.start).expect("this is no user address") as usize;
    &mut machine.user[offset..offset + length]
}

/// Copies from a task.
///
/// # Errors
///
/// If the task could not read all of it itself.
pub fn read(address: u32, into: &mut [u8]) -> Result<(), BadAddress> {
    LAYOUT.check_read(address, into.len())?;
    machine(|machine| into.copy_from_slice(memory(machine, address, into.len())));
    Ok(())
}

/// Copies to a task.
///
/// # Errors
///
/// If the task could not write all of it itself.
pub fn write(address: u32, from: &[u8]) -> Result<(), BadAddress> {
    LAYOUT.check_write(address, from.len())?;
    machine(|machine| memory(machine, address, from.len()).copy_from_slice(from));
    Ok(())
}

/// Reads an aligned word that a task can write.
///
/// # Errors
///
/// If the task could not write it itself.
pub fn load_word(address: u32) -> Result<u32, BadAddress> {
    LAYOUT.check_word(address)?;
    let mut bytes = [0; 4];
    read(address, &mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

/// Writes an aligned word of a task.
///
/// # Errors
///
/// If the task could not write it itself.
pub fn store_word(address: u32, value: u32) -> Result<(), BadAddress> {
    LAYOUT.check_word(address)?;
    write(address, &value.to_le_bytes())
}

/// Whether a task may begin at `address`.
#[must_use]
pub fn is_code(address: u32) -> bool {
    LAYOUT.is_code(address)
}

/// End of user stack `slot`: where its stack pointer starts.
#[must_use]
pub fn stack_top(slot: usize) -> u32 {
    LAYOUT.stack(slot).end
}

/// The usable addresses of user stack `slot`.
#[must_use]
pub fn stack_range(slot: usize) -> Range<u32> {
    LAYOUT.stack(slot)
}

/// Copies from one task to another, or to itself.
///
/// # Errors
///
/// If one could not read, or the other could not write, all of it itself.
pub fn copy(from: u32, to: u32, length: usize) -> Result<(), BadAddress> {
    let mut bytes = std::vec![0; length];
    read(from, &mut bytes)?;
    write(to, &bytes)
}

/// Checks that a task could read all of a range itself.
///
/// # Errors
///
/// If it could not.
#[inline]
pub fn readable(address: u32, length: u32) -> Result<(), BadAddress> {
    LAYOUT.check_read(address, length as usize)
}

/// Checks that a task could write all of a range itself.
///
/// # Errors
///
/// If it could not.
#[inline]
pub fn writable(address: u32, length: u32) -> Result<(), BadAddress> {
    LAYOUT.check_write(address, length as usize)
}
