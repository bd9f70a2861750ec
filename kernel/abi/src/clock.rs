//! Time: one monotonic clock for all CPUs, in nanoseconds since boot.

use crate::call::Call;
use crate::trap::trap;

/// Now.
#[inline]
pub fn now() -> u64 {
    let (low, high) = trap(Call::Clock, 0, 0, 0, 0);
    (u64::from(high) << 32) | u64::from(low)
}

/// Sleeps until an absolute time: a loop over `next += period` does not drift. Returns at once when it has passed.
#[inline]
pub fn sleep_until(time: u64) {
    trap(Call::SleepUntil, time as u32, (time >> 32) as u32, 0, 0);
}

/// Sleeps for at least this many nanoseconds.
pub fn sleep(duration: u64) {
    sleep_until(now().saturating_add(duration));
}
