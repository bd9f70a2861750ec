//! What instructions cost. A cost model, not a pipeline: a class has one price, whatever surrounds the instruction.

/// Units of cost in one core cycle.
pub const UNITS: u64 = 64;

/// Classes of instructions by price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Class {
    /// Data processing.
    Alu,
    /// Data processing with a shifted register operand.
    Shift,
    /// 32-bit multiplication.
    Multiply,
    /// Multiplication with a 64-bit result.
    MultiplyLong,
    /// SDIV and UDIV.
    Divide,
    /// Parallel and saturating arithmetic.
    Media,
    /// A load that hits the first-level cache.
    Load,
    /// A store.
    Store,
    /// Each further register of a multiple transfer.
    Transfer,
    /// Branches to a fixed target.
    Branch,
    /// Branches to a computed target, returns.
    BranchIndirect,
    /// Exclusive accesses.
    Exclusive,
    /// DMB, DSB, ISB.
    Barrier,
    /// System registers, mode changes, exception returns.
    System,
    /// Moves of the floating-point unit, also from and to core registers.
    FloatMove,
    /// Floating-point addition, comparison, conversion.
    FloatAdd,
    /// Floating-point multiplication, also with accumulation.
    FloatMultiply,
    /// Single-precision division and square root.
    FloatDivide,
    /// Double-precision division and square root.
    FloatDivideDouble,
}

impl Class {
    /// How many classes there are.
    pub const COUNT: usize = Self::FloatDivideDouble as usize + 1;
}

/// The prices of one core type.
#[derive(Clone, Debug)]
pub struct Costs {
    /// Price by [`Class`], in 1/64 cycle ([`UNITS`]).
    pub class: [u16; Class::COUNT],
    /// A first-level miss that hits the second level, in 1/64 cycle.
    pub l2_hit: u32,
    /// A miss of both levels, in nanoseconds: memory has its own clock.
    pub dram: u32,
    /// Such a miss of the line behind one that missed before, in nanoseconds: it was fetched ahead.
    pub ahead: u32,
    /// Taking an exception, in 1/64 cycle.
    pub exception: u32,
    /// An access to a device, in nanoseconds.
    pub device: u32,
    /// An access to memory past the caches, in nanoseconds.
    pub uncached: u32,
}

impl Costs {
    /// One cycle an instruction, and memory that costs nothing: counts come out plain.
    pub const fn unit() -> Self {
        Self { class: [UNITS as u16; Class::COUNT], l2_hit: 0, dram: 0, ahead: 0, exception: 0, device: 0, uncached: 0 }
    }
}
