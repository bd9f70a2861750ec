//! Building a block from operations.

use crate::cpu::branch;
use crate::cpu::code::Block;
use crate::cpu::cost::{Class, Costs};
use crate::cpu::op::Op;

/// The condition "always".
const ALWAYS: u32 = 14;

/// A block with more operations takes no further instruction: each has a bit in [`Block::extra`], and one instruction
/// may need four.
const MOST_OPERATIONS: usize = 56;

/// A block in the making.
pub(super) struct Emit {
    start: u32,
    ops: Vec<Op>,
    /// Bit n: operation n only prepares the next one.
    extra: u64,
    count: u32,
    /// Instructions and further units of work by class.
    work: [u32; Class::COUNT],
    /// Condition of the current instruction, and where its test is.
    condition: u32,
    test: Option<usize>,
    /// The current instruction reads R15.
    sees_pc: bool,
    /// The block ends with the current instruction, which says where to go on.
    ends: bool,
    /// The block ends with the current instruction, and the next one follows.
    pauses: bool,
}

impl Emit {
    pub fn new(start: u32) -> Self {
        Self {
            start,
            ops: Vec::new(),
            extra: 0,
            count: 0,
            work: [0; Class::COUNT],
            condition: ALWAYS,
            test: None,
            sees_pc: false,
            ends: false,
            pauses: false,
        }
    }

    /// Begins the next instruction; 15 is no condition.
    pub fn begin(&mut self, condition: u32) {
        self.condition = condition.min(ALWAYS);
        self.test = None;
        self.sees_pc = false;
    }

    /// Address of the block.
    pub fn start(&self) -> u32 {
        self.start
    }

    /// Address of the current instruction.
    pub fn pc(&self) -> u32 {
        self.start.wrapping_add(4 * self.count)
    }

    /// Instructions before the current one.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Takes over testing the condition.
    pub fn take_condition(&mut self) -> u32 {
        std::mem::replace(&mut self.condition, ALWAYS)
    }

    /// The instruction reads these registers: if R15 is among them, it will read as the architecture says.
    pub fn reads(&mut self, registers: &[u32]) {
        self.sees_pc |= registers.contains(&15);
    }

    fn prepare(&mut self, op: Op) {
        self.extra |= 1 << self.ops.len();
        self.ops.push(op);
    }

    /// Adds the instruction's operation.
    pub fn main(&mut self, op: Op, class: Class) {
        let pc = self.sees_pc.then(|| Op::new(branch::see_pc).imm(self.pc().wrapping_add(8)));
        self.add(pc, op, class);
    }

    /// Adds the instruction's operation behind one that prepares it.
    pub fn main_after(&mut self, first: Op, op: Op, class: Class) {
        self.add(Some(first), op, class);
    }

    fn add(&mut self, first: Option<Op>, op: Op, class: Class) {
        if self.condition != ALWAYS {
            self.test = Some(self.ops.len());
            self.prepare(Op::new(branch::UNLESS[self.condition as usize]));
        }
        if let Some(first) = first {
            self.prepare(first);
        }
        self.ops.push(op);
        self.work[class as usize] += 1;
    }

    /// Charges further work to the instruction.
    pub fn work(&mut self, class: Class, times: u32) {
        self.work[class as usize] += times;
    }

    /// Adds the instruction's operation, which ends the block.
    pub fn end(&mut self, op: Op, class: Class) {
        self.main(op, class);
        self.ends = true;
    }

    /// Ends the block here: what the instruction reads must not include the cost of what comes behind it.
    pub fn pause(&mut self) {
        self.pauses = true;
    }

    /// Adds an operation behind the main one that ends the block: what is to be done with a result in slot 15.
    pub fn end_with(&mut self, op: Op) {
        self.ops.push(op);
        self.ends = true;
    }

    /// Completes the current instruction. Whether the block is complete with it.
    pub fn finish(&mut self) -> bool {
        self.count += 1;
        if let Some(test) = self.test {
            self.ops[test].imm = (self.ops.len() - test - 1) as u32;
        }
        self.ends || self.pauses || self.ops.len() > MOST_OPERATIONS
    }

    /// The finished block, which falls through to what follows.
    pub fn block(mut self, costs: &[Costs; 2]) -> Block {
        let next = self.pc();
        if !self.ends || self.test.is_some() {
            self.ops.push(Op::new(branch::fall_through).imm(next));
        }
        let price = |costs: &Costs| -> u32 {
            self.work.iter().zip(costs.class).map(|(&times, price)| times * u32::from(price)).sum()
        };
        Block {
            start: self.start,
            extra: self.extra,
            count: self.count,
            cost: [price(&costs[0]), price(&costs[1])],
            ops: self.ops.into_boxed_slice(),
        }
    }
}
