//! What will happen, in order of time; events of one moment in the order in which they were planned.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use sched::{CoreType, CpuId};

/// Something that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A task begins its life.
    Spawn(u32),
    /// A sleeper's time has come.
    Wake(u32),
    /// The running task of a CPU has done the work of its step, unless things have changed since (the number tells).
    StepDone(CpuId, u64),
    /// The running task has had its part of a CPU that it shares with the next one, unless things have changed.
    PartDone(CpuId, u64),
    /// A CPU should look again at what it runs.
    Reschedule(CpuId),
    /// A CPU's millisecond.
    Tick(CpuId),
    /// A cluster's new clock is stable.
    ClockSettled(CoreType),
    /// The slow loop of the policy.
    Govern,
    /// Heat flows.
    Heat,
    /// Something happens from outside: the number of the disturbance.
    Disturb(u32),
    /// The warm-up is over.
    BeginMeasuring,
    /// A cluster that has been idle for long enough loses its power, unless it has worked since.
    PowerDown(CoreType, u64),
    /// Whether to switch off a cluster that was not worth it, unless it has worked since.
    Reconsider(CoreType, u64),
    /// The CPUs of a cluster that rest are to begin together.
    Stroke(CoreType),
}

/// The events to come.
#[derive(Debug, Default)]
pub(crate) struct Agenda {
    heap: BinaryHeap<Planned>,
    planned: u64,
}

#[derive(Debug, PartialEq, Eq)]
struct Planned {
    time: u64,
    number: u64,
    event: Event,
}

impl Ord for Planned {
    /// The earliest is the greatest, since the heap gives the greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.time, other.number).cmp(&(self.time, self.number))
    }
}

impl PartialOrd for Planned {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Agenda {
    /// Plans an event for a time in nanoseconds.
    pub fn plan(&mut self, time: u64, event: Event) {
        self.planned += 1;
        self.heap.push(Planned { time, number: self.planned, event });
    }

    /// The next event and its time.
    pub fn next(&mut self) -> Option<(u64, Event)> {
        self.heap.pop().map(|planned| (planned.time, planned.event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_moment_keeps_its_order() {
        let mut agenda = Agenda::default();
        agenda.plan(5, Event::Wake(9));
        agenda.plan(5, Event::Wake(1));
        agenda.plan(3, Event::Spawn(4));
        let order: Vec<_> = std::iter::from_fn(|| agenda.next()).collect();
        assert_eq!(order, [(3, Event::Spawn(4)), (5, Event::Wake(9)), (5, Event::Wake(1))]);
    }
}
