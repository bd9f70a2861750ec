//! Bounds of the utilisation that a task is taken for (Linux' `uclamp`).
//!
//! Like its affinity, a task's bounds are a word that any task may write and every CPU reads. A CPU has the greater of
//! each of those who run or wait there: it looks through its queue for them when it publishes its load, once a
//! millisecond at most, and not at all before somebody has set one.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use abi::{Error, Result};
use sched::{Capacity, Clamp};

use crate::calls::Outcome;
use crate::cpu::Cpu;
use crate::kernel::Kernel;

/// Bounds in one word.
pub struct AtomicClamp(AtomicU32);

impl AtomicClamp {
    /// No bounds; all zero, so that it costs no byte of the image.
    pub const fn new() -> AtomicClamp {
        AtomicClamp(AtomicU32::new(0))
    }

    /// The bounds.
    #[inline]
    pub fn get(&self) -> Clamp {
        let word = self.0.load(Relaxed);
        Clamp { min: word & 0xffff, max: Clamp::NONE.max - (word >> 16) }
    }

    /// Sets them; neither is above that of [`Clamp::NONE`].
    pub fn set(&self, Clamp { min, max }: Clamp) {
        self.0.store((Clamp::NONE.max - max) << 16 | min, Relaxed);
    }
}

impl Default for AtomicClamp {
    fn default() -> Self {
        AtomicClamp::new()
    }
}

impl Cpu {
    /// The bounds of all who run or wait here: the greater of each, as any of them may need it.
    fn clamp(&self) -> Clamp {
        let here = self.queue.waiting().chain(&self.current);
        here.map(|task| task.shared.clamp.get()).reduce(Clamp::with).unwrap_or(Clamp::NONE)
    }
}

impl Kernel {
    /// Publishes the load of a CPU.
    #[inline]
    pub(crate) fn publish_load(&self, cpu: &Cpu) {
        self.view.set_load(cpu.id, &cpu.queue);
        if self.view.has_clamps() {
            self.publish_clamp(cpu);
        }
    }

    #[cold]
    fn publish_clamp(&self, cpu: &Cpu) {
        self.view.set_clamp(cpu.id, cpu.clamp());
    }

    pub(crate) fn set_clamp(&self, number: u32, min: u32, max: u32) -> Result<u32> {
        if min > max || max > Capacity::FULL.get() {
            return Err(Error::BadArgument);
        }
        let task = self.tasks.find(number)?;
        task.clamp.set(Clamp { min, max });
        self.view.note_clamps();
        Ok(0)
    }

    pub(crate) fn get_clamp(&self, cpu: &mut Cpu, number: u32) -> Outcome {
        let Clamp { min, max } = self.tasks.find(number)?.clamp.get();
        cpu.running().context.set_result_pair(min, max);
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_bounds_survives_the_word() {
        let clamp = AtomicClamp::new();
        assert_eq!(clamp.get(), Clamp::NONE);
        for min in (0..=1024).step_by(64) {
            for max in (min..=1024).step_by(64) {
                clamp.set(Clamp { min, max });
                assert_eq!(clamp.get(), Clamp { min, max });
            }
        }
    }
}
