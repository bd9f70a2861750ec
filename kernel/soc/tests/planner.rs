//! The planner on the price lists of the Exynos5422: 24 tasks of 16 ms and 10 %, against figures worked out elsewhere.
//!
//! The expected powers come from an exhaustive search in floating point over all pairs of operating points and all splits of
//! the 24 tasks; integer tables may differ by a few tenths of a per cent.

use sched::planner::{self, Limits};
use sched::{CoreType, CpuMask, Demand, Energy, IdleCost, Nanos, Plan, Profile, Rate, TaskId};
use soc::exynos5422::{self, CACHE_KILLER, CACHE_RESIDENT, DEVICE_TREE, ENCRYPT, GZIP, HASH};

const EQUAL_TASKS: u32 = 24;

fn energy(profile: &Profile, idle: IdleCost) -> Energy {
    Energy::new(&exynos5422::MACHINE, CpuMask::ALL, profile, idle)
}

fn equal(work: Rate) -> Vec<Demand> {
    (0..EQUAL_TASKS).map(|task| Demand::steady(TaskId::new(task), work)).collect()
}

/// A tenth of a Cortex-A15 at 2.0 GHz.
fn case_a() -> Vec<Demand> {
    equal(Rate::permyriad(1000))
}

/// A tenth of a Cortex-A7 at 1.4 GHz.
fn case_b(energy: &Energy) -> Vec<Demand> {
    let top = energy.cluster(CoreType::Little).levels().last().expect("the A7 is there");
    equal(Rate::new((top.speed.get() + 5) / 10))
}

fn plan(energy: &Energy, demands: &[Demand]) -> Plan {
    planner::plan(energy, demands, &Limits::all(energy), &Plan::none(), Nanos::ZERO)
}

fn near(what: &str, plan: &Plan, milliwatts: u32) {
    let power = (plan.power().get() + 500) / 1000;
    assert!(power.abs_diff(milliwatts) * 200 <= milliwatts, "{what}: {power} mW, expected {milliwatts}");
}

#[test]
fn equal_tasks_get_the_exact_optimum_on_every_price_list() {
    let cases = [
        (&DEVICE_TREE, 1244, 350),
        (&HASH, 1240, 253),
        (&ENCRYPT, 1246, 309),
        (&GZIP, 1097, 242),
        (&CACHE_RESIDENT, 716, 283),
        (&CACHE_KILLER, 99, 47),
    ];
    for (profile, a, b) in cases {
        let energy = energy(profile, IdleCost::Ignored);
        near(profile.name, &plan(&energy, &case_a()), a);
        near(profile.name, &plan(&energy, &case_b(&energy)), b);
    }
}

#[test]
fn idle_power_moves_the_optimum() {
    for (profile, a, b) in [(&HASH, 1358, 292), (&ENCRYPT, 1364, 349), (&GZIP, 1244, 281), (&CACHE_KILLER, 134, 59)] {
        let energy = energy(profile, IdleCost::Always);
        near(profile.name, &plan(&energy, &case_a()), a);
        let small = plan(&energy, &case_b(&energy));
        near(profile.name, &small, b);
        assert_eq!(small.level(CoreType::Big), None, "{}: the big cluster is off", profile.name);
    }
}

#[test]
fn effort() {
    for profile in exynos5422::PROFILES {
        let energy = energy(profile, IdleCost::Ignored);
        println!("{} {} {}", profile.name, plan(&energy, &case_a()).effort(), plan(&energy, &case_b(&energy)).effort());
    }
}
