//! Idle injection: windows in which the tasks of a CPU may run.
//!
//! Outside its window a CPU takes interrupts but rests in WFI (Linux's powerclamp is the same idea). QEMU's cores are
//! all alike and share one instruction clock, so the QEMU boards cut each millisecond into one slot a CPU: a big CPU
//! runs in its whole slot, a LITTLE one in the part of it that its capacity is worth. At most one CPU is then busy, so
//! progress is exact in virtual time. See docs/adr/0003.

use sched::{Capacity, CpuId, Nanos};

/// Length of a cycle, and of a tick.
pub const CYCLE: Nanos = Nanos::new(1_000_000);

/// The window of one CPU inside each cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The part of a cycle, at its end, in which tasks may not run.
    closed: Nanos,
}

/// Whether tasks may run now, and until when that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// They may, until this time.
    Run(Nanos),
    /// They may not, until this time.
    Rest(Nanos),
}

impl Pace {
    /// Tasks may always run.
    pub const NONE: Pace = Pace { closed: Nanos::ZERO };

    /// One slot of `1/cpus` of a cycle, of which `capacity` of 1024 parts is open.
    pub const fn slot(cpus: usize, capacity: Capacity) -> Pace {
        let slot = CYCLE.as_nanos() / cpus as u64;
        Pace { closed: Nanos::new(CYCLE.as_nanos() - slot * capacity.get() as u64 / 1024) }
    }

    /// Whether tasks ever have to rest.
    #[inline]
    pub fn rests(self) -> bool {
        self.closed != Nanos::ZERO
    }

    /// The phase at `now`, in the cycle that began at `start` (at most one cycle ago).
    pub fn phase(self, start: Nanos, now: Nanos) -> Phase {
        let end = start + CYCLE;
        let close = end - self.closed;
        if now < close { Phase::Run(close) } else { Phase::Rest(end) }
    }
}

/// The grid of cycles of one CPU: `offset + k * CYCLE`. Shifted by a slot from CPU to CPU so that they do not tick
/// together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    start: Nanos,
}

impl Grid {
    /// A grid that nobody has placed yet.
    pub const UNPLACED: Grid = Grid { start: Nanos::ZERO };

    /// The grid of CPU `cpu` of `cpus`.
    pub const fn new(cpu: CpuId, cpus: usize) -> Grid {
        Grid { start: Nanos::new(CYCLE.as_nanos() / cpus as u64 * cpu.index() as u64) }
    }

    /// The start of the cycle that holds `now`. The grid keeps its place, so the usual call costs a comparison; only
    /// after a long sleep does it divide.
    #[inline]
    pub fn cycle(&mut self, now: Nanos) -> Nanos {
        let behind = now.saturating_sub(self.start);
        if behind >= CYCLE {
            self.start += match u32::try_from(behind.as_nanos()) {
                // A multiplication; for more than four seconds it is a division by hand.
                Ok(behind) => Nanos::new(u64::from(behind - behind % CYCLE.as_nanos() as u32)),
                Err(_) => Nanos::new(behind.as_nanos() - behind.as_nanos() % CYCLE.as_nanos()),
            };
        }
        self.start
    }

    /// The first cycle start after `now`.
    pub fn next(&mut self, now: Nanos) -> Nanos {
        let start = self.cycle(now);
        if start > now { start } else { start + CYCLE }
    }

    /// The same, `last` being a cycle start that has passed: most often a cycle later.
    #[inline]
    pub fn after(&mut self, last: Nanos, now: Nanos) -> Nanos {
        let following = last + CYCLE;
        if following > now { following } else { self.next(now) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_of_four_cpus_never_overlap_and_have_the_ratio_of_their_capacities() {
        let capacities = [1024, 1024, 462, 462];
        let mut grids: [Grid; 4] = core::array::from_fn(|cpu| Grid::new(CpuId::new(cpu), 4));
        let mut open = [0_u64; 4];
        for step in 0..10_000_u64 {
            let now = Nanos::new(2_000_000 + step * 500);
            let mut running = 0;
            for cpu in 0..4 {
                let start = grids[cpu].cycle(now);
                if let Phase::Run(until) = Pace::slot(4, Capacity::new(capacities[cpu])).phase(start, now) {
                    assert!(until > now);
                    running += 1;
                    open[cpu] += 1;
                }
            }
            assert!(running <= 1);
        }
        assert_eq!(open[0], 2500);
        assert_eq!(open[2] * 1024 / open[0], 462 * 2500 / 2500);
    }

    #[test]
    fn a_grid_does_not_drift_over_a_long_sleep() {
        let mut grid = Grid::new(CpuId::new(1), 4);
        assert_eq!(grid.next(Nanos::new(0)), Nanos::new(250_000));
        assert_eq!(grid.next(Nanos::new(250_000)), Nanos::new(1_250_000));
        assert_eq!(grid.after(Nanos::new(250_000), Nanos::new(250_010)), Nanos::new(1_250_000));
        assert_eq!(grid.after(Nanos::new(250_000), Nanos::new(1_250_000)), Nanos::new(2_250_000));
        assert_eq!(grid.next(Nanos::new(7_200_000_000_123)), Nanos::new(7_200_000_250_000));
        assert_eq!(grid.cycle(Nanos::new(7_200_000_250_000)), Nanos::new(7_200_000_250_000));
    }

    #[test]
    fn without_pace_there_is_no_rest() {
        assert!(!Pace::NONE.rests());
        assert_eq!(Pace::NONE.phase(Nanos::new(0), Nanos::new(999_999)), Phase::Run(Nanos::new(1_000_000)));
    }
}
