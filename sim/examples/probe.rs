use std::collections::BTreeMap;
use sched::{Goal, GovernorKind, Nanos, PolicyKind, trace::Event};
use sim::{Setup, bench, run};
fn main() {
    let scenario = bench::parse("periodic:n=24,time=3s").unwrap().unwrap().warming_up(Nanos::from_millis(2_000));
    let eas = Setup::new(PolicyKind::Eas, Goal::Energy).governed(GovernorKind::Schedutil);
    let setup = Setup { belief: Some(&soc::exynos5422::DEVICE_TREE), record: true, ..eas };
    let outcome = run(&scenario, &setup);
    let mut whys: BTreeMap<String, u32> = BTreeMap::new();
    for (time, cpu, event) in &outcome.record.events {
        if let Event::Wake { why, cpu, .. } = event { *whys.entry(format!("wake {why} {}", if cpu.index() < 4 {"L"} else {"B"})).or_default() += 1; }
        if let Event::Migrate { why, from, to, .. } = event { *whys.entry(format!("move {why} {}{}", if from.index() < 4 {"L"} else {"B"}, if to.index() < 4 {"L"} else {"B"})).or_default() += 1; }
        if *time > 2_000_000_000 && *time < 2_033_000_000 { println!("{time} {cpu} {event}"); }
    }
    for (time, core, level) in &outcome.record.levels { if *time > 2_000_000_000 && *time < 2_033_000_000 { println!("{time} {core} {level}"); } }
    println!("{whys:#?} {:?}", outcome.residency);
}
