//! The events of a task or a phase.

use sched::{Nanos, Rate};

use super::super::Wrong;
use super::super::ordered::Value;
use super::settings::OF_TASK;
use super::{Kind, Reader};
use crate::program::{Program, Step};
use crate::scenario::Scenario;

impl Reader<'_> {
    /// Adds the members of a task or a phase that are none of its settings.
    pub(super) fn events(
        &mut self,
        scenario: &mut Scenario,
        mut program: Program,
        (settings, members): (&[&str], &[(String, Value)]),
        scale: u64,
    ) -> Result<Program, Wrong> {
        for (key, value) in members {
            if !settings.contains(&key.as_str()) {
                let event = key.trim_end_matches(|character: char| character.is_ascii_digit());
                self.go_to(key);
                program = self.event(scenario, program, event, key, value, scale)?;
            }
        }
        Ok(program)
    }

    fn event(
        &mut self,
        scenario: &mut Scenario,
        program: Program,
        event: &str,
        key: &str,
        value: &Value,
        scale: u64,
    ) -> Result<Program, Wrong> {
        let program = match event {
            "run" => {
                let nanos = self.micros(key, value)?.as_nanos();
                program.step(Step::Run(Nanos::new(nanos * scale / u64::from(Rate::FULL.get()))))
            }
            "runtime" => program.step(Step::Busy(self.micros(key, value)?)),
            "sleep" => program.step(Step::Sleep(self.micros(key, value)?)),
            "timer" => program.step(self.timer(key, value)?),
            "lock" => program.step(Step::Lock(self.resource(scenario, Kind::Lock, key, value)?)),
            "unlock" => program.step(Step::Unlock(self.resource(scenario, Kind::Lock, key, value)?)),
            "signal" => program.step(Step::Signal(self.resource(scenario, Kind::Condition, key, value)?)),
            "broad" => program.step(Step::Broadcast(self.resource(scenario, Kind::Condition, key, value)?)),
            "wait" => self.wait(scenario, program, key, value)?,
            "sync" => {
                let condition = self.resource(scenario, Kind::Condition, key, value)?;
                self.wait(scenario, program.step(Step::Signal(condition)), key, value)?
            }
            "barrier" => program.step(Step::Barrier(self.resource(scenario, Kind::Barrier, key, value)?)),
            "suspend" => program.step(Step::Suspend),
            "resume" => {
                let Value::Text(task) = value else { return Err(self.wrong(key, "expected the name of a task")) };
                let &(first, count) = self
                    .tasks
                    .get(task)
                    .ok_or_else(|| self.wrong(key, &format!("expected the name of a task, found \"{task}\"")))?;
                program.step(Step::Resume(first, count))
            }
            "yield" => program.step(Step::Yield),
            _ if OF_TASK.contains(&key) => {
                return Err(self.wrong(key, &format!("expected \"{key}\" in the task, not in one of its phases")));
            }
            _ => {
                let known = "run, runtime, sleep, timer, lock, unlock, wait, signal, broad, sync, barrier, suspend, resume, yield";
                return Err(self.wrong(key, &format!("expected one of the events {known}; found \"{key}\"")));
            }
        };
        Ok(program)
    }

    /// A job by the clock; as in rt-app the period of a late job counts from its end unless the mode is absolute.
    fn timer(&self, key: &str, value: &Value) -> Result<Step, Wrong> {
        self.only(value, &["ref", "period", "mode"])?;
        let period = value.get("period").map(|period| self.micros(key, period)).transpose()?;
        let period = period.filter(|&period| period > Nanos::ZERO);
        let period = period.ok_or_else(|| self.wrong(key, "expected a timer with a \"period\" in microseconds"))?;
        let resets = match value.get("mode") {
            None => true,
            Some(Value::Text(mode)) if mode == "relative" => true,
            Some(Value::Text(mode)) if mode == "absolute" => false,
            Some(_) => return Err(self.wrong("mode", "expected the mode \"absolute\" or \"relative\"")),
        };
        Ok(Step::Timer { period, resets })
    }

    /// Gives the lock back, waits, takes the lock again.
    fn wait(&mut self, scenario: &mut Scenario, program: Program, key: &str, value: &Value) -> Result<Program, Wrong> {
        let condition = self.resource(scenario, Kind::Condition, key, value)?;
        let Some(lock) = value.get("mutex") else { return Ok(program.step(Step::Wait(condition))) };
        let lock = self.resource(scenario, Kind::Lock, key, lock)?;
        Ok(program.step(Step::Unlock(lock)).step(Step::Wait(condition)).step(Step::Lock(lock)))
    }

    /// The number of a resource, given by its name or by an object with a member `ref`.
    fn resource(&mut self, scenario: &mut Scenario, kind: Kind, key: &str, value: &Value) -> Result<usize, Wrong> {
        let Value::Text(name) = value.get("ref").unwrap_or(value) else {
            return Err(self.wrong(key, "expected the name of a resource, or an object with a member \"ref\""));
        };
        let entry = self.names.entry((kind, name.clone()));
        Ok(*entry.or_insert_with(|| match kind {
            Kind::Lock => scenario.lock(),
            Kind::Condition => scenario.condition(),
            Kind::Barrier => scenario.barrier(0),
        }))
    }
}
