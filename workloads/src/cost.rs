//! What one task of a benchmark has cost: energy, instructions, and the speed that it showed on either kind of core.

use core::fmt;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use abi::types::Statistics;

use crate::decimal::Decimal;

/// The cost of one task. Printed as the keys that stand at the end of its `TASK` line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    energy_nj: u64,
    instructions: u64,
    cycles: u64,
    little_ratio: u32,
}

impl fmt::Display for Cost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cost { energy_nj, instructions, cycles, little_ratio } = *self;
        write!(
            formatter,
            "energy_mj={} executed_insn={instructions} cycles={cycles} little_ratio=",
            Decimal::ratio(energy_nj, 1_000_000)
        )?;
        match little_ratio {
            0 => formatter.write_str("unknown"),
            ratio => Decimal::ratio(ratio.into(), 1024).fmt(formatter),
        }
    }
}

/// The place in which a task leaves its cost for whoever prints it.
pub struct CostRecord {
    energy_nj: AtomicU64,
    instructions: AtomicU64,
    cycles: AtomicU64,
    little_ratio: AtomicU32,
}

impl CostRecord {
    /// Nothing.
    pub const fn new() -> CostRecord {
        CostRecord {
            energy_nj: AtomicU64::new(0),
            instructions: AtomicU64::new(0),
            cycles: AtomicU64::new(0),
            little_ratio: AtomicU32::new(0),
        }
    }

    /// Leaves what the statistics of the calling task say.
    pub fn set(&self, statistics: &Statistics) {
        self.energy_nj.store(statistics.energy_nj, Ordering::Relaxed);
        self.instructions.store(statistics.instructions, Ordering::Relaxed);
        self.cycles.store(statistics.cycles, Ordering::Relaxed);
        self.little_ratio.store(statistics.little_ratio, Ordering::Release);
    }

    /// What was left; the task must have ended.
    pub fn get(&self) -> Cost {
        Cost {
            little_ratio: self.little_ratio.load(Ordering::Acquire),
            energy_nj: self.energy_nj.load(Ordering::Relaxed),
            instructions: self.instructions.load(Ordering::Relaxed),
            cycles: self.cycles.load(Ordering::Relaxed),
        }
    }
}

impl Default for CostRecord {
    fn default() -> Self {
        CostRecord::new()
    }
}
