//! What tasks do that takes no time: sleeping, waking each other, counting.

use sched::trace::Event as Traced;
use sched::{CpuId, Departure};

use super::World;
use crate::event::Event;
use crate::program::Step;
use crate::sync::Meeting;
use crate::task::{Task, TaskStatistics};
use crate::units::WORK_SHIFT;

/// What becomes of the task after a step.
enum Next {
    /// It goes on.
    Goes,
    /// It waits, until a time if there is one.
    Waits(Option<u64>),
    /// It lets others run first.
    Yields,
}

impl World<'_> {
    /// Does the next step of the task that runs on a CPU.
    pub(super) fn step(&mut self, id: CpuId) {
        let call = self.plant.costs.call;
        let Some(token) = &mut self.cpus[id.index()].running else { return };
        let task = &mut *token.0;
        let Some(&step) = task.program.steps().get(task.at) else {
            return self.exit(id);
        };
        task.at += 1;
        if is_call(step) {
            task.overhead += call;
        }
        let number = task.id.raw();
        let books = &mut self.books[number as usize];
        let mut woken = Vec::new();
        let next =
            alone(task, books, step, self.now).unwrap_or_else(|| match self.objects.meet(step, number, &mut woken) {
                Meeting::Goes => Next::Goes,
                Meeting::Waits => Next::Waits(None),
                Meeting::WaitsAndTriesAgain => {
                    task.at -= 1;
                    Next::Waits(None)
                }
            });
        if matches!(step, Step::Class(_)) {
            self.set_power(id);
        }
        match next {
            Next::Goes => {}
            Next::Yields => self.give_way(id, true),
            Next::Waits(until) => self.park(id, until),
        }
        for task in woken {
            self.wake(task, Some(id));
        }
    }

    fn park(&mut self, id: CpuId, until: Option<u64>) {
        let Some(mut token) = self.take_running(id, Departure::Sleeps) else { return };
        let number = token.0.id.raw();
        self.job_ended(&mut token.0);
        self.record.event(self.now, id, Traced::Sleep { task: token.0.id });
        self.parked[number as usize] = Some(token);
        if let Some(time) = until {
            self.timers[number as usize] = Some(time);
            self.agenda.plan(time, Event::Wake(number));
        }
    }

    fn exit(&mut self, id: CpuId) {
        let Some(token) = self.take_running(id, Departure::Exits) else { return };
        self.record.event(self.now, id, Traced::Exit { task: token.0.id });
        let number = token.0.id.raw() as usize;
        self.books[number].end = Some(self.now);
        self.demands[number] = None;
        self.awaited -= usize::from(self.specs[number].awaited);
    }
}

/// Does a step that concerns no other task; [`None`] if it is not one of those.
fn alone(task: &mut Task, books: &mut TaskStatistics, step: Step, now: u64) -> Option<Next> {
    match step {
        Step::Run(work) => task.remaining = work.as_nanos() << WORK_SHIFT,
        Step::Busy(time) => task.busy = time.as_nanos(),
        Step::Class(class) => task.class = class,
        Step::Done => books.done += 1,
        Step::Repeat { counter, times, back_to } => repeat(task, counter, times, back_to),
        Step::Sleep(time) => return Some(Next::Waits(Some(now + time.as_nanos()))),
        Step::Timer { period, resets } => return Some(job_done(task, books, now, period.as_nanos(), resets)),
        Step::Yield => return Some(Next::Yields),
        _ => return None,
    }
    Some(Next::Goes)
}

/// Whether the step enters the kernel besides sleeping.
fn is_call(step: Step) -> bool {
    !matches!(
        step,
        Step::Run(_)
            | Step::Busy(_)
            | Step::Sleep(_)
            | Step::Timer { .. }
            | Step::Class(_)
            | Step::Done
            | Step::Repeat { .. }
    )
}

fn repeat(task: &mut Task, counter: usize, times: u32, back_to: usize) {
    let done = &mut task.counters[counter];
    *done += u32::from(times > 0);
    if times == 0 || *done < times {
        task.at = back_to;
    } else {
        *done = 0;
    }
}

/// A job is done: was it in time, and when is the next one released?
fn job_done(task: &mut Task, books: &mut TaskStatistics, now: u64, period: u64, resets: bool) -> Next {
    let deadline = task.release + period;
    books.jobs += 1;
    if now > deadline {
        books.misses += 1;
        books.lateness = books.lateness.max(now - deadline);
    }
    task.release = if resets { deadline.max(now) } else { deadline };
    if task.release > now { Next::Waits(Some(task.release)) } else { Next::Goes }
}
