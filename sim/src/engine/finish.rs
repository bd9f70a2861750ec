//! The end of a run: all books are closed.

use sched::{CoreType, CpuId, Nanos};

use super::World;
use crate::outcome::{EnergyUse, Outcome, TaskOutcome};
use crate::program::Step;
use crate::task::{Task, TaskStatistics};

impl World<'_> {
    pub(super) fn finish(mut self) -> Outcome {
        let now = self.now;
        let ids: Vec<CpuId> = self.plant.present.iter().collect();
        ids.iter().for_each(|&cpu| self.account(cpu));
        let energy = self.energy_used();
        self.clusters.iter_mut().for_each(|cluster| cluster.settle(now));
        let mut left: Vec<TaskStatistics> = self.ended.iter().map(|task| task.clone().unwrap_or_default()).collect();
        let running = self.cpus.iter_mut().filter_map(|cpu| cpu.running.take());
        let mut alive: Vec<_> = running.collect();
        for cpu in &mut self.cpus {
            alive.extend(std::iter::from_fn(|| cpu.queue.take_where(Nanos::new(now), |_| true)));
        }
        alive.extend(self.parked.into_iter().flatten());
        for token in alive {
            let number = token.0.id.raw() as usize;
            left[number] = last_words(*token.0, now);
        }
        let tasks = self.specs.iter().zip(left).map(|(spec, statistics)| TaskOutcome {
            name: spec.name.clone(),
            class: spec.class,
            awaited: spec.awaited,
            statistics,
        });
        Outcome {
            end: Nanos::new(now),
            tasks: tasks.collect(),
            energy,
            counts: self.counts,
            residency: CoreType::BOTH.map(|core| nanos(&self.clusters[core.index()].residency)),
            off: CoreType::BOTH.map(|core| Nanos::new(self.clusters[core.index()].off_time)),
            busy: self.cpus.iter().map(|cpu| Nanos::new(cpu.busy_time)).collect(),
            record: self.record,
        }
    }

    /// All energy up to now.
    pub(super) fn energy_used(&mut self) -> EnergyUse {
        let now = self.now;
        let mut energy = EnergyUse::default();
        for cpu in &mut self.cpus {
            energy.work[cpu.core.index()] += cpu.meter.read(now);
        }
        for core in CoreType::BOTH {
            energy.idle[core.index()] = self.clusters[core.index()].meter.read(now);
        }
        energy
    }
}

fn nanos(times: &[u64]) -> Vec<Nanos> {
    times.iter().map(|&time| Nanos::new(time)).collect()
}

/// A job that is not done although its deadline has passed was missed as well.
fn last_words(task: Task, now: u64) -> TaskStatistics {
    let mut statistics = task.statistics;
    let period = task.program.steps().iter().find_map(|step| match step {
        Step::Timer { period, .. } => Some(period.as_nanos()),
        _ => None,
    });
    if let Some(period) = period
        && now > task.release + period
    {
        statistics.misses += 1;
        statistics.lateness = statistics.lateness.max(now - task.release - period);
    }
    statistics
}
