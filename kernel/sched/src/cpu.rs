//! The one name of a CPU, and sets of such names.

use core::fmt;
use core::ops::{BitAnd, BitOr, Not};

/// The most CPUs that any machine of this kernel has (the Exynos5422 has eight).
pub const MAX_CPUS: usize = 8;

/// A CPU's dense number, `0..MAX_CPUS`, in the order of the machine's table.
///
/// Hardware identities (MPIDR, GIC target bits) are turned into this name in exactly one place,
/// [`Machine::index_of`](crate::Machine::index_of), and never appear beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CpuId(u8);

impl CpuId {
    /// The CPU with the given index.
    ///
    /// # Panics
    /// If `index` is not below [`MAX_CPUS`].
    #[inline]
    #[must_use]
    pub const fn new(index: usize) -> Self {
        assert!(index < MAX_CPUS, "a CPU index must be below MAX_CPUS");
        Self(index as u8)
    }

    /// The index, always below [`MAX_CPUS`].
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        // The mask tells the compiler what `new` has checked, and so spares a bounds check at each use.
        self.0 as usize & (MAX_CPUS - 1)
    }
}

impl fmt::Display for CpuId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// A set of CPUs; bit `n` stands for the CPU with index `n`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CpuMask(u32);

impl CpuMask {
    /// No CPU.
    pub const EMPTY: Self = Self(0);
    /// Every CPU that can exist: the affinity of a task that does not care.
    pub const ALL: Self = Self((1 << MAX_CPUS) - 1);

    /// The first `count` CPUs (all of them if there are fewer than `count`).
    #[must_use]
    pub const fn first_n(count: usize) -> Self {
        if count >= MAX_CPUS { Self::ALL } else { Self((1 << count) - 1) }
    }

    /// The set with one member.
    #[inline]
    #[must_use]
    pub const fn of(cpu: CpuId) -> Self {
        Self(1 << cpu.0)
    }

    /// The set with the given bits; bits of CPUs that cannot exist are dropped.
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits & Self::ALL.0)
    }

    /// The set as bits.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Whether `cpu` is a member.
    #[inline]
    #[must_use]
    pub const fn contains(self, cpu: CpuId) -> bool {
        self.0 >> cpu.0 & 1 != 0
    }

    /// Makes `cpu` a member.
    #[inline]
    pub const fn insert(&mut self, cpu: CpuId) {
        self.0 |= 1 << cpu.0;
    }

    /// Makes `cpu` no member.
    #[inline]
    pub const fn remove(&mut self, cpu: CpuId) {
        self.0 &= !(1 << cpu.0);
    }

    /// This set without `cpu`.
    #[inline]
    #[must_use]
    pub const fn without(self, cpu: CpuId) -> Self {
        Self(self.0 & !(1 << cpu.0))
    }

    /// Whether there is no member.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many members there are.
    #[inline]
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The member with the lowest index.
    #[inline]
    #[must_use]
    pub const fn first(self) -> Option<CpuId> {
        if self.0 == 0 { None } else { Some(CpuId(self.0.trailing_zeros() as u8)) }
    }

    /// The members, lowest index first.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = CpuId> {
        let mut rest = self;
        core::iter::from_fn(move || {
            let cpu = rest.first()?;
            rest.0 &= rest.0 - 1;
            Some(cpu)
        })
    }
}

impl BitAnd for CpuMask {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for CpuMask {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Not for CpuMask {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(!self.0 & Self::ALL.0)
    }
}

impl FromIterator<CpuId> for CpuMask {
    fn from_iter<I: IntoIterator<Item = CpuId>>(cpus: I) -> Self {
        cpus.into_iter().fold(Self::EMPTY, |set, cpu| set | Self::of(cpu))
    }
}

impl fmt::Display for CpuMask {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "0x{:02x}", self.0)
    }
}
