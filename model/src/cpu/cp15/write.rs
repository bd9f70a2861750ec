//! Writing system registers, and what must be in order before caches and MMU go on.

use super::{ACTLR_SMP, NSACR_NS_SMP, Name, SCTLR_C, SCTLR_M, SCTLR_RESET, Undefined};
use crate::bus::Misuse;
use crate::cpu::{Core, Mode, World};

/// SCTLR bits that cannot be changed: the ones of the reset value that are RAO, and endianness of the bus.
const SCTLR_FIXED_ONES: u32 = 0x00c5_0058;

impl Core {
    /// Writes a 32-bit register.
    pub(super) fn write_register(
        &mut self,
        bus: &mut World,
        name: Name,
        value: u32,
        i: usize,
    ) -> Result<(), Undefined> {
        let secure = self.secure();
        let c = &mut self.cp15;
        match name.tuple() {
            (0, 2, 0, 0) => c.csselr = value & 0xf,
            (0, 4, 0, 0) => c.vpidr = value,
            (0, 4, 0, 5) => c.vmpidr = value,
            (1, 0, 0, 0) => self.write_sctlr(bus, value, i),
            (1, 0, 0, 1) => {
                let kept = if secure || c.nsacr & NSACR_NS_SMP != 0 { 0 } else { ACTLR_SMP };
                c.actlr = value & !kept | c.actlr & kept;
            }
            (1, 0, 0, 2) => {
                c.cpacr = value & 0x00f0_0000;
                self.update_float_access();
            }
            (1, 0, 1, 0) if secure => {
                c.scr = value;
                self.update_float_access();
            }
            (1, 0, 1, 1) if secure => {}
            (1, 0, 1, 2) if secure => c.nsacr = value,
            (2, 0, 0, n @ 0..=2) => {
                match n {
                    0 => c.ttbr0 = value,
                    1 => c.ttbr1 = value,
                    _ => c.ttbcr = value,
                }
                self.forget_translations();
            }
            (3, 0, 0, 0) => {
                c.dacr = value;
                self.forget_translations();
            }
            (5, 0, 0, 0) => c.dfsr = value,
            (5, 0, 0, 1) => c.ifsr = value,
            (5, 0, 1, 0 | 1) => {}
            (6, 0, 0, 0) => c.dfar = value,
            (6, 0, 0, 2) => c.ifar = value,
            (9, 0, 12..=14, _) => return self.write_pmu(name.crm, name.opc2, value).ok_or(Undefined),
            (9, 1, 0, 2) => c.l2ctlr = value & !(3 << 24) | c.l2ctlr & 3 << 24,
            (9, 1, 0, 3) => {}
            (10, 0, 2, n @ (0 | 1)) => {
                if n == 0 {
                    c.prrr = value;
                } else {
                    c.nmrr = value;
                }
                self.forget_translations();
            }
            (12, 0, 0, 0) => c.vbar = value & !0x1f,
            (12, 0, 0, 1) if secure => c.mvbar = value & !0x1f,
            (13, 0, 0, 0) => {}
            (13, 0, 0, 1) => {
                // Another ASID may have other translations.
                c.contextidr = value;
                self.forget_translations();
            }
            (13, 0, 0, n @ 2..=4) => c.thread[usize::from(n) - 2] = value,
            // PMCCFILTR: cycles are counted in all modes, whatever it says.
            (14, ..) => return self.write_timer(bus, name, value, i),
            (15, 1, 0, 0) => c.l2_auxiliary[0] = value,
            (15, 1, 0, 3) => c.l2_auxiliary[1] = value,
            (_, 4, ..) => return self.write_hyp(name, value),
            _ => return Err(Undefined),
        }
        Ok(())
    }

    fn write_hyp(&mut self, name: Name, value: u32) -> Result<(), Undefined> {
        let c = &mut self.cp15;
        match (name.crn, name.crm, name.opc2) {
            (1, 0, 0) => c.hsctlr = value | SCTLR_RESET & SCTLR_FIXED_ONES,
            (1, 0, 1) => c.hactlr = value,
            (1, 1, 0) => c.hcr = value,
            (1, 1, 1) => c.hdcr = value,
            (1, 1, 2) => c.hcptr = value,
            (1, 1, 3) => c.hstr = value,
            (1, 1, 7) | (5, 1, 0 | 1) | (6, 0, 2 | 4) | (10, 2 | 3, 0 | 1) => {}
            (2, 0, 2) => c.htcr = value,
            (2, 1, 2) => c.vtcr = value,
            (5, 2, 0) => c.hsr = value,
            (6, 0, 0) => c.hdfar = value,
            (12, 0, 0) => c.hvbar = value & !0x1f,
            (13, 0, 2) => c.thread[3] = value,
            _ => return Err(Undefined),
        }
        self.update_float_access();
        Ok(())
    }

    fn write_sctlr(&mut self, bus: &mut World, value: u32, i: usize) {
        let value = value | SCTLR_FIXED_ONES;
        let rising = value & !self.cp15.sctlr;
        let at = self.access(i);
        let mut misuse = |kind| bus.platform.misuse(kind, value, &at);
        if rising & SCTLR_C != 0 && self.cp15.actlr & ACTLR_SMP == 0 {
            misuse(Misuse::CachesBeforeSmp);
        }
        if rising & SCTLR_M != 0 && !self.cp15.tlb_invalidated {
            misuse(Misuse::MmuWithoutInvalidate);
        }
        if rising & SCTLR_C != 0 && !bus.platform.coherent(self.index) {
            bus.platform.misuse(Misuse::CachesBeforeCoherency, value, &at);
        }
        self.cp15.sctlr = value;
        self.forget_translations();
    }

    /// Writes a 64-bit register.
    pub(super) fn write_long(
        &mut self,
        bus: &mut World,
        opc1: u32,
        crm: u32,
        value: u64,
        i: usize,
    ) -> Result<(), Undefined> {
        if crm == 14 {
            return self.write_timer_long(bus, opc1, value, i);
        }
        if !self.privileged() {
            return Err(Undefined);
        }
        match (opc1, crm) {
            (0, 2) => self.cp15.ttbr0 = value as u32,
            (1, 2) => self.cp15.ttbr1 = value as u32,
            (4, 2) if self.mode() == Mode::Hyp => {}
            (6, 2) if self.mode() == Mode::Hyp => self.cp15.vttbr = value,
            (0, 7) => self.cp15.par = value as u32,
            _ => return Err(Undefined),
        }
        self.forget_translations();
        Ok(())
    }
}
