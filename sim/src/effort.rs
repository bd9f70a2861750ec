//! How much there is to simulate, before it is: a scenario that would take hours, or for ever, is refused.

use sched::MAX_CPUS;

use crate::engine::TICK;
use crate::program::{Program, Step};
use crate::scenario::Scenario;
use crate::units::LONGEST;

/// The most events of a scenario: steps of tasks and ticks of CPUs. A machine of today simulates one or two million a
/// second.
pub(crate) const MOST_EVENTS: u64 = 100_000_000;

/// What is wrong with a loop in which time stands still.
pub(crate) const NO_TIME: &str = "expected steps in a loop that take time, found none";

/// The least that some steps take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Effort {
    /// From the first to the end of the last, in nanoseconds.
    time: u64,
    /// Of it on a CPU.
    busy: u64,
    /// How many they are, with each repetition.
    steps: u64,
}

impl Effort {
    fn repeated(self, more: u64) -> Self {
        let times = |part: u64| part.saturating_mul(more);
        Self { time: times(self.time), busy: times(self.busy), steps: times(self.steps) }
    }

    fn and(self, other: Self) -> Self {
        Self {
            time: self.time.saturating_add(other.time),
            busy: self.busy.saturating_add(other.busy),
            steps: self.steps.saturating_add(other.steps),
        }
    }

    fn since(self, before: Self) -> Self {
        Self { time: self.time - before.time, busy: self.busy - before.busy, steps: self.steps - before.steps }
    }
}

/// The least time of a step, of which a call of the kernel takes `call`; that of a timer depends on the steps before
/// it.
fn least(step: Step, call: u64) -> Effort {
    let (time, busy) = match step {
        Step::Run(time) | Step::Busy(time) => (time.as_nanos(), time.as_nanos()),
        Step::Sleep(time) => (time.as_nanos(), 0),
        Step::Timer { .. } | Step::Class(_) | Step::Done | Step::Repeat { .. } => (0, 0),
        _ => (call, call),
    };
    Effort { time, busy, steps: 1 }
}

/// Whether steps take time at all. A loop of others never lets time go on.
pub(crate) fn take_time(steps: &[Step], call: u64) -> bool {
    steps.iter().any(|step| matches!(step, Step::Timer { .. }) || least(*step, call).time > 0)
}

/// The effort of a program within `span` nanoseconds.
///
/// # Errors
/// If steps are repeated that take no time at all.
fn of(program: &Program, span: u64, call: u64) -> Result<Effort, String> {
    let starts =
        |at: usize| program.steps().iter().any(|step| matches!(step, Step::Repeat { back_to, .. } if *back_to == at));
    let mut sum = Effort::default();
    let mut before = Vec::with_capacity(program.steps().len());
    // When a job began.
    let mut release = 0;
    for (at, &step) in program.steps().iter().enumerate() {
        before.push(sum);
        if starts(at) {
            release = sum.time;
        }
        sum = sum.and(least(step, call));
        match step {
            Step::Timer { period, .. } => {
                sum.time = sum.time.max(release.saturating_add(period.as_nanos()));
                release = sum.time;
            }
            Step::Repeat { times, back_to, .. } => {
                if !take_time(&program.steps()[back_to..at], call) {
                    return Err(NO_TIME.to_owned());
                }
                let body = sum.since(before[back_to]);
                let fits = span / body.time.max(1);
                sum = sum.and(body.repeated(if times == 0 { fits } else { fits.min(u64::from(times) - 1) }));
                if times == 0 {
                    return Ok(sum);
                }
            }
            _ => {}
        }
    }
    Ok(sum)
}

impl Scenario {
    /// Whether it can be simulated in minutes.
    ///
    /// # Errors
    /// Says what was expected.
    pub(crate) fn limit_events(&self) -> Result<(), String> {
        let (mut sum, call) = (Effort::default(), self.plant.costs.call);
        let (ending, endless): (Vec<_>, Vec<_>) = self.tasks.iter().partition(|task| task.program.ends());
        let duration = self.duration.map(|duration| (duration + self.warm_up).as_nanos());
        for task in ending {
            let effort = of(&task.program, duration.unwrap_or(u64::MAX), call)?;
            if duration.is_none() && effort.time.saturating_add(task.start) > LONGEST.as_nanos() {
                return Err(format!("expected tasks that end within {} s", LONGEST.as_millis() / 1_000));
            }
            sum = sum.and(effort);
        }
        // Where nothing else ends it, it lasts until the others have ended, one after the other at the worst.
        let span = duration.unwrap_or(sum.time);
        for task in endless {
            sum = sum.and(of(&task.program, span, call)?);
        }
        let ticks = sum.busy.min(span.saturating_mul(MAX_CPUS as u64)) / TICK;
        let events = sum.steps.saturating_add(ticks);
        if events > MOST_EVENTS {
            let (most, events) = (MOST_EVENTS / 1_000_000, events / 1_000_000);
            return Err(format!(
                "expected at most {most} million steps and ticks to simulate, found {events} million; take a shorter time, longer \
                 periods or fewer tasks"
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use sched::Nanos;
    use soc::exynos5422::DEVICE_TREE;

    use super::*;
    use crate::plant::Plant;
    use crate::task::TaskSpec;

    const MILLISECOND: Nanos = Nanos::from_millis(1);

    fn scenario(program: Program) -> Scenario {
        Scenario::new("test", Plant::odroid(&DEVICE_TREE)).tasks(1, &TaskSpec::new("a", program))
    }

    fn effort(program: &Program, span: Nanos) -> Effort {
        of(program, span.as_nanos(), 1_000).expect("it takes time")
    }

    #[test]
    fn steps_are_counted_with_their_repetitions() {
        let twice = Program::new().repeat(2, |body| body.repeat(3, |body| body.step(Step::Run(MILLISECOND))));
        assert_eq!(effort(&twice, Nanos::from_millis(1_000)).busy, 6_000_000);
        let second = effort(&Program::periodic(Nanos::from_micros(100), MILLISECOND), Nanos::from_millis(1_000));
        assert!((3_000..3_010).contains(&second.steps), "work, timer and loop, a thousand times: {second:?}");
        assert!((100_000_000..101_000_000).contains(&second.busy), "{second:?}");
    }

    #[test]
    fn a_late_timer_is_no_loop_without_time() {
        let late = Program::new()
            .step(Step::Run(Nanos::from_millis(100)))
            .repeat(0, |body| body.step(Step::Timer { period: MILLISECOND, resets: false }));
        let second = Nanos::from_millis(1_000);
        assert!(effort(&late, second).steps < 3_000);
        assert_eq!(scenario(late).lasting(second).limit_events(), Ok(()));
    }

    #[test]
    fn loops_that_take_no_time_are_refused_however_often_they_are_done() {
        let nothing = |body: Program| body.step(Step::Run(Nanos::ZERO)).step(Step::Sleep(Nanos::ZERO)).step(Step::Done);
        for times in [0, 2, u32::MAX] {
            let scenario = scenario(Program::new().repeat(times, nothing)).lasting(MILLISECOND);
            assert_eq!(scenario.limit_events(), Err(NO_TIME.to_owned()), "{times}");
        }
        let mut calls = scenario(Program::new().repeat(0, |body| body.step(Step::Yield))).lasting(MILLISECOND);
        assert_eq!(calls.limit_events(), Ok(()), "a call takes time");
        calls.plant.costs.call = 0;
        assert_eq!(calls.limit_events(), Err(NO_TIME.to_owned()), "unless it is free");
    }

    #[test]
    fn hours_of_simulation_are_refused() {
        let loops = |seconds: u64| scenario(Program::looper(Nanos::from_millis(1_000 * seconds)));
        assert_eq!(loops(28_000).limit_events(), Ok(()), "28 million ticks");
        assert!(loops(900_000).limit_events().expect_err("for days").contains("900 million"));
        let jobs = |period| scenario(Program::periodic(Nanos::new(100), period)).lasting(Nanos::from_millis(100_000));
        assert_eq!(jobs(Nanos::from_micros(10)).limit_events(), Ok(()));
        assert!(jobs(Nanos::from_micros(1)).limit_events().is_err());
        let asleep = Program::new().repeat(1_001, |body| body.step(Step::Sleep(Nanos::from_millis(1_000_000))));
        assert!(scenario(asleep).limit_events().expect_err("not in our lives").contains("1000000 s"));
        let ended = scenario(Program::looper(MILLISECOND));
        let hungry = TaskSpec::new("b", Program::new().repeat(0, |body| body.step(Step::Run(MILLISECOND))));
        assert_eq!(ended.tasks(1, &hungry).limit_events(), Ok(()), "it ends with the first task");
    }
}
