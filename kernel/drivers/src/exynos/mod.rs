//! Blocks of Samsung's Exynos 5420 family.
//!
//! There is no public manual; each file names the sources that its facts were read from. Paths are below
//! `torvalds/linux` unless they say otherwise.

pub mod clock;
pub mod hsi2c;
pub mod mailbox;
pub mod mct;
pub mod monitor;
pub mod pins;
pub mod power;
pub mod s2mps11;
pub mod scaling;
pub mod tmu;
pub mod uart;
pub mod watchdog;

/// Asks `done` again and again for `time` nanoseconds. Whether it said yes.
fn within(now: &impl Fn() -> u64, time: u64, done: impl Fn() -> bool) -> bool {
    let deadline = now() + time;
    loop {
        if done() {
            return true;
        }
        if now() >= deadline {
            return false;
        }
        core::hint::spin_loop();
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    /// A clock of which each look takes a microsecond.
    pub(crate) fn clock() -> impl Fn() -> u64 {
        let time = Cell::new(0);
        move || {
            time.set(time.get() + 1000);
            time.get()
        }
    }
}
