//! Single verdicts on made-up moments, and what must hold at every moment.

use proptest::prelude::*;
use sched::{
    CapacityTable, CoreType, CpuFacts, CpuId, CpuKind, CpuLoad, CpuMask, CpuView, Cpus, Goal, Hints, Kilohertz,
    Machine, Microvolts, Nanos, Opp, Policy, PolicyKind, Pull, RunningView, Shift, TaskId, Wake, Why,
};

const OPPS: &[Opp] = &[Opp { frequency: Kilohertz::from_mhz(1000), voltage: Microvolts::new(1_000_000) }];
static BIG: CpuKind = CpuKind { core: CoreType::Big, dmips_per_mhz: 62, opps: OPPS };
static LITTLE: CpuKind = CpuKind { core: CoreType::Little, dmips_per_mhz: 28, opps: OPPS };
/// Two LITTLE CPUs, then two big ones.
static MACHINE: Machine = Machine {
    name: "2+2",
    cpus: &[
        CpuFacts { mpidr: 0, kind: &LITTLE },
        CpuFacts { mpidr: 1, kind: &LITTLE },
        CpuFacts { mpidr: 2, kind: &BIG },
        CpuFacts { mpidr: 3, kind: &BIG },
    ],
};

const GEAR: Policy = Policy { kind: PolicyKind::Gear, goal: Goal::Mean };
const MAKESPAN: Policy = Policy { kind: PolicyKind::Gear, goal: Goal::Makespan };
const PULL: Policy = Policy { kind: PolicyKind::Pull, goal: Goal::Mean };
const PINNED: Policy = Policy { kind: PolicyKind::Pinned, goal: Goal::Mean };
const NOW: Nanos = Nanos::from_millis(1_000);

/// A moment in the life of the machine.
#[derive(Debug)]
struct Moment {
    capacities: CapacityTable,
    views: [CpuView; 4],
    /// What each task is known to need since it began to run.
    floor: u32,
    /// What heat takes from the big CPUs.
    pressure: u32,
}

impl Cpus for Moment {
    fn online(&self) -> CpuMask {
        self.capacities.present()
    }
    fn idle(&self) -> CpuMask {
        self.online().iter().filter(|&cpu| self.view(cpu).tasks() == 0).collect()
    }
    fn capacities(&self) -> &CapacityTable {
        &self.capacities
    }
    fn view(&self, cpu: CpuId) -> CpuView {
        self.views[cpu.index()]
    }
    fn load(&self, cpu: CpuId) -> CpuLoad {
        let pressure = if self.capacities.core_type(cpu) == CoreType::Big { self.pressure } else { 0 };
        CpuLoad { pressure, ..CpuLoad::default() }
    }
    fn hints(&self, _task: TaskId) -> Hints {
        Hints { floor: self.floor, ..Hints::default() }
    }
}

fn moment(views: [CpuView; 4]) -> Moment {
    Moment { capacities: CapacityTable::new(&MACHINE, CpuMask::ALL), views, floor: 0, pressure: 0 }
}

const IDLE: CpuView = CpuView { running: None, queued: 0, utilisation: 0 };

/// A CPU that runs a task which has been there for long.
fn runs(task: u32, utilisation: u32, progress_ms: u64) -> CpuView {
    let running = RunningView {
        task: TaskId::new(task),
        utilisation,
        runnable: utilisation,
        progress: Nanos::from_millis(progress_ms),
        last_moved: Nanos::ZERO,
        affinity: CpuMask::ALL,
    };
    CpuView { running: Some(running), queued: 0, utilisation }
}

fn with_queue(view: CpuView, queued: u32) -> CpuView {
    CpuView { queued, ..view }
}

fn on(cpu: usize) -> CpuId {
    CpuId::new(cpu)
}

fn wake(previous: usize, utilisation: u32, affinity: CpuMask) -> Wake {
    Wake { task: TaskId::new(9), previous: on(previous), waker: on(previous), utilisation, affinity, fresh: false }
}

fn tick(policy: Policy, me: usize, moment: &Moment) -> Option<Shift> {
    let view = moment.view(on(me));
    sched::on_tick(policy, on(me), NOW, &view.running.expect("a tick interrupts a task"), view.queued, moment)
}

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

fn any_policy() -> impl Strategy<Value = Policy> {
    prop::sample::select(vec![PINNED, PULL, GEAR, MAKESPAN])
}

fn any_mask() -> impl Strategy<Value = CpuMask> {
    (1_u32..16).prop_map(CpuMask::from_bits)
}

fn any_view() -> impl Strategy<Value = CpuView> {
    let running = (0_u32..=1024, 0_u64..1000, 0_u64..1000, any_mask()).prop_map(|(load, progress, moved, affinity)| {
        let mut view = runs(0, load, progress);
        let running = view.running.as_mut().expect("made so");
        (running.last_moved, running.affinity) = (Nanos::from_millis(moved), affinity);
        view.running
    });
    (prop::option::of(running), 0_u32..5).prop_map(|(running, queued)| CpuView {
        running: running.flatten(),
        queued,
        utilisation: 0,
    })
}

fn any_moment() -> impl Strategy<Value = Moment> {
    let views = [any_view(), any_view(), any_view(), any_view()];
    (any_mask(), views, 0..=1024_u32).prop_map(|(present, mut views, pressure)| {
        for (index, view) in views.iter_mut().enumerate() {
            let running = view.running.iter_mut();
            running.for_each(|running| running.task = TaskId::new(u32::try_from(index).expect("small")));
        }
        Moment { capacities: CapacityTable::new(&MACHINE, present), views, floor: 0, pressure }
    })
}

proptest! {
    #[test]
    fn a_placement_is_always_allowed_and_online(
        policy in any_policy(), now in any_moment(), previous in 0_usize..4, waker in 0_usize..4,
        utilisation in 0_u32..=1024, affinity in any_mask(), fresh: bool,
    ) {
        let wake = Wake { waker: on(waker), fresh, ..wake(previous, utilisation, affinity) };
        let placement = sched::place(policy, &wake, &now);
        prop_assert!(now.online().contains(placement.cpu));
        let possible = !(affinity & now.online()).is_empty();
        prop_assert_eq!(placement.why != Why::Affinity, possible);
        prop_assert!(!possible || affinity.contains(placement.cpu));
    }

    #[test]
    fn a_shift_is_always_allowed_and_online(policy in any_policy(), now in any_moment(), me in 0_usize..4) {
        let view = now.view(on(me));
        prop_assume!(now.online().contains(on(me)) && view.running.is_some());
        let running = view.running.expect("assumed");
        let to = match tick(policy, me, &now) {
            None => return Ok(()),
            Some(Shift::Push { to, .. }) => to,
            Some(Shift::Exchange { with, expected, .. }) => {
                let partner = now.view(with).running.expect("an exchange needs a partner");
                prop_assert!(partner.task == expected && partner.affinity.contains(on(me)));
                with
            }
        };
        prop_assert!(to != on(me) && now.online().contains(to) && running.affinity.contains(to));
    }

    #[test]
    fn a_pull_asks_a_cpu_that_has_what_is_asked_for(policy in any_policy(), now in any_moment(), me in 0_usize..4) {
        if let Some(pull) = sched::on_idle(policy, on(me), &now) {
            let view = now.view(pull.from);
            prop_assert!(pull.from != on(me) && now.online().contains(pull.from));
            match view.running {
                Some(running) if pull.running => prop_assert!(running.affinity.contains(on(me))),
                _ => prop_assert!(!pull.running && view.queued > 0),
            }
        }
    }
}
