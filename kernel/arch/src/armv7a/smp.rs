//! Starting the other CPUs.
#![expect(unsafe_code, reason = "memory that cores read whose caches are off")]

use core::cell::UnsafeCell;
use core::ptr;
use core::slice;

use aarch32_cpu::asm::{dsb, sev};

use super::cache;
use crate::MAX_CPUS;

/// log2 of a record's size: each has a cache line of its own, the longest of all cores.
pub(super) const RELEASE_SHIFT: u32 = 6;
/// First word of a valid release.
pub(super) const RELEASE_MAGIC: u32 = 0x9e37_79b9;

/// What a parked core reads, with its caches off.
#[repr(C, align(64))]
struct Release {
    magic: u32,
    entry: u32,
    complement: u32,
}

const _: () = assert!(size_of::<Release>() == 1 << RELEASE_SHIFT);

#[repr(transparent)]
pub(super) struct Releases(UnsafeCell<[Release; MAX_CPUS]>);

// SAFETY: a record is written by whoever releases that CPU, which happens once, and read and wiped by the parked core.
unsafe impl Sync for Releases {}

/// The records, wiped with .bss before anybody can be released.
pub(super) static RELEASES: Releases =
    Releases(UnsafeCell::new([const { Release { magic: 0, entry: 0, complement: 0 } }; MAX_CPUS]));

/// Lets a parked CPU go on to the board's `secondary`. Does nothing for one that is not parked.
///
/// # Panics
///
/// If `cpu` is not below [`MAX_CPUS`].
pub fn release(cpu: usize) {
    assert!(cpu < MAX_CPUS, "there is no such CPU");
    let entry = secondary_entry();
    let record = RELEASES.0.get().cast::<Release>().wrapping_add(cpu);
    // SAFETY: in bounds, and only this CPU writes it now; the parked core accepts the record when it is complete.
    let bytes = unsafe {
        ptr::write_volatile(record, Release { magic: RELEASE_MAGIC, entry, complement: !entry });
        slice::from_raw_parts(record.cast::<u8>(), size_of::<Release>())
    };
    // The parked core reads memory, not our cache; and it may sleep.
    cache::clean_to_memory(bytes);
    sev();
}

/// Wakes CPUs that wait for an event with their caches off, once everything that was written to devices and memory
/// without caches has arrived there.
pub fn wake_waiting() {
    dsb();
    sev();
}

/// Where firmware is to start a CPU.
#[must_use]
pub fn secondary_entry() -> u32 {
    // SAFETY: defined in the start-up code.
    unsafe extern "C" {
        fn _start_secondary() -> !;
    }
    (_start_secondary as *const ()).addr() as u32
}
