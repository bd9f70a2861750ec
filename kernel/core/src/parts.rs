//! Tasks that the plan has cut in two: part of each period on one CPU, the rest on another.
//!
//! ```text
//!   wakes up at home, urgent ──▶ dispatched: the alarm is set for the end of its part ──▶ `Why::Split` ──▶ the rest, not urgent any more
//! ```
//!
//! The first part must be over before the second one's CPU has nothing else to do, so it may not wait: the task is urgent from its wake-up to
//! the end of the part, whatever becomes of the plan meanwhile. Only urgent tasks are looked at here, so nobody else's switches pay for it.

use sched::{Arrival, Departure, Nanos, Placement, Weight, Why};

use crate::cpu::Cpu;
use crate::kernel::Kernel;
use crate::task::Task;

impl Task {
    /// Whether it is in the first part of a period that the plan has cut.
    #[inline]
    pub fn is_urgent(&self) -> bool {
        self.entity.weight().is_urgent()
    }

    /// It leaves its CPU, and waits on no queue: whatever it was urgent for is over.
    #[inline]
    pub fn calm_down(&mut self) {
        if self.is_urgent() {
            self.entity.set_weight(Weight::NORMAL);
        }
    }
}

impl Cpu {
    #[inline]
    fn runs_urgent(&self) -> bool {
        self.current.as_ref().is_some_and(|task| task.is_urgent())
    }

    /// A task that was woken goes where `placement` says; it is on no queue. If its jobs go on elsewhere from there, it is urgent.
    pub fn hurry_if_cut(&self, task: &mut Task, placement: Placement) {
        if placement.why == Why::Planned && self.plan.is_urgent(task.number, placement.cpu) {
            task.entity.set_weight(Weight::URGENT);
        }
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

    /// The running task is urgent: sets the alarm for the end of its part.
    #[cold]
    pub fn await_end_of_part(&mut self, now: Nanos) {
        if let Some(left) = self.part_left() {
            self.meet_part(now + left);
        }
    }
}

impl Kernel {
    /// The part of a task that runs here, or ran here last, may be over.
    pub(crate) fn end_part(&'static self, cpu: &mut Cpu, now: Nanos) {
        if !cpu.runs_urgent() {
            return;
        }
        cpu.account(now);
        self.learn(cpu, now);
        self.consider_moving(cpu, now);
        if cpu.runs_urgent() {
            match cpu.part_left() {
                Some(left) if left > Nanos::ZERO => cpu.meet_part(now + left),
                _ => self.calm_down(cpu, now),
            }
        }
    }

    /// On the tick: an urgent task that the plan does not know as one any more runs on like any other.
    pub(crate) fn look_at_part(&'static self, cpu: &mut Cpu, now: Nanos) {
        if cpu.runs_urgent() {
            match cpu.part_left() {
                Some(left) => cpu.meet_part(now + left),
                None => self.calm_down(cpu, now),
            }
        }
    }

    /// The running task queues again, with its own weight.
    fn calm_down(&'static self, cpu: &mut Cpu, now: Nanos) {
        let task = cpu.give_up(now, Departure::Moves);
        self.send(cpu, cpu.id, task, Arrival::Moved, Why::Previous, now);
    }
}
