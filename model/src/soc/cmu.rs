//! The clock-management unit, as far as it makes the cores' clocks (sheet §7.1): per cluster a PLL, two multiplexers
//! and a divider.

use crate::bus::{Access, BusFault, Size, Time};
use crate::findings::FindingKind;
use crate::soc::device::{Device, Effects, Words};

/// Registers of a cluster's clock, from its base.
const LOCK: u32 = 0x000;
const CON0: u32 = 0x100;
const CON1: u32 = 0x104;
const SRC: u32 = 0x200;
const MUX_STAT: u32 = 0x400;
const DIV0: u32 = 0x500;
const DIV1: u32 = 0x504;
const DIV_STAT0: u32 = 0x600;

const ENABLE: u32 = 1 << 31;
const LOCKED: u32 = 1 << 29;
/// Core clock from the PLL side or from MSPLL.
const CORE_MUX: u32 = 1 << 16;
const PLL_MUX: u32 = 1;
/// The crystal in kHz.
const FIN: u32 = 24_000;
/// MSPLL, which the boot loader lets run from SPLL, in kHz.
const MSPLL: u32 = 800_000;
/// Cycles of the crystal, times P, below which a lock is not certain: what the boot loader uses.
const LEAST_LOCK: u32 = 200;

/// Where the second cluster's block lies from the first.
const KFC: u32 = 0x2_8000;

/// One cluster's clock.
#[derive(Clone, Debug)]
pub struct ClusterClock {
    registers: Words,
    locked_at: Time,
    /// The PLL never locks again once its factors change.
    broken: bool,
    name: &'static str,
}

impl ClusterClock {
    fn new(name: &'static str, con1: u32, div0: u32, div1: u32) -> Self {
        let registers = Words::new(0x1000)
            .with(LOCK, 0x258)
            .with(CON0, 0x80c8_0301 | LOCKED)
            .with(CON1, con1)
            .with(SRC, PLL_MUX)
            .with(DIV0, div0)
            .with(DIV1, div1);
        Self { registers, locked_at: 0, broken: false, name }
    }

    /// M, P and S of the PLL.
    fn factors(con0: u32) -> (u32, u32, u32) {
        (con0 >> 16 & 0x3ff, con0 >> 8 & 0x3f, con0 & 7)
    }

    fn pll_khz(&self) -> u32 {
        let con0 = self.registers.get(CON0);
        let (m, p, s) = Self::factors(con0);
        match (con0 & ENABLE, p) {
            (0, _) | (_, 0) => 0,
            _ => FIN * m / (p << s),
        }
    }

    /// The cores' clock in kHz.
    #[must_use]
    pub fn khz(&self) -> u32 {
        let source = self.registers.get(SRC);
        let root = match (source & CORE_MUX != 0, source & PLL_MUX != 0) {
            (true, _) => MSPLL,
            (false, true) => self.pll_khz(),
            (false, false) => FIN,
        };
        root / ((self.registers.get(DIV0) & 7) + 1)
    }

    fn uses_pll(&self) -> bool {
        self.registers.get(SRC) & (CORE_MUX | PLL_MUX) == PLL_MUX
    }

    fn read(&self, offset: u32, now: Time) -> u32 {
        match offset {
            CON0 => {
                let locked = now >= self.locked_at && self.registers.get(CON0) & ENABLE != 0;
                self.registers.get(CON0) & !LOCKED | (u32::from(locked) * LOCKED)
            }
            MUX_STAT => {
                let source = self.registers.get(SRC);
                let core = if source & CORE_MUX != 0 { 2 } else { 1 };
                let pll = if source & PLL_MUX != 0 { 2 } else { 1 };
                core << 16 | pll
            }
            // Dividers settle within the time of an access.
            DIV_STAT0..0x608 => 0,
            _ => self.registers.get(offset),
        }
    }

    fn write(&mut self, offset: u32, value: u32, at: &Access, effects: &mut Effects) {
        match offset {
            CON0 => self.write_pll(value, at, effects),
            SRC => {
                self.registers.set(SRC, value);
                if self.uses_pll() && at.time < self.locked_at {
                    let what = format!("{} clocks the cores and has not locked", self.name);
                    effects.find(FindingKind::PllUnlocked, at, what);
                }
            }
            MUX_STAT..0x408 | DIV_STAT0..0x608 => {}
            _ => self.registers.set(offset, value),
        }
    }

    fn write_pll(&mut self, value: u32, at: &Access, effects: &mut Effects) {
        let (old, new) = (Self::factors(self.registers.get(CON0)), Self::factors(value));
        let switched_on = value & ENABLE != 0 && self.registers.get(CON0) & ENABLE == 0;
        self.registers.set(CON0, value);
        // A change of S alone is behind the loop.
        if (old.0, old.1) == (new.0, new.1) && !switched_on {
            return;
        }
        let lock = self.registers.get(LOCK);
        self.locked_at = if self.broken { Time::MAX } else { at.time + u64::from(lock) * 1_000_000 / u64::from(FIN) };
        if lock < LEAST_LOCK * new.1 {
            let what = format!("{} is given {lock} cycles to lock, P = {}", self.name, new.1);
            effects.find(FindingKind::PllUnlocked, at, what);
        }
        if self.uses_pll() {
            let what = format!("{} changes while it clocks the cores", self.name);
            effects.find(FindingKind::PllUnlocked, at, what);
        }
    }
}

/// All clocks: those of the cores live, the others as words.
#[derive(Clone, Debug)]
pub struct Cmu {
    clusters: [ClusterClock; 2],
    others: Words,
}

impl Default for Cmu {
    fn default() -> Self {
        // Peripherals: SRC_TOP7, SRC_PERIC0 and DIV_PERIC0, by which software finds the UART's clock.
        let others =
            Words::new(0x3_0000).with(0x1_021c, 0x0003_3300).with(0x1_0250, 0x0333_3330).with(0x1_0558, 0x9999_9900);
        let a15 = ClusterClock::new("APLL", 0x0020_f300, 0x0355_0020, 0x77);
        let a7 = ClusterClock::new("KPLL", 0x0020_0000, 0x0350_0720, 0);
        Self { clusters: [a15, a7], others }
    }
}

impl Cmu {
    /// As the boot loader leaves it, with PLLs that lock no more: of cluster 0 (A15) and 1 (A7).
    #[must_use]
    pub fn with_broken_plls(broken: [bool; 2]) -> Self {
        let mut cmu = Self::default();
        for (clock, broken) in cmu.clusters.iter_mut().zip(broken) {
            clock.broken = broken;
        }
        cmu
    }

    /// The clock of cluster 0 (A15) or 1 (A7) in kHz.
    #[must_use]
    pub fn khz(&self, cluster: usize) -> u32 {
        self.clusters[cluster].khz()
    }

    fn cluster(offset: u32) -> Option<(usize, u32)> {
        match offset {
            0..0x1000 => Some((0, offset)),
            KFC..0x2_9000 => Some((1, offset - KFC)),
            _ => None,
        }
    }
}

impl Device for Cmu {
    fn read(&mut self, offset: u32, _: Size, at: &Access, _: &mut Effects) -> Result<u32, BusFault> {
        Ok(match Self::cluster(offset) {
            Some((cluster, offset)) => self.clusters[cluster].read(offset, at.time),
            None => self.others.get(offset),
        })
    }

    fn write(
        &mut self,
        offset: u32,
        size: Size,
        value: u32,
        at: &Access,
        effects: &mut Effects,
    ) -> Result<(), BusFault> {
        effects.expect_word(size, "CMU", offset, at);
        match Self::cluster(offset) {
            Some((cluster, offset)) => self.clusters[cluster].write(offset, value, at, effects),
            None => self.others.set(offset, value),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: Time) -> Access {
        Access { core: 4, time, pc: 0, secure: false }
    }

    fn write(cmu: &mut Cmu, effects: &mut Effects, time: Time, offset: u32, value: u32) {
        cmu.write(offset, Size::Word, value, &at(time), effects).expect("answers");
    }

    #[test]
    fn the_boot_loader_leaves_800_mhz() {
        let cmu = Cmu::default();
        assert_eq!([cmu.khz(0), cmu.khz(1)], [800_000; 2]);
    }

    #[test]
    fn linuxs_way_to_2_ghz_finds_nothing() {
        let (mut cmu, mut effects) = (Cmu::default(), Effects::default());
        write(&mut cmu, &mut effects, 0, 0x200, 0x1_0001);
        assert_eq!(cmu.read(0x400, Size::Word, &at(1), &mut effects).map(|value| value >> 16), Ok(2));
        write(&mut cmu, &mut effects, 0, 0x500, 0x0377_0040);
        write(&mut cmu, &mut effects, 0, 0x000, 810);
        write(&mut cmu, &mut effects, 0, 0x100, 0x80fa_0300);
        assert_eq!(cmu.read(0x100, Size::Word, &at(30_000), &mut effects).map(|value| value & LOCKED), Ok(0));
        assert_eq!(cmu.read(0x100, Size::Word, &at(40_000), &mut effects).map(|value| value & LOCKED), Ok(LOCKED));
        write(&mut cmu, &mut effects, 40_000, 0x200, 1);
        assert_eq!(cmu.khz(0), 2_000_000);
        assert!(effects.findings.is_empty());
    }

    #[test]
    fn a_broken_pll_locks_no_more() {
        let (mut cmu, mut effects) = (Cmu::with_broken_plls([true, false]), Effects::default());
        let locked = |cmu: &mut Cmu, offset| cmu.read(offset, Size::Word, &at(1_000_000), &mut Effects::default());
        assert_eq!(locked(&mut cmu, 0x100).map(|value| value & LOCKED), Ok(LOCKED));
        for base in [0, KFC] {
            write(&mut cmu, &mut effects, 0, base + 0x200, 0x1_0001);
            write(&mut cmu, &mut effects, 0, base, 810);
            write(&mut cmu, &mut effects, 0, base + 0x100, 0x80af_0300);
        }
        assert_eq!(locked(&mut cmu, 0x100).map(|value| value & LOCKED), Ok(0));
        assert_eq!(locked(&mut cmu, KFC + 0x100).map(|value| value & LOCKED), Ok(LOCKED));
    }

    #[test]
    fn changing_the_pll_under_the_cores_is_a_finding() {
        let (mut cmu, mut effects) = (Cmu::default(), Effects::default());
        write(&mut cmu, &mut effects, 0, KFC, 810);
        write(&mut cmu, &mut effects, 0, KFC + 0x100, 0x80af_0300);
        assert_eq!(effects.findings[0].kind, FindingKind::PllUnlocked);
    }

    #[test]
    fn going_back_before_the_lock_is_a_finding() {
        let (mut cmu, mut effects) = (Cmu::default(), Effects::default());
        write(&mut cmu, &mut effects, 0, 0x200, 0x1_0001);
        write(&mut cmu, &mut effects, 0, 0x000, 810);
        write(&mut cmu, &mut effects, 0, 0x100, 0x80fa_0300);
        write(&mut cmu, &mut effects, 1000, 0x200, 1);
        assert_eq!(effects.findings[0].kind, FindingKind::PllUnlocked);
    }

    #[test]
    fn the_divider_that_loses_only_s_needs_no_lock() {
        let (mut cmu, mut effects) = (Cmu::default(), Effects::default());
        write(&mut cmu, &mut effects, 0, 0x100, 0x80c8_0302);
        assert_eq!(cmu.khz(0), 400_000);
        assert!(effects.findings.is_empty());
    }
}
