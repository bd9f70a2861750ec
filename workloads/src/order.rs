//! What to run: what the boot arguments say, until somebody at the console says something else.
//!
//! A task is started with one word only, so the text of an order lies here for the task that carries it out.

use core::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

use abi::types::MAX_BOOT_ARGUMENTS;
use abi::{println, system};

use crate::request::bench_value;

/// A text in the form of `bench=`, written by one task before others read it.
struct Order {
    given: AtomicBool,
    length: AtomicUsize,
    text: [AtomicU8; MAX_BOOT_ARGUMENTS],
}

static ORDER: Order = Order {
    given: AtomicBool::new(false),
    length: AtomicUsize::new(0),
    text: [const { AtomicU8::new(0) }; MAX_BOOT_ARGUMENTS],
};

/// Whether somebody chose a policy since boot, so that benchmarks keep to it.
static POLICY_CHOSEN: AtomicBool = AtomicBool::new(false);

/// From now on `text` is what is to be run; what does not fit is cut.
pub fn give(text: &str) {
    let length = text.len().min(MAX_BOOT_ARGUMENTS);
    for (place, byte) in ORDER.text.iter().zip(text.bytes()) {
        place.store(byte, Ordering::Relaxed);
    }
    ORDER.length.store(length, Ordering::Relaxed);
    ORDER.given.store(true, Ordering::Release);
}

/// What is to be run.
pub fn current(buffer: &mut [u8; MAX_BOOT_ARGUMENTS]) -> &str {
    if !ORDER.given.load(Ordering::Acquire) {
        return bench_value(boot_arguments(buffer));
    }
    let length = ORDER.length.load(Ordering::Relaxed);
    for (byte, place) in buffer.iter_mut().zip(&ORDER.text[..length]) {
        *byte = place.load(Ordering::Relaxed);
    }
    core::str::from_utf8(&buffer[..length]).unwrap_or("")
}

fn boot_arguments(buffer: &mut [u8]) -> &str {
    system::boot_arguments(buffer).unwrap_or_else(|error| {
        println!("boot arguments: unreadable ({error:?}), defaults used");
        ""
    })
}

/// Somebody chose the policy that is in force.
pub fn choose_policy() {
    POLICY_CHOSEN.store(true, Ordering::Relaxed);
}

/// Whether somebody did since boot.
pub fn policy_chosen() -> bool {
    POLICY_CHOSEN.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_order_counts() {
        let mut buffer = [0; MAX_BOOT_ARGUMENTS];
        for text in ["looper:n=8,work=200ms", "pair"] {
            give(text);
            assert_eq!(current(&mut buffer), text);
        }
    }
}
