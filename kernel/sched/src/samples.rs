//! Machines for the unit tests: what the rules are about, without a chip.

use crate::{CoreType, CpuFacts, CpuKind, Kilohertz, Machine, Microvolts, Opp};

const fn opp(mhz: u32) -> Opp {
    Opp { frequency: Kilohertz::from_mhz(mhz), voltage: Microvolts::new(1_000_000) }
}

const fn cpu(mpidr: u32, kind: &'static CpuKind) -> CpuFacts {
    CpuFacts { mpidr, kind }
}

const OPPS: &[Opp] = &[opp(200), opp(1400), opp(2000)];
const SLOW_OPPS: &[Opp] = &[opp(200), opp(1400)];

static A15: CpuKind = CpuKind { core: CoreType::Big, dmips_per_mhz: 1024, opps: OPPS };
static A7: CpuKind = CpuKind { core: CoreType::Little, dmips_per_mhz: 539, opps: SLOW_OPPS };
static LOOPER_BIG: CpuKind = CpuKind { core: CoreType::Big, dmips_per_mhz: 62, opps: OPPS };
static LOOPER_LITTLE: CpuKind = CpuKind { core: CoreType::Little, dmips_per_mhz: 28, opps: OPPS };

/// Two LITTLE and two big CPUs with the ratio of the Exynos5422's device tree, LITTLE first.
pub(crate) static TWO_AND_TWO: Machine =
    Machine { name: "2+2", cpus: &[cpu(0x100, &A7), cpu(0x101, &A7), cpu(0x000, &A15), cpu(0x001, &A15)] };

/// Four and four in turn, with the ratio that the looper benchmark saw: 28 s against 62 s.
pub(crate) static FOUR_AND_FOUR: Machine = Machine {
    name: "4+4",
    cpus: &[
        cpu(0, &LOOPER_BIG),
        cpu(1, &LOOPER_LITTLE),
        cpu(2, &LOOPER_BIG),
        cpu(3, &LOOPER_LITTLE),
        cpu(4, &LOOPER_BIG),
        cpu(5, &LOOPER_LITTLE),
        cpu(6, &LOOPER_BIG),
        cpu(7, &LOOPER_LITTLE),
    ],
};
