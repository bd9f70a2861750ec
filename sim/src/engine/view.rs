//! What the policy sees.

use sched::{CapacityTable, CpuId, CpuMask, CpuView, Cpus, RunningView};

use super::World;

impl Cpus for World<'_> {
    fn online(&self) -> CpuMask {
        self.plant.present
    }

    fn idle(&self) -> CpuMask {
        let idle = |cpu: &CpuId| {
            let cpu = &self.cpus[cpu.index()];
            cpu.running.is_none() && cpu.queue.is_empty()
        };
        self.plant.present.iter().filter(idle).collect()
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
}
