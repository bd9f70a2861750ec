//! A trace for ui.perfetto.dev and chrome://tracing: the JSON format of Chrome's trace viewer.

use std::collections::BTreeSet;

use anyhow::Result;
use sched::trace::Event;
use sched::{CoreType, CpuId};
use serde_json::{Value, json};

use crate::outcome::Outcome;
use crate::scenario::Scenario;

/// More slices than this make a file that no viewer likes.
const MOST_SLICES: usize = 400_000;

/// One line a CPU with what runs there, an instant for every move with its reason, and the clocks as counters.
pub fn chrome(scenario: &Scenario, outcome: &Outcome) -> Result<String> {
    let cpu_name = |cpu: CpuId| format!("CPU {cpu} {}", scenario.plant.core(cpu));
    let task_name = |task: u32| format!("{} {task}", scenario.tasks[task as usize].name);
    let mut events = lanes(scenario.plant.present.iter(), cpu_name);
    let slices = slices(&outcome.record.events, outcome.end.as_nanos());
    events.extend(runs(&slices, task_name));
    events.extend(moves(&outcome.record.events));
    for &(time, core, level) in &outcome.record.levels {
        events.push(counter(time, &format!("{core} MHz"), f64::from(megahertz(scenario, core, level))));
    }
    for (time, temperatures) in &outcome.record.temperatures {
        let hottest = temperatures.iter().copied().fold(f64::MIN, f64::max);
        events.push(counter(*time, "hottest C", hottest));
    }
    file(events)
}

/// The same of a trace that a kernel recorded, as [`crate::check::read_trace`] reads it; `cpu_name` is what a CPU's
/// line is called.
///
/// # Errors
/// If it cannot be written as JSON.
pub fn recorded(trace: &[(u64, CpuId, Event)], cpu_name: impl Fn(CpuId) -> String) -> Result<String> {
    let cpus: BTreeSet<CpuId> = trace.iter().map(|(_, cpu, _)| *cpu).collect();
    let mut events = lanes(cpus.into_iter(), cpu_name);
    let end = trace.last().map_or(0, |(time, ..)| *time);
    events.extend(runs(&slices(trace, end), |task| format!("task {task}")));
    events.extend(moves(trace));
    file(events)
}

fn file(events: Vec<Value>) -> Result<String> {
    Ok(serde_json::to_string(&json!({"traceEvents": events, "displayTimeUnit": "ms"}))?)
}

fn lanes(cpus: impl Iterator<Item = CpuId>, name: impl Fn(CpuId) -> String) -> Vec<Value> {
    cpus.map(|cpu| json!({"ph": "M", "name": "thread_name", "pid": 0, "tid": cpu.index(), "args": {"name": name(cpu)}}))
        .collect()
}

fn runs(slices: &[Slice], name: impl Fn(u32) -> String) -> impl Iterator<Item = Value> {
    slices.iter().take(MOST_SLICES).map(move |slice| {
        let (start, length) = (micros(slice.from), micros(slice.to - slice.from));
        json!({"ph": "X", "name": name(slice.task), "pid": 0, "tid": slice.cpu, "ts": start, "dur": length})
    })
}

fn moves(trace: &[(u64, CpuId, Event)]) -> impl Iterator<Item = Value> {
    trace.iter().take(MOST_SLICES).filter_map(|&(time, cpu, event)| {
        let Event::Migrate { task, from, why, .. } = event else { return None };
        let name = format!("{why}: {task} from {from}");
        Some(json!({"ph": "i", "s": "t", "name": name, "pid": 0, "tid": cpu.index(), "ts": micros(time)}))
    })
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

/// Who ran where and when, in a trace that ends at `end`.
pub fn slices(trace: &[(u64, CpuId, Event)], end: u64) -> Vec<Slice> {
    let mut open: [Option<Slice>; sched::MAX_CPUS] = [None; sched::MAX_CPUS];
    let mut slices = Vec::new();
    let mut close = |open: &mut Option<Slice>, time: u64| {
        if let Some(slice) = open.take().filter(|slice| slice.from < time) {
            slices.push(Slice { to: time, ..slice });
        }
    };
    for &(time, cpu, event) in trace {
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
    open.iter_mut().for_each(|slice| close(slice, end));
    slices
}
