//! Power-management unit: cores, reset, power-off.
//!
//! Sources: `include/linux/soc/samsung/exynos-regs-pmu.h`, `drivers/soc/samsung/exynos5420-pmu.c`,
//! `arch/arm/mach-exynos/mcpm-exynos.c`, and `leedoowon/MTraceCheck:src_main/codegen_arm.py`, which brings up all eight
//! cores of an Odroid XU3 without an operating system.
//!
//! The unit counts the Cortex-A15s as cores 0-3 and the Cortex-A7s as 4-7. How a core comes up differs by cluster:
//!
//! - An A15 leaves its reset by itself when it has power, and brings its cluster up with it.
//! - An A7 runs the boot ROM first, which says so in SPARE2 and waits; a software reset of that core lets it go on. A
//!   reset before the ROM is there is lost.
#![expect(unsafe_code, reason = "claims device registers")]

use super::within;
use crate::words::{Mapped, Words};

/// SYS_DISP1/ATB low-power interface masks.
const LPI_MASK0: usize = 0x0004;
const LPI_MASK1: usize = 0x0008;
const UP_SCHEDULER: usize = 0x0120;
const CENTRAL_SEQUENCER_OPTION: usize = 0x0208;
const SOFTWARE_RESET: usize = 0x0400;
/// Word in which the boot ROM says that it waits on an A7.
const SPARE2: usize = 0x0908;
const SPARE3: usize = 0x090c;
const CORES: usize = 0x2000;
const CORE_STRIDE: usize = 0x80;
const ARM_COMMON: usize = 0x2500;
const KFC_COMMON: usize = 0x2580;
const ARM_L2: usize = 0x2600;
const KFC_L2: usize = 0x2680;
const LOGIC_RESET_DURATION3: usize = 0x2d1c;
const PS_HOLD_CONTROL: usize = 0x330c;

/// From a block's configuration to its status and its options.
const STATUS: usize = 4;
const OPTION: usize = 8;

/// Local power of a core, wanted or there.
const POWER: u32 = 0b11;
/// In PS_HOLD_CONTROL: bit 9 drives the line, bit 8 is its level; low is off.
const PS_HOLD: u32 = 0b11 << 8;
const PS_HOLD_LOW: u32 = 0b10 << 8;
/// In PS_HOLD_CONTROL: a thermal trip takes the power away without software.
const THERMAL_TRIP: u32 = 1 << 31;
/// In the options of a core.
const AUTOMATIC_WAKEUP: u32 = 1 << 8;
const DELAYED_RESET: u32 = 1 << 12;
/// In the options of a cluster's common part.
const SKIP_DEACTIVATE_ACP: u32 = 1 << 7;
const CORE_DOWN_STATES: u32 = 1 << 30 | 1 << 29 | 1 << 9;
/// In the options of a cluster's second-level cache.
const RETENTION: u32 = 1 << 4;

/// Time for a core's power to come; nobody published how long it takes. Linux polls ten times in 10 ms.
const POWER_NS: u64 = 10_000_000;
/// Time for the boot ROM of an A7; Linux gives it 160 µs.
const ROM_NS: u64 = 1_000_000;
/// Time that the boot ROM gets after it said that it is there: the word may be an earlier core's.
const SETTLE_NS: u64 = 100_000;

/// Which core, in the unit's own count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Core {
    /// One of four Cortex-A15.
    CortexA15(usize),
    /// One of four Cortex-A7.
    CortexA7(usize),
}

impl Core {
    /// The core with this affinity: cluster 0 are the A15s, cluster 1 the A7s.
    #[must_use]
    pub const fn with_affinity(mpidr: u32) -> Self {
        let core = (mpidr & 3) as usize;
        if mpidr & 0xff00 == 0 { Self::CortexA15(core) } else { Self::CortexA7(core) }
    }

    const fn configuration(self) -> usize {
        let number = match self {
            Self::CortexA15(core) => core,
            Self::CortexA7(core) => 4 + core,
        };
        CORES + CORE_STRIDE * number
    }
}

/// The core's power did not come in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoPower;

/// The power-management unit.
#[derive(Debug)]
pub struct PowerManagement<W = Mapped> {
    words: W,
}

impl PowerManagement {
    /// Takes the device at `base`.
    ///
    /// # Safety
    ///
    /// At `base` is the power-management unit of an Exynos5420 or its relatives, mapped as device memory, and nobody
    /// else drives it.
    #[must_use]
    pub const unsafe fn claim(base: usize) -> Self {
        // SAFETY: the caller's promise.
        Self { words: unsafe { Mapped::at(base) } }
    }
}

impl<W: Words> PowerManagement<W> {
    /// Sets up what the cores need before the first of them is started, in MTraceCheck's order. Left out is what it
    /// sets beside that and what would act against a kernel that pins its interrupts: ARM_INTR_SPREAD.
    pub fn prepare(&self) {
        let words = &self.words;
        // Waiting in WFI counts as idle, for the A15s (bits 7:4) and the A7s (11:8).
        words.write(CENTRAL_SEQUENCER_OPTION, 0xff0);
        for cache in [ARM_L2, KFC_L2] {
            words.clear(cache + OPTION, RETENTION);
        }
        // SWRESET_KFC_SEL: resets are for single A7 cores.
        words.write(SPARE3, 3);
        words.set(LPI_MASK0, 1 << 19 | 1 << 15);
        words.set(LPI_MASK1, 1 << 13);
        words.set(PS_HOLD_CONTROL, PS_HOLD | THERMAL_TRIP);
        words.write(LOGIC_RESET_DURATION3, 0xf);
        words.write(UP_SCHEDULER, 1);
        for common in [ARM_COMMON, KFC_COMMON] {
            words.set(common + OPTION, SKIP_DEACTIVATE_ACP | CORE_DOWN_STATES | DELAYED_RESET);
        }
        for core in 0..8 {
            words.clear(CORES + CORE_STRIDE * core + OPTION, DELAYED_RESET | AUTOMATIC_WAKEUP);
        }
    }

    /// Brings a core to the firmware's mailbox. `now` is a clock in nanoseconds. Takes some milliseconds at most.
    ///
    /// # Errors
    ///
    /// If the core gets no power.
    pub fn start(&self, core: Core, now: impl Fn() -> u64) -> Result<(), NoPower> {
        let words = &self.words;
        match core {
            // Its boot ROM writes this word; cleared, it cannot be an earlier core's. Linux does without.
            Core::CortexA7(_) => words.write(SPARE2, 0),
            Core::CortexA15(_) => words.write(ARM_COMMON, POWER),
        }
        words.write(core.configuration(), POWER);
        let status = core.configuration() + STATUS;
        if !within(&now, POWER_NS, || words.read(status) & POWER == POWER) {
            return Err(NoPower);
        }
        if let Core::CortexA7(number) = core {
            // Without a word from the ROM the reset is tried all the same: whether the core comes is seen when it does.
            within(&now, ROM_NS, || words.read(SPARE2) != 0);
            within(&now, SETTLE_NS, || false);
            words.write(SOFTWARE_RESET, (1 << 20 | 1 << 8) << number);
        }
        Ok(())
    }

    /// Whether a core has power.
    pub fn is_powered(&self, core: Core) -> bool {
        self.words.read(core.configuration() + STATUS) & POWER == POWER
    }

    /// Switches the board off, by letting go of the line that holds its power.
    pub fn power_off(&self) {
        let control = self.words.read(PS_HOLD_CONTROL);
        self.words.write(PS_HOLD_CONTROL, control & !PS_HOLD | PS_HOLD_LOW);
    }

    /// Resets the whole chip.
    pub fn reset(&self) {
        self.words.write(SOFTWARE_RESET, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exynos::tests::clock;
    use crate::words::script::{Did, Script};

    /// Cores get power at once; the boot ROM answers when somebody looks.
    fn healthy() -> Script {
        Script::new(&[], |words, did| match did {
            Did::Wrote(block @ 0x2000..0x2400, value) => _ = words.insert(block + STATUS, value),
            Did::Read(SPARE2) => _ = words.insert(SPARE2, 1),
            _ => {}
        })
    }

    fn unit(words: &Script) -> PowerManagement<&Script> {
        PowerManagement { words }
    }

    #[test]
    fn an_a7_is_reset_only_after_power_and_boot_rom() {
        let device = healthy();
        assert_eq!(unit(&device).start(Core::CortexA7(2), clock()), Ok(()));
        let expected = [
            Did::Wrote(SPARE2, 0),
            Did::Wrote(0x2300, 3),
            Did::Read(0x2304),
            Did::Read(SPARE2),
            Did::Wrote(SOFTWARE_RESET, 0x0040_0400),
        ];
        assert_eq!(device.accesses(), expected);
    }

    #[test]
    fn an_a15_needs_its_cluster_and_no_reset() {
        let device = healthy();
        assert_eq!(unit(&device).start(Core::CortexA15(1), clock()), Ok(()));
        assert_eq!(device.accesses(), [Did::Wrote(ARM_COMMON, 3), Did::Wrote(0x2080, 3), Did::Read(0x2084)]);
    }

    #[test]
    fn a_core_without_power_is_named_in_bounded_time_and_not_reset() {
        let device = Script::new(&[], |_, _| {});
        assert_eq!(unit(&device).start(Core::CortexA7(1), clock()), Err(NoPower));
        assert!(!unit(&device).is_powered(Core::CortexA7(1)));
        assert_eq!(device.writes(), [(SPARE2, 0), (0x2280, 3)]);
    }

    #[test]
    fn a_silent_boot_rom_does_not_stop_the_reset() {
        let device = Script::new(&[], |words, did| {
            if let Did::Wrote(block @ 0x2000..0x2400, value) = did {
                words.insert(block + STATUS, value);
            }
        });
        assert_eq!(unit(&device).start(Core::CortexA7(3), clock()), Ok(()));
        assert_eq!(device.writes().last(), Some(&(SOFTWARE_RESET, 0x0080_0800)));
    }

    #[test]
    fn preparing_keeps_the_power_and_frees_the_cores() {
        let device = Script::new(&[(PS_HOLD_CONTROL, 0x5300), (0x2008, 0x1101), (ARM_L2 + OPTION, 0x11)], |_, _| {});
        unit(&device).prepare();
        assert_eq!(device.word(PS_HOLD_CONTROL), 0x8000_5300);
        assert_eq!(device.word(0x2008), 0x0001, "neither delayed reset nor automatic wake-up");
        assert_eq!(device.word(ARM_L2 + OPTION), 0x01);
        assert_eq!(device.word(ARM_COMMON + OPTION), 0x6000_1280);
        assert_eq!(device.word(SPARE3), 3);
        assert!(device.writes().iter().all(|&(offset, _)| !(0x2000..0x2400).contains(&offset) || offset % 0x80 == 8));
    }

    #[test]
    fn off_is_what_the_device_tree_says() {
        let device = Script::new(&[(PS_HOLD_CONTROL, 0x5300)], |_, _| {});
        unit(&device).power_off();
        assert_eq!(device.word(PS_HOLD_CONTROL), 0x5200);
        unit(&device).reset();
        assert_eq!(device.writes().last(), Some(&(SOFTWARE_RESET, 1)));
    }

    #[test]
    fn affinity_and_number_count_the_clusters_differently() {
        assert_eq!(Core::with_affinity(0x8000_0103), Core::CortexA7(3));
        assert_eq!(Core::with_affinity(0x8000_0002), Core::CortexA15(2));
        assert_eq!(Core::CortexA7(0).configuration(), 0x2200);
    }
}
