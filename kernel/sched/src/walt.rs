//! What Android's WALT adds: big tasks take turns on the big CPUs, but only when there are at least as many of them as
//! CPUs.
//!
//! Placement by energy is that of [`eas`](crate::eas). On the tick of a LITTLE CPU whose task does not fit, the task that has
//! been in its place for longest of all on LITTLE CPUs changes places with the one that has run for longest on a larger CPU
//! with no other task, at least for a window of 16 ms (`walt_lb.c`, `walt_lb_check_for_rotation`). In place of WALT's windows
//! load tracking tells which tasks are big.

use crate::shift::settled;
use crate::{CoreType, CpuId, Cpus, Nanos, RunningView, Shift, Why};

/// Whether there are as many tasks that no LITTLE CPU satisfies as CPUs: 70 % of a LITTLE CPU's capacity makes a giant.
fn all_giants(cpus: &impl Cpus) -> bool {
    let capacities = cpus.capacities();
    let Some(little) = capacities.mask_of(CoreType::Little).first() else { return false };
    let threshold = capacities.capacity(little).get() * 7 / 10;
    let giant = |cpu: CpuId| cpus.view(cpu).running.is_some_and(|task| task.utilisation > threshold);
    cpus.online().iter().all(giant)
}

/// The rotation; without it, what [`eas`](crate::eas) does.
pub(crate) fn on_tick(me: CpuId, now: Nanos, running: &RunningView, queued: u32, cpus: &impl Cpus) -> Option<Shift> {
    let little = cpus.capacities().mask_of(CoreType::Little) & cpus.online();
    if little.contains(me) && all_giants(cpus) {
        return rotate(me, now, running, cpus);
    }
    crate::eas::on_tick(me, now, running, queued, cpus)
}

fn rotate(me: CpuId, now: Nanos, running: &RunningView, cpus: &impl Cpus) -> Option<Shift> {
    let capacities = cpus.capacities();
    let since = |cpu: CpuId| cpus.view(cpu).running.map(|task| (task.last_moved, cpu));
    let little = capacities.mask_of(CoreType::Little) & cpus.online();
    let longest = little.iter().filter_map(since).min()?;
    if longest.1 != me {
        return None;
    }
    let larger = (capacities.mask_of(CoreType::Big) & cpus.online() & running.affinity).iter();
    let alone = larger.filter(|&cpu| cpus.view(cpu).queued == 0).filter_map(since).min()?;
    let other = cpus.view(alone.1).running?;
    let ripe = settled(&other, now) && settled(running, now);
    let both_may = other.affinity.contains(me);
    (ripe && both_may).then_some(Shift::Exchange { with: alone.1, expected: other.task, why: Why::Rotation })
}
