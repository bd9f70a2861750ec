//! A million random events for each policy, held against the rules.

use sched::{CpuId, CpuMask, Nanos, Rate, TaskId};
use sim::check::{Rules, Verdict, check};
use sim::heat::{Disturbance, Surroundings};
use sim::plant::IdlePower;
use sim::random::Random;
use sim::{Plant, Program, Scenario, Setup, Step, TaskSpec, run};

const POLICIES: [&str; 10] = [
    "pinned",
    "pull",
    "eas",
    "walt",
    "gear",
    "gear/makespan",
    "gear/energy",
    "gear/energy/whole/heat:look-ahead",
    "gear/energy/rest",
    "eas/heat:step-wise/pressure:250ms",
];

/// Tasks of every kind: loops, jobs by the clock and by messages, sleepers; of any weight, some with few CPUs.
fn disorder(seed: u64) -> Scenario {
    let mut random = Random::new(seed);
    let mut scenario = Scenario::new("disorder", Plant::odroid(&soc::exynos5422::HASH));
    let channels: Vec<usize> = (0..6).map(|_| scenario.channel(3)).collect();
    let barrier = scenario.barrier(5);
    for number in 0..60 {
        let micros = |random: &mut Random, most: u64| Nanos::from_micros(1 + random.below(most));
        let (run, sleep) = (micros(&mut random, 400), micros(&mut random, 2_000));
        let program = match number % 6 {
            0 => Program::new().repeat(0, |body| body.step(Step::Run(run)).step(Step::Yield)),
            1 => Program::periodic(run, micros(&mut random, 20_000)),
            2 => {
                let channel = channels[number / 6 % channels.len()];
                Program::new().repeat(0, |body| body.step(Step::Run(run)).step(Step::Send(channel)))
            }
            3 => {
                let channel = channels[number / 6 % channels.len()];
                Program::new().repeat(0, |body| body.step(Step::Receive(channel)).step(Step::Run(run)))
            }
            4 if number < 30 => Program::new().repeat(0, |body| body.step(Step::Run(run)).step(Step::Barrier(barrier))),
            4 => Program::new().repeat(40, |body| body.step(Step::Run(run)).step(Step::Sleep(sleep))),
            _ => Program::new().repeat(0, |body| body.step(Step::Run(run)).step(Step::Sleep(sleep))),
        };
        let mut spec = TaskSpec::new("task", program);
        spec.nice = i8::try_from(random.below(11)).unwrap_or(0) - 5;
        spec.start = random.below(500_000_000);
        if random.below(4) == 0 {
            spec.affinity = CpuMask::from_bits(u32::try_from(1 + random.below(255)).unwrap_or(255));
        }
        scenario = scenario.tasks(1, &spec);
    }
    scenario.heat = Some(Surroundings { ambient: 40.0, noise: 0.5, ..Surroundings::default() });
    scenario.disturbances = vec![
        (Nanos::from_millis(2_000), Disturbance::Shows(0, 250.0)),
        (Nanos::from_millis(4_000), Disturbance::Silent(1)),
        (Nanos::from_millis(5_000), Disturbance::Well(0)),
    ];
    scenario.lasting(Nanos::from_millis(20_000))
}

/// What the rules say of a run, with no violation among it.
fn verdict(policy: &str, seed: u64) -> Verdict {
    let mut scenario = disorder(seed);
    let setup = Setup { record: true, ..Setup::parse(policy).expect("it is a setup") };
    if setup.rests {
        scenario.plant.idle = IdlePower::Sleeps;
    }
    let outcome = run(&scenario, &setup);
    let affinity = |task: TaskId| scenario.tasks[task.raw() as usize].affinity;
    let rules = Rules { affinity: &affinity, patience: 500_000_000, resolution: 0, whole_from: 0 };
    let verdict = check(&outcome.record.events, &rules);
    let told: Vec<String> = verdict.violations.iter().map(ToString::to_string).collect();
    assert!(told.is_empty(), "{policy}, seed {seed}:\n{}", told.join("\n"));
    assert_eq!(outcome.counts.refused, 0, "{policy}");
    println!("{policy}, seed {seed}: {} plans, {} looks for a plan at most", outcome.plans.0, outcome.effort);
    assert!(outcome.effort <= MOST_EFFORT, "{policy}, seed {seed}: {} looks", outcome.effort);
    assert_eq!(policy.starts_with("gear/energy"), outcome.plans.0 > 0, "{policy}");
    verdict
}

/// A plan looks at a CPU for a task at most so often, however disorderly the tasks: 1 107 times was the most in a million events. The time of a
/// plan grows by it; crate `soc` bounds it for 24 orderly tasks, and `tests/tests/plan_cost.rs` says what that is in instructions.
const MOST_EFFORT: u32 = 1_500;

#[test]
fn a_million_random_events_break_no_rule() {
    for policy in POLICIES {
        let (mut events, mut seed, mut worst) = (0, 0, 0);
        while events < 1_000_000 {
            seed += 1;
            let verdict = verdict(policy, seed);
            assert!(verdict.events > 10_000, "{policy}: the run came to a stop after {} events", verdict.events);
            events += verdict.events;
            worst = worst.max(verdict.longest_wait);
        }
        println!("{policy}: {events} events, longest wait {} ms", worst / 1_000_000);
    }
}

/// Here a CPU has tasks that take turns at sleeping, beside some that never sleep. Those once waited for 16 s.
#[test]
fn sleepers_keep_nobody_waiting() {
    for (policy, seed) in [("pinned", 8), ("eas", 4), ("eas", 12)] {
        let verdict = verdict(policy, seed);
        println!("{policy}, seed {seed}: longest wait {} ms", verdict.longest_wait / 1_000_000);
    }
}

/// What a task gets in the end is what it was given: no work is lost and none is done twice.
#[test]
fn work_is_neither_lost_nor_made() {
    let jobs = 500;
    let work = Nanos::from_micros(700);
    for policy in POLICIES {
        let program = Program::new().repeat(jobs, |body| body.step(Step::Run(work)).step(Step::Sleep(work)));
        let scenario =
            Scenario::new("count", Plant::odroid(&soc::exynos5422::GZIP)).tasks(20, &TaskSpec::new("a", program));
        let outcome = run(&scenario, &Setup::parse(policy).expect("it is a setup"));
        for task in &outcome.tasks {
            let expected = work.as_nanos() * u64::from(Rate::FULL.get()) * u64::from(jobs);
            assert_eq!(task.statistics.work, expected, "{policy}");
            assert!(task.statistics.end.is_some(), "{policy}");
        }
    }
}

#[test]
fn a_run_can_be_repeated() {
    let scenario = disorder(7).lasting(Nanos::from_millis(4_000));
    for policy in POLICIES {
        let setup = Setup { record: true, ..Setup::parse(policy).expect("it is a setup") };
        let (one, two) = (run(&scenario, &setup), run(&scenario, &setup));
        assert!(one.record.events == two.record.events && one.energy == two.energy, "{policy}");
    }
}

#[test]
fn a_parked_cpu_stays_empty() {
    let mut scenario = disorder(3);
    // Every sensor shows a heat at which CPUs are parked.
    scenario.disturbances =
        (0..4).map(|sensor| (Nanos::from_millis(1_000), Disturbance::Shows(sensor, 95.0))).collect();
    let setup = Setup { record: true, ..Setup::parse("gear/fixed:2000:1400/heat:look-ahead").expect("it is a setup") };
    let outcome = run(&scenario, &setup);
    let late = outcome.record.events.iter().filter(|(time, ..)| *time > 5_000_000_000);
    let big = |cpu: CpuId| cpu.index() >= 4;
    let ran = late.filter(|(_, cpu, event)| big(*cpu) && matches!(event, sched::trace::Event::Switch { .. }));
    assert_eq!(ran.count(), 0, "all four big CPUs rest, clocks or no clocks");
}
