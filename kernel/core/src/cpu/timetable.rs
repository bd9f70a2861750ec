//! When a CPU has something to do: ticks, the windows of its pace, appointments, and the one hardware alarm that stands
//! for them all.

use arch::IrqsOff;
use sched::Nanos;

use super::Cpu;
use crate::pace::{Pace, Phase};
use crate::sleepers::NEVER;

impl Cpu {
    /// Whether the pace and the alarm have to be looked at before the kernel is left.
    #[inline]
    pub fn is_stale(&self) -> bool {
        self.stale
    }

    /// From the next look at the clock on its window is another one.
    pub fn set_pace(&mut self, pace: Pace) {
        self.pace = pace;
        self.stale = true;
    }

    /// The phase of the pace at `now`.
    #[inline]
    pub fn phase(&mut self, now: Nanos) -> Phase {
        self.pace.phase(self.grid.cycle(now), now)
    }

    /// Starts the ticks again that stood still while the CPU was idle. False when they did not.
    #[inline]
    pub fn resume_ticks(&mut self, now: Nanos) -> bool {
        let stood_still = self.tick == NEVER;
        if stood_still {
            self.tick = self.grid.next(now);
            self.stale = true;
        }
        stood_still
    }

    /// Whether a tick is due; the next one is then a cycle later on the grid.
    #[inline]
    pub fn take_tick(&mut self, now: Nanos) -> bool {
        let due = self.tick <= now;
        if due {
            self.tick = self.grid.after(self.tick, now);
        }
        due
    }

    /// It attends to the clocks, at this time again if there is one.
    pub fn meet(&mut self, clocks: Option<Nanos>) {
        if let Some(due) = clocks {
            self.clocks = self.clocks.min(due);
            self.stale = true;
        }
    }

    /// What is to be done at a time of its own, neither tick nor sleeper.
    #[inline]
    pub fn appointment(&self) -> Nanos {
        self.clocks.min(self.part)
    }

    /// Whether the clocks can be carried on that it attends to.
    pub fn take_clocks(&mut self, now: Nanos) -> bool {
        let due = self.clocks <= now;
        if due {
            self.clocks = NEVER;
        }
        due
    }

    /// The running task's part ends at this time.
    pub fn meet_part(&mut self, end: Nanos) {
        self.part = end;
        self.stale = true;
    }

    /// Whether a part should be over.
    pub fn take_part(&mut self, now: Nanos) -> bool {
        let due = self.part <= now;
        if due {
            self.part = NEVER;
        }
        due
    }

    /// The alarm went off: the hardware has to be set again, and the edge of a window may have passed.
    pub fn alarm_fired(&mut self) {
        // No deadline equals this one, so the next `set_alarm` writes the hardware, which holds its line up until then.
        self.alarm = Nanos::ZERO;
        self.stale = true;
    }

    /// Sets the hardware alarm to the next thing that is due: tick, sleeper, or what the caller knows of. Inlined into
    /// its two callers, because every tick passes here.
    #[inline(always)]
    pub fn set_alarm(&mut self, irqs: IrqsOff, other: Nanos) {
        if self.current.is_none() {
            self.tick = NEVER;
        }
        self.stale = false;
        let next = self.tick.min(self.sleepers.next()).min(other);
        if next == self.alarm {
            return;
        }
        self.alarm = next;
        if next == NEVER {
            arch::time::clear_alarm(irqs);
        } else {
            arch::time::set_alarm(irqs, next.as_nanos());
        }
    }
}
