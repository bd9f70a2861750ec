//! Clocks, heat and the plan.
//!
//! ```text
//!   tick of any CPU ──▶ slow loop, when it is due ──▶ temperatures ──▶ caps ──▶ pressure
//!        │                    └──▶ demands ──▶ plan ──▶ each CPU's own copy
//!        ├──▶ governor of its cluster ──▶ level asked for ──▶ alarms for the steps that lead there ──▶ level in force
//!        └──▶ level in force ──▶ width of its window, capacity of its queue
//! ```
//!
//! Whichever CPU ticks first when the slow loop is due runs it; where all idle nobody does, and there is nothing to decide. The loop
//! and each governor have a lock that is tried, never waited for: who does not get it leaves the work to the holder. The policy
//! reads what was published ([`crate::view`]) and, lock-free, the copy of the plan that its own CPU keeps; it is brought up to date on the tick and
//! whenever a task is placed.

use core::sync::atomic::{AtomicI32, AtomicU32, Ordering::Relaxed};

use abi::types::{self, MAX_CPUS};
use sched::heat::MAX_SENSORS;
use sched::{
    CoreType, CpuId, CpuMask, Departure, Energy, Goal, Governor, Heat, MilliCelsius, Nanos, Plan, Policy, PolicyKind,
};
use spin::{Mutex, Once};

use crate::cpu::Cpu;
use crate::kernel::Kernel;
use crate::meter::Meter;
use crate::plant::Plant;
use crate::view::Eyes;

mod clocks;
mod slow;

use slow::Slow;
pub use slow::TOO_HOT;

/// A stretch of running that is worth the thousand instructions that it costs to price it, in nanoseconds. With a plan in force
/// each tick is, as a job that overruns shows within two.
const ENOUGH: u32 = 4_000_000;

/// What the clocks of the system are and may be.
pub struct Governance {
    energy: Once<Energy>,
    /// Operating point in force, by [`CoreType::index`].
    levels: [AtomicU32; 2],
    caps: [AtomicU32; 2],
    pressure: [AtomicU32; 2],
    /// How far each CPU is below the limit of heat, in thousandths of a degree; 0 as long as nothing is known.
    rooms: [AtomicI32; MAX_CPUS],
    parked: AtomicU32,
    /// Counts the plans.
    version: AtomicU32,
    /// The plan of that number. Held while it is copied and no longer, so for this one everybody waits: all CPUs must go by the same plan.
    plan: Mutex<Plan>,
    hottest: AtomicI32,
    /// How often each clock changed.
    changes: [AtomicU32; 2],
    /// The next round, in units of 2^20 ns.
    due: AtomicU32,
    /// When each governor has looked last, in the same units.
    looked: [AtomicU32; 2],
    governors: [Once<Mutex<Governor>>; 2],
    slow: Mutex<Slow>,
    heat: Mutex<Heat>,
}

impl Governance {
    /// Of a system without a plant.
    pub const fn new() -> Governance {
        Governance {
            energy: Once::new(),
            levels: [const { AtomicU32::new(0) }; 2],
            caps: [const { AtomicU32::new(0) }; 2],
            pressure: [const { AtomicU32::new(0) }; 2],
            rooms: [const { AtomicI32::new(0) }; MAX_CPUS],
            parked: AtomicU32::new(0),
            version: AtomicU32::new(0),
            plan: Mutex::new(Plan::none()),
            hottest: AtomicI32::new(0),
            changes: [const { AtomicU32::new(0) }; 2],
            due: AtomicU32::new(0),
            looked: [const { AtomicU32::new(0) }; 2],
            governors: [const { Once::new() }; 2],
            slow: Mutex::new(Slow::new()),
            heat: Mutex::new(Heat::idle()),
        }
    }

    /// The price list, where there is a plant.
    #[inline]
    pub fn energy(&self) -> Option<&Energy> {
        self.energy.get()
    }

    /// The capacity that heat takes from a CPU of this kind, as the policy is to see it.
    pub fn pressure(&self, core: CoreType) -> u32 {
        self.pressure[core.index()].load(Relaxed)
    }

    /// How far a CPU is below the limit of heat.
    pub fn room(&self, cpu: CpuId) -> Option<MilliCelsius> {
        let room = self.rooms[cpu.index()].load(Relaxed);
        (room != 0).then_some(MilliCelsius::new(room))
    }

    /// The CPUs that must rest.
    #[inline]
    pub fn parked(&self) -> CpuMask {
        CpuMask::from_bits(self.parked.load(Relaxed))
    }

    fn level(&self, core: CoreType) -> usize {
        self.levels[core.index()].load(Relaxed) as usize
    }

    fn cap(&self, core: CoreType) -> usize {
        self.caps[core.index()].load(Relaxed) as usize
    }
}

impl Default for Governance {
    fn default() -> Self {
        Governance::new()
    }
}

impl Kernel {
    /// The plant, where it can have an effect: emulated clocks need emulated pace.
    pub(crate) fn plant(&self) -> Option<&'static dyn Plant> {
        let board = self.board();
        let useless = board.facts().emulates_pace && !self.options().pace;
        board.plant().filter(|_| !useless)
    }

    /// The word for `plant=`.
    pub(crate) fn plant_name(&self) -> &'static str {
        self.plant().map_or("none", Plant::name)
    }

    /// Whether there is something to govern, and whether that is real: the numbers of [`types::SystemInfo::plant`].
    pub(crate) fn plant_number(&self) -> u32 {
        match self.plant_name() {
            "none" => types::Plant::None as u32,
            "virtual" => types::Plant::Virtual as u32,
            _ => types::Plant::Real as u32,
        }
    }

    /// Makes the price list and starts the watch on heat: all clocks at the top. Called once the CPUs that are present are known.
    pub(crate) fn start_governing(&'static self, now: Nanos) {
        let Some(plant) = self.plant() else { return };
        let options = self.options();
        plant.set_ambient(options.ambient);
        let governance = &self.governance;
        let energy = governance.energy.call_once(|| plant.energy(self.view.online()));
        for core in CoreType::BOTH {
            let top = energy.cluster(core).top();
            governance.caps[core.index()].store(top as u32, Relaxed);
            let mut due = plant.set_level(core, top);
            while due.is_some() {
                due = plant.carry_on();
            }
            governance.levels[core.index()].store(plant.level(core) as u32, Relaxed);
        }
        let mut readings = [None; MAX_SENSORS];
        plant.temperatures(&mut readings);
        let hottest = readings.into_iter().flatten().max().unwrap_or_default();
        governance.hottest.store(hottest.get(), Relaxed);
        self.tell_troubles(plant);
        governance.heat.lock().start(options.heat, plant.heat(), energy);
        governance.slow.lock().begin(options.pressure, now);
    }

    /// Gives a CPU its meter, before it runs its first task.
    pub(crate) fn install_meter(&'static self, cpu: &mut Cpu) {
        let core = self.view.capacities().core_type(cpu.id);
        // An emulator whose cores are made unequal by rest counts all of them together, the resting ones included.
        let counting = arch::cpu::counts_instructions(cpu.id.index()) && !self.board().facts().emulates_pace;
        cpu.meter = match self.governance.energy() {
            Some(energy) => Meter::new(energy, core, counting),
            None => Meter::fixed(core, self.view.capacities().capacity(cpu.id), counting),
        };
    }

    /// The speed of a LITTLE core against a big one, both at their tops, for average work: in 1/1024.
    pub(crate) fn listed_ratio(&self) -> u32 {
        let [big, little] = match self.governance.energy() {
            Some(energy) => CoreType::BOTH.map(|core| {
                let cluster = energy.cluster(core);
                if cluster.cpus.is_empty() { 0 } else { cluster.level(cluster.top()).speed.get() }
            }),
            None => {
                let capacities = self.view.capacities();
                let of = |core| capacities.largest_in(capacities.mask_of(core));
                CoreType::BOTH.map(|core| of(core).map_or(0, |cpu| capacities.capacity(cpu).get()))
            }
        };
        (little << 10).checked_div(big).unwrap_or(0)
    }

    /// Everything that is to be done about clocks on the tick of a CPU that has just been accounted.
    #[inline]
    pub(crate) fn govern(&'static self, cpu: &mut Cpu, now: Nanos) {
        if cpu.meter.is_on() {
            self.govern_by_meter(cpu, now);
        }
    }

    #[inline(never)]
    fn govern_by_meter(&'static self, cpu: &mut Cpu, now: Nanos) {
        self.learn(cpu, now);
        self.look_at_part(cpu, now);
        let Some(energy) = cpu.meter.energy() else { return };
        self.publish_meter(cpu);
        self.refresh_plan(cpu);
        self.look(cpu, energy, now);
        self.follow_clock(cpu);
        if self.plans() && !cpu.queue.is_empty() {
            self.send_home(cpu, now);
        }
        if self.governance.parked().contains(cpu.id) {
            self.evacuate(cpu, now);
        }
    }

    /// Takes in what the running task has run.
    pub(crate) fn learn(&'static self, cpu: &mut Cpu, now: Nanos) {
        let Cpu { current, meter, .. } = cpu;
        if let Some(energy) = meter.energy() {
            let busy = energy.cluster(meter.core()).cpus & self.view.online() & !self.view.idle();
            meter.sharing = busy.len() as u32;
            meter.learns = self.plans();
        }
        if let Some(task) = current {
            if meter.learns || task.learned.stretch.nanos >= ENOUGH {
                meter.end_stint(&mut task.learned);
            }
            task.publish_insight(now, Some(meter), meter.learns);
        }
    }

    /// A task has come, or the last one has gone: both may be the only occasion for a long time to look at the clocks.
    #[inline]
    pub(crate) fn load_changed(&'static self, cpu: &mut Cpu, now: Nanos) {
        if let Some(energy) = cpu.meter.energy()
            && self.governance.looked[cpu.meter.core().index()].load(Relaxed) != coarse(now)
        {
            self.publish_load(cpu);
            self.look(cpu, energy, now);
            if cpu.current.is_none() {
                self.follow_clock(cpu);
            }
        }
    }

    /// The slow loop if it is due, and the governor of this cluster.
    fn look(&'static self, cpu: &mut Cpu, energy: &'static Energy, now: Nanos) {
        if coarse(now) >= self.governance.due.load(Relaxed) {
            self.slow_loop(cpu, energy, now);
        }
        self.drive(cpu, energy, now);
    }

    /// Publishes what a CPU has drawn.
    pub(crate) fn publish_meter(&self, cpu: &Cpu) {
        self.view.set_meter(cpu.id, cpu.meter.readings());
    }

    /// Whether the plan decides.
    #[inline]
    pub(crate) fn plans(&self) -> bool {
        self.policy() == Policy { kind: PolicyKind::Gear, goal: Goal::Energy }
    }

    /// What the policy sees from a CPU when it places a task with this affinity. Parked CPUs are left out, unless it may run nowhere else.
    pub(crate) fn eyes<'a>(&'a self, cpu: &'a Cpu, affinity: CpuMask) -> Eyes<'a> {
        let online = self.view.online();
        let awake = online & !self.governance.parked();
        let seen = if (affinity & awake).is_empty() { online } else { awake };
        let plan: Option<&Plan> = (cpu.plan_version > 0).then_some(&cpu.plan);
        self.view.through(&self.tasks, &self.governance, plan, seen)
    }

    /// Sends every task that may run elsewhere away from a CPU that has to cool down.
    fn evacuate(&'static self, cpu: &mut Cpu, now: Nanos) {
        let elsewhere = self.view.online() & !self.governance.parked();
        let may_go = |affinity: CpuMask| !(affinity & elsewhere).is_empty();
        while let Some(task) = cpu.queue.take_where(now, |task| may_go(task.shared.affinity())) {
            self.replace(cpu, task, now);
        }
        if cpu.current.as_ref().is_some_and(|task| may_go(task.shared.affinity())) {
            let task = cpu.give_up(now, Departure::Moves);
            self.replace(cpu, task, now);
        }
        self.view.set_queued(cpu.id, cpu.queue.len());
    }
}

/// About milliseconds: 2^20 ns.
fn coarse(time: Nanos) -> u32 {
    (time.as_nanos() >> 20) as u32
}
