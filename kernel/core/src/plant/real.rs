//! Clocks and sensors of silicon, which take their time and may refuse.
//!
//! A request for an operating point is a note. Who leaves it lets the clocks do one short step, if nobody else has
//! them, and is told when the next one is due, for which it sets its alarm. So no CPU waits for another one or for the
//! bus, and interrupts are never masked for longer than a step takes. A request that comes meanwhile is one note more
//! for whoever carries on already. What is in force is published when it is.

use core::ops::RangeInclusive;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use abi::types::MAX_CPUS;
use sched::{CoreType, CpuFacts, CpuKind, CpuMask, Energy, HeatFacts, IdleCost, Machine, MilliCelsius, Nanos, Profile};
use spin::{Mutex, Once};

use super::{Plant, Trouble};

/// A step that another CPU does is over by then.
const OTHERS_STEP: Nanos = Nanos::from_micros(100);

/// What moves the clocks. The big cluster comes first.
pub trait Clocks: Send {
    /// Makes ready what has to be.
    fn begin(&mut self);
    /// Instead of that: leaves the clocks as they are, for good.
    fn keep(&mut self);
    /// Does the next short step towards these levels. Returns when the next one can be done; [`None`] when nothing is
    /// left to do, which comes in bounded time.
    fn step(&mut self, wanted: [usize; 2]) -> Option<Nanos>;
    /// What is in force.
    fn levels(&self) -> [usize; 2];
    /// What can be brought in force.
    fn ranges(&self) -> [RangeInclusive<usize>; 2];
    /// What has failed since this was last asked, one at a time.
    fn trouble(&mut self) -> Option<Trouble>;
}

/// What measures temperatures.
pub trait Sensors: Send {
    /// Makes ready what has to be.
    fn begin(&mut self);
    /// As [`Plant::temperatures`].
    fn read(&mut self, readings: &mut [Option<MilliCelsius>]) -> usize;
}

/// What is known of such a plant before anything was tried.
#[derive(Clone, Copy, Debug)]
pub struct RealFacts {
    /// The word for `plant=` in the BOOT line.
    pub name: &'static str,
    /// The CPUs with all operating points of their kinds.
    pub machine: &'static Machine,
    /// Speed and power at each of them. Nothing measures power here: energy is estimated by this list.
    pub profile: &'static Profile,
    /// Its heat.
    pub heat: &'static HeatFacts,
    /// How long a clock takes to change.
    pub latency: Nanos,
}

/// A plant over real clocks and sensors.
pub struct RealPlant<C, S> {
    facts: RealFacts,
    clocks: Mutex<C>,
    sensors: Mutex<S>,
    /// In the numbers of the clocks, like everything here; the kernel's begin at the lowest level that could be reached
    /// at the start.
    wanted: [AtomicUsize; 2],
    levels: [AtomicUsize; 2],
    ceilings: [AtomicUsize; 2],
    /// Something is left to do, and somebody will come back for it.
    pending: AtomicBool,
    /// Something may be told.
    told: AtomicBool,
    reached: Reached,
}

/// The chip as far as it could be brought at the start.
#[derive(Default)]
struct Reached {
    ranges: Once<[RangeInclusive<usize>; 2]>,
    kinds: Once<[CpuKind; 2]>,
    cpus: Once<[CpuFacts; MAX_CPUS]>,
    machine: Once<Machine>,
}

impl<C: Clocks, S: Sensors> RealPlant<C, S> {
    /// A plant that nobody has asked for anything.
    #[must_use]
    pub fn new(facts: RealFacts, clocks: C, sensors: S) -> RealPlant<C, S> {
        let zeros = || [const { AtomicUsize::new(0) }; 2];
        RealPlant {
            facts,
            clocks: Mutex::new(clocks),
            sensors: Mutex::new(sensors),
            wanted: zeros(),
            levels: zeros(),
            ceilings: zeros(),
            pending: AtomicBool::new(false),
            told: AtomicBool::new(false),
            reached: Reached::default(),
        }
    }

    /// Brings the clocks to these levels, in their own numbers, and waits for it, some milliseconds at most: for the
    /// end of the system. Whoever has the clocks then, a CPU that was stopped perhaps, keeps them.
    pub fn bring_to(&self, levels: [usize; 2]) {
        if let Some(mut clocks) = self.clocks.try_lock() {
            while clocks.step(levels).is_some() {}
        }
    }

    /// Makes known what the clocks came to.
    fn publish(&self, clocks: &C) {
        for core in CoreType::BOTH.map(CoreType::index) {
            self.levels[core].store(clocks.levels()[core], Ordering::Relaxed);
            self.ceilings[core].store(*clocks.ranges()[core].end(), Ordering::Relaxed);
        }
        self.told.store(true, Ordering::Relaxed);
    }

    /// The levels of a cluster that could be reached at the start; all of them before it.
    fn range(&self, core: CoreType) -> RangeInclusive<usize> {
        let all = 0..=self.facts.profile.points(core).len() - 1;
        self.reached.ranges.get().map_or(all, |ranges| ranges[core.index()].clone())
    }

    /// The kernel's number for a level.
    fn numbered(&self, core: CoreType, level: &AtomicUsize) -> usize {
        level.load(Ordering::Relaxed).saturating_sub(*self.range(core).start())
    }

    /// Fixes what the CPUs are worth from now on.
    fn fix(&'static self, ranges: [RangeInclusive<usize>; 2]) -> &'static Machine {
        let (facts, reached) = (&self.facts, &self.reached);
        let ranges = reached.ranges.call_once(|| ranges);
        let of = |core: CoreType| facts.machine.cpus.iter().map(|cpu| cpu.kind).find(|kind| kind.core == core);
        let any = facts.machine.cpus[0].kind;
        let kinds = reached.kinds.call_once(|| {
            CoreType::BOTH.map(|core| {
                let kind = of(core).unwrap_or(any);
                CpuKind { core, dmips_per_mhz: kind.dmips_per_mhz, opps: &kind.opps[ranges[core.index()].clone()] }
            })
        });
        let cpus = reached.cpus.call_once(|| {
            let cpu = |index: usize| facts.machine.cpus[index.min(facts.machine.cpus.len() - 1)];
            core::array::from_fn(|index| CpuFacts { kind: &kinds[cpu(index).kind.core.index()], ..cpu(index) })
        });
        reached.machine.call_once(|| Machine { name: facts.machine.name, cpus: &cpus[..facts.machine.cpus.len()] })
    }
}

impl<C: Clocks, S: Sensors> Plant for RealPlant<C, S> {
    fn name(&self) -> &'static str {
        self.facts.name
    }

    fn begin(&'static self, change: bool) -> Option<&'static Machine> {
        self.sensors.lock().begin();
        let mut clocks = self.clocks.lock();
        if change {
            clocks.begin();
        } else {
            clocks.keep();
        }
        let tops = CoreType::BOTH.map(|core| *self.range(core).end());
        while clocks.step(tops).is_some() {}
        self.publish(&clocks);
        for (wanted, level) in self.wanted.iter().zip(clocks.levels()) {
            wanted.store(level, Ordering::Relaxed);
        }
        Some(self.fix(clocks.ranges()))
    }

    fn energy(&self, present: CpuMask) -> Energy {
        let profile = self.facts.profile;
        let points = |core: CoreType| &profile.points(core)[self.range(core)];
        let idle = |core: CoreType| &profile.idle(core)[self.range(core)];
        let profile = Profile {
            big: points(CoreType::Big),
            little: points(CoreType::Little),
            idle_big: idle(CoreType::Big),
            idle_little: idle(CoreType::Little),
            ..*profile
        };
        Energy::new(self.reached.machine.get().unwrap_or(self.facts.machine), present, &profile, IdleCost::Always)
    }

    fn heat(&self) -> &'static HeatFacts {
        self.facts.heat
    }

    fn latency(&self) -> Nanos {
        self.facts.latency
    }

    fn set_level(&self, core: CoreType, level: usize) -> Option<Nanos> {
        self.wanted[core.index()].store(level + self.range(core).start(), Ordering::Relaxed);
        let attended = self.pending.swap(true, Ordering::AcqRel);
        // To slow down needs nobody's patience, so the first step is done here in any case.
        self.carry_on().filter(|_| !attended)
    }

    fn level(&self, core: CoreType) -> usize {
        self.numbered(core, &self.levels[core.index()])
    }

    fn ceiling(&self, core: CoreType) -> usize {
        self.numbered(core, &self.ceilings[core.index()])
    }

    fn carry_on(&self) -> Option<Nanos> {
        // Another CPU is at work on an earlier request, and may have read it before this one was made.
        let Some(mut clocks) = self.clocks.try_lock() else { return Some(Nanos::new(arch::time::now()) + OTHERS_STEP) };
        // First of all, so that a request that comes meanwhile finds nobody who would come back for it.
        self.pending.swap(false, Ordering::AcqRel);
        let wanted = [0, 1].map(|core: usize| self.wanted[core].load(Ordering::Relaxed));
        let due = clocks.step(wanted);
        if due.is_some() {
            self.pending.store(true, Ordering::Release);
        }
        self.publish(&clocks);
        due
    }

    fn trouble(&self) -> Option<Trouble> {
        if !self.told.load(Ordering::Relaxed) {
            return None;
        }
        let trouble = self.clocks.try_lock()?.trouble();
        self.told.store(trouble.is_some(), Ordering::Relaxed);
        trouble
    }

    fn temperatures(&self, readings: &mut [Option<MilliCelsius>]) -> usize {
        self.sensors.lock().read(readings)
    }
}
