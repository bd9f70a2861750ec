//! What the policy sees.

use sched::{
    CapacityTable, CpuId, CpuLoad, CpuMask, CpuView, Cpus, Energy, Hints, MilliCelsius, Plan, RunningView, TaskId,
};

use super::World;

impl Cpus for World<'_> {
    fn online(&self) -> CpuMask {
        self.plant.present & !self.closed
    }

    fn idle(&self) -> CpuMask {
        let idle = |cpu: &CpuId| {
            let cpu = &self.cpus[cpu.index()];
            cpu.running.is_none() && cpu.queue.is_empty()
        };
        self.online().iter().filter(idle).collect()
    }

    fn capacities(&self) -> &CapacityTable {
        &self.capacities
    }

    fn view(&self, cpu: CpuId) -> CpuView {
        let cpu = &self.cpus[cpu.index()];
        CpuView {
            running: cpu.running.as_ref().map(RunningView::of),
            queued: u32::try_from(cpu.queue.len()).unwrap_or(u32::MAX),
            utilisation: cpu.queue.utilisation(),
        }
    }

    fn energy(&self) -> Option<&Energy> {
        Some(&self.energy)
    }

    fn plan(&self) -> Option<&Plan> {
        self.setup.plans().then(|| self.govern.plan())
    }

    fn load(&self, cpu: CpuId) -> CpuLoad {
        let cpu = &self.cpus[cpu.index()];
        CpuLoad {
            utilisation: cpu.queue.utilisation(),
            estimate: cpu.queue.estimate(),
            runnable: cpu.queue.runnable(),
            clamp: cpu.clamp(),
            pressure: self.pressure(cpu.core),
        }
    }

    fn stint(&self, cpu: CpuId) -> sched::Nanos {
        self.cpus[cpu.index()].queue.stint()
    }

    fn room(&self, cpu: CpuId) -> Option<MilliCelsius> {
        self.rooms[cpu.index()]
    }

    fn hints(&self, task: TaskId) -> Hints {
        self.hints[task.raw() as usize]
    }
}
