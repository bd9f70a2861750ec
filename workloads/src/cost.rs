//! What one task of a benchmark has cost: time on either kind of core, moves, energy, instructions, and the speed that
//! these showed.

use core::fmt;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use abi::types::{MAX_CPUS, Statistics};

use crate::decimal::Decimal;

/// The cost of one task. Printed as the keys that stand at the end of its `TASK` line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Time as the running task of big and of LITTLE CPUs, injected rest included, in nanoseconds.
    big: u64,
    little: u64,
    energy_nj: u64,
    instructions: u64,
    cycles: u64,
    /// How often it changed its CPU.
    pub moves: u32,
    little_ratio: u32,
}

impl fmt::Display for Cost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "big_ms={} little_ms={} moves={} energy_mj={} executed_insn={} cycles={} little_ratio=",
            Decimal::milliseconds(self.big),
            Decimal::milliseconds(self.little),
            self.moves,
            Decimal::ratio(self.energy_nj, 1_000_000),
            self.instructions,
            self.cycles,
        )?;
        match self.little_ratio {
            0 => formatter.write_str("unknown"),
            ratio => Decimal::ratio(ratio.into(), 1024).fmt(formatter),
        }
    }
}

/// The place in which a task leaves its cost for whoever prints it.
pub struct CostRecord {
    big: AtomicU64,
    little: AtomicU64,
    energy_nj: AtomicU64,
    instructions: AtomicU64,
    cycles: AtomicU64,
    moves: AtomicU32,
    little_ratio: AtomicU32,
}

impl CostRecord {
    /// Nothing.
    pub const fn new() -> CostRecord {
        CostRecord {
            big: AtomicU64::new(0),
            little: AtomicU64::new(0),
            energy_nj: AtomicU64::new(0),
            instructions: AtomicU64::new(0),
            cycles: AtomicU64::new(0),
            moves: AtomicU32::new(0),
            little_ratio: AtomicU32::new(0),
        }
    }

    /// Leaves what the statistics of the calling task say; `big` is the mask of the big CPUs.
    pub fn set(&self, statistics: &Statistics, big: u32) {
        let time_on = |wanted: bool| -> u64 {
            (0..MAX_CPUS).filter(|cpu| (big & (1 << cpu) != 0) == wanted).map(|cpu| statistics.on_cpu_ns[cpu]).sum()
        };
        self.big.store(time_on(true), Ordering::Relaxed);
        self.little.store(time_on(false), Ordering::Relaxed);
        self.energy_nj.store(statistics.energy_nj, Ordering::Relaxed);
        self.instructions.store(statistics.instructions, Ordering::Relaxed);
        self.cycles.store(statistics.cycles, Ordering::Relaxed);
        self.moves.store(statistics.migrations, Ordering::Relaxed);
        self.little_ratio.store(statistics.little_ratio, Ordering::Release);
    }

    /// What was left; the task must have ended.
    pub fn get(&self) -> Cost {
        Cost {
            little_ratio: self.little_ratio.load(Ordering::Acquire),
            big: self.big.load(Ordering::Relaxed),
            little: self.little.load(Ordering::Relaxed),
            energy_nj: self.energy_nj.load(Ordering::Relaxed),
            instructions: self.instructions.load(Ordering::Relaxed),
            cycles: self.cycles.load(Ordering::Relaxed),
            moves: self.moves.load(Ordering::Relaxed),
        }
    }
}

impl Default for CostRecord {
    fn default() -> Self {
        CostRecord::new()
    }
}
