//! What the QEMU machines pretend. QEMU's cores are all alike; the kernel makes half of them slow by idle
//! injection, in the ratio that a real board showed.

use sched::{CoreType, CpuFacts, CpuKind, Kilohertz, Microvolts, Opp};

/// Work per cycle of the emulated LITTLE core against 1024 of the big one.
///
/// A shell loop to a million took 27.96-28.32 s on a Cortex-A15 at 2.0 GHz and 61.84-62.34 s on a Cortex-A7 at
/// 1.4 GHz of an Odroid XU4 (chiefio.wordpress.com, "Odroid XU4 CPU Scheduler"). 661 · 1.4 GHz / (1024 · 2.0 GHz) is
/// 28 / 62, a capacity of 462.
const LITTLE_DMIPS_PER_MHZ: u32 = 661;

/// The big half: full speed, one operating point, as an emulator has no clock to change.
pub(crate) static BIG: CpuKind = CpuKind {
    core: CoreType::Big,
    dmips_per_mhz: 1024,
    opps: &[Opp { frequency: Kilohertz::from_mhz(2000), voltage: Microvolts::new(1_312_500) }],
};

/// The LITTLE half.
pub(crate) static LITTLE: CpuKind = CpuKind {
    core: CoreType::Little,
    dmips_per_mhz: LITTLE_DMIPS_PER_MHZ,
    opps: &[Opp { frequency: Kilohertz::from_mhz(1400), voltage: Microvolts::new(1_275_000) }],
};

/// A CPU of an emulated machine, where the affinity is just a number in Aff0.
pub(crate) const fn cpu(mpidr: u32, kind: &'static CpuKind) -> CpuFacts {
    CpuFacts { mpidr, kind }
}

/// The frequency of the generic timer that QEMU gives an ARMv7 core (`GTIMER_SCALE` of 16 ns in
/// `target/arm/internals.h`; seen in CNTFRQ on 7.2 and 10.0).
pub(crate) const TIMER_HZ: u32 = 62_500_000;
