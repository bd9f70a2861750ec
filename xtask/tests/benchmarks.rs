//! The simulator has the benchmarks that run on the machine: the same names, and every argument of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use sim::bench;

/// Costs of the kernel's own operations: nothing to simulate.
const ONLY_ON_THE_MACHINE: &str = "micro";

fn workloads() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../workloads/src"))
}

/// The words in the first list of strings after `before`.
fn words<'a>(text: &'a str, before: &str) -> Vec<&'a str> {
    let list = text.split_once(before).and_then(|(_, rest)| rest.split_once(']')).expect("the list is there").0;
    list.split('"').skip(1).step_by(2).collect()
}

fn names() -> BTreeSet<String> {
    let text = fs::read_to_string(workloads().join("init.rs")).expect("it is there");
    words(&text, "const EVERY: &[&str] = &[").into_iter().map(str::to_owned).collect()
}

/// The arguments that a benchmark of the machine accepts.
fn arguments(name: &str) -> Vec<String> {
    let files = [format!("{name}.rs"), format!("{name}/mod.rs")];
    let text = files.iter().find_map(|file| fs::read_to_string(workloads().join(file)).ok()).expect("it is there");
    words(&text, "request.expect_only(&[").into_iter().map(str::to_owned).collect()
}

/// A value that any benchmark takes for this argument.
fn value(argument: &str) -> &'static str {
    match argument {
        "work" | "period" | "interval" | "rest" | "time" => "20ms",
        "place" => "same",
        "phase" => "spread",
        "split" => "static",
        _ => "8",
    }
}

#[test]
fn names_are_the_same() {
    let mut machine = names();
    assert!(machine.remove(ONLY_ON_THE_MACHINE) && machine.len() > 10, "{machine:?}");
    let simulated: BTreeSet<String> = bench::NAMES.split(", ").map(str::to_owned).collect();
    assert_eq!(machine, simulated);
}

#[test]
fn arguments_are_the_same() {
    for name in names().into_iter().filter(|name| name != ONLY_ON_THE_MACHINE) {
        let arguments = arguments(&name);
        assert!(!arguments.is_empty(), "{name}");
        for argument in arguments {
            let text = format!("{name}:{argument}={}", value(&argument));
            let made = bench::parse(&text).expect("the name is known");
            assert!(made.is_ok(), "{text}: {:?}", made.err());
            assert!(
                bench::parse(&format!("{name}:{argument}=nonsense")).expect("known").is_err(),
                "{text}: it is read"
            );
        }
    }
}
