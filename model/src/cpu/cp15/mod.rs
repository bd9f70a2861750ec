//! The system control coprocessor (ARM ARM B3.17, B4.1, B6.1): the registers and who may reach them.

mod maintenance;
mod read;
mod timer;
mod write;

use super::mode::Mode;
use super::op::{EXIT, Op};
use super::{Core, Identity, World};
use crate::bus::Misuse;

/// SCTLR bits.
pub(super) const SCTLR_M: u32 = 1;
pub(super) const SCTLR_A: u32 = 1 << 1;
pub(super) const SCTLR_C: u32 = 1 << 2;
const SCTLR_CP15BEN: u32 = 1 << 5;
pub(super) const SCTLR_SW: u32 = 1 << 10;
pub(super) const SCTLR_I: u32 = 1 << 12;
pub(super) const SCTLR_V: u32 = 1 << 13;
pub(super) const SCTLR_WXN: u32 = 1 << 19;
pub(super) const SCTLR_EE: u32 = 1 << 25;
pub(super) const SCTLR_TRE: u32 = 1 << 28;
pub(super) const SCTLR_AFE: u32 = 1 << 29;
pub(super) const SCTLR_TE: u32 = 1 << 30;
/// SCTLR out of reset (Cortex-A15 and Cortex-A7 TRMs, 4.3.27).
const SCTLR_RESET: u32 = 0x00c5_0078;
/// SCR bits.
pub(super) const SCR_NS: u32 = 1;
pub(super) const SCR_IRQ: u32 = 1 << 1;
pub(super) const SCR_FIQ: u32 = 1 << 2;
pub(super) const SCR_HCE: u32 = 1 << 8;
/// SCR as the boot firmware leaves it: non-secure, FIQ to the monitor, A writable, HVC allowed, no secure instruction
/// fetch from non-secure memory.
pub(super) const SCR_OF_FIRMWARE: u32 = SCR_NS | SCR_FIQ | 1 << 5 | SCR_HCE | 1 << 9;
/// TTBCR.EAE: long descriptors.
pub(super) const TTBCR_EAE: u32 = 1 << 31;
/// HCR bits.
pub(super) const HCR_VM: u32 = 1;
pub(super) const HCR_FMO: u32 = 1 << 3;
pub(super) const HCR_IMO: u32 = 1 << 4;
pub(super) const HCR_TGE: u32 = 1 << 27;
/// ACTLR.SMP of both core types.
const ACTLR_SMP: u32 = 1 << 6;
/// NSACR.NS_SMP: the non-secure world may change ACTLR.SMP.
pub(crate) const NSACR_NS_SMP: u32 = 1 << 18;
/// HCPTR bits that trap the floating-point unit.
const HCPTR_CP10_CP11: u32 = 3 << 10;

/// The registers. Those of the non-secure state where the architecture banks them: the program never sees the others,
/// but for the firmware's SCR.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the architecture's names")]
pub struct Cp15 {
    pub sctlr: u32,
    pub actlr: u32,
    pub cpacr: u32,
    pub scr: u32,
    pub nsacr: u32,
    pub ttbr0: u32,
    pub ttbr1: u32,
    pub ttbcr: u32,
    pub dacr: u32,
    pub dfsr: u32,
    pub ifsr: u32,
    pub dfar: u32,
    pub ifar: u32,
    pub par: u32,
    pub prrr: u32,
    pub nmrr: u32,
    pub vbar: u32,
    pub mvbar: u32,
    pub contextidr: u32,
    /// TPIDRURW, TPIDRURO, TPIDRPRW, HTPIDR.
    pub thread: [u32; 4],
    pub csselr: u32,
    pub cntkctl: u32,
    pub cnthctl: u32,
    pub vpidr: u32,
    pub vmpidr: u32,
    pub hsctlr: u32,
    pub hactlr: u32,
    pub hcr: u32,
    pub hdcr: u32,
    pub hcptr: u32,
    pub hstr: u32,
    pub hvbar: u32,
    pub hsr: u32,
    pub hdfar: u32,
    pub htcr: u32,
    pub vtcr: u32,
    pub vttbr: u64,
    pub l2ctlr: u32,
    /// L2ACTLR and L2PFR.
    pub l2_auxiliary: [u32; 2],
    /// Whether the TLB was invalidated since reset: it need not be empty then.
    pub tlb_invalidated: bool,
}

impl Cp15 {
    /// The registers out of reset.
    pub(super) fn new(identity: &Identity) -> Self {
        Self {
            sctlr: SCTLR_RESET,
            hsctlr: 0x30c5_0878,
            nsacr: 0x0004_0c00,
            // ARMv7 resets both rights of PL1 to "open" (ARM ARM B4.1.45).
            cnthctl: 3,
            prrr: 0x0009_8aa4,
            nmrr: 0x44e0_48e0,
            vpidr: identity.midr,
            vmpidr: identity.mpidr,
            l2ctlr: identity.l2ctlr,
            ..Self::default()
        }
    }
}

/// A register of the coprocessor as MCR and MRC name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name {
    crn: u8,
    opc1: u8,
    crm: u8,
    opc2: u8,
}

impl Name {
    /// From bits of an MCR or MRC.
    pub fn of(word: u32) -> Self {
        let field = |at: u32, mask: u32| (word >> at & mask) as u8;
        Self { crn: field(16, 15), opc1: field(21, 7), crm: field(0, 15), opc2: field(5, 7) }
    }

    fn tuple(self) -> (u8, u8, u8, u8) {
        (self.crn, self.opc1, self.crm, self.opc2)
    }
}

/// The register is not there, or not for this mode.
struct Undefined;

/// MRC: `imm` is the instruction, `d` the destination (15: the flags).
pub(super) fn read(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let name = Name::of(op.imm);
    if !core.reachable(name, true) {
        return core.undefined(i);
    }
    match core.read_register(bus, name, i) {
        Ok(value) if op.d == 15 => core.flags.set_nzcv(value),
        Ok(value) => core.set_reg(op.d, value),
        Err(Undefined) => {
            bus.platform.misuse(Misuse::UnknownSystemRegister, op.imm, &core.access(i));
            return core.undefined(i);
        }
    }
    i + 1
}

/// MCR: `imm` is the instruction, `d` the source.
pub(super) fn write(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let name = Name::of(op.imm);
    if !core.reachable(name, false) {
        return core.undefined(i);
    }
    let value = core.reg(op.d);
    let known = if matches!(name.crn, 7 | 8) {
        core.maintain(bus, name, value, i)
    } else {
        core.write_register(bus, name, value, i)
    };
    match known {
        Err(Undefined) => {
            bus.platform.misuse(Misuse::UnknownSystemRegister, op.imm, &core.access(i));
            core.undefined(i)
        }
        Ok(()) if core.raised.is_some() => EXIT,
        // What the core remembers of translation and rights may have changed.
        Ok(()) if matches!(name.crn, 1..=3 | 8 | 10 | 12) || name.crn == 13 && name.opc2 == 1 => core.resume_behind(i),
        Ok(()) => i + 1,
    }
}

/// MRRC (`x` 1) and MCRR: `imm` is opc1 << 4 | CRm; the low word is in `d`, the high one in `n`.
pub(super) fn transfer_long(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let (opc1, crm) = (op.imm >> 4, op.imm & 15);
    let reads = op.x != 0;
    let done = if reads {
        core.read_long(bus, opc1, crm, i).map(|value| {
            core.set_reg(op.d, value as u32);
            core.set_reg(op.n, (value >> 32) as u32);
        })
    } else {
        let value = u64::from(core.reg(op.n)) << 32 | u64::from(core.reg(op.d));
        core.write_long(bus, opc1, crm, value, i)
    };
    match done {
        Ok(()) => i + 1,
        Err(Undefined) => core.undefined(i),
    }
}

impl Core {
    /// Whether the current mode may access a register at all.
    fn reachable(&self, name: Name, reads: bool) -> bool {
        let hyp_only = name.opc1 == 4 && !matches!(name.crn, 15);
        if hyp_only {
            return matches!(self.mode(), Mode::Hyp | Mode::Monitor);
        }
        if self.privileged() {
            return true;
        }
        match name.tuple() {
            (7, 0, 5, 4) | (7, 0, 10, 4 | 5) => !reads && self.cp15.sctlr & SCTLR_CP15BEN != 0,
            (9, 0, 14, 1 | 2) => false,
            (9, 0, 14, 0) => reads,
            (9, 0, 12..=14, _) => self.pmu.open_to_user(),
            (13, 0, 0, 2) => true,
            (13, 0, 0, 3) => reads,
            // The timer's own access bits decide.
            (14, 0, 0 | 2 | 3, _) => true,
            _ => false,
        }
    }

    /// Switches the floating-point unit on for everybody, as an operating system does.
    pub fn enable_float(&mut self) {
        self.cp15.cpacr |= 0xf << 20;
        self.vfp.enable();
        self.update_float_access();
    }

    /// Works out anew whether the floating-point unit may be used.
    pub(super) fn update_float_access(&mut self) {
        let open = match self.cp15.cpacr >> 20 & 3 {
            3 => true,
            1 => self.privileged(),
            _ => self.mode() == Mode::Hyp,
        };
        let trapped = !self.secure() && self.cp15.hcptr & HCPTR_CP10_CP11 != 0;
        self.vfp.accessible = open && !trapped;
    }
}
