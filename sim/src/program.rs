//! What a task does, as a list of steps.

use sched::Nanos;

/// One step of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Work that takes this long on the fastest CPU at its highest OPP.
    Run(Nanos),
    /// Keeps a CPU busy for this long, whatever its speed.
    Busy(Nanos),
    /// Sleeps.
    Sleep(Nanos),
    /// Ends a job, whose deadline is one period after its release, and sleeps until the next release.
    Timer {
        /// The time from release to release.
        period: Nanos,
        /// What a late job does to the next release: nothing, or it counts from the end of the late job.
        resets: bool,
    },
    /// Puts a message into a channel, waiting while that is full.
    Send(usize),
    /// Takes a message out of a channel, waiting while that is empty.
    Receive(usize),
    /// Waits until somebody signals. A signal that nobody waits for is lost.
    Wait(usize),
    /// Wakes one who waits.
    Signal(usize),
    /// Wakes all who wait.
    Broadcast(usize),
    /// Takes a lock, waiting while another task has it.
    Lock(usize),
    /// Gives a lock back.
    Unlock(usize),
    /// Waits until as many tasks wait here as the barrier was made for.
    Barrier(usize),
    /// Sleeps until another task resumes it.
    Suspend,
    /// Wakes those that are suspended of so many tasks from this number on: the instances of a name.
    Resume(u32, u32),
    /// Lets others run first.
    Yield,
    /// From here on the work is of another class.
    Class(usize),
    /// A unit of useful work is done: a frame, a request.
    Done,
    /// Goes back to a step, so that the steps from there to here are done this many times in all; 0 is for ever.
    Repeat {
        /// Which of the task's counters counts.
        counter: usize,
        /// How often.
        times: u32,
        /// The step.
        back_to: usize,
    },
}

/// A list of steps. At its end the task exits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    steps: Vec<Step>,
    counters: usize,
}

impl Program {
    /// A program without steps.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a step.
    #[must_use]
    pub fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Adds the steps that `body` adds, to be done `times` times; 0 is for ever.
    #[must_use]
    pub fn repeat(mut self, times: u32, body: impl FnOnce(Self) -> Self) -> Self {
        let (back_to, counter) = (self.steps.len(), self.counters);
        self.counters += 1;
        self = body(self);
        if times != 1 && self.steps.len() > back_to {
            self.steps.push(Step::Repeat { counter, times, back_to });
        }
        self
    }

    /// The same as [`Program::repeat`] for a body that may fail.
    ///
    /// # Errors
    /// That of the body.
    pub fn try_repeat<E>(mut self, times: u32, body: impl FnOnce(Self) -> Result<Self, E>) -> Result<Self, E> {
        let (back_to, counter) = (self.steps.len(), self.counters);
        self.counters += 1;
        self = body(self)?;
        if times != 1 && self.steps.len() > back_to {
            self.steps.push(Step::Repeat { counter, times, back_to });
        }
        Ok(self)
    }

    /// The steps.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// How many counters a task needs to run it.
    #[must_use]
    pub fn counters(&self) -> usize {
        self.counters
    }

    /// A loop that ends after `work`.
    #[must_use]
    pub fn looper(work: Nanos) -> Self {
        Self::new().step(Step::Run(work))
    }

    /// A job of `work` every `period`, for ever.
    #[must_use]
    pub fn periodic(work: Nanos, period: Nanos) -> Self {
        Self::new().repeat(0, |body| body.step(Step::Run(work)).step(Step::Timer { period, resets: false }))
    }

    /// Whether it comes to an end by itself.
    #[must_use]
    pub fn ends(&self) -> bool {
        !self.steps.iter().any(|step| matches!(step, Step::Repeat { times: 0, .. }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_point_back_to_their_body() {
        let program =
            Program::new().step(Step::Yield).repeat(3, |body| body.step(Step::Done).repeat(2, |b| b.step(Step::Yield)));
        assert_eq!(
            program.steps(),
            [
                Step::Yield,
                Step::Done,
                Step::Yield,
                Step::Repeat { counter: 1, times: 2, back_to: 2 },
                Step::Repeat { counter: 0, times: 3, back_to: 1 },
            ]
        );
        assert!(program.ends() && !Program::periodic(Nanos::new(1), Nanos::new(2)).ends());
    }
}
