//! Taking exceptions (ARM ARM B1.8, B1.9).

use super::cp15::{HCR_FMO, HCR_IMO, HCR_TGE, SCR_FIQ, SCR_IRQ, SCR_NS, SCTLR_EE, SCTLR_TE, SCTLR_V};
use super::mode::{PSR_A, PSR_E, PSR_F, PSR_I, PSR_T};
use super::{Core, Mode};

/// What interrupts the flow of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exception {
    /// An undefined instruction.
    Undefined,
    /// SVC.
    SupervisorCall,
    /// HVC.
    HypervisorCall,
    /// SMC.
    MonitorCall,
    /// An instruction could not be fetched, or BKPT: IFSR and IFAR.
    #[expect(missing_docs, reason = "the doc names them")]
    PrefetchAbort { status: u32, address: u32 },
    /// A data access failed: DFSR and DFAR.
    #[expect(missing_docs, reason = "the doc names them")]
    DataAbort { status: u32, address: u32 },
    /// IRQ.
    Irq,
    /// FIQ.
    Fiq,
}

impl Exception {
    /// Whether the instruction that raised it counts as executed.
    pub(super) fn is_call(self) -> bool {
        matches!(self, Self::SupervisorCall | Self::HypervisorCall | Self::MonitorCall)
    }

    /// Number of the vector.
    fn vector(self) -> usize {
        match self {
            Self::Undefined => 1,
            Self::SupervisorCall | Self::MonitorCall => 2,
            Self::PrefetchAbort { .. } => 3,
            Self::DataAbort { .. } => 4,
            Self::HypervisorCall => 5,
            Self::Irq => 6,
            Self::Fiq => 7,
        }
    }

    /// The mode that takes it when neither hypervisor nor monitor does, and what LR holds beyond the instruction's
    /// address (ARM ARM table B1-7).
    fn target(self) -> (Mode, u32) {
        match self {
            Self::Undefined => (Mode::Undefined, 4),
            Self::SupervisorCall => (Mode::Supervisor, 4),
            Self::MonitorCall => (Mode::Monitor, 4),
            Self::HypervisorCall => (Mode::Hyp, 4),
            Self::PrefetchAbort { .. } => (Mode::Abort, 4),
            Self::DataAbort { .. } => (Mode::Abort, 8),
            Self::Irq => (Mode::Irq, 4),
            Self::Fiq => (Mode::Fiq, 4),
        }
    }
}

impl Core {
    /// Takes `exception` at the instruction at `pc` (interrupts: before it).
    pub(super) fn take(&mut self, exception: Exception, pc: u32) {
        self.statistics.exceptions[exception.vector()] += 1;
        self.charge(u64::from(self.costs.exception));
        self.note_fault(exception);
        if self.goes_to_hyp(exception) {
            self.take_in_hyp(exception, pc);
            return;
        }
        let (mut mode, offset) = exception.target();
        let to_monitor = match exception {
            Exception::Irq => self.cp15.scr & SCR_IRQ != 0,
            Exception::Fiq => self.cp15.scr & SCR_FIQ != 0,
            Exception::MonitorCall => true,
            _ => false,
        };
        if to_monitor {
            mode = Mode::Monitor;
        }
        let spsr = self.cpsr();
        let secure_before = self.mode() == Mode::Monitor;
        self.set_control(self.control_for(exception, mode));
        self.set_spsr(spsr);
        self.r[14] = pc.wrapping_add(offset);
        if secure_before {
            self.cp15.scr &= !SCR_NS;
        }
        let base = match mode {
            Mode::Monitor => self.cp15.mvbar,
            _ if self.cp15.sctlr & SCTLR_V != 0 => 0xffff_0000,
            _ => self.cp15.vbar,
        };
        self.pc = base + 4 * exception.vector() as u32;
    }

    fn control_for(&self, exception: Exception, mode: Mode) -> u32 {
        let mut control = self.control & (PSR_A | PSR_I | PSR_F) | mode as u32 | PSR_I;
        if !matches!(exception, Exception::Undefined | Exception::SupervisorCall) {
            control |= PSR_A;
        }
        if exception == Exception::Fiq || mode == Mode::Monitor {
            control |= PSR_F;
        }
        let sctlr = self.cp15.sctlr;
        control | if sctlr & SCTLR_TE != 0 { PSR_T } else { 0 } | if sctlr & SCTLR_EE != 0 { PSR_E } else { 0 }
    }

    fn note_fault(&mut self, exception: Exception) {
        match exception {
            Exception::PrefetchAbort { status, address } => {
                self.cp15.ifsr = status;
                self.cp15.ifar = address;
            }
            Exception::DataAbort { status, address } => {
                self.cp15.dfsr = status;
                self.cp15.dfar = address;
            }
            _ => {}
        }
    }

    fn goes_to_hyp(&self, exception: Exception) -> bool {
        if self.secure() {
            return false;
        }
        let in_hyp = self.mode() == Mode::Hyp;
        let trap_general = self.cp15.hcr & HCR_TGE != 0 && self.mode() == Mode::User;
        match exception {
            Exception::HypervisorCall => true,
            Exception::MonitorCall => false,
            Exception::Irq => self.cp15.scr & SCR_IRQ == 0 && (self.cp15.hcr & HCR_IMO != 0 || in_hyp),
            Exception::Fiq => self.cp15.scr & SCR_FIQ == 0 && (self.cp15.hcr & HCR_FMO != 0 || in_hyp),
            _ => in_hyp || trap_general,
        }
    }

    /// Entry to HYP mode (ARM ARM B1.8.6): own return address, own vectors, and everything but HVC from below through
    /// the vector of its kind if it happened in HYP mode, through the trap vector otherwise.
    fn take_in_hyp(&mut self, exception: Exception, pc: u32) {
        let was_hyp = self.mode() == Mode::Hyp;
        let preferred_return = match exception {
            Exception::HypervisorCall | Exception::SupervisorCall => pc.wrapping_add(4),
            _ => pc,
        };
        let vector = match exception {
            Exception::Irq | Exception::Fiq => exception.vector(),
            Exception::HypervisorCall if was_hyp => 2,
            _ if was_hyp => exception.vector(),
            _ => 5,
        };
        self.cp15.hsr = match exception {
            Exception::SupervisorCall => 0x11 << 26,
            Exception::HypervisorCall => 0x12 << 26,
            Exception::PrefetchAbort { .. } => (if was_hyp { 0x21 } else { 0x20 }) << 26,
            Exception::DataAbort { .. } => (if was_hyp { 0x25 } else { 0x24 }) << 26,
            _ => self.cp15.hsr,
        } | 1 << 25;
        if let Exception::DataAbort { address, .. } = exception {
            self.cp15.hdfar = address;
        }
        let spsr = self.cpsr();
        let masks = self.control & (PSR_A | PSR_I | PSR_F) | PSR_I | PSR_A | PSR_F;
        let endian = if self.cp15.hsctlr & SCTLR_EE != 0 { PSR_E } else { 0 };
        let thumb = if self.cp15.hsctlr & SCTLR_TE != 0 { PSR_T } else { 0 };
        self.set_control(masks | endian | thumb | Mode::Hyp as u32);
        self.set_spsr(spsr);
        self.banks.elr_hyp = preferred_return;
        self.pc = self.cp15.hvbar + 4 * vector as u32;
    }

    /// Returns from an exception: PSR and program counter at once.
    pub(super) fn exception_return(&mut self, psr: u32, pc: u32) {
        self.set_cpsr(psr);
        self.pc = if psr & PSR_T != 0 { pc & !1 } else { pc & !3 };
    }
}
