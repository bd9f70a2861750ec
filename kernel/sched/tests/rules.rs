//! Single verdicts on made-up moments.

mod moment;

use moment::{
    ENERGY, GEAR, IDLE, MACHINE, MAKESPAN, Moment, NOW, PINNED, PULL, moment, on, planned, runs, tick, wake, with_queue,
};
use sched::{Beside, CapacityTable, CpuId, CpuMask, Nanos, Pull, Shift, TaskId, Wake, Why};

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
    let now = |views, needs| planned(views, &[(1, needs), (2, 2_000)]);
    let (alone, beside) = ([runs(1, 100, 0), IDLE, IDLE, IDLE], [runs(1, 100, 0), IDLE, runs(3, 9, 0), runs(4, 9, 0)]);
    let large = now(alone, 9_000);
    let home = home(&large, 1);
    assert!(home.index() >= 2, "{home:?}");
    assert_eq!(tick(ENERGY, 0, &large), Some(Shift::Push { to: home, why: Why::Planned }));
    assert_eq!(tick(ENERGY, 0, &now(beside, 9_000)), None, "others are at work at home");
    for cpu in 0..2 {
        let mut views = [IDLE; 4];
        views[cpu] = runs(1, 100, 0);
        assert_eq!(tick(ENERGY, cpu, &now(views, 2_000)), None, "fast enough, at home or not");
    }
}

fn home(now: &Moment, task: u32) -> CpuId {
    now.plan.as_ref().and_then(|plan| plan.home(TaskId::new(task))).expect("it is planned").cpu
}

/// `waker` runs at home and wakes `task`, with which it takes turns.
fn turn(wanted: &[(u32, u32)], waker: u32, task: u32) -> (Wake, Moment) {
    let mut now = Moment { beside: Beside::Together, stint: Nanos::from_micros(5), ..planned([IDLE; 4], wanted) };
    let host = home(&now, waker);
    now.views[host.index()] = runs(waker, 200, 0);
    let wake = Wake { task: TaskId::new(task), waker: host, ..wake(home(&now, task).index(), 200, CpuMask::ALL) };
    (wake, now)
}

/// Two of 4000 fill 57 % of a LITTLE CPU each, so a plan has them apart; but if one always waits for the other one CPU is enough.
#[test]
fn two_that_take_turns_share_a_home() {
    let goes = |wake: &Wake, now: &Moment| {
        let placement = sched::place(ENERGY, wake, now);
        (placement.cpu, placement.why)
    };
    let (wake, now) = turn(&[(1, 4_000), (9, 4_000)], 1, 9);
    let (host, home_of_9) = (wake.waker, (home(&now, 9), Why::Planned));
    assert!(host != home_of_9.0 && host.index() < 2 && home_of_9.0.index() < 2, "{host:?} {home_of_9:?}");
    assert_eq!(goes(&wake, &now), (host, Why::Together));

    assert_eq!(goes(&wake, &Moment { beside: Beside::Anywhere, ..now.clone() }), home_of_9);
    assert_eq!(goes(&wake, &Moment { stint: Nanos::from_micros(50), ..now.clone() }), home_of_9, "long jobs");
    assert_eq!(goes(&Wake { affinity: CpuMask::of(home_of_9.0), ..wake }, &now), home_of_9);
    let mut waits = now.clone();
    waits.views[host.index()].queued = 1;
    assert_eq!(goes(&wake, &waits), home_of_9, "somebody waits there");
    let mut abroad = now.clone();
    abroad.views.swap(host.index(), 2);
    assert_eq!(goes(&Wake { waker: on(2), ..wake }, &abroad), home_of_9, "the waker is not at home");
}

#[test]
fn a_shared_home_takes_nothing_from_others_and_costs_nothing() {
    let wanted = [(1, 4_000), (9, 4_000), (2, 2_000)];
    let now = planned([IDLE; 4], &wanted);
    let (crowded, roomy) = if home(&now, 2) == home(&now, 1) { (1, 9) } else { (9, 1) };
    for (waker, task, why) in [(crowded, roomy, Why::Planned), (roomy, crowded, Why::Together)] {
        let (wake, now) = turn(&wanted, waker, task);
        assert_eq!(sched::place(ENERGY, &wake, &now).why, why, "{task} woken by {waker}");
    }
    let (wake, now) = turn(&[(1, 2_000), (9, 9_000)], 1, 9);
    assert_eq!((wake.waker.index() < 2, home(&now, 9).index() < 2), (true, false), "one is too large for the cluster");
    assert_eq!(sched::place(ENERGY, &wake, &now).why, Why::Planned);
}
