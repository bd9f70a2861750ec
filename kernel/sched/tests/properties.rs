//! What must hold of every verdict of every policy at every moment.

mod moment;

use moment::{
    EAS, ENERGY, GEAR, IDLE, MAKESPAN, Moment, NOW, PINNED, PULL, WALT, moment, moment_of, on, runs, tick, wake,
};
use proptest::prelude::*;
use sched::planner::{self, Limits};
use sched::{Beside, CpuMask, CpuView, Cpus, Demand, Nanos, Plan, Policy, Rate, Shift, TaskId, Wake, Why};

fn any_policy() -> impl Strategy<Value = Policy> {
    prop::sample::select(vec![PINNED, PULL, GEAR, MAKESPAN, ENERGY, EAS, WALT])
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
    (prop::option::of(running), 0_u32..5, 0_u32..=2_048).prop_map(|(running, queued, utilisation)| CpuView {
        running: running.flatten(),
        queued,
        utilisation,
    })
}

/// A plan that was made for any CPUs, which need not be those that are there now.
fn any_plan() -> impl Strategy<Value = Option<Plan>> {
    let demand = |number: usize, (share, affinity): (u32, CpuMask)| Demand {
        affinity,
        ..Demand::steady(TaskId::new([0, 1, 2, 3, 9][number]), Rate::new(share))
    };
    let demands = prop::collection::vec((1_u32..=16_384, any_mask()), 1..=5);
    prop::option::of((demands, any_mask()).prop_map(move |(demands, cpus)| {
        let energy = moment([IDLE; 4]).energy;
        let demands: Vec<Demand> =
            demands.into_iter().enumerate().map(|(number, parts)| demand(number, parts)).collect();
        let limits = Limits { cpus, ..Limits::all(&energy) };
        planner::plan(&energy, &demands, &limits, &Plan::none(), NOW)
    }))
}

fn any_moment() -> impl Strategy<Value = Moment> {
    let views = [any_view(), any_view(), any_view(), any_view()];
    let heat = 0_u32..=1024;
    let beside = prop::sample::select(vec![Beside::Anywhere, Beside::Together, Beside::Apart]);
    let company = (beside, prop::sample::select(vec![Nanos::from_micros(5), Nanos::from_millis(1)]));
    let parts = (any_mask(), views, 0_u32..=1024, heat, any_plan(), company);
    parts.prop_map(|(present, mut views, floor, pressure, plan, (beside, stint))| {
        for (index, view) in views.iter_mut().enumerate() {
            let running = view.running.iter_mut();
            running.for_each(|running| running.task = TaskId::new(u32::try_from(index).expect("small")));
        }
        Moment { floor, pressure, plan, beside, stint, ..moment_of(present, views) }
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
