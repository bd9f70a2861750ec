//! Branches and the ends of blocks.

use super::condition::by_condition;
use super::mode::PSR_T;
use super::op::{EXIT, Function, Op};
use super::{Core, World};
use crate::bus::Misuse;

/// Goes on at `imm`.
pub(super) fn fall_through(core: &mut Core, _: &mut World, op: &Op, _: usize) -> usize {
    core.pc = op.imm;
    EXIT
}

/// B: to `imm` if condition `C` holds, else behind the block's `x` instructions.
fn branch<const C: u8>(core: &mut Core, _: &mut World, op: &Op, _: usize) -> usize {
    core.pc = if core.flags.hold::<C>() { op.imm } else { core.progress.start.wrapping_add(4 * u32::from(op.x)) };
    EXIT
}

/// B to the start of the block itself.
fn repeat<const C: u8>(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    if core.flags.hold::<C>() && core.another_round() {
        return 0;
    }
    branch::<C>(core, bus, op, i)
}

/// B by condition.
pub(super) const BRANCH: [Function; 15] = by_condition!(branch);
/// B to its own block's start, by condition.
pub(super) const REPEAT: [Function; 15] = by_condition!(repeat);

/// Skips the next `imm` operations unless condition `C` holds.
fn unless<const C: u8>(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    if core.flags.hold::<C>() { i + 1 } else { i + 1 + op.imm as usize }
}

/// Skips by condition.
pub(super) const UNLESS: [Function; 15] = by_condition!(unless);

/// Puts the value that R15 reads as into slot 15.
pub(super) fn see_pc(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    core.r[15] = op.imm;
    i + 1
}

/// BL: to `imm`, from the instruction whose successor is number `x` of the block.
pub(super) fn branch_link(core: &mut Core, _: &mut World, op: &Op, _: usize) -> usize {
    core.r[14] = core.progress.start.wrapping_add(4 * u32::from(op.x));
    core.pc = op.imm;
    EXIT
}

/// BX to register `m`.
pub(super) fn branch_exchange(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let target = core.reg(op.m);
    core.jump(bus, target, i)
}

/// BLX to register `m`.
pub(super) fn branch_link_exchange(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let target = core.reg(op.m);
    core.r[14] = op.imm;
    core.jump(bus, target, i)
}

/// BLX to T32 code at `imm`.
pub(super) fn branch_link_thumb(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    core.r[14] = core.progress.start.wrapping_add(4 * u32::from(op.x));
    core.jump(bus, op.imm | 1, i)
}

/// After an instruction that wrote R15: jumps to slot 15 with interworking.
pub(super) fn jump_to_result(core: &mut Core, bus: &mut World, _: &Op, i: usize) -> usize {
    let target = core.r[15];
    core.jump(bus, target, i)
}

impl Core {
    /// Goes on at `target`, whose lowest bit selects T32 (ARM ARM BXWritePC).
    #[inline(always)]
    pub(super) fn jump(&mut self, bus: &mut World, target: u32, i: usize) -> usize {
        if target & 1 != 0 {
            return self.jump_to_thumb(bus, target, i);
        }
        self.pc = target;
        EXIT
    }

    /// T32 is not there: the core stays in A32 state, at an address that cannot be fetched from.
    #[cold]
    fn jump_to_thumb(&mut self, bus: &mut World, target: u32, i: usize) -> usize {
        bus.platform.misuse(Misuse::Unimplemented, target, &self.access(i));
        self.pc = target;
        self.control &= !PSR_T;
        EXIT
    }
}
