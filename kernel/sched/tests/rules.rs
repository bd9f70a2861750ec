//! Single verdicts on made-up moments.

mod moment;

use moment::{
    ENERGY, GEAR, IDLE, MACHINE, MAKESPAN, Moment, NOW, PINNED, PULL, moment, on, runs, tick, wake, with_queue,
};
use sched::planner::{Limits, plan};
use sched::{CapacityTable, CpuMask, Demand, Nanos, Plan, Pull, Rate, Shift, TaskId, Wake, Why};

#[test]
fn a_small_task_goes_to_the_smallest_cpu_that_fits_and_a_heavy_one_to_the_largest() {
    let now = moment([IDLE, IDLE, runs(1, 900, 0), IDLE]);
    let at = |policy, task: &Wake| {
        let placement = sched::place(policy, task, &now);
        (placement.cpu.index(), placement.why)
    };
    assert_eq!(at(GEAR, &wake(2, 100, CpuMask::ALL)), (0, Why::Fits));
    assert_eq!(at(GEAR, &wake(1, 100, CpuMask::ALL)), (1, Why::Previous), "warm caches decide a tie");
    assert_eq!(at(GEAR, &wake(1, 500, CpuMask::ALL)), (3, Why::Fits));
    assert_eq!(at(GEAR, &wake(3, 1000, CpuMask::ALL)), (3, Why::Previous), "nothing larger would fit better");
    assert_eq!(at(GEAR, &wake(0, 1000, CpuMask::ALL)), (3, Why::Idle));
    assert_eq!(at(GEAR, &Wake { fresh: true, ..wake(0, 0, CpuMask::ALL) }), (3, Why::Idle));
    assert_eq!(at(PULL, &wake(2, 100, CpuMask::ALL)), (3, Why::Idle));
    assert_eq!(at(PINNED, &wake(2, 100, CpuMask::ALL)), (2, Why::Previous), "however busy it is");
}

/// A LITTLE CPU has 462 here.
#[test]
fn heat_can_turn_the_order_of_the_clusters_round() {
    let place = |task: &Wake, pressure| {
        let placement = sched::place(GEAR, task, &Moment { pressure, ..moment([IDLE, IDLE, runs(1, 900, 0), IDLE]) });
        (placement.cpu.index(), placement.why)
    };
    assert_eq!((place(&wake(2, 369, CpuMask::ALL), 0).0, place(&wake(2, 370, CpuMask::ALL), 0).0), (0, 3), "with 20 %");
    assert_eq!(place(&wake(2, 369, CpuMask::ALL), 562), (0, Why::Fits), "of equals the LITTLE one");
    assert_eq!(place(&wake(0, 300, CpuMask::of(on(3))), 900).0, 3, "what it may run on goes before what is fast");
    assert_eq!(place(&wake(2, 100, CpuMask::ALL), 800), (3, Why::Fits), "the least that fits");
    assert_eq!(place(&Wake { fresh: true, ..wake(2, 0, CpuMask::ALL) }, 563), (0, Why::Idle));
    assert_eq!(place(&wake(3, 1000, CpuMask::ALL), 580), (3, Why::Previous), "hardly less is no reason to move");

    let runs_on_big = |pressure| Moment { pressure, ..moment([IDLE, IDLE, runs(1, 900, 0), IDLE]) };
    let to_little = Some(Shift::Push { to: on(0), why: Why::Misfit });
    for (pressure, shift) in [(0, None), (562, None), (580, None), (590, to_little), (1024, to_little)] {
        let now = runs_on_big(pressure);
        assert_eq!(tick(GEAR, 2, &now), shift, "{pressure}");
        assert_eq!(sched::is_at_peace(GEAR, on(2), 0, &now), shift.is_none(), "{pressure}");
    }
    let back = Moment { pressure: 500, ..moment([runs(1, 400, 0), IDLE, IDLE, IDLE]) };
    assert_eq!(tick(GEAR, 0, &back), Some(Shift::Push { to: on(2), why: Why::Misfit }));
}

/// An idle sibling wins over a CPU with room (field report V43).
#[test]
fn an_idle_cpu_wins_over_a_busy_one() {
    let now = moment([runs(0, 5, 0), IDLE, runs(1, 5, 0), runs(2, 5, 0)]);
    for policy in [PULL, GEAR, MAKESPAN] {
        assert_eq!(sched::place(policy, &wake(0, 10, CpuMask::ALL), &now).cpu, on(1));
    }
}

/// A move adds nothing to what busy CPUs do together, and costs warm caches.
#[test]
fn with_nothing_idle_a_task_waits_where_it_ran() {
    let busy = |counts: [u32; 4]| moment(counts.map(|queued| with_queue(runs(0, 1000, 0), queued)));
    let crowded = busy([9, 0, 3, 4]);
    let at = |task: &Wake| sched::place(GEAR, task, &crowded).cpu;
    assert_eq!(at(&wake(0, 10, CpuMask::ALL)), on(0));
    assert_eq!(at(&wake(0, 10, CpuMask::of(on(1)))), on(1), "where it may run");
    let fresh = Wake { fresh: true, ..wake(0, 0, CpuMask::ALL) };
    assert_eq!(sched::place(GEAR, &fresh, &busy([0, 0, 0, 0])).cpu, on(2), "the least loaded for its capacity");
    assert_eq!(sched::place(GEAR, &fresh, &busy([0, 0, 3, 4])).cpu, on(0));
    assert_eq!(sched::place(PULL, &wake(1, 10, CpuMask::ALL), &busy([0, 0, 3, 4])).cpu, on(1));
}

#[test]
fn a_misfit_changes_places_with_a_task_that_needs_less() {
    let heavy_and_light = moment([runs(1, 900, 0), IDLE, runs(2, 300, 0), runs(3, 900, 0)]);
    let exchange = Some(Shift::Exchange { with: on(2), expected: TaskId::new(2), why: Why::Misfit });
    assert_eq!(tick(GEAR, 0, &heavy_and_light), exchange);
    assert_eq!(tick(GEAR, 2, &heavy_and_light), None, "the one with the better place does not ask");
    let alike = moment([runs(1, 900, 0), IDLE, runs(2, 500, 0), runs(3, 900, 0)]);
    assert_eq!(tick(GEAR, 0, &alike), None);
}

/// Its utilisation says nothing yet of a loop that began a few milliseconds ago; that it has not slept since does.
#[test]
fn a_young_loop_is_pulled_like_an_old_one() {
    let young = moment([runs(1, 120, 0), IDLE, IDLE, IDLE]);
    let pull = Some(Pull { from: on(0), running: true, why: Why::PulledRunning });
    for policy in [PULL, GEAR] {
        assert_eq!(sched::on_idle(policy, on(2), &young), None, "it may be about to sleep");
        assert_eq!(sched::on_idle(policy, on(2), &Moment { floor: 512, ..moment(young.views) }), pull);
    }
}

#[test]
fn a_misfit_takes_an_idle_big_cpu_only_if_it_may() {
    let mut now = moment([runs(1, 900, 0), IDLE, IDLE, runs(3, 900, 0)]);
    assert_eq!(tick(GEAR, 0, &now), Some(Shift::Push { to: on(2), why: Why::Misfit }));
    assert_eq!(tick(PULL, 0, &now), None);
    assert_eq!(tick(PINNED, 0, &now), None);
    now.views[0].running.as_mut().expect("it runs").affinity = CpuMask::first_n(2);
    assert_eq!(tick(GEAR, 0, &now), None, "restricted to LITTLE CPUs it is no misfit there");
}

#[test]
fn two_slow_cpus_never_ask_for_the_same_partner() {
    let now = moment([runs(0, 1000, 100), runs(1, 1000, 90), runs(2, 1000, 200), runs(3, 1000, 210)]);
    let exchange =
        |with, task| Some(Shift::Exchange { with: on(with), expected: TaskId::new(task), why: Why::Rotation });
    assert_eq!(tick(MAKESPAN, 1, &now), exchange(3, 3), "the most behind takes the most ahead");
    assert_eq!(tick(MAKESPAN, 0, &now), exchange(2, 2));
    assert_eq!(tick(GEAR, 0, &now), None, "the mean gains nothing by it");
}

#[test]
fn rotation_leaves_alone_who_has_just_moved_or_is_barely_ahead() {
    let mut now = moment([runs(0, 1000, 100), IDLE, runs(2, 1000, 107), IDLE]);
    now.views[1] = runs(1, 1000, 300);
    now.views[3] = runs(3, 1000, 107);
    assert_eq!(tick(MAKESPAN, 0, &now), None, "7 ms are not enough");
    now.views[3] = runs(3, 1000, 200);
    now.views[3].running.as_mut().expect("it runs").last_moved = NOW - Nanos::from_millis(15);
    assert_eq!(tick(MAKESPAN, 0, &now), None, "it came less than a quantum ago");
}

#[test]
fn an_idle_cpu_takes_what_waits_before_what_runs() {
    let now = moment([with_queue(runs(0, 1000, 50), 1), runs(1, 1000, 40), with_queue(runs(2, 1000, 90), 1), IDLE]);
    let from = |from, running, why| Some(Pull { from: on(from), running, why });
    assert_eq!(sched::on_idle(GEAR, on(3), &now), from(0, false, Why::PulledQueued), "it waits longer on a slow CPU");
    let now = moment([runs(0, 1000, 50), runs(1, 1000, 40), runs(2, 1000, 90), IDLE]);
    assert_eq!(sched::on_idle(PULL, on(3), &now), from(1, true, Why::PulledRunning), "least progress first");
    assert_eq!(sched::on_idle(PINNED, on(3), &now), None);
    let now = moment([IDLE, runs(1, 1000, 40), runs(2, 1000, 90), runs(3, 1000, 90)]);
    assert_eq!(sched::on_idle(GEAR, on(0), &now), None, "a LITTLE CPU does not take what runs on a big one");
    let now = moment([runs(0, 200, 50), IDLE, IDLE, IDLE]);
    assert_eq!(sched::on_idle(GEAR, on(3), &now), None, "nor a big one what has room on a LITTLE one");
}

#[test]
fn a_cpu_with_too_many_tasks_gives_one_away() {
    let crowded = moment([runs(0, 1000, 0), runs(1, 1000, 0), with_queue(runs(2, 1000, 0), 3), runs(3, 1000, 0)]);
    assert_eq!(tick(GEAR, 2, &crowded), Some(Shift::Push { to: on(3), why: Why::Balance }));
    let fair = moment([runs(0, 1000, 0), runs(1, 1000, 0), with_queue(runs(2, 1000, 0), 1), runs(3, 1000, 0)]);
    assert_eq!(tick(GEAR, 2, &fair), None, "a quarter must be gained");
}

#[test]
fn no_cpu_of_the_affinity_online_is_reported_and_not_lost() {
    let mut now = moment([IDLE; 4]);
    now.capacities = CapacityTable::new(&MACHINE, CpuMask::first_n(2));
    let placement = sched::place(GEAR, &wake(1, 10, CpuMask::of(on(3))), &now);
    assert_eq!((placement.cpu, placement.why), (on(1), Why::Affinity));
    let placement = sched::place(PINNED, &wake(3, 10, CpuMask::of(on(3))), &now);
    assert_eq!((placement.cpu, placement.why), (on(0), Why::Affinity));
}

/// A LITTLE CPU does 7399 / 16384 of what a big one does. Who needs more than that and has just shown it is late there with every job, and never
/// sleeps, so it would not go home by waking up there.
#[test]
fn who_is_too_large_for_its_cpu_goes_home_in_the_middle_of_a_job() {
    let now = |views, needs| {
        let demands =
            [Demand::steady(TaskId::new(1), Rate::new(needs)), Demand::steady(TaskId::new(2), Rate::new(2_000))];
        let base = moment(views);
        let plan = plan(&base.energy, &demands, &Limits::all(&base.energy), &Plan::none(), NOW);
        Moment { plan: Some(plan), ..base }
    };
    let (alone, beside) = ([runs(1, 100, 0), IDLE, IDLE, IDLE], [runs(1, 100, 0), IDLE, runs(3, 9, 0), runs(4, 9, 0)]);
    let large = now(alone, 9_000);
    let home = large.plan.as_ref().and_then(|plan| plan.home(TaskId::new(1))).expect("it is planned").cpu;
    assert!(home.index() >= 2, "{home:?}");
    assert_eq!(tick(ENERGY, 0, &large), Some(Shift::Push { to: home, why: Why::Planned }));
    assert_eq!(tick(ENERGY, 0, &now(beside, 9_000)), None, "others are at work at home");
    for cpu in 0..2 {
        let mut views = [IDLE; 4];
        views[cpu] = runs(1, 100, 0);
        assert_eq!(tick(ENERGY, cpu, &now(views, 2_000)), None, "fast enough, at home or not");
    }
}
