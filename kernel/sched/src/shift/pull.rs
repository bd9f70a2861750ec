//! What an idle CPU fetches.

use super::Pull;
use crate::{CpuId, CpuMask, Cpus, Nanos, Why};

/// A waiting task is worth fetching if it would wait for longer than this: what a move with cold caches costs (Linux'
/// `sysctl_sched_migration_cost`).
const WORTH_A_PULL: Nanos = Nanos::from_micros(500);

/// A waiting task of the CPU among these where most wait, or the running one of a smaller CPU.
pub(crate) fn pull_from(among: CpuMask, me: CpuId, cpus: &impl Cpus) -> Option<Pull> {
    let busy = (among & cpus.online() & !cpus.idle()).without(me);
    pull_queued(busy, cpus).or_else(|| pull_running(me, busy, cpus))
}

/// From the CPU where most tasks wait for its capacity: there each waits longest.
fn pull_queued(busy: CpuMask, cpus: &impl Cpus) -> Option<Pull> {
    let mut most = None;
    for cpu in busy.iter() {
        let view = cpus.view(cpu);
        // Where none runs, one of those who wait is about to: no CPU is to be pulled empty.
        if view.running.is_none() || !is_long(cpu, view.queued, cpus) {
            continue;
        }
        let (queued, capacity) = (view.queued, cpus.left(cpu).get());
        if most.is_none_or(|(_, others, other_capacity)| queued * other_capacity > others * capacity) {
            most = Some((cpu, queued, capacity));
        }
    }
    most.map(|(from, ..)| Pull { from, running: false, why: Why::PulledQueued })
}

/// Whether those who wait in a queue will not have had their turn there before a move is done.
pub(crate) fn is_long(cpu: CpuId, queued: u32, cpus: &impl Cpus) -> bool {
    cpus.stint(cpu).as_nanos() * u64::from(queued) >= WORTH_A_PULL.as_nanos()
}

/// From a CPU with less left by heat the task that fills it; of several the one with least progress, which ends last.
fn pull_running(me: CpuId, busy: CpuMask, cpus: &impl Cpus) -> Option<Pull> {
    let mine = cpus.left(me);
    let smaller = busy.iter().filter(|&cpu| mine.clearly_exceeds(cpus.left(cpu)));
    let gaining = smaller.filter_map(|cpu| {
        let running = cpus.view(cpu).running?;
        let demand = running.utilisation.max(cpus.hints(running.task).floor);
        let gains = running.affinity.contains(me) && !cpus.left(cpu).fits(demand);
        gains.then_some((running.progress, cpu))
    });
    let (_, from) = gaining.min()?;
    Some(Pull { from, running: true, why: Why::PulledRunning })
}
