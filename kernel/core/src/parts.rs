//! Time that the plan reserves, and tasks that it has cut in two: part of each period on one CPU, the rest on another.
//!
//! ```text
//!   wakes up at home ──▶ dispatched before all others: the alarm is set for the end of its part ──▶ `Why::Split` ──▶ the rest, by when it is due
//! ```
//!
//! The first part must be over before the second one's CPU has nothing else to do, so it is due as it begins. Only who is in such a part is
//! looked at here, so nobody else's switches pay for it.

use sched::Nanos;

use crate::cpu::Cpu;
use crate::kernel::Kernel;
use crate::task::Task;

impl Cpu {
    #[inline]
    fn runs_part(&self) -> bool {
        self.current.as_ref().is_some_and(|task| task.entity.goes_on_elsewhere())
    }

    /// The time for which the running task may still run here before it goes on elsewhere; [`None`] if the plan does not say so of it. What it has
    /// run has been counted.
    fn part_left(&self) -> Option<Nanos> {
        let task = self.current.as_ref()?;
        let home = self.plan.home(task.number).filter(|home| home.cpu == self.id && home.then.is_some())?;
        let period = task.learned.signals.rhythm().period()?.as_nanos();
        // Rounded up, so that it has not had a nanosecond too little when it is asked.
        let part = ((u64::from(home.share) * period) >> 14) + (period >> 14) + 1;
        Some(Nanos::new(part.saturating_sub(task.learned.job + u64::from(task.learned.stretch.nanos))))
    }

    fn end_reservation(&mut self) {
        if let Some(task) = &mut self.current {
            task.entity.reserve(None);
            self.reschedule |= self.queue.should_preempt(&task.entity);
        }
    }

    /// The running task goes on elsewhere: sets the alarm for the end of its part.
    #[cold]
    pub fn await_end_of_part(&mut self, now: Nanos) {
        if let Some(left) = self.part_left() {
            self.meet_part(now + left);
        }
    }
}

impl Kernel {
    /// Reserves what the plan says for the present job of a task that comes to this CPU, and is on no queue.
    #[inline(never)]
    pub(crate) fn reserve(&'static self, cpu: &mut Cpu, task: &mut Task) {
        self.refresh_plan(cpu);
        let beat = task.learned.signals.rhythm().beat();
        task.entity.reserve(beat.and_then(|beat| cpu.plan.reservation(task.number, cpu.id, beat)));
    }

    /// The part of a task that runs here, or ran here last, may be over.
    pub(crate) fn end_part(&'static self, cpu: &mut Cpu, now: Nanos) {
        if !cpu.runs_part() {
            return;
        }
        cpu.account(now);
        self.learn(cpu, now);
        self.consider_moving(cpu, now);
        if cpu.runs_part() {
            match cpu.part_left() {
                Some(left) if left > Nanos::ZERO => cpu.meet_part(now + left),
                _ => cpu.end_reservation(),
            }
        }
    }

    /// On the tick: who is in a part that the plan does not know any more runs on like any other.
    pub(crate) fn look_at_part(&'static self, cpu: &mut Cpu, now: Nanos) {
        if cpu.runs_part() {
            match cpu.part_left() {
                Some(left) => cpu.meet_part(now + left),
                None => cpu.end_reservation(),
            }
        }
    }
}
