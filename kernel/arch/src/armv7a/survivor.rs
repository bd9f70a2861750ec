//! A record that survives a warm reset: memory that the start-up code does not clear.
#![expect(unsafe_code, reason = "memory that keeps its content from before boot")]

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::slice;

use super::cache;

pub use crate::common::RECORD_CAPACITY as CAPACITY;

const MAGIC: u32 = 0x6765_6172;

#[repr(C, align(64))]
struct Record {
    magic: u32,
    length: u32,
    checksum: u32,
    bytes: [u8; CAPACITY],
}

/// Every bit pattern is a valid [`Record`], so whatever the memory holds may be read.
struct Kept(UnsafeCell<MaybeUninit<Record>>);

// SAFETY: written by the one CPU that dies first, and read by the boot CPU before it starts others.
unsafe impl Sync for Kept {}

// SAFETY: the section is not loaded and not cleared, and has no other content.
#[unsafe(link_section = ".noinit")]
static KEPT: Kept = Kept(UnsafeCell::new(MaybeUninit::uninit()));

/// Keeps `record` for the next boot, cut to [`CAPACITY`] bytes. For the one CPU that reports the machine's death.
pub fn store(record: &[u8]) {
    let kept = &record[..record.len().min(CAPACITY)];
    let header = [MAGIC, kept.len() as u32, checksum(kept)];
    let memory = KEPT.0.get().cast::<u8>();
    // SAFETY: header and bytes fit into the record, which nobody reads until the next boot.
    let written = unsafe {
        memory.cast::<[u32; 3]>().write_volatile(header);
        memory.add(size_of_val(&header)).copy_from_nonoverlapping(kept.as_ptr(), kept.len());
        slice::from_raw_parts(memory, size_of::<Record>())
    };
    // A reset forgets the caches.
    cache::clean_to_memory(written);
}

/// Copies the last boot's record to `into` and forgets it. The number of bytes copied, or `None` if there is no record.
/// For the boot CPU, before it starts others.
pub fn take(into: &mut [u8]) -> Option<usize> {
    // SAFETY: every bit pattern is valid, and nobody else looks at it now.
    let record = unsafe { &mut *KEPT.0.get().cast::<Record>() };
    let magic = core::mem::replace(&mut record.magic, 0);
    let kept = record.bytes.get(..record.length as usize)?;
    if magic != MAGIC || record.checksum != checksum(kept) {
        return None;
    }
    let length = kept.len().min(into.len());
    into[..length].copy_from_slice(&kept[..length]);
    Some(length)
}

/// Tells a record from what memory happens to hold: FNV-1a.
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |sum, &byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
