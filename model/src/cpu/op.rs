//! The small form that instructions are decoded into.

use super::{Core, Exception, World};

/// Executes one operation, the `i`th of its block, and says which comes next: an index into the block, or [`EXIT`].
pub(super) type Function = fn(&mut Core, &mut World, &Op, usize) -> usize;

/// The block is over; [`Core::pc`] holds where to go on, unless an exception was raised.
pub(super) const EXIT: usize = usize::MAX;

/// One operation. What the fields mean is the function's business; usually `d`, `n`, `m` are register numbers, `imm`
/// the immediate operand and `x` options.
#[derive(Clone, Copy)]
pub(super) struct Op {
    pub run: Function,
    pub imm: u32,
    pub d: u8,
    pub n: u8,
    pub m: u8,
    pub x: u8,
}

impl Op {
    pub fn new(run: Function) -> Self {
        Self { run, imm: 0, d: 0, n: 0, m: 0, x: 0 }
    }

    pub fn imm(self, imm: u32) -> Self {
        Self { imm, ..self }
    }

    pub fn d(self, d: u32) -> Self {
        Self { d: d as u8, ..self }
    }

    pub fn n(self, n: u32) -> Self {
        Self { n: n as u8, ..self }
    }

    pub fn m(self, m: u32) -> Self {
        Self { m: m as u8, ..self }
    }

    pub fn x(self, x: u32) -> Self {
        Self { x: x as u8, ..self }
    }
}

/// Register access: the mask lets the compiler see that the index is in bounds.
impl Core {
    #[inline(always)]
    pub(super) fn reg(&self, number: u8) -> u32 {
        self.r[usize::from(number & 15)]
    }

    #[inline(always)]
    pub(super) fn set_reg(&mut self, number: u8, value: u32) {
        self.r[usize::from(number & 15)] = value;
    }

    /// Raises `exception` at operation `i`, which ends the block there.
    #[cold]
    pub(super) fn raise(&mut self, exception: Exception, i: usize) -> usize {
        self.raised = Some(exception);
        self.progress.stopped_at = i;
        EXIT
    }
}

/// Goes on with the value of an access, or ends the block with the exception that it raised.
macro_rules! attempt {
    ($access:expr) => {
        match $access {
            Ok(value) => value,
            Err($crate::cpu::op::Raised) => return $crate::cpu::op::EXIT,
        }
    };
}
pub(super) use attempt;

/// An exception was raised, see [`Core::raise`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Raised;
