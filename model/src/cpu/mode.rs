//! Processor modes, the banked registers, CPSR and SPSR (ARM ARM B1.3).

use super::Core;
use super::cp15::SCR_NS;

/// A processor mode by its CPSR.M encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[expect(missing_docs, reason = "the architecture's names")]
pub enum Mode {
    User = 0x10,
    Fiq = 0x11,
    Irq = 0x12,
    Supervisor = 0x13,
    Monitor = 0x16,
    Abort = 0x17,
    Hyp = 0x1a,
    Undefined = 0x1b,
    System = 0x1f,
}

impl Mode {
    /// The mode of a PSR that the core accepted before: only legal modes get into one.
    pub(super) fn of(psr: u32) -> Self {
        Self::decode(psr).unwrap_or(Self::System)
    }

    /// The mode of a PSR, if it is one.
    pub fn decode(psr: u32) -> Option<Self> {
        Some(match psr & 0x1f {
            0x10 => Self::User,
            0x11 => Self::Fiq,
            0x12 => Self::Irq,
            0x13 => Self::Supervisor,
            0x16 => Self::Monitor,
            0x17 => Self::Abort,
            0x1a => Self::Hyp,
            0x1b => Self::Undefined,
            0x1f => Self::System,
            _ => return None,
        })
    }

    /// Index into the banked registers.
    pub(super) fn bank(self) -> usize {
        match self {
            Self::User | Self::System => 0,
            Self::Fiq => 1,
            Self::Irq => 2,
            Self::Supervisor => 3,
            Self::Abort => 4,
            Self::Undefined => 5,
            Self::Monitor => 6,
            Self::Hyp => 7,
        }
    }
}

/// How a core comes out of reset, or out of the firmware that ran before the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetMode {
    /// Secure supervisor mode: a bare core.
    SecureSvc,
    /// Non-secure supervisor mode.
    NonSecureSvc,
    /// Hypervisor mode.
    Hyp,
}

impl ResetMode {
    /// CPSR with everything masked.
    pub(super) fn control(self) -> u32 {
        0x1c0
            | match self {
                Self::SecureSvc | Self::NonSecureSvc => Mode::Supervisor as u32,
                Self::Hyp => Mode::Hyp as u32,
            }
    }
}

/// CPSR.T: T32.
pub(super) const PSR_T: u32 = 1 << 5;
/// CPSR.F: FIQ masked.
pub(super) const PSR_F: u32 = 1 << 6;
/// CPSR.I: IRQ masked.
pub(super) const PSR_I: u32 = 1 << 7;
/// CPSR.A: asynchronous aborts masked.
pub(super) const PSR_A: u32 = 1 << 8;
/// CPSR.E: big-endian data.
pub(super) const PSR_E: u32 = 1 << 9;
/// CPSR bits that are not kept in [`super::condition::Flags`].
const CONTROL: u32 = 0x0700_fc00 | PSR_E | 0x1ff;

/// Registers of the modes that are not current.
#[derive(Clone, Debug, Default)]
pub(super) struct Banks {
    /// SP and LR by bank; HYP has no LR of its own, it uses that of USR.
    stack_link: [[u32; 2]; 8],
    /// R8-R12 of all modes but FIQ, and of FIQ.
    high: [[u32; 5]; 2],
    /// SPSR by bank (USR has none).
    pub spsr: [u32; 8],
    /// ELR_hyp.
    pub elr_hyp: u32,
}

impl Banks {
    fn swap_in(&mut self, r: &mut [u32; 16], from: Mode, to: Mode) {
        let link = |mode: Mode| if mode == Mode::Hyp { 0 } else { mode.bank() };
        self.stack_link[from.bank()][0] = r[13];
        self.stack_link[link(from)][1] = r[14];
        r[13] = self.stack_link[to.bank()][0];
        r[14] = self.stack_link[link(to)][1];
        let (from_fiq, to_fiq) = (usize::from(from == Mode::Fiq), usize::from(to == Mode::Fiq));
        if from_fiq != to_fiq {
            self.high[from_fiq].copy_from_slice(&r[8..13]);
            r[8..13].copy_from_slice(&self.high[to_fiq]);
        }
    }
}

impl Core {
    /// The current program status register.
    pub fn cpsr(&self) -> u32 {
        self.flags.bits() | self.control
    }

    /// Sets CPSR whole, as an exception return does: mode, masks and flags.
    pub fn set_cpsr(&mut self, value: u32) {
        self.flags.set(value);
        self.set_control(value);
    }

    /// Sets everything but the flags.
    pub(super) fn set_control(&mut self, value: u32) {
        let (from, to) = (self.mode(), Mode::decode(value).unwrap_or(self.mode()));
        if from != to {
            self.banks.swap_in(&mut self.r, from, to);
        }
        self.control = value & CONTROL & !0x1f | to as u32;
        self.data.set_rank(to != Mode::User, value & PSR_E != 0);
        self.update_float_access();
        self.attention |= self.lines.irq || self.lines.fiq;
    }

    /// Whether the program may enter `mode` by writing CPSR (ARM ARM B1.3.3).
    pub(super) fn may_enter(&self, psr: u32) -> bool {
        match Mode::decode(psr) {
            None => false,
            Some(Mode::Monitor) => self.secure(),
            Some(Mode::Hyp) => self.mode() == Mode::Hyp || self.mode() == Mode::Monitor && self.cp15.scr & SCR_NS != 0,
            Some(_) => self.mode() != Mode::Hyp,
        }
    }

    /// SPSR of the current mode; CPSR's value where there is none.
    pub fn spsr(&self) -> u32 {
        match self.mode().bank() {
            0 => self.cpsr(),
            bank => self.banks.spsr[bank],
        }
    }

    /// Sets SPSR of the current mode, if it has one.
    pub(super) fn set_spsr(&mut self, value: u32) {
        match self.mode().bank() {
            0 => {}
            bank => self.banks.spsr[bank] = value,
        }
    }

    /// A register as another mode sees it.
    pub fn banked(&self, mode: Mode, number: usize) -> u32 {
        let mut view = self.r;
        self.banks.clone().swap_in(&mut view, self.mode(), mode);
        view[number & 15]
    }

    /// Sets a register as another mode sees it.
    pub fn set_banked(&mut self, mode: Mode, number: usize, value: u32) {
        let current = self.mode();
        self.banks.swap_in(&mut self.r, current, mode);
        self.r[number & 15] = value;
        self.banks.swap_in(&mut self.r, mode, current);
    }
}
