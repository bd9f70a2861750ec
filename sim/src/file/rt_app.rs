//! Task sets of rt-app (scheduler-tools/rt-app, doc/tutorial.txt), the events that matter for scheduling.
//!
//! | event | here |
//! |---|---|
//! | `run` µs | work, as calibrated on CPU 0 at its top or on the CPU that `"calibration": "CPU4"` names |
//! | `runtime` µs | keeps a CPU busy for that long |
//! | `sleep` µs, `timer` {ref, period, mode} | a timer belongs to its task; its deadline is one period after its release |
//! | `lock`, `unlock`, `wait`, `signal`, `broad`, `sync`, `barrier` | by the name of the resource |
//! | `suspend`, `resume`, `yield` | by the name of the task |
//!
//! Other events are refused, not skipped: a task set that was read wrongly would prove nothing. So are settings that
//! are not modelled: a policy other than `SCHED_OTHER`, and CPUs, a priority or a delay of a phase.

mod events;
mod settings;

use std::collections::BTreeMap;

use sched::{CpuId, MAX_CPUS, Nanos};
use soc::exynos5422::DEVICE_TREE;

use super::ordered::{Value, without_comments};
use super::{Wrong, line_of};
use crate::effort::{NO_TIME, take_time};
use crate::plant::{Costs, Plant, profile, profile_names};
use crate::program::Program;
use crate::scenario::Scenario;
use crate::task::TaskSpec;
use crate::units::LONGEST;
use settings::{OF_PHASE, OF_TASK};

/// Reads a task set.
///
/// # Errors
/// The line, from 1, and what was expected there.
pub fn read_rt_app(name: &str, text: &str) -> Result<Scenario, Wrong> {
    let text = without_comments(text);
    let root: Value = serde_json::from_str(&text).map_err(|error| (error.line(), error.to_string()))?;
    Reader { text: &text, at: 0, names: BTreeMap::new(), tasks: BTreeMap::new() }.read(name, &root)
}

/// A kind of named resource.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Lock,
    Condition,
    Barrier,
}

struct Reader<'a> {
    text: &'a str,
    /// Where the task, the phase or the event begins that is being read.
    at: usize,
    names: BTreeMap<(Kind, String), usize>,
    /// First number and count of the instances of each task.
    tasks: BTreeMap<String, (u32, u32)>,
}

impl Reader<'_> {
    fn read(&mut self, name: &str, root: &Value) -> Result<Scenario, Wrong> {
        self.known(root)?;
        let global = root.get("global");
        let class = match global.and_then(|global| global.get("workload")) {
            None => &DEVICE_TREE,
            Some(Value::Text(class)) => profile(class)
                .ok_or_else(|| self.wrong("workload", &format!("expected a class of work: {}", profile_names())))?,
            Some(_) => return Err(self.wrong("workload", "expected the name of a class of work")),
        };
        let mut scenario = Scenario::new(name, Plant::odroid(class));
        scenario.duration = self.duration(global)?;
        let scale = self.calibration(global, &scenario.plant)?;
        let Some(Value::Object(tasks)) = root.get("tasks") else {
            return Err((1, "expected an object \"tasks\" with a member for each task".to_owned()));
        };
        if tasks.is_empty() {
            return Err(self.wrong("tasks", "expected at least one task"));
        }
        let mut first = 0;
        for (task, body) in tasks {
            self.go_to(task);
            let count = self.instances(body)?;
            Scenario::limit_tasks((first + count) as usize).map_err(|what| self.wrong("instance", &what))?;
            self.tasks.insert(task.clone(), (first, count));
            first += count;
        }
        self.at = 0;
        for (task, body) in tasks {
            self.go_to(task);
            let spec = self.task(&mut scenario, task, body, scale)?;
            let count = self.tasks[task].1;
            scenario.count_parties(&spec.program, count);
            scenario = scenario.tasks(count as usize, &spec);
        }
        if scenario.duration.is_none() && scenario.tasks.iter().all(|task| !task.awaited) {
            return Err(self.wrong("duration", "expected a \"duration\" in \"global\", since no task ends by itself"));
        }
        Ok(scenario)
    }

    /// How long to run; a number below 0 is for ever, as in rt-app.
    fn duration(&self, global: Option<&Value>) -> Result<Option<Nanos>, Wrong> {
        match self.number(global, "duration")? {
            Some(seconds @ 1..=1_000_000) => Ok(Some(Nanos::from_millis(seconds.unsigned_abs() * 1_000))),
            Some(0 | 1_000_001..) => {
                Err(self.wrong("duration", "expected a duration from 1 to 1000000 seconds, or -1"))
            }
            Some(_) | None => Ok(None),
        }
    }

    /// The speed of the CPU on which `run` was calibrated.
    fn calibration(&self, global: Option<&Value>, plant: &Plant) -> Result<u64, Wrong> {
        let cpu = match global.and_then(|global| global.get("calibration")) {
            // A number is nanoseconds for each loop, measured somewhere: rt-app measures on CPU 0.
            None | Some(Value::Number(_)) => CpuId::new(0),
            Some(Value::Text(text)) => {
                let number = text.strip_prefix("CPU").and_then(|number| number.parse::<usize>().ok());
                let number = number.filter(|&number| number < MAX_CPUS && plant.present.contains(CpuId::new(number)));
                CpuId::new(number.ok_or_else(|| self.wrong("calibration", "expected \"CPU0\" to \"CPU7\""))?)
            }
            Some(_) => return Err(self.wrong("calibration", "expected \"CPU0\" to \"CPU7\"")),
        };
        let core = plant.core(cpu);
        Ok(plant.speed(0, core, plant.levels(core) - 1))
    }

    fn task(&mut self, scenario: &mut Scenario, name: &str, body: &Value, scale: u64) -> Result<TaskSpec, Wrong> {
        let Value::Object(members) = body else {
            return Err(self.wrong(name, "expected an object with the events of the task"));
        };
        self.policy(body, "policy")?;
        let nice = self.nice(body)?;
        let affinity = self.cpus(body)?;
        let start = body.get("delay").map_or(Ok(Nanos::ZERO), |delay| self.micros("delay", delay))?.as_nanos();
        let program = match body.get("phases") {
            Some(Value::Object(phases)) => {
                self.only(body, OF_TASK)?;
                self.repeated(body, Program::new(), |reader, mut program| {
                    for (name, phase) in phases {
                        reader.go_to(name);
                        let Value::Object(events) = phase else {
                            return Err(reader.wrong("phases", "expected an object for each phase"));
                        };
                        program = reader.repeated(phase, program, |reader, program| {
                            reader.events(scenario, program, (OF_PHASE, events), scale)
                        })?;
                    }
                    Ok(program)
                })?
            }
            Some(_) => return Err(self.wrong("phases", "expected an object with the phases in their order")),
            None => self.repeated(body, Program::new(), |reader, program| {
                reader.events(scenario, program, (OF_TASK, members), scale)
            })?,
        };
        if program.steps().is_empty() {
            return Err(self.wrong(name, "expected at least one event in the task"));
        }
        Ok(TaskSpec { affinity, nice, start, ..TaskSpec::new(name, program) })
    }

    /// Adds what `events` adds, as often as the task or the phase is to be done.
    fn repeated(
        &mut self,
        body: &Value,
        program: Program,
        events: impl FnOnce(&mut Self, Program) -> Result<Program, Wrong>,
    ) -> Result<Program, Wrong> {
        let (times, begin) = (self.times(body)?, program.steps().len());
        let idle = self.wrong("loop", NO_TIME);
        let program = program.try_repeat(times, |program| events(self, program))?;
        let added = &program.steps()[begin..];
        if times != 1 && !added.is_empty() && !take_time(added, Costs::default().call) {
            return Err(idle);
        }
        Ok(program)
    }

    fn micros(&self, key: &str, value: &Value) -> Result<Nanos, Wrong> {
        match value {
            Value::Number(number) if (0..=LONGEST.as_micros()).contains(&number.unsigned_abs()) && *number >= 0 => {
                Ok(Nanos::from_micros(number.unsigned_abs()))
            }
            _ => Err(self.wrong(key, "expected a whole number of microseconds, of at most 1000000 s")),
        }
    }

    fn number(&self, object: Option<&Value>, key: &str) -> Result<Option<i64>, Wrong> {
        match object.and_then(|object| object.get(key)) {
            None => Ok(None),
            Some(Value::Number(number)) => Ok(Some(*number)),
            Some(_) => Err(self.wrong(key, "expected a whole number")),
        }
    }

    /// Where a key stands, from the place where the reading is.
    fn find(&self, key: &str) -> Option<usize> {
        let quoted = format!("\"{key}\"");
        let ahead = self.text[self.at..].find(&quoted).map(|byte| self.at + byte);
        ahead.or_else(|| self.text.find(&quoted))
    }

    fn go_to(&mut self, key: &str) {
        self.at = self.find(key).unwrap_or(self.at);
    }

    /// What is wrong with a key, and its line.
    fn wrong(&self, key: &str, what: &str) -> Wrong {
        (self.find(key).map_or(1, |byte| line_of(self.text, byte)), what.to_owned())
    }
}

#[cfg(test)]
mod tests;
