//! Cache maintenance by address.

use aarch32_cpu::asm::dsb;
use aarch32_cpu::cache::clean_and_invalidate_data_cache_line_to_poc;
use aarch32_cpu::register::{SysRegRead, ctr::Ctr};

/// Writes `bytes` back to memory, for a reader whose caches are off or gone: to the point of coherency, complete when
/// this returns.
pub(super) fn clean_to_memory(bytes: &[u8]) {
    let line = smallest_line();
    let start = bytes.as_ptr().addr() & !(line - 1);
    for address in (start..bytes.as_ptr().addr() + bytes.len()).step_by(line) {
        clean_and_invalidate_data_cache_line_to_poc(address as u32);
    }
    dsb();
}

/// Bytes in the shortest data cache line of the executing core. Read each time: A15 and A7 differ, and a task of the
/// kernel may be on either.
fn smallest_line() -> usize {
    let log2_words = Ctr::read_raw() >> 16 & 0xf;
    4 << log2_words
}
