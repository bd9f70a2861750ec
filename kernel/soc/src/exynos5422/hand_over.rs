//! The chip as the boot loader leaves it: both clusters at 800 MHz.
//!
//! APLL_CON0 and KPLL_CON0 hold 0x80c8_0301, 24 MHz · 200 / (3 · 2), written by the vendor's second boot loader
//! (`hardkernel/u-boot:board/samsung/smdk5422/clock_init.c`) and by nobody after it. As long as the kernel leaves the
//! clocks alone, this is what the CPUs are worth, not what they could be.

use sched::{CpuFacts, CpuKind, Machine, Opp};

use super::{CORTEX_A7, CORTEX_A15, cpu, opp};

/// What both clusters run at.
pub const MEGAHERTZ: u32 = 800;

static A15_OPPS: [Opp; 1] = [opp(MEGAHERTZ, 900_000)];
static A7_OPPS: [Opp; 1] = [opp(MEGAHERTZ, 1_100_000)];

static A15: CpuKind = CpuKind { opps: &A15_OPPS, ..CORTEX_A15 };
static A7: CpuKind = CpuKind { opps: &A7_OPPS, ..CORTEX_A7 };

/// The CPUs in the order of [`super::MACHINE`], with the one operating point that they have now. Its voltage is the
/// table's, the least that it needs; boot loaders leave other ones.
pub static MACHINE: Machine = Machine { name: super::MACHINE.name, cpus: &CPUS };

static CPUS: [CpuFacts; 8] = [
    cpu(0x100, &A7),
    cpu(0x101, &A7),
    cpu(0x102, &A7),
    cpu(0x103, &A7),
    cpu(0x000, &A15),
    cpu(0x001, &A15),
    cpu(0x002, &A15),
    cpu(0x003, &A15),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_same_chip_with_one_point_of_its_table() {
        for (now, whole) in MACHINE.cpus.iter().zip(super::super::MACHINE.cpus) {
            assert_eq!((now.mpidr, now.kind.core), (whole.mpidr, whole.kind.core));
            let [point] = now.kind.opps else { panic!("one point") };
            assert!(whole.kind.opps.contains(point));
        }
    }
}
