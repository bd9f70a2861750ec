//! The meter of a CPU: what a stretch of running there was worth, in time, instructions and energy.

use arch::cpu::Counts;
use sched::{Capacity, CoreType, Energy, Listed, Nanos, Rate, Stint};

use crate::learned::Learned;

/// What running is worth on one CPU.
pub struct Meter {
    /// Whether anything is measured: by price or by count.
    on: bool,
    energy: Option<&'static Energy>,
    core: CoreType,
    /// The operating point in force, and what it gives.
    level: usize,
    listed: Listed,
    /// Whether the CPU counts its instructions.
    counting: bool,
    /// The counters at the beginning of the present stretch.
    begun: Counts,
    /// How many CPUs of its cluster are busy, as of the last tick.
    pub sharing: u32,
    /// Whether anyone asks for the rhythm of tasks, as of the last tick: to learn it costs a thousand instructions a job, which only
    /// a plan is worth.
    pub learns: bool,
    /// All time with a running task, and what was drawn beyond idle in it, in femtojoules (nanoseconds times microwatts).
    busy: u64,
    drawn: u64,
}

impl Meter {
    /// Of a CPU that is not open yet: all zero.
    pub const NONE: Meter = Meter {
        on: false,
        energy: None,
        core: CoreType::Big,
        level: 0,
        listed: Listed::NONE,
        counting: false,
        begun: Counts { cycles: 0, instructions: 0 },
        sharing: 0,
        learns: false,
        busy: 0,
        drawn: 0,
    };

    /// Of a CPU whose clock cannot be chosen.
    pub fn fixed(core: CoreType, capacity: Capacity, counting: bool) -> Meter {
        Meter {
            on: counting,
            core,
            listed: Listed::fixed(Rate::of(capacity.get())),
            counting,
            sharing: 1,
            ..Meter::NONE
        }
    }

    /// Of a CPU at the top of its cluster.
    pub fn new(energy: &'static Energy, core: CoreType, counting: bool) -> Meter {
        let mut meter = Meter { on: true, energy: Some(energy), core, counting, sharing: 1, ..Meter::NONE };
        meter.set_level(energy.cluster(core).top());
        meter
    }

    /// The price list, if there is one.
    #[inline]
    pub fn energy(&self) -> Option<&'static Energy> {
        self.energy
    }

    /// Whether anything is measured.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// Whether instructions are counted.
    pub fn counts_instructions(&self) -> bool {
        self.counting
    }

    /// The kind of core.
    pub fn core(&self) -> CoreType {
        self.core
    }

    /// The operating point in force on this CPU.
    pub fn level(&self) -> usize {
        self.level
    }

    /// The speed in force.
    pub fn speed(&self) -> Rate {
        self.listed.speed
    }

    /// From now on another operating point is in force.
    pub fn set_level(&mut self, level: usize) {
        if let Some(energy) = self.energy {
            (self.level, self.listed) = (level, Listed::at(energy.cluster(self.core), level));
        }
    }

    /// Time with a running task since boot in units of 2^10 ns, and energy drawn beyond idle in units of 2^20 fJ; both wrap, the
    /// second one after four seconds of a big core at its top.
    pub fn readings(&self) -> (u32, u32) {
        ((self.busy >> 10) as u32, (self.drawn >> 20) as u32)
    }

    /// A task begins to run.
    #[inline(never)]
    pub fn begin(&mut self) {
        if self.counting {
            self.begun = arch::cpu::counts();
        }
    }

    /// The running task has run for so long since the beginning, or since this was last called.
    #[inline(never)]
    pub fn note(&mut self, learned: &mut Learned, nanos: u32) {
        learned.stretch.nanos += nanos;
        if self.counting {
            let counts = arch::cpu::counts();
            let done = counts.since(core::mem::replace(&mut self.begun, counts));
            let noted = &mut learned.stretch.counts;
            noted.cycles = noted.cycles.wrapping_add(done.cycles);
            noted.instructions = noted.instructions.wrapping_add(done.instructions);
        }
    }

    /// Tells a task's signals and its account what was noted since the last time.
    pub fn end_stint(&mut self, learned: &mut Learned) {
        let stretch = core::mem::take(&mut learned.stretch);
        if stretch.nanos == 0 {
            return;
        }
        let busy = Nanos::new(u64::from(stretch.nanos));
        learned.job += busy.as_nanos();
        let Counts { cycles, instructions } = stretch.counts;
        learned.counted[0] += u64::from(cycles);
        learned.counted[1] += u64::from(instructions);
        if let Some(energy) = self.energy {
            self.busy += busy.as_nanos();
            self.drawn += busy.as_nanos() * u64::from(energy.cluster(self.core).level(self.level).busy.get());
            learned.account.charge(energy, self.core, self.level, self.sharing, busy);
        }
        if self.learns || self.counting {
            learned.signals.ran(&Stint {
                core: self.core,
                listed: self.listed,
                busy,
                // What a clock is worth can only be told where it is known.
                cycles: if self.energy.is_some() { u64::from(cycles) } else { 0 },
                instructions: u64::from(instructions),
            });
        }
    }
}
