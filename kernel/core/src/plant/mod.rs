//! What the kernel may ask of the clocks and sensors of a board: of real ones ([`RealPlant`]), and of a stand-in for
//! boards that have none ([`VirtualPlant`]).

mod real;
mod virtual_plant;

use core::fmt;

use abi::types::MAX_CPUS;
use sched::{CoreType, CpuFacts, CpuKind, CpuMask, Energy, HeatFacts, Machine, MilliCelsius, Nanos, Picojoules};

pub use real::{Clocks, RealFacts, RealPlant, Sensors};
pub use virtual_plant::{PlantFacts, VirtualPlant};

/// Clocks, sensors and prices of a board. Called with interrupts masked; no call waits for another CPU.
pub trait Plant: Sync {
    /// The word behind `plant=` in the BOOT line.
    fn name(&self) -> &'static str;
    /// Brings clocks to the top and sensors to life; with `change` false the clocks stay as they are. Called once, by
    /// one CPU, before anything else, and may take milliseconds. Returns the CPUs with the operating points that they
    /// can be brought to, if only this tells.
    fn begin(&'static self, change: bool) -> Option<&'static Machine> {
        let _ = change;
        None
    }
    /// What work costs on the CPUs that are present.
    fn energy(&self, present: CpuMask) -> Energy;
    /// Where heat flows and how much is too much.
    fn heat(&self) -> &'static HeatFacts;
    /// How long a clock takes to change.
    fn latency(&self) -> Nanos;
    /// Asks for an operating point of a cluster. It is in force when [`Plant::level`] says so, unless another one is
    /// asked for before. The caller is to [carry on](Plant::carry_on) at the time returned, if there is one.
    fn set_level(&self, core: CoreType, level: usize) -> Option<Nanos>;
    /// The operating point in force; where a clock is between two, the slower one.
    fn level(&self, core: CoreType) -> usize;
    /// The highest operating point that can still be brought in force; it falls when something fails.
    fn ceiling(&self, core: CoreType) -> usize {
        let _ = core;
        usize::MAX
    }
    /// Does the next short step of what was asked for, some 100 µs at most. Returns when the next one can be done;
    /// [`None`] when nothing is left to do.
    fn carry_on(&self) -> Option<Nanos> {
        None
    }
    /// What has failed since this was last asked, one at a time.
    fn trouble(&self) -> Option<Trouble> {
        None
    }
    /// Says what each CPU has drawn beyond idle since the last call, `elapsed` ago. Of interest only where nothing real
    /// draws it.
    fn advance(&self, elapsed: Nanos, drawn: &[Picojoules; MAX_CPUS]) {
        let _ = (elapsed, drawn);
    }
    /// Reads the sensors; [`None`] for one that does not answer. Returns how many there are. Called by one CPU at a
    /// time.
    fn temperatures(&self, readings: &mut [Option<MilliCelsius>]) -> usize;
    /// Sets the temperature of the air, where it can be chosen.
    fn set_ambient(&self, ambient: MilliCelsius) {
        let _ = ambient;
    }
}

/// Something of a plant that failed and is left alone from now on: the keys of a `CLOCK` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// What: one word.
    pub part: &'static str,
    /// Of which cluster, if it is one's.
    pub core: Option<CoreType>,
    /// Why: one word.
    pub why: &'static str,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "part={} ", self.part)?;
        if let Some(core) = self.core {
            write!(f, "class={core} ")?;
        }
        write!(f, "state=failed why={}", self.why)
    }
}

/// The CPUs of `machine` with other facts about their kinds: those of the chip that an emulator stands for.
///
/// # Panics
/// If the machine has not `N` CPUs.
#[must_use]
pub const fn standing_for<const N: usize>(
    machine: &Machine,
    big: &'static CpuKind,
    little: &'static CpuKind,
) -> [CpuFacts; N] {
    assert!(machine.cpus.len() == N, "the number of CPUs is the machine's");
    let mut cpus = [CpuFacts { mpidr: 0, kind: big }; N];
    let mut cpu = 0;
    while cpu < N {
        let is_big = matches!(machine.cpus[cpu].kind.core, CoreType::Big);
        cpus[cpu] = CpuFacts { mpidr: machine.cpus[cpu].mpidr, kind: if is_big { big } else { little } };
        cpu += 1;
    }
    cpus
}
