//! What happened, in one vocabulary for the kernel, the simulator and the tools.

use core::fmt;

use crate::{Breach, CoreType, CpuId, GovernorKind, HeatKind, Nanos, TaskId, Why};

/// Something that happened on the CPU in whose [`Ring`] it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Nothing is left to run. The first one, so that an empty [`Ring`] is all zero.
    Idle,
    /// A task was created and placed.
    Spawn {
        /// The new task.
        task: TaskId,
        /// Where it will run.
        cpu: CpuId,
        /// And why.
        why: Why,
    },
    /// A task became ready and was placed.
    Wake {
        /// The task.
        task: TaskId,
        /// Where it will run.
        cpu: CpuId,
        /// And why.
        why: Why,
    },
    /// A task runs from now on.
    Switch {
        /// The task.
        task: TaskId,
    },
    /// A task was handed over from one CPU to another.
    Migrate {
        /// The task.
        task: TaskId,
        /// The CPU that it left.
        from: CpuId,
        /// The CPU that has it now.
        to: CpuId,
        /// And why.
        why: Why,
    },
    /// A task went to sleep.
    Sleep {
        /// The task.
        task: TaskId,
    },
    /// A task ended, by itself or by a fault.
    Exit {
        /// The task.
        task: TaskId,
    },
    /// A verdict was not carried out because it broke a rule; there must be none.
    Refused {
        /// The task that would have moved.
        task: TaskId,
        /// Where to.
        to: CpuId,
        /// The reason that the policy gave.
        why: Why,
    },
    /// A request found its premise gone and came to nothing, as happens between CPUs that do not wait for each
    /// other.
    Lapsed {
        /// The CPU that had asked.
        by: CpuId,
        /// The reason that it gave.
        why: Why,
    },
    /// There is a new plan.
    Plan {
        /// What no longer held of the old one.
        why: Breach,
    },
    /// A cluster was asked for another operating point.
    Clock {
        /// The cluster.
        core: CoreType,
        /// The index of the operating point among its levels.
        level: u8,
        /// Whose decision it was.
        why: Clocking,
    },
    /// Heat allows a cluster another highest operating point.
    Cap {
        /// The cluster.
        core: CoreType,
        /// The index of the operating point among its levels.
        level: u8,
        /// By whose look at the temperatures.
        why: HeatKind,
    },
}

/// Why a clock changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clocking {
    /// The governor wants it so.
    Governor(GovernorKind),
    /// The governor wants more than heat allows.
    Heat,
}

impl fmt::Display for Clocking {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Governor(kind) => kind.fmt(formatter),
            Self::Heat => formatter.pad("heat"),
        }
    }
}

const _: () = assert!(size_of::<Event>() <= 12, "an event with its time stamp must stay small");

impl fmt::Display for Event {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spawn { task, cpu, why } => write!(formatter, "event=spawn task={task} cpu={cpu} why={why}"),
            Self::Wake { task, cpu, why } => write!(formatter, "event=wake task={task} cpu={cpu} why={why}"),
            Self::Switch { task } => write!(formatter, "event=switch task={task}"),
            Self::Idle => formatter.write_str("event=idle"),
            Self::Migrate { task, from, to, why } => {
                write!(formatter, "event=migrate task={task} from={from} to={to} why={why}")
            }
            Self::Sleep { task } => write!(formatter, "event=sleep task={task}"),
            Self::Exit { task } => write!(formatter, "event=exit task={task}"),
            Self::Refused { task, to, why } => write!(formatter, "event=refused task={task} to={to} why={why}"),
            Self::Lapsed { by, why } => write!(formatter, "event=lapsed by={by} why={why}"),
            Self::Plan { why } => write!(formatter, "event=plan why={why}"),
            Self::Clock { core, level, why } => write!(formatter, "event=clock core={core} level={level} why={why}"),
            Self::Cap { core, level, why } => write!(formatter, "event=cap core={core} level={level} why={why}"),
        }
    }
}

/// The last `N` events of one CPU. Recording costs a few stores; nothing waits and nothing is copied out until
/// somebody reads.
#[derive(Debug)]
pub struct Ring<const N: usize> {
    entries: [(Nanos, Event); N],
    /// Where the next one goes.
    next: usize,
    /// How many were ever recorded.
    recorded: u64,
}

impl<const N: usize> Ring<N> {
    /// A ring without events.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(N > 0, "a ring needs room for one event") };
        Self { entries: [(Nanos::ZERO, Event::Idle); N], next: 0, recorded: 0 }
    }

    /// Notes that `event` happened at `now`, over the oldest one if the ring is full.
    #[inline]
    pub fn record(&mut self, now: Nanos, event: Event) {
        self.entries[self.next] = (now, event);
        self.next = if self.next + 1 == N { 0 } else { self.next + 1 };
        self.recorded += 1;
    }

    /// How many events are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::try_from(self.recorded).map_or(N, |recorded| recorded.min(N))
    }

    /// Whether nothing was recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.recorded == 0
    }

    /// How many events were overwritten.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.recorded.saturating_sub(N as u64)
    }

    /// The events that are kept, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = (Nanos, Event)> {
        let (newer, older) = self.entries.split_at(self.next);
        let older = if self.len() == N { older } else { &[] };
        older.iter().chain(newer).copied()
    }
}

impl<const N: usize> Default for Ring<N> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_newest_in_order_and_counts_the_rest() {
        let mut ring = Ring::<3>::new();
        assert!(ring.is_empty() && ring.iter().next().is_none());
        for number in 0..5 {
            ring.record(Nanos::new(u64::from(number)), Event::Switch { task: TaskId::new(number) });
            let times: std::vec::Vec<_> = ring.iter().map(|(time, _)| time.as_nanos()).collect();
            let expected: std::vec::Vec<_> = (u64::from(number).saturating_sub(2)..=u64::from(number)).collect();
            assert_eq!(times, expected);
            assert_eq!(ring.len(), expected.len());
        }
        assert_eq!(ring.lost(), 2);
    }

    #[test]
    fn reads_as_key_and_value() {
        let event = Event::Migrate { task: TaskId::new(7), from: CpuId::new(2), to: CpuId::new(0), why: Why::Misfit };
        assert_eq!(std::format!("{event}"), "event=migrate task=7 from=2 to=0 why=misfit");
        let event = Event::Clock { core: CoreType::Big, level: 3, why: Clocking::Governor(GovernorKind::Planner) };
        assert_eq!(std::format!("{event}"), "event=clock core=big level=3 why=planner");
        let event = Event::Plan { why: Breach::Stranger(TaskId::new(9)) };
        assert_eq!(std::format!("{event}"), "event=plan why=stranger");
    }
}
