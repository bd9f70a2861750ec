//! The shape of the facts about a machine: which CPUs it has and what they can do.
//!
//! The facts themselves, each with its source, are constants of crate `soc`.

use core::fmt;

use crate::{Kilohertz, Microvolts};

/// The affinity fields Aff2..Aff0 of MPIDR; the bits above say other things (ARM DDI 0406C, B4.1.106).
const MPIDR_AFFINITY: u32 = 0x00ff_ffff;

/// The two kinds of core in a big.LITTLE machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CoreType {
    /// Fast, and dear in energy (Cortex-A15).
    Big,
    /// Slow, and frugal (Cortex-A7).
    Little,
}

impl CoreType {
    /// Both, in the order of their [`index`](Self::index).
    pub const BOTH: [Self; 2] = [Self::Big, Self::Little];

    /// Where this kind stands in an array that has an element for each.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            Self::Big => 0,
            Self::Little => 1,
        }
    }

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Big => Self::Little,
            Self::Little => Self::Big,
        }
    }
}

impl fmt::Display for CoreType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Big => "big",
            Self::Little => "little",
        })
    }
}

/// An operating performance point: a frequency and the voltage that it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opp {
    /// The core clock.
    pub frequency: Kilohertz,
    /// The supply of the cluster.
    pub voltage: Microvolts,
}

/// What the CPUs of one kind have in common.
#[derive(Debug, PartialEq, Eq)]
pub struct CpuKind {
    /// Big or LITTLE.
    pub core: CoreType,
    /// Work done per clock cycle, relative to the other kinds of the machine (Linux' `capacity-dmips-mhz`).
    pub dmips_per_mhz: u32,
    /// The operating points, slowest first.
    pub opps: &'static [Opp],
}

impl CpuKind {
    /// Speed at the highest OPP, in units that only compare within one machine; 0 without OPPs.
    #[must_use]
    pub const fn top_speed(&self) -> u64 {
        match self.opps.last() {
            Some(opp) => self.dmips_per_mhz as u64 * opp.frequency.get() as u64,
            None => 0,
        }
    }
}

/// One CPU of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuFacts {
    /// Its affinity as MPIDR gives it, without the flag bits.
    pub mpidr: u32,
    /// Its kind.
    pub kind: &'static CpuKind,
}

/// A machine. The position of a CPU in the table is its [`CpuId`](crate::CpuId); the boot CPU comes first.
#[derive(Debug)]
pub struct Machine {
    /// As it appears in the BOOT line.
    pub name: &'static str,
    /// The CPUs, at most [`MAX_CPUS`](crate::MAX_CPUS).
    pub cpus: &'static [CpuFacts],
}

impl Machine {
    /// The dense index of the CPU that reads `mpidr` from its MPIDR register, in any cluster.
    #[must_use]
    pub const fn index_of(&self, mpidr: u32) -> Option<usize> {
        let mut index = 0;
        while index < self.cpus.len() {
            if self.cpus[index].mpidr == mpidr & MPIDR_AFFINITY {
                return Some(index);
            }
            index += 1;
        }
        None
    }
}
