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
