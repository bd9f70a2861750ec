//! What a kernel printed, as a trace.

use sched::trace::Event;
use sched::{CpuId, MAX_CPUS, TaskId, Why};

/// The events among the lines that a kernel printed: `EVENT cpu=2 t_us=1234 event=migrate task=7 from=2 to=0
/// why=misfit`, in order of time. What happened to the machine and to no task is left out.
///
/// # Errors
/// The first line that begins with `EVENT` and cannot be read.
pub fn read_trace(text: &str) -> Result<Vec<(u64, CpuId, Event)>, String> {
    let of_machine =
        |line: &str| [" event=plan ", " event=clock ", " event=cap "].iter().any(|event| line.contains(event));
    let lines = text.lines().map(str::trim).filter(|line| line.starts_with("EVENT ") && !of_machine(line));
    let events: Option<Vec<_>> = lines.clone().map(read_event).collect();
    let mut events = events.ok_or_else(|| {
        let wrong = lines.clone().find(|line| read_event(line).is_none());
        format!("expected an event, found \"{}\"", wrong.unwrap_or_default())
    })?;
    events.sort_by_key(|(time, ..)| *time);
    Ok(events)
}

/// From when on the trace in `text` tells everything, in nanoseconds: the kernel says whose ring lost events, and who
/// did not print its own.
#[must_use]
pub fn whole_from(text: &str, trace: &[(u64, CpuId, Event)]) -> u64 {
    let gaps = text.lines().filter_map(|line| line.trim().strip_prefix("trace: cpu "));
    let ends = gaps.map(|gap| {
        let (cpu, what) = gap.split_once(' ').unwrap_or((gap, ""));
        let first = trace.iter().find(|(_, told_by, _)| told_by.to_string() == cpu).map(|(time, ..)| *time);
        // What was lost last may have happened in the same microsecond.
        first.filter(|_| what.starts_with("lost")).map_or(u64::MAX, |time| time + 1_000)
    });
    ends.max().unwrap_or(0)
}

pub(super) fn read_event(line: &str) -> Option<(u64, CpuId, Event)> {
    let word = |key: &str| {
        let mut words = line.split_whitespace().filter_map(|word| word.split_once('='));
        words.find(|(name, _)| *name == key).map(|(_, value)| value)
    };
    let cpu = |key: &str| word(key)?.parse::<usize>().ok().filter(|cpu| *cpu < MAX_CPUS).map(CpuId::new);
    // The CPU that tells comes first; `spawn` and `wake` name another one after the event.
    let target = || {
        let (_, rest) = line.split_once("event=")?;
        let value = rest.split_whitespace().find_map(|word| word.strip_prefix("cpu="))?;
        value.parse::<usize>().ok().filter(|cpu| *cpu < MAX_CPUS).map(CpuId::new)
    };
    let task = || Some(TaskId::new(word("task")?.parse().ok()?));
    let why = || ALL_REASONS.into_iter().find(|why| word("why") == Some(why.to_string().as_str()));
    let event = match word("event")? {
        "spawn" => Event::Spawn { task: task()?, cpu: target()?, why: why()? },
        "wake" => Event::Wake { task: task()?, cpu: target()?, why: why()? },
        "switch" => Event::Switch { task: task()? },
        "idle" => Event::Idle,
        "migrate" => Event::Migrate { task: task()?, from: cpu("from")?, to: cpu("to")?, why: why()? },
        "sleep" => Event::Sleep { task: task()? },
        "exit" => Event::Exit { task: task()? },
        "refused" => Event::Refused { task: task()?, to: cpu("to")?, why: why()? },
        "lapsed" => Event::Lapsed { by: cpu("by")?, why: why()? },
        _ => return None,
    };
    Some((word("t_us")?.parse::<u64>().ok()? * 1_000, cpu("cpu")?, event))
}

pub(super) const ALL_REASONS: [Why; 16] = [
    Why::Previous,
    Why::Idle,
    Why::Fits,
    Why::LeastLoaded,
    Why::Affinity,
    Why::Misfit,
    Why::PulledQueued,
    Why::PulledRunning,
    Why::Rotation,
    Why::Balance,
    Why::Planned,
    Why::Split,
    Why::Energy,
    Why::Apart,
    Why::Together,
    Why::Cooler,
];
