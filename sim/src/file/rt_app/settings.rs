//! What a task or a phase is, beside its events.

use sched::{CpuId, CpuMask, MAX_CPUS};

use super::super::Wrong;
use super::super::ordered::Value;
use super::Reader;
use crate::task::{EXPECTED_NICE, MOST_TASKS, NICE};

/// What a task may have beside its events.
pub(super) const OF_TASK: &[&str] = &["loop", "instance", "cpus", "priority", "policy", "delay", "phases"];
/// What a phase may have beside its events.
pub(super) const OF_PHASE: &[&str] = &["loop"];
/// What is about logs, memory and libraries of rt-app itself, and changes nothing here.
const OF_RT_APP: [&str; 10] = [
    "lock_pages",
    "logdir",
    "log_basename",
    "log_size",
    "gnuplot",
    "ftrace",
    "io_device",
    "mem_buffer_size",
    "cumulative_slack",
    "pi_enabled",
];

impl Reader<'_> {
    /// Whether the file and its part `global` hold nothing that would be passed over.
    pub(super) fn known(&self, root: &Value) -> Result<(), Wrong> {
        self.only(root, &["global", "resources", "tasks"])?;
        let Some(global) = root.get("global") else { return Ok(()) };
        self.policy(global, "default_policy")?;
        let ours = ["workload", "duration", "calibration", "default_policy"];
        self.only(global, &[&ours[..], &OF_RT_APP[..]].concat())
    }

    /// Whether an object has no other members than these.
    pub(super) fn only(&self, object: &Value, known: &[&str]) -> Result<(), Wrong> {
        let Value::Object(members) = object else { return Ok(()) };
        match members.iter().find(|(key, _)| !known.contains(&key.as_str())) {
            Some((key, _)) => Err(self.wrong(key, &format!("expected one of {}; found \"{key}\"", known.join(", ")))),
            None => Ok(()),
        }
    }

    /// The scheduling class can only be the usual one.
    pub(super) fn policy(&self, object: &Value, key: &str) -> Result<(), Wrong> {
        match object.get(key) {
            None => Ok(()),
            Some(Value::Text(policy)) if policy == "SCHED_OTHER" => Ok(()),
            Some(_) => Err(self.wrong(key, "expected \"SCHED_OTHER\": no other class is modelled")),
        }
    }

    pub(super) fn instances(&self, body: &Value) -> Result<u32, Wrong> {
        let count = self.number(Some(body), "instance")?.unwrap_or(1);
        let count = u32::try_from(count).ok().filter(|count| (1..=MOST_TASKS as u32).contains(count));
        count.ok_or_else(|| self.wrong("instance", &format!("expected a number of instances from 1 to {MOST_TASKS}")))
    }

    /// How often a task or a phase is done; 0 is for ever.
    pub(super) fn times(&self, body: &Value) -> Result<u32, Wrong> {
        match self.number(Some(body), "loop")?.unwrap_or(1) {
            -1 => Ok(0),
            times => u32::try_from(times)
                .ok()
                .filter(|&times| times > 0)
                .ok_or_else(|| self.wrong("loop", "expected a number of times, or -1 for ever")),
        }
    }

    pub(super) fn nice(&self, body: &Value) -> Result<i8, Wrong> {
        let nice = self.number(Some(body), "priority")?.unwrap_or(0);
        let nice = i8::try_from(nice).ok().filter(|nice| NICE.contains(nice));
        nice.ok_or_else(|| self.wrong("priority", EXPECTED_NICE))
    }

    pub(super) fn cpus(&self, body: &Value) -> Result<CpuMask, Wrong> {
        let Some(value) = body.get("cpus") else { return Ok(CpuMask::ALL) };
        let wrong = || self.wrong("cpus", "expected a list of CPUs, such as [0, 1]");
        let Value::List(list) = value else { return Err(wrong()) };
        let cpu = |value: &Value| match value {
            Value::Number(number) => usize::try_from(*number).ok().filter(|&cpu| cpu < MAX_CPUS).map(CpuId::new),
            _ => None,
        };
        list.iter().map(cpu).collect::<Option<CpuMask>>().filter(|mask| !mask.is_empty()).ok_or_else(wrong)
    }
}
