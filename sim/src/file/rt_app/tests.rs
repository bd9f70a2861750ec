use super::*;
use crate::program::Step;

fn wrong(text: &str) -> Wrong {
    read_rt_app("test", text).expect_err("it is wrong")
}

#[test]
fn reads_phases_instances_and_resources() {
    let text = r#"{
        "global": { "duration": 2, "calibration": "CPU4" },
        "tasks": {
            "worker": { "instance": 3, "loop": -1, "cpus": [4, 5], "run0": 1000, "barrier": "all", "timer": { "ref": "tick", "period": 16000 } },
            "other": { "priority": 5, "phases": { "up": { "loop": 2, "run": 500, "sleep": 10 }, "meet": { "barrier": "all" } } }
        }
    }"#;
    let scenario = read_rt_app("test", text).expect("it is right");
    assert_eq!((scenario.tasks.len(), scenario.duration), (4, Some(Nanos::from_millis(2_000))));
    assert_eq!(scenario.tasks[0].affinity.bits(), 0x30);
    assert_eq!(scenario.tasks[3].nice, 5);
    assert_eq!(scenario.objects.barriers[0].parties, 4, "three instances and one");
    assert_eq!(scenario.tasks[0].program.steps()[0], Step::Run(Nanos::from_micros(1000)));
}

#[test]
fn work_is_that_of_the_cpu_of_the_calibration() {
    let text = r#"{ "tasks": { "a": { "run": 1000 } } }"#;
    let scenario = read_rt_app("test", text).expect("it is right");
    let Step::Run(work) = scenario.tasks[0].program.steps()[0] else { panic!("it runs") };
    assert_eq!(work.as_micros(), 368, "1 ms of a Cortex-A7 is 0.37 ms of a Cortex-A15");
}

#[test]
fn says_the_line_and_what_was_expected() {
    let text = "{\n\"tasks\": {\n\"a\": { \"run\": 10 },\n\"b\": {\n\"run\": -10 } } }";
    assert_eq!(wrong(text), (5, "expected a whole number of microseconds, of at most 1000000 s".to_owned()));
    let (line, what) = wrong("{\n\"tasks\": {\n\"a\": {\n \"mem\": 10 } } }");
    assert!(line == 4 && what.contains("expected one of the events run, runtime"), "{line} {what}");
    assert_eq!(wrong("{\n\n\"tasks\": {,} }").0, 3);
    assert_eq!(wrong("{ \"tasks\": { \"a\": { \"loop\": -1, \"run\": 1 } } }").0, 1);
}

#[test]
fn a_loop_in_which_time_stands_still_is_refused_where_it_stands() {
    let global = "{ \"global\": { \"duration\": 2 },\n\"tasks\": { \"quick\": { \"loop\": 2, \"run\": 5 },\n\"a\": {\n";
    for events in ["\"run\": 0", "\"sleep\": 0", "\"runtime\": 0, \"run1\": 0"] {
        for times in [-1, 2, 2_000_000_000] {
            let text = format!("{global}{events},\n\"loop\": {times} }} }} }}");
            assert_eq!(wrong(&text), (5, NO_TIME.to_owned()), "{events} {times}");
            let text = format!("{global}\"phases\": {{ \"p\": {{\n\"loop\": {times}, {events} }} }} }} }} }}");
            assert_eq!(wrong(&text), (5, NO_TIME.to_owned()), "{events} {times} in a phase");
        }
        assert!(read_rt_app("test", &format!("{global}{events} }} }} }}")).is_ok(), "{events} once is nothing");
    }
    for events in ["\"yield\": \"\"", "\"run\": 0, \"timer\": { \"ref\": \"t\", \"period\": 5 }"] {
        let text = format!("{global}\"loop\": -1, {events} }} }} }}");
        assert!(read_rt_app("test", &text).is_ok(), "{events} takes time");
    }
}

#[test]
fn a_timer_is_relative_unless_it_says_otherwise() {
    for (mode, resets) in [("", true), (", \"mode\": \"relative\"", true), (", \"mode\": \"absolute\"", false)] {
        let timer = format!("\"timer\": {{ \"ref\": \"t\", \"period\": 16000{mode} }}");
        let text = format!("{{ \"tasks\": {{ \"a\": {{ \"loop\": 3, \"run\": 5, {timer} }} }} }}");
        let scenario = read_rt_app("test", &text).expect("it is right");
        let expected = Step::Timer { period: Nanos::from_millis(16), resets };
        assert_eq!(scenario.tasks[0].program.steps()[1], expected, "{timer}");
    }
}

/// The first job of three takes 24 ms of its 16; the second is due at 32 ms by the clock, or 16 ms after the late end.
#[test]
fn a_late_job_moves_the_releases_of_a_relative_timer_only() {
    let end = |mode: &str| {
        let timer = format!("\"timer\": {{ \"ref\": \"t\", \"period\": 16000, \"mode\": \"{mode}\" }}");
        let phase = |run: u32, times: u32| format!("{{ \"loop\": {times}, \"runtime\": {run}, {timer} }}");
        let phases = format!("{{ \"late\": {}, \"quick\": {} }}", phase(24_000, 1), phase(1_000, 2));
        let text = format!("{{ \"tasks\": {{ \"a\": {{ \"phases\": {phases} }} }} }}");
        let scenario = read_rt_app("test", &text).expect("it is right");
        let setup = crate::Setup::parse("pull").expect("it is a setup");
        crate::run(&scenario, &setup).makespan()
    };
    let (absolute, relative) = (end("absolute"), end("relative"));
    assert!((absolute - 0.048).abs() < 0.001, "three releases by the clock: {absolute}");
    assert!((relative - 0.056).abs() < 0.001, "two releases after the late end: {relative}");
}

#[test]
fn settings_that_are_not_modelled_are_refused_where_they_stand() {
    let in_task = |member: &str| format!("{{ \"tasks\": {{ \"a\": {{\n{member},\n\"run\": 5 }} }} }}");
    let in_phase = |member: &str| {
        format!("{{ \"tasks\": {{ \"a\": {{ \"phases\": {{ \"p\": {{\n{member}, \"run\": 5 }} }} }} }} }}")
    };
    let in_global =
        |member: &str| format!("{{ \"global\": {{\n{member} }}, \"tasks\": {{ \"a\": {{ \"run\": 5 }} }} }}");
    for (text, expected) in [
        (in_task("\"policy\": \"SCHED_NONSENSE\""), "expected \"SCHED_OTHER\""),
        (in_task("\"policy\": \"SCHED_FIFO\""), "expected \"SCHED_OTHER\""),
        (in_task("\"priority\": -300"), "from -20 to 19"),
        (in_task("\"taskgroup\": \"/x\""), "expected one of the events"),
        (in_task("\"loop1\": 4"), "expected one of the events"),
        (in_task("\"timer\": { \"period\": 5, \"mode\": \"wrong\" }"), "\"absolute\" or \"relative\""),
        (in_task("\"timer\": { \"period\": 5, \"mode\": 7 }"), "\"absolute\" or \"relative\""),
        (in_task("\"timer\": { \"period\": 5, \"size\": 7 }"), "expected one of ref, period, mode"),
        (in_phase("\"cpus\": [4]"), "expected \"cpus\" in the task"),
        (in_phase("\"priority\": 4"), "expected \"priority\" in the task"),
        (in_phase("\"policy\": \"SCHED_OTHER\""), "expected \"policy\" in the task"),
        (in_phase("\"delay\": 4"), "expected \"delay\" in the task"),
        (in_global("\"default_policy\": \"SCHED_RR\""), "expected \"SCHED_OTHER\""),
        (in_global("\"colour\": 3"), "expected one of workload, duration"),
        (in_task("\"sleep\": 5, \"phases\": { \"p\": { \"run\": 5 } }"), "expected one of loop, instance"),
    ] {
        let (line, what) = wrong(&text);
        assert!(line == 2 && what.contains(expected), "{text}: {line} {what}");
    }
}
