//! The secure monitor of the vendor's firmware: what it does when called (sheet §3.5).

use super::Chip;
use crate::bus::{Access, Answer};
use crate::cpu::Core;
use crate::findings::FindingKind;

const INIT: i32 = -1;
const INFO: i32 = -2;
const SAVE: i32 = -6;
const SHUTDOWN: i32 = -7;
const REGISTER: i32 = -101;
const ERROR: u32 = !0;
/// Register access, by the top two bits: cp15, write of a device register, read of one.
const CP15: u32 = 0;
const WRITE: u32 = 1;
const READ: u32 = 3;
const ACTLR: u32 = 0x401;
const L2CTLR: u32 = 0x2482;
const L2ACTLR: u32 = 0x3c80;
const L2PFR: u32 = 0x3c83;
const CCI_SECURE_ACCESS: u32 = 0x10d2_0008;
const IRAM_FLAG: u32 = 0x0202_0028;
const ACTLR_SMP: u32 = 1 << 6;

/// Carries out the call in r0.
pub fn call(chip: &mut Chip, core: &mut Core, at: &Access) -> Answer {
    let command = core.r[0] as i32;
    match command {
        INIT => {}
        INFO => core.r[..4].copy_from_slice(&[0, 1, 2, 3]),
        SAVE => core.r[0] = 0,
        SHUTDOWN => return shutdown(chip, core),
        REGISTER => core.r[0] = register(chip, core),
        _ => core.r[0] = ERROR,
    }
    if core.r[0] == ERROR && command != INIT {
        let what = format!("call {command}, r1 = {:#x}, is not handled", core.r[1]);
        chip.effects.find(FindingKind::MonitorCall, at, what);
    }
    Answer::Done
}

fn register(chip: &mut Chip, core: &mut Core) -> u32 {
    let (what, value) = (core.r[1], core.r[2]);
    match what >> 30 {
        CP15 => match what & 0x3fff_ffff {
            ACTLR => core.cp15.actlr = value,
            L2CTLR => core.cp15.l2ctlr = value,
            L2ACTLR => core.cp15.l2_auxiliary[0] = value,
            L2PFR => core.cp15.l2_auxiliary[1] = value,
            _ => return ERROR,
        },
        WRITE => match what << 2 {
            CCI_SECURE_ACCESS => chip.cci.allow_non_secure(value & 1 != 0),
            address if is_memory_controller(address) || address == IRAM_FLAG => {}
            _ => return ERROR,
        },
        READ if is_memory_controller(what << 2) => core.r[2] = 0,
        _ => return ERROR,
    }
    0
}

fn is_memory_controller(address: u32) -> bool {
    let block = address & 0xffff_0000;
    [0x10c2_0000, 0x10c3_0000, 0x131e_0000, 0x131f_0000].contains(&block)
}

/// The core leaves coherency and sleeps; if its power was told to go, it goes. Otherwise the call comes back.
fn shutdown(chip: &mut Chip, core: &mut Core) -> Answer {
    if !chip.pmu.is_falling(core.index) {
        core.r[0] = ERROR;
        return Answer::Done;
    }
    core.cp15.actlr &= !ACTLR_SMP;
    core.power_off();
    chip.pmu.powered_off(core.index);
    Answer::EndSlice
}
