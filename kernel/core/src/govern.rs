//! Clocks, heat and the plan.
//!
//! ```text
//!   tick of any CPU ──▶ slow loop, when it is due ──▶ temperatures ──▶ caps ──▶ pressure
//!        │                    └──▶ demands ──▶ plan ──▶ each CPU's own copy
//!        ├──▶ governor of its cluster ──▶ level asked for
//!        └──▶ level asked for ──▶ width of its window, capacity of its queue
//! ```
//!
//! Whichever CPU ticks first when the slow loop is due runs it; where all idle nobody does, and there is nothing to decide. The loop
//! and each governor have a lock that is tried, never waited for: who does not get it leaves the work to the holder. The policy
//! reads what was published ([`crate::view`]) and, lock-free, the copy of the plan that its own CPU keeps.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use abi::types::{self, MAX_CPUS};
use heapless::Vec;
use sched::demand::MAX_PLANNED;
use sched::govern::Outcome;
use sched::heat::MAX_SENSORS;
use sched::planner::Limits;
use sched::trace::{Clocking, Event};
use sched::{
    Activity, Capacity, CoreType, CpuMask, Demand, Departure, Energy, Goal, Govern, Governor, GovernorKind, Heat,
    MilliCelsius, Nanos, Picojoules, Plan, Policy, PolicyKind, Pressure, PressureKind, pressure,
};
use spin::{Mutex, Once};

use crate::board::Ending;
use crate::cpu::Cpu;
use crate::kernel::{Kernel, count};
use crate::meter::Meter;
use crate::pace::Pace;
use crate::plant::Plant;
use crate::senses::Senses;
use crate::view::Eyes;

/// Between two rounds of the slow loop.
const ROUND: Nanos = Nanos::from_millis(10);
/// A stretch of running that is worth the thousand instructions that it costs to price it, in nanoseconds. With a plan in force
/// each tick is, as a job that overruns shows within two.
const ENOUGH: u32 = 4_000_000;
/// The exit code of a system that became too hot.
pub const TOO_HOT: u32 = 103;

/// What the clocks of the system are and may be.
pub struct Governance {
    energy: Once<Energy>,
    /// Operating point in force, by [`CoreType::index`].
    levels: [AtomicU32; 2],
    caps: [AtomicU32; 2],
    pressure: [AtomicU32; 2],
    parked: AtomicU32,
    /// Counts the plans.
    version: AtomicU32,
    hottest: AtomicU32,
    /// How often each clock changed.
    changes: [AtomicU32; 2],
    /// The next round, in units of 2^20 ns.
    due: AtomicU32,
    /// When each governor has looked last, in the same units.
    looked: [AtomicU32; 2],
    governors: [Once<Mutex<Governor>>; 2],
    slow: Mutex<Slow>,
    heat: Once<Mutex<Heat>>,
}

/// What the slow loop remembers.
struct Slow {
    govern: Govern,
    demands: Vec<Demand, MAX_PLANNED>,
    pressure: Once<[Pressure; 2]>,
    polled: Nanos,
    /// The meters of all CPUs at the last poll.
    seen: [(u32, u32); MAX_CPUS],
    /// All energy since boot.
    drawn: Picojoules,
    /// Which sensors answer.
    senses: Senses,
}

impl Governance {
    /// Of a system without a plant.
    pub const fn new() -> Governance {
        Governance {
            energy: Once::new(),
            levels: [const { AtomicU32::new(0) }; 2],
            caps: [const { AtomicU32::new(0) }; 2],
            pressure: [const { AtomicU32::new(0) }; 2],
            parked: AtomicU32::new(0),
            version: AtomicU32::new(0),
            hottest: AtomicU32::new(0),
            changes: [const { AtomicU32::new(0) }; 2],
            due: AtomicU32::new(0),
            looked: [const { AtomicU32::new(0) }; 2],
            governors: [const { Once::new() }; 2],
            slow: Mutex::new(Slow {
                govern: Govern::new(),
                demands: Vec::new(),
                pressure: Once::new(),
                polled: Nanos::ZERO,
                seen: [(0, 0); MAX_CPUS],
                drawn: Picojoules::ZERO,
                senses: Senses::new(),
            }),
            heat: Once::new(),
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
            plant.set_level(core, top);
            governance.levels[core.index()].store(plant.level(core) as u32, Relaxed);
        }
        let mut readings = [None; MAX_SENSORS];
        plant.temperatures(&mut readings);
        let hottest = readings.into_iter().flatten().max().unwrap_or_default();
        governance.hottest.store(hottest.get() as u32, Relaxed);
        self.tell_troubles(plant);
        governance.heat.call_once(|| Mutex::new(Heat::new(options.heat, plant.heat(), energy)));
        let mut slow = governance.slow.lock();
        slow.pressure
            .call_once(|| [const { Pressure::new(PressureKind::None) }; 2].map(|_| Pressure::new(options.pressure)));
        slow.polled = now;
    }

    /// Gives a CPU its meter, before it runs its first task.
    pub(crate) fn install_meter(&'static self, cpu: &mut Cpu) {
        let (core, counting) =
            (self.view.capacities().core_type(cpu.id), arch::cpu::counts_instructions(cpu.id.index()));
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
    pub(crate) fn govern(&'static self, cpu: &mut Cpu, now: Nanos) {
        if cpu.meter.is_on() {
            self.learn(cpu, now);
        }
        let Some(energy) = cpu.meter.energy() else { return };
        self.publish_meter(cpu);
        self.look(cpu, energy, now);
        self.follow_clock(cpu);
        if self.governance.parked().contains(cpu.id) {
            self.evacuate(cpu, now);
        }
    }

    /// Takes in what the running task has run.
    fn learn(&'static self, cpu: &mut Cpu, now: Nanos) {
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
            self.view.set_load(cpu.id, &cpu.queue);
            self.look(cpu, energy, now);
            if cpu.current.is_none() {
                self.follow_clock(cpu);
            }
        }
    }

    /// The slow loop if it is due, and the governor of this cluster.
    fn look(&'static self, cpu: &mut Cpu, energy: &'static Energy, now: Nanos) {
        if let Some(plant) = self.plant().filter(|plant| plant.carry_on()) {
            self.heed(plant);
        }
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

    /// Puts the operating point that was asked for in force on this CPU. What ran so far has been accounted.
    pub(crate) fn follow_clock(&self, cpu: &mut Cpu) {
        let Some(energy) = cpu.meter.energy() else { return };
        let core = cpu.meter.core();
        let level = self.governance.level(core);
        if level == cpu.meter.level() {
            return;
        }
        let capacity = self.capacity_at(energy, core, level);
        let Cpu { current, meter, .. } = &mut *cpu;
        if let Some(task) = current {
            meter.end_stint(&mut task.learned);
        }
        cpu.meter.set_level(level);
        cpu.queue.set_capacity(capacity);
        if self.emulates_pace() {
            cpu.set_pace(Pace::slot(self.board().facts().machine.cpus.len(), capacity));
        }
    }

    fn capacity_at(&self, energy: &Energy, core: CoreType, level: usize) -> Capacity {
        energy.cluster(core).level(level).speed.capacity()
    }

    /// Lets the governor of the CPU's cluster look at it, unless another CPU does or just has.
    fn drive(&'static self, cpu: &mut Cpu, energy: &Energy, now: Nanos) {
        let (governance, core) = (&self.governance, cpu.meter.core());
        let (level, cap) = (governance.level(core), governance.cap(core));
        if governance.looked[core.index()].swap(coarse(now), Relaxed) == coarse(now) && level <= cap {
            return;
        }
        let kind = effective(self.options().governor, self.policy());
        let new = || Governor::new(kind, self.plant().map_or(Nanos::ZERO, Plant::latency), level);
        let governor = governance.governors[core.index()].call_once(|| Mutex::new(new()));
        let Some(mut governor) = governor.try_lock() else { return };
        if governor.kind() != kind {
            *governor = new();
        }
        let wanted = governor.update(now, energy.cluster(core), &self.eyes(cpu, CpuMask::ALL), cap);
        if let (Some(to), Some(plant)) = (wanted, self.plant()) {
            let why = if to == cap && level > cap { Clocking::Heat } else { Clocking::Governor(kind) };
            cpu.record(now, Event::Clock { core, level: to as u8, why });
            plant.set_level(core, to);
            self.heed(plant);
        }
    }

    /// Takes note of what a plant has come to: operating points in force, and what has failed.
    fn heed(&self, plant: &dyn Plant) {
        for core in CoreType::BOTH {
            let level = plant.level(core) as u32;
            if self.governance.levels[core.index()].swap(level, Relaxed) != level {
                count(&self.governance.changes[core.index()]);
            }
        }
        self.tell_troubles(plant);
    }

    /// One round: heat every 100 ms, pressure, the plan.
    fn slow_loop(&'static self, cpu: &mut Cpu, energy: &'static Energy, now: Nanos) {
        let (governance, Some(plant)) = (&self.governance, self.plant()) else { return };
        let Some(mut slow) = governance.slow.try_lock() else { return };
        governance.due.store(coarse(now + ROUND), Relaxed);
        if now.saturating_sub(slow.polled) >= plant.heat().poll {
            self.poll_heat(cpu, &mut slow, plant, energy, now);
        }
        if let Some(pressures) = slow.pressure.get_mut() {
            for (pressure, published) in pressures.iter_mut().zip(&governance.pressure) {
                published.store(pressure.value(now), Relaxed);
            }
        }
        if self.plans() {
            self.make_plan(cpu, &mut slow, energy, now);
        }
        drop(slow);
        self.refresh_plan(cpu);
    }

    /// Reads the meters and tells the plant. Returns how many CPUs of each cluster were busy, in 1/1024.
    fn let_heat_flow(&self, slow: &mut Slow, plant: &dyn Plant, energy: &Energy, elapsed: Nanos) -> [u32; 2] {
        let mut drawn = [Picojoules::ZERO; MAX_CPUS];
        let mut busy = [0; 2];
        for core in CoreType::BOTH {
            let cluster = energy.cluster(core);
            if cluster.cpus.is_empty() {
                continue;
            }
            for cpu in cluster.cpus.iter() {
                let before = core::mem::replace(&mut slow.seen[cpu.index()], self.view.meter(cpu));
                let after = slow.seen[cpu.index()];
                busy[core.index()] += u64::from(after.0.wrapping_sub(before.0));
                drawn[cpu.index()] = beyond_idle(before, after);
                slow.drawn += drawn[cpu.index()];
            }
            slow.drawn += cluster.level(self.governance.level(core)).idle.over(elapsed);
        }
        plant.advance(elapsed, &drawn);
        busy.map(|busy| ((busy << 20) / elapsed.as_nanos().max(1)) as u32)
    }

    /// Reads the sensors and sets what heat allows.
    fn poll_heat(&'static self, cpu: &mut Cpu, slow: &mut Slow, plant: &dyn Plant, energy: &Energy, now: Nanos) {
        let governance = &self.governance;
        let elapsed = now.saturating_sub(slow.polled);
        slow.polled = now;
        let busy = self.let_heat_flow(slow, plant, energy, elapsed);
        let mut readings = [None; MAX_SENSORS];
        let sensors = plant.temperatures(&mut readings);
        let scales = energy.clusters().iter().any(|cluster| cluster.levels().len() > 1);
        let activity = Activity { levels: CoreType::BOTH.map(|core| governance.level(core)), busy, scales };
        let Some(heat) = governance.heat.get() else { return };
        let mut heat = heat.lock();
        let caps = heat.poll(now, &readings[..sensors], &activity, energy);
        if (0..sensors).any(|sensor| heat.sensors().get(sensor).is_some()) {
            governance.hottest.store(heat.sensors().hottest().get() as u32, Relaxed);
        }
        let blind = heat.sensors().is_blind(now);
        drop(heat);
        slow.senses.watch(&readings[..sensors], blind, |news| self.print(format_args!("{news}")));
        governance.parked.store(caps.parked.bits(), Relaxed);
        for core in CoreType::BOTH {
            let top = caps.top[core.index()].min(energy.cluster(core).top()).min(plant.ceiling(core));
            if governance.caps[core.index()].swap(top as u32, Relaxed) != top as u32 {
                cpu.record(now, Event::Cap { core, level: top as u8, why: self.options().heat });
            }
            if let Some(pressures) = slow.pressure.get_mut() {
                pressures[core.index()].set(now, pressure::lost(energy.cluster(core), top));
            }
        }
        if caps.critical {
            let hottest = MilliCelsius::new(governance.hottest.load(Relaxed) as i32);
            self.print(format_args!("HEAT temperature_mc={} action=halted", hottest.get()));
            self.board().end(Ending::Halt(TOO_HOT));
        }
    }

    /// Looks whether the plan holds, and publishes a new one.
    fn make_plan(&self, cpu: &mut Cpu, slow: &mut Slow, energy: &Energy, now: Nanos) {
        slow.demands.clear();
        for slot in 0..self.tasks.reach() {
            if let Some(demand) = self.tasks.shared(slot).demand()
                && slow.demands.push(demand).is_err()
            {
                break;
            }
        }
        let all = Limits::all(energy);
        let limits = Limits {
            top: CoreType::BOTH.map(|core| self.governance.cap(core)),
            cpus: all.cpus & !self.governance.parked(),
            ..all
        };
        let Slow { govern, demands, .. } = slow;
        if let Outcome::Replaced(why) = govern.decide(now, demands, energy, &limits) {
            count(&self.governance.version);
            cpu.record(now, Event::Plan { why });
        }
    }

    /// Brings the copy of the plan that a CPU keeps up to date. Where the slow loop is at work it stays as it is.
    pub(crate) fn refresh_plan(&self, cpu: &mut Cpu) {
        let version = self.governance.version.load(Relaxed);
        if version != cpu.plan_version
            && let Some(slow) = self.governance.slow.try_lock()
        {
            cpu.plan.clone_from(slow.govern.plan());
            cpu.plan_version = version;
        }
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

    /// What all clusters have drawn since boot: up to the last poll, and since.
    fn energy_drawn(&self, energy: &Energy, now: Nanos) -> Picojoules {
        let slow = self.governance.slow.lock();
        let mut drawn = slow.drawn;
        for core in CoreType::BOTH {
            let cluster = energy.cluster(core);
            for cpu in cluster.cpus.iter() {
                drawn += beyond_idle(slow.seen[cpu.index()], self.view.meter(cpu));
            }
            if !cluster.cpus.is_empty() {
                drawn += cluster.level(self.governance.level(core)).idle.over(now.saturating_sub(slow.polled));
            }
        }
        drawn
    }

    /// Clocks, temperature and energy as a task may know them.
    pub(crate) fn climate(&self, now: Nanos) -> types::Climate {
        let governance = &self.governance;
        let Some(energy) = governance.energy() else { return types::Climate::default() };
        let khz = |core: CoreType, level: usize| {
            let cluster = energy.cluster(core);
            if cluster.cpus.is_empty() { 0 } else { cluster.level(level).opp.frequency.get() }
        };
        types::Climate {
            clock_khz: CoreType::BOTH.map(|core| khz(core, governance.level(core))),
            cap_khz: CoreType::BOTH.map(|core| khz(core, governance.cap(core))),
            pressure: CoreType::BOTH.map(|core| governance.pressure(core)),
            clock_changes: [0, 1].map(|index: usize| governance.changes[index].load(Relaxed)),
            temperature_mc: governance.hottest.load(Relaxed),
            energy_uj: self.energy_drawn(energy, now).as_microjoules(),
            plans: governance.version.load(Relaxed),
            parked: governance.parked().bits(),
        }
    }
}

/// The energy between two readings of a meter.
fn beyond_idle(before: (u32, u32), after: (u32, u32)) -> Picojoules {
    Picojoules::new((u64::from(after.1.wrapping_sub(before.1)) << 20) / 1_000)
}

/// About milliseconds: 2^20 ns.
fn coarse(time: Nanos) -> u32 {
    (time.as_nanos() >> 20) as u32
}

/// The rule for the clocks under a policy. The default follows the plan where there is one; where speed is the goal all run as fast as heat
/// allows, and the peers have the governor that they are known with.
fn effective(chosen: GovernorKind, policy: Policy) -> GovernorKind {
    match (chosen, policy.kind, policy.goal) {
        (GovernorKind::Planner, PolicyKind::Gear, Goal::Energy) => GovernorKind::Planner,
        (GovernorKind::Planner, PolicyKind::Eas | PolicyKind::Walt, _) => GovernorKind::Schedutil,
        (GovernorKind::Planner, ..) => GovernorKind::Performance,
        (chosen, ..) => chosen,
    }
}
