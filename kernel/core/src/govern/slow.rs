//! The slow loop: temperatures, caps, pressure, the plan.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use abi::types::{self, MAX_CPUS};
use heapless::Vec;
use sched::demand::MAX_PLANNED;
use sched::govern::Outcome;
use sched::heat::MAX_SENSORS;
use sched::plan::LIFETIME;
use sched::planner::Limits;
use sched::trace::Event;
use sched::{Activity, CoreType, Demand, Energy, Govern, Nanos, Picojoules, Pressure, PressureKind, pressure};
use spin::Once;

use super::coarse;
use crate::board::Ending;
use crate::cpu::Cpu;
use crate::kernel::Kernel;
use crate::plant::Plant;
use crate::senses::Senses;

/// Between two rounds of the slow loop.
const ROUND: Nanos = Nanos::from_millis(10);
/// The exit code of a system that became too hot.
pub const TOO_HOT: u32 = 103;

/// What the slow loop remembers.
pub(super) struct Slow {
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

impl Slow {
    /// Nothing was seen yet.
    pub(super) const fn new() -> Slow {
        Slow {
            govern: Govern::new(),
            demands: Vec::new(),
            pressure: Once::new(),
            polled: Nanos::ZERO,
            seen: [(0, 0); MAX_CPUS],
            drawn: Picojoules::ZERO,
            senses: Senses::new(),
        }
    }

    /// Time begins; pressure is averaged like this.
    pub(super) fn begin(&mut self, kind: PressureKind, now: Nanos) {
        self.pressure.call_once(|| CoreType::BOTH.map(|_| Pressure::new(kind)));
        self.polled = now;
    }
}

impl Kernel {
    /// One round: heat every 100 ms, pressure, the plan.
    pub(super) fn slow_loop(&'static self, cpu: &mut Cpu, energy: &'static Energy, now: Nanos) {
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

    /// Reads the meters and tells the plant. Returns for how much of the time each CPU was busy, in 1/1024.
    fn let_heat_flow(&self, slow: &mut Slow, plant: &dyn Plant, energy: &Energy, elapsed: Nanos) -> [u32; MAX_CPUS] {
        let mut drawn = [Picojoules::ZERO; MAX_CPUS];
        let mut busy = [0; MAX_CPUS];
        for core in CoreType::BOTH {
            let cluster = energy.cluster(core);
            if cluster.cpus.is_empty() {
                continue;
            }
            for cpu in cluster.cpus.iter() {
                let before = core::mem::replace(&mut slow.seen[cpu.index()], self.view.meter(cpu));
                let after = slow.seen[cpu.index()];
                busy[cpu.index()] = u64::from(after.0.wrapping_sub(before.0));
                drawn[cpu.index()] = beyond_idle(before, after);
                slow.drawn += drawn[cpu.index()];
            }
            slow.drawn += cluster.level(self.governance.level(core)).idle.over(elapsed);
        }
        plant.advance(elapsed, &drawn);
        busy.map(|busy| ((busy << 20) / elapsed.as_nanos().max(1)).min(1024) as u32)
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
        let mut heat = governance.heat.lock();
        let caps = heat.poll(now, &readings[..sensors], &activity, energy);
        if (0..sensors).any(|sensor| heat.sensors().get(sensor).is_some()) {
            governance.hottest.store(heat.hottest(now).get(), Relaxed);
        }
        for cpu in energy.cluster(CoreType::Big).cpus.iter() {
            let room = heat.room(cpu, energy).map_or(0, |room| if room.get() == 0 { 1 } else { room.get() });
            governance.rooms[cpu.index()].store(room, Relaxed);
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
            self.print(format_args!("HEAT temperature_mc={} action=halted", governance.hottest.load(Relaxed)));
            self.board().end(Ending::Halt(TOO_HOT));
        }
    }

    /// Looks whether the plan holds, and publishes a new one.
    fn make_plan(&self, cpu: &mut Cpu, slow: &mut Slow, energy: &Energy, now: Nanos) {
        slow.demands.clear();
        for slot in 0..self.tasks.reach() {
            if let Some(demand) = self.tasks.shared(slot).demand(now)
                && slow.demands.push(demand).is_err()
            {
                break;
            }
        }
        let all = Limits::all(energy);
        let limits = Limits {
            top: CoreType::BOTH.map(|core| self.governance.cap(core)),
            cpus: all.cpus & !self.governance.parked(),
            // A cut leaves a CPU no gap, so it is for tasks of which enough is known: those whose plan has held for as long as a plan can.
            split: self.options().split && now.saturating_sub(slow.govern.plan().made()) > LIFETIME,
            ..all
        };
        let Slow { govern, demands, .. } = slow;
        if let Outcome::Replaced(why) = govern.decide(now, demands, energy, &limits) {
            self.governance.plan.lock().clone_from(govern.plan());
            self.governance.version.fetch_add(1, Release);
            cpu.record(now, Event::Plan { why });
        }
    }

    /// Brings the copy of the plan that a CPU keeps up to date.
    #[inline]
    pub(crate) fn refresh_plan(&self, cpu: &mut Cpu) {
        let version = self.governance.version.load(Acquire);
        if version != cpu.plan_version {
            cpu.plan.clone_from(&self.governance.plan.lock());
            cpu.plan_version = version;
        }
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
