//! A task that works alone goes round the big cores, so that their heat is spread over the die.
//!
//! A core that works beside others that rest is hotter than they are by as much as a whole cluster at work is above its
//! heat sink. Heat flows between them within a second or two; a task that moves on before is colder on average wherever
//! it is, and may run faster. It costs a move with warm second-level cache, some 20 µs. Nothing is done where heat is
//! no concern.

use crate::{CpuId, Cpus, Nanos, RunningView, Shift, Why};

/// The least time on a core: a tenth of what the core takes to heat up.
const DWELL: Nanos = Nanos::from_millis(200);
/// How much cooler the other core must be: more than rounding and noise.
const COOLER: i32 = 3_000;
/// From so far below the limit on.
const WARM: i32 = 20_000;

/// Whether heat is a concern on a CPU.
#[inline]
pub(crate) fn is_warm(cpu: CpuId, cpus: &impl Cpus) -> bool {
    cpus.room(cpu).is_some_and(|room| room.get() < WARM)
}

/// Whether the task that runs on `me` goes on on a cooler core of the same kind, and where.
pub(crate) fn cooler(me: CpuId, now: Nanos, running: &RunningView, cpus: &impl Cpus) -> Option<Shift> {
    let room = cpus.room(me)?.get();
    if !is_warm(me, cpus) || now.saturating_sub(running.last_moved) < DWELL {
        return None;
    }
    let kind = cpus.capacities().core_type(me);
    let resting = cpus.capacities().mask_of(kind) & cpus.idle() & running.affinity;
    let places = resting.iter().filter_map(|cpu| Some((cpus.room(cpu)?.get(), cpu)));
    let (most, to) = places.max_by_key(|(room, _)| *room)?;
    (most >= room + COOLER).then_some(Shift::Push { to, why: Why::Cooler })
}
