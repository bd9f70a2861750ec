//! Bounds that somebody sets (`uclamp`): they count where a task waits, where it is put, for the clock and for the plan.

mod common;

use common::OURS;
use sched::{CoreType, Nanos};
use sim::{Outcome, Plant, Program, Scenario, Setup, TaskSpec, bench, run};
use soc::exynos5422::DEVICE_TREE;

fn outcome(scenario: &Scenario, setup: &str) -> Outcome {
    run(scenario, &Setup { record: true, ..Setup::parse(setup).expect("it is a setup") })
}

/// Gondois' case (LKML, February 2026): bounded from above, endless loops look small, and on Linux eight of them ended as 6, 1, 1 and 0 on four
/// LITTLE CPUs.
#[test]
fn bounded_loops_do_not_pile_up() {
    let scenario = bench::parse("uclamp").expect("known").expect("right");
    for policy in ["gear", OURS] {
        let outcome = outcome(&scenario.clone().warming_up(Nanos::from_millis(1_000)), policy);
        let work: Vec<u64> = outcome.tasks.iter().map(|task| task.statistics.work >> 14).collect();
        let (least, most) = (work.iter().min().expect("eight"), work.iter().max().expect("eight"));
        println!("{policy}: from {least} to {most} ns of work each, {:.0} mW", outcome.milliwatts());
        assert!(most * 10 <= least * 11, "{policy}: two on each CPU: {work:?}");
        let busy = outcome.busy[..4].iter().map(|busy| busy.as_nanos()).min().expect("four");
        assert!(busy * 100 >= 99 * 3_000_000_000, "{policy}: no CPU rests");
    }
    // The plan and its clock are for what they may use, not for what they would like.
    let planned = outcome(&scenario, OURS);
    let top = planned.residency[CoreType::Little.index()].last().expect("it has levels").as_nanos();
    assert!(top < 1_000_000_000, "the LITTLE clock is not at its top: {top} ns");
}

/// One small periodic task to which the speed of a big core is due, among small ones to which none is.
#[test]
fn a_due_speed_is_granted_from_the_first_instruction() {
    let jobs = Program::periodic(Nanos::from_micros(800), Nanos::from_millis(16));
    let boosted = TaskSpec { clamp: (800, 1024), ..TaskSpec::new("boosted", jobs.clone()) };
    let scenario = Scenario::new("boosted", Plant::odroid(&DEVICE_TREE))
        .tasks(4, &TaskSpec::new("small", jobs))
        .tasks(1, &boosted)
        .lasting(Nanos::from_millis(4_000))
        .warming_up(Nanos::from_millis(1_000));
    for policy in [OURS, "eas"] {
        let outcome = outcome(&scenario, policy);
        let ran = |name: &str| {
            let of = outcome.tasks.iter().filter(|task| task.name == name);
            of.fold([0, 0], |sum, task| [0, 1].map(|core| sum[core] + task.statistics.ran[core]))
        };
        let (boosted, small) = (ran("boosted"), ran("small"));
        println!("{policy}: boosted {boosted:?}, small {small:?} ns on big and LITTLE, {:.0} mW", outcome.milliwatts());
        assert_eq!((outcome.misses(), boosted[1]), (0, 0), "{policy}: it never runs on a LITTLE core");
        // 800/1024 of the top for 0.8 ms of work at the top: 1.02 ms, and the time until the clock is there.
        let each = boosted[0] / 187;
        assert!(each <= 1_250_000, "{policy}: {each} ns a job");
        if policy == OURS {
            assert_eq!(small[0], 0, "the others stay where work is cheap");
        }
    }
}
