//! Reading system registers.

use super::{Name, Undefined};
use crate::cpu::{Core, Mode, World};

impl Core {
    /// Reads a 32-bit register.
    pub(super) fn read_register(&mut self, bus: &mut World, name: Name, i: usize) -> Result<u32, Undefined> {
        let c = &self.cp15;
        Ok(match name.tuple() {
            (0, ..) => return self.read_identity(name),
            (1, 0, 0, 0) => c.sctlr,
            (1, 0, 0, 1) => c.actlr,
            (1, 0, 0, 2) => c.cpacr,
            (1, 0, 1, 0) if self.secure() => c.scr,
            (1, 0, 1, 1) if self.secure() => 0,
            (1, 0, 1, 2) => c.nsacr,
            (2, 0, 0, 0) => c.ttbr0,
            (2, 0, 0, 1) => c.ttbr1,
            (2, 0, 0, 2) => c.ttbcr,
            (3, 0, 0, 0) => c.dacr,
            (5, 0, 0, 0) => c.dfsr,
            (5, 0, 0, 1) => c.ifsr,
            (5, 0, 1, 0 | 1) => 0,
            (6, 0, 0, 0) => c.dfar,
            (6, 0, 0, 2) => c.ifar,
            (7, 0, 4, 0) => c.par,
            (9, 0, 12..=14, _) => return self.read_pmu(name.crm, name.opc2).ok_or(Undefined),
            (9, 1, 0, 2) => c.l2ctlr,
            (9, 1, 0, 3) => 0,
            (10, 0, 2, 0) => c.prrr,
            (10, 0, 2, 1) => c.nmrr,
            (12, 0, 0, 0) => c.vbar,
            (12, 0, 0, 1) if self.secure() => c.mvbar,
            (12, 0, 1, 0) => u32::from(self.lines.irq) << 7 | u32::from(self.lines.fiq) << 6,
            (13, 0, 0, 0) => 0,
            (13, 0, 0, 1) => c.contextidr,
            (13, 0, 0, n @ 2..=4) => c.thread[usize::from(n) - 2],
            (14, ..) => return self.read_timer(bus, name, i),
            (15, 1, 0, 0) => c.l2_auxiliary[0],
            (15, 1, 0, 3) => c.l2_auxiliary[1],
            (15, 4, 0, 0) => self.identity.cbar,
            (_, 4, ..) => return self.read_hyp(name),
            _ => return Err(Undefined),
        })
    }

    fn read_identity(&self, name: Name) -> Result<u32, Undefined> {
        let identity = &self.identity;
        // The non-secure PL1 sees what the hypervisor lets it see.
        let real = self.secure() || self.mode() == Mode::Hyp;
        Ok(match name.tuple() {
            (_, 0, 0, 5) => {
                if real {
                    identity.mpidr
                } else {
                    self.cp15.vmpidr
                }
            }
            (_, 0, 0, 1) => identity.ctr,
            (_, 0, 0, 2 | 3 | 6) => 0,
            (_, 0, 0, _) => {
                if real {
                    identity.midr
                } else {
                    self.cp15.vpidr
                }
            }
            (_, 0, 1, n) => identity.features[usize::from(n & 7)],
            (_, 0, 2, n) => identity.instructions[usize::from(n & 7)],
            (_, 0, 3..=7, _) => 0,
            (_, 1, 0, 0) => match self.cp15.csselr & 0xf {
                0 => identity.ccsidr[0],
                1 => identity.ccsidr[1],
                2 => identity.ccsidr[2],
                _ => 0,
            },
            (_, 1, 0, 1) => identity.clidr,
            (_, 1, 0, 7) => 0,
            (_, 2, 0, 0) => self.cp15.csselr,
            (_, 4, 0, 0) => self.cp15.vpidr,
            (_, 4, 0, 5) => self.cp15.vmpidr,
            _ => return Err(Undefined),
        })
    }

    fn read_hyp(&self, name: Name) -> Result<u32, Undefined> {
        let c = &self.cp15;
        Ok(match (name.crn, name.crm, name.opc2) {
            (1, 0, 0) => c.hsctlr,
            (1, 0, 1) => c.hactlr,
            (1, 1, 0) => c.hcr,
            (1, 1, 1) => c.hdcr,
            (1, 1, 2) => c.hcptr,
            (1, 1, 3) => c.hstr,
            (1, 1, 7) => 0,
            (2, 0, 2) => c.htcr,
            (2, 1, 2) => c.vtcr,
            (5, 1, 0 | 1) => 0,
            (5, 2, 0) => c.hsr,
            (6, 0, 0) => c.hdfar,
            (6, 0, 2 | 4) => 0,
            (10, 2 | 3, 0 | 1) => 0,
            (12, 0, 0) => c.hvbar,
            (13, 0, 2) => c.thread[3],
            _ => return Err(Undefined),
        })
    }

    /// Reads a 64-bit register.
    pub(super) fn read_long(&mut self, bus: &mut World, opc1: u32, crm: u32, i: usize) -> Result<u64, Undefined> {
        if crm == 14 {
            return self.read_timer_long(bus, opc1, i);
        }
        if !self.privileged() {
            return Err(Undefined);
        }
        Ok(match (opc1, crm) {
            (0, 2) => u64::from(self.cp15.ttbr0),
            (1, 2) => u64::from(self.cp15.ttbr1),
            (6, 2) if self.mode() == Mode::Hyp => self.cp15.vttbr,
            (0, 7) => u64::from(self.cp15.par),
            _ => return Err(Undefined),
        })
    }
}
