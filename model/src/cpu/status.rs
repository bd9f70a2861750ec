//! Access to the status registers and changes of mode (ARM ARM A5.2.11, B9.3).

use super::mode::{Mode, PSR_A, PSR_E, PSR_F, PSR_I};
use super::op::{EXIT, Op};
use super::{Core, World};
use crate::bus::Misuse;

/// Bits of CPSR that MRS shows: not T, J and the IT state.
const VISIBLE: u32 = 0xf80f_03df;

impl Core {
    /// Goes on behind operation `i` with a new block, for what changes how the following is fetched.
    pub(super) fn resume_behind(&mut self, i: usize) -> usize {
        self.pc = self.progress.pc_of(i).wrapping_add(4);
        EXIT
    }
}

/// MRS of CPSR or (`x`) SPSR.
pub(super) fn read(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    let value = if op.x == 0 { core.cpsr() & VISIBLE } else { core.spsr() };
    core.set_reg(op.d, value);
    i + 1
}

/// Spreads the four bits of a field mask over the bytes of a word.
fn bytes_of(mask: u8) -> u32 {
    (0..4).fold(0, |bytes, n| if mask >> n & 1 != 0 { bytes | 0xff << (8 * n) } else { bytes })
}

/// MSR from register `m` (or slot 15, which [`super::branch::see_pc`] filled with an immediate): `n` is the field mask,
/// `x` selects SPSR.
pub(super) fn write(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let value = core.reg(op.m);
    let bytes = bytes_of(op.n);
    if op.x != 0 {
        let spsr = core.spsr() & !bytes | value & bytes;
        core.set_spsr(spsr);
        return i + 1;
    }
    let old = core.cpsr();
    let allowed =
        if core.privileged() { 0xf80f_0000 | PSR_E | PSR_A | PSR_I | PSR_F | 0x1f } else { 0xf80f_0000 | PSR_E };
    let mut new = old & !(bytes & allowed) | value & bytes & allowed;
    if (new ^ old) & 0x1f != 0 && !core.may_enter(new) {
        bus.platform.misuse(Misuse::Unpredictable, new, &core.access(i));
        new = new & !0x1f | old & 0x1f;
    }
    core.flags.set(new);
    if (new ^ old) & 0xffff == 0 {
        return i + 1;
    }
    core.set_control(new);
    core.resume_behind(i)
}

/// CPS: `imm` holds the new mode at 4:0 if bit 5 is set, `x` the masks to change as in CPSR 8:6, `m` 1 to set them.
pub(super) fn change_state(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    if !core.privileged() {
        return core.resume_behind(i);
    }
    let masks = u32::from(op.x) << 6;
    let mut control = if op.m != 0 { core.control | masks } else { core.control & !masks };
    if op.imm & 0x20 != 0 {
        if core.may_enter(op.imm) {
            control = control & !0x1f | op.imm & 0x1f;
        } else {
            bus.platform.misuse(Misuse::Unpredictable, op.imm, &core.access(i));
        }
    }
    core.set_control(control);
    core.resume_behind(i)
}

/// SETEND.
pub(super) fn set_endian(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    let control = core.control & !PSR_E | if op.x != 0 { PSR_E } else { 0 };
    core.set_control(control);
    i + 1
}

/// ERET: from HYP mode by ELR_hyp, from others by LR.
pub(super) fn return_from_hyp(core: &mut Core, _: &mut World, _: &Op, i: usize) -> usize {
    if matches!(core.mode(), Mode::User | Mode::System) {
        return core.undefined(i);
    }
    let pc = if core.mode() == Mode::Hyp { core.banks.elr_hyp } else { core.r[14] };
    let psr = core.spsr();
    core.exception_return(psr, pc);
    EXIT
}

/// What a banked MRS or MSR names (ARM ARM B9.2.3): SYSm and R.
enum Banked {
    Register(Mode, usize),
    Spsr(Mode),
    ElrHyp,
}

impl Banked {
    fn decode(sysm: u32, spsr: bool) -> Option<Self> {
        let mode = match sysm {
            0..=6 => Mode::User,
            0b01000..=0b01110 => Mode::Fiq,
            0b10000 | 0b10001 => Mode::Irq,
            0b10010 | 0b10011 => Mode::Supervisor,
            0b10100 | 0b10101 => Mode::Abort,
            0b10110 | 0b10111 => Mode::Undefined,
            0b11100 | 0b11101 => Mode::Monitor,
            0b11110 | 0b11111 => Mode::Hyp,
            _ => return None,
        };
        Some(match (spsr, sysm) {
            (true, 0..=6) => return None,
            (true, _) => Self::Spsr(mode),
            (false, 0b11110) => Self::ElrHyp,
            (false, 0..=6) => Self::Register(mode, sysm as usize + 8),
            (false, 0b01000..=0b01110) => Self::Register(mode, sysm as usize & 7 | 8),
            (false, _) => Self::Register(mode, if sysm & 1 == 0 { 14 } else { 13 }),
        })
    }
}

/// MRS of a banked register: `imm` is SYSm, `x` R.
pub(super) fn read_banked(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    let Some(named) = Banked::decode(op.imm, op.x != 0).filter(|_| core.privileged()) else {
        return core.undefined(i);
    };
    let value = match named {
        Banked::Register(mode, number) => core.banked(mode, number),
        Banked::Spsr(mode) => core.banks.spsr[mode.bank()],
        Banked::ElrHyp => core.banks.elr_hyp,
    };
    core.set_reg(op.d, value);
    i + 1
}

/// MSR to a banked register from register `m`.
pub(super) fn write_banked(core: &mut Core, _: &mut World, op: &Op, i: usize) -> usize {
    let Some(named) = Banked::decode(op.imm, op.x != 0).filter(|_| core.privileged()) else {
        return core.undefined(i);
    };
    let value = core.reg(op.m);
    match named {
        Banked::Register(mode, number) => core.set_banked(mode, number, value),
        Banked::Spsr(mode) => core.banks.spsr[mode.bank()] = value,
        Banked::ElrHyp => core.banks.elr_hyp = value,
    }
    i + 1
}
