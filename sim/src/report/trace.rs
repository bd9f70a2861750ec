//! A trace for ui.perfetto.dev and chrome://tracing: the JSON format of Chrome's trace viewer.

use anyhow::Result;
use sched::CoreType;
use sched::trace::Event;
use serde_json::{Value, json};

use crate::outcome::Outcome;
use crate::scenario::Scenario;

/// More slices than this make a file that no viewer likes.
const MOST_SLICES: usize = 400_000;

/// One line a CPU with what runs there, an instant for every move with its reason, and the clocks as counters.
pub fn chrome(scenario: &Scenario, outcome: &Outcome) -> Result<String> {
    let mut events: Vec<Value> = Vec::new();
    for cpu in scenario.plant.present.iter() {
        let name = format!("CPU {cpu} {}", scenario.plant.core(cpu));
        events.push(json!({"ph": "M", "name": "thread_name", "pid": 0, "tid": cpu.index(), "args": {"name": name}}));
    }
    for slice in slices(outcome).into_iter().take(MOST_SLICES) {
        let name = format!("{} {}", scenario.tasks[slice.task as usize].name, slice.task);
        let (start, length) = (micros(slice.from), micros(slice.to - slice.from));
        events.push(json!({"ph": "X", "name": name, "pid": 0, "tid": slice.cpu, "ts": start, "dur": length}));
    }
    for &(time, cpu, event) in outcome.record.events.iter().take(MOST_SLICES) {
        if let Event::Migrate { task, from, why, .. } = event {
            let name = format!("{why}: {task} from {from}");
            events.push(json!({"ph": "i", "s": "t", "name": name, "pid": 0, "tid": cpu.index(), "ts": micros(time)}));
        }
    }
    for &(time, core, level) in &outcome.record.levels {
        events.push(counter(time, &format!("{core} MHz"), f64::from(megahertz(scenario, core, level))));
    }
    for (time, temperatures) in &outcome.record.temperatures {
        let hottest = temperatures.iter().copied().fold(f64::MIN, f64::max);
        events.push(counter(*time, "hottest C", hottest));
    }
    Ok(serde_json::to_string(&json!({"traceEvents": events, "displayTimeUnit": "ms"}))?)
}

fn counter(time: u64, name: &str, value: f64) -> Value {
    json!({"ph": "C", "name": name, "pid": 0, "ts": micros(time), "args": {"value": value}})
}

fn micros(nanos: u64) -> f64 {
    nanos as f64 / 1e3
}

/// The frequency of an operating point.
pub fn megahertz(scenario: &Scenario, core: CoreType, level: usize) -> u32 {
    let kind = scenario.plant.machine.cpus.iter().map(|cpu| cpu.kind).find(|kind| kind.core == core);
    kind.and_then(|kind| kind.opps.get(level)).map_or(0, |opp| opp.frequency.get() / 1_000)
}

/// A stretch in which one task had one CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The CPU.
    pub cpu: usize,
    /// The task.
    pub task: u32,
    /// From when, in nanoseconds.
    pub from: u64,
    /// Until when.
    pub to: u64,
}

/// Who ran where and when.
pub fn slices(outcome: &Outcome) -> Vec<Slice> {
    let mut open: [Option<Slice>; sched::MAX_CPUS] = [None; sched::MAX_CPUS];
    let mut slices = Vec::new();
    let mut close = |open: &mut Option<Slice>, time: u64| {
        if let Some(slice) = open.take().filter(|slice| slice.from < time) {
            slices.push(Slice { to: time, ..slice });
        }
    };
    for &(time, cpu, event) in &outcome.record.events {
        let cpu = cpu.index();
        match event {
            Event::Switch { task } => {
                close(&mut open[cpu], time);
                open[cpu] = Some(Slice { cpu, task: task.raw(), from: time, to: time });
            }
            Event::Idle | Event::Sleep { .. } | Event::Exit { .. } => close(&mut open[cpu], time),
            _ => {}
        }
    }
    open.iter_mut().for_each(|slice| close(slice, outcome.end.as_nanos()));
    slices
}
