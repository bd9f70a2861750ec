//! The governors' part: which operating point a cluster is asked for, and what follows when it changes.

use core::sync::atomic::Ordering::Relaxed;

use sched::trace::{Clocking, Event};
use sched::{Capacity, CoreType, CpuMask, Energy, Goal, Governor, GovernorKind, Nanos, Policy, PolicyKind};
use spin::Mutex;

use super::coarse;
use crate::cpu::Cpu;
use crate::kernel::{Kernel, count};
use crate::pace::Pace;
use crate::plant::Plant;

impl Kernel {
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
    pub(super) fn drive(&'static self, cpu: &mut Cpu, energy: &Energy, now: Nanos) {
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
            cpu.meet(plant.set_level(core, to));
            self.heed(plant);
        }
    }

    /// The time has come for the next step of a change of the clocks that this CPU attends to.
    pub(crate) fn attend_to_clocks(&'static self, cpu: &mut Cpu, now: Nanos) {
        let Some(plant) = self.plant() else { return };
        cpu.meet(plant.carry_on());
        self.heed(plant);
        if self.governance.level(cpu.meter.core()) != cpu.meter.level() {
            cpu.account(now);
            self.follow_clock(cpu);
        }
    }

    /// Takes note of what a plant has come to: operating points in force, and what has failed.
    pub(super) fn heed(&self, plant: &dyn Plant) {
        for core in CoreType::BOTH {
            let level = plant.level(core) as u32;
            if self.governance.levels[core.index()].swap(level, Relaxed) != level {
                count(&self.governance.changes[core.index()]);
            }
        }
        self.tell_troubles(plant);
    }
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
