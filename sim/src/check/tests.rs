use super::read::{ALL_REASONS, read_event};
use super::*;

fn verdict(events: &[(u64, usize, Event)]) -> Vec<String> {
    verdict_within(events, 0, 0)
}

fn verdict_within(events: &[(u64, usize, Event)], resolution: u64, whole_from: u64) -> Vec<String> {
    let events: Vec<_> = events.iter().map(|&(time, cpu, event)| (time, CpuId::new(cpu), event)).collect();
    let rules = Rules { affinity: &|_| CpuMask::first_n(4), patience: 100, resolution, whole_from };
    check(&events, &rules).violations.into_iter().map(|violation| violation.what).collect()
}

const ONE: TaskId = TaskId::new(1);
const TWO: TaskId = TaskId::new(2);

#[test]
fn an_honest_trace_passes() {
    let trace = [
        (0, 0, Event::Spawn { task: ONE, cpu: CpuId::new(1), why: Why::Idle }),
        (1, 1, Event::Switch { task: ONE }),
        (5, 2, Event::Migrate { task: ONE, from: CpuId::new(1), to: CpuId::new(2), why: Why::Misfit }),
        (6, 2, Event::Switch { task: ONE }),
        (6, 1, Event::Idle),
        (9, 2, Event::Sleep { task: ONE }),
        (20, 2, Event::Wake { task: ONE, cpu: CpuId::new(2), why: Why::Previous }),
        (21, 2, Event::Switch { task: ONE }),
        (22, 2, Event::Exit { task: ONE }),
    ];
    assert_eq!(verdict(&trace), Vec::<String>::new());
}

#[test]
fn each_property_is_looked_for() {
    let switch = |task| Event::Switch { task };
    assert_eq!(verdict(&[(1, 0, switch(ONE)), (2, 1, switch(ONE))]), ["task 1 runs on CPU 0 as well"]);
    assert_eq!(verdict(&[(1, 0, Event::Exit { task: ONE }), (2, 1, switch(ONE))]), ["task 1 has ended"]);
    assert_eq!(verdict(&[(1, 0, Event::Sleep { task: ONE }), (2, 1, switch(ONE))]), ["task 1 sleeps"]);
    assert_eq!(verdict(&[(1, 5, switch(ONE))]), ["task 1 may not run here"]);
    assert_eq!(verdict(&[(2, 0, switch(ONE)), (1, 0, switch(ONE))]), ["time goes back"]);
    let refused = Event::Refused { task: ONE, to: CpuId::new(3), why: Why::Misfit };
    assert_eq!(verdict(&[(1, 0, refused)]), ["refused to move task 1 to CPU 3 (misfit)"]);
    let starved = [(0, 0, switch(ONE)), (0, 0, switch(TWO)), (200, 0, switch(ONE))];
    assert_eq!(verdict(&starved), ["task 1 waited for 0 ms", "task 2 waited for 0 ms"][..1]);
    let moved = |from, to| Event::Migrate { task: ONE, from: CpuId::new(from), to: CpuId::new(to), why: Why::Idle };
    let gone = "task 1 was moved from CPU 3, where it was not";
    assert_eq!(verdict(&[(0, 1, moved(0, 1)), (5, 2, moved(3, 2))]), [gone]);
}

#[test]
fn reads_what_the_kernel_prints() {
    let text = "BOOT board=qemu\nEVENT cpu=2 t_us=12 event=migrate task=7 from=2 to=0 why=misfit\n\
                EVENT cpu=1 t_us=3 event=spawn task=7 cpu=2 why=idle\nDONE code=0";
    let events = read_trace(text).expect("it is right");
    assert_eq!(events.len(), 2);
    assert_eq!(events[0].2, Event::Spawn { task: TaskId::new(7), cpu: CpuId::new(2), why: Why::Idle });
    assert!(read_trace("EVENT cpu=2 t_us=12 event=dance").is_err());
    for why in ALL_REASONS {
        let line = format!("EVENT cpu=0 t_us=1 event=lapsed by=1 why={why}");
        assert_eq!(read_event(&line).map(|event| event.2), Some(Event::Lapsed { by: CpuId::new(1), why }));
    }
}

/// A task ends while the one that waits for both is on its way to sleep again: that wake-up is told with the time at
/// which its CPU entered the kernel, before the sleep that it ended.
#[test]
fn events_of_different_cpus_may_be_in_any_order() {
    let wake = |to| Event::Wake { task: ONE, cpu: CpuId::new(to), why: Why::Idle };
    let (switch, sleep) = (Event::Switch { task: ONE }, Event::Sleep { task: ONE });
    let early = [(0, 1, sleep), (1, 0, wake(1)), (5, 2, wake(1)), (6, 1, switch), (7, 1, sleep), (9, 1, switch)];
    assert_eq!(verdict_within(&early, 4, 0), Vec::<String>::new());
    assert_eq!(verdict_within(&early, 1, 0), ["task 1 sleeps"]);
    let late = [(0, 1, sleep), (5, 1, switch), (8, 2, wake(1))];
    assert_eq!(verdict_within(&late, 4, 0), Vec::<String>::new());
    assert_eq!(verdict_within(&late, 2, 0), ["task 1 sleeps"]);
    let moved = |from, to| Event::Migrate { task: ONE, from: CpuId::new(from), to: CpuId::new(to), why: Why::Apart };
    let away_and_back = [(0, 1, wake(1)), (5, 1, moved(2, 1)), (6, 2, moved(1, 2)), (7, 1, switch)];
    assert_eq!(verdict_within(&away_and_back, 2, 0), Vec::<String>::new());
    // No order of one CPU's own events is another one.
    assert_eq!(verdict_within(&[(0, 1, sleep), (5, 1, switch), (5, 1, wake(1))], 100, 0), ["task 1 sleeps"]);
}

#[test]
fn what_a_trace_has_lost_is_not_held_against_it() {
    let (switch, sleep) = (Event::Switch { task: ONE }, Event::Sleep { task: ONE });
    let trace = [(0, 1, sleep), (5, 1, switch), (900, 1, sleep), (901, 1, switch)];
    assert_eq!(verdict_within(&trace, 0, 10), ["task 1 sleeps"]);
    assert_eq!(verdict_within(&trace, 0, u64::MAX), Vec::<String>::new());

    // What is lost may have come after the last event that is kept of the time before.
    let early = [(0, 1, sleep), (10, 1, switch)];
    assert_eq!(verdict_within(&early, 0, 5), Vec::<String>::new());
    let moved = [(0, 1, switch), (10, 2, switch)];
    assert_eq!(verdict_within(&moved, 0, 5), Vec::<String>::new());
    assert_eq!(verdict_within(&moved, 0, 0), ["task 1 runs on CPU 1 as well"]);

    let text = "trace: cpu 2 lost 40 older events\nEVENT cpu=1 t_us=3 event=idle\nEVENT cpu=2 t_us=7 event=idle\n";
    let whole = |text: &str| whole_from(text, &read_trace(text).expect("it can be read"));
    assert_eq!(whole(text), 8_000);
    assert_eq!(whole("EVENT cpu=1 t_us=3 event=idle\n"), 0);
    assert_eq!(whole(&format!("{text}trace: cpu 3 did not answer\n")), u64::MAX);
}
