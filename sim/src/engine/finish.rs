//! The end of a run: all books are closed.

use sched::{CoreType, CpuId, Nanos};

use super::World;
use crate::outcome::{Counts, EnergyUse, Outcome, TaskOutcome};
use crate::program::Step;
use crate::task::{Task, TaskStatistics, Token};

impl World<'_> {
    pub(super) fn finish(mut self) -> Outcome {
        let now = self.now;
        let ids: Vec<CpuId> = self.plant.present.iter().collect();
        ids.iter().for_each(|&cpu| self.account(cpu));
        CoreType::BOTH.into_iter().for_each(|core| self.charge_rest(core));
        let energy = self.energy_used().since(&self.energy_before);
        self.clusters.iter_mut().for_each(|cluster| cluster.settle(now));
        let running: Vec<Token> = self.cpus.iter_mut().filter_map(|cpu| cpu.running.take()).collect();
        let mut alive = running;
        for cpu in &mut self.cpus {
            alive.extend(std::iter::from_fn(|| cpu.queue.take_where(Nanos::new(now), |_| true)));
        }
        alive.extend(self.parked.into_iter().flatten());
        for token in alive {
            last_words(&token.0, &mut self.books[token.0.id.raw() as usize], now);
        }
        let tasks = self.specs.iter().zip(self.books).map(|(spec, statistics)| TaskOutcome {
            name: spec.name.clone(),
            class: spec.class,
            awaited: spec.awaited,
            statistics,
        });
        Outcome {
            end: Nanos::new(now),
            begin: Nanos::new(self.begin),
            tasks: tasks.collect(),
            energy,
            counts: self.counts,
            residency: CoreType::BOTH.map(|core| nanos(&self.clusters[core.index()].residency)),
            off: CoreType::BOTH.map(|core| Nanos::new(self.clusters[core.index()].off_time)),
            busy: self.cpus.iter().map(|cpu| Nanos::new(cpu.busy_time)).collect(),
            hottest: self.hottest,
            critical: self.warmth.is_some_and(|warmth| warmth.critical),
            plans: (self.govern.plans(), self.govern.without()),
            effort: self.effort,
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

    /// The warm-up is over: the books are opened anew.
    pub(super) fn begin_measuring(&mut self) {
        let ids: Vec<CpuId> = self.plant.present.iter().collect();
        ids.iter().for_each(|&cpu| self.account(cpu));
        CoreType::BOTH.into_iter().for_each(|core| self.charge_rest(core));
        self.energy_before = self.energy_used();
        self.begin = self.now;
        self.counts = Counts::default();
        for books in &mut self.books {
            *books = TaskStatistics { start: books.start, end: books.end, ..TaskStatistics::default() };
        }
        for cluster in &mut self.clusters {
            cluster.settle(self.now);
            cluster.residency.fill(0);
            cluster.off_time = 0;
        }
        self.cpus.iter_mut().for_each(|cpu| cpu.busy_time = 0);
    }
}

fn nanos(times: &[u64]) -> Vec<Nanos> {
    times.iter().map(|&time| Nanos::new(time)).collect()
}

/// A job that is not done although its deadline has passed was missed as well.
fn last_words(task: &Task, books: &mut TaskStatistics, now: u64) {
    let period = task.program.steps().iter().find_map(|step| match step {
        Step::Timer { period, .. } => Some(period.as_nanos()),
        _ => None,
    });
    if let Some(period) = period
        && now > task.release + period
    {
        books.misses += 1;
        books.lateness = books.lateness.max(now - task.release - period);
    }
}
