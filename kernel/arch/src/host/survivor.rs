//! The record that survives a warm reset.

use super::machine;

pub use crate::common::RECORD_CAPACITY as CAPACITY;

/// Keeps `record` for the next boot, cut to [`CAPACITY`] bytes.
pub fn store(record: &[u8]) {
    let kept = &record[..record.len().min(CAPACITY)];
    machine(|machine| machine.record = Some(kept.to_vec()));
}

/// Copies the last boot's record to `into` and forgets it. The number of bytes copied, or `None` if there is no record.
pub fn take(into: &mut [u8]) -> Option<usize> {
    let record = machine(|machine| machine.record.take())?;
    let length = record.len().min(into.len());
    into[..length].copy_from_slice(&record[..length]);
    Some(length)
}
