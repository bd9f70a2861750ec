//! The planner on the price lists of the Exynos5422: 24 tasks of 16 ms and 10 %, against figures worked out elsewhere.
//!
//! The expected powers come from an exhaustive search in floating point over all pairs of operating points and all
//! splits of the 24 tasks; integer tables may differ by a few tenths of a per cent.

use sched::planner::{self, Limits};
use sched::{Breach, CoreType, CpuMask, Demand, Energy, IdleCost, Nanos, Plan, Profile, Rate, TaskId};
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

/// A plan for 24 tasks looks at a CPU for a task at most so often. What that is in instructions of the target is
/// counted by the test `plan_cost` of crate `tests`.
const MOST_LOOKS: u32 = 600;

#[test]
fn a_plan_for_24_tasks_stays_within_its_budget() {
    for profile in exynos5422::PROFILES {
        for idle in [IdleCost::Ignored, IdleCost::Always, IdleCost::Gated] {
            let energy = energy(profile, idle);
            let unequal: Vec<_> =
                (0..24).map(|task| Demand::steady(TaskId::new(task), Rate::of(20 + task * 7))).collect();
            for demands in [case_a(), case_b(&energy), unequal] {
                let effort = plan(&energy, &demands).effort();
                assert!(effort <= MOST_LOOKS, "{} {idle:?}: {effort}", profile.name);
            }
        }
    }
}

#[test]
fn split_tasks_win_back_what_packing_loses() {
    let energy = energy(&DEVICE_TREE, IdleCost::Ignored);
    let limits = Limits { split: true, ..Limits::all(&energy) };
    let beating = |phase: fn(u64) -> u64| -> Vec<Demand> {
        let every =
            |(task, demand): (u64, Demand)| demand.every(Nanos::from_millis(16), Nanos::from_millis(phase(task)));
        (0..).zip(case_a()).map(every).collect()
    };
    let split = planner::plan(&energy, &beating(|task| 32 * task), &limits, &Plan::none(), Nanos::ZERO);
    // 1117 mW if work could be divided between the clusters as well.
    near("split", &split, 1120);
    let crossing = split.homes().iter().filter(|home| home.then.is_some()).count();
    assert!((1..=6).contains(&crossing), "at most three in each cluster: {crossing}");
    let apart = planner::plan(&energy, &beating(|task| 33 * task), &limits, &Plan::none(), Nanos::ZERO);
    assert!(apart.homes().iter().all(|home| home.then.is_none()), "who does not begin together is not cut");
}

/// All plans for a few tasks: each on each CPU, each pair of levels.
fn exhaustive(energy: &Energy, demands: &[Demand]) -> u32 {
    let mut best = u32::MAX;
    let tops = CoreType::BOTH.map(|core| energy.cluster(core).levels().len());
    for (big, little) in (0..tops[0]).flat_map(|big| (0..tops[1]).map(move |little| (big, little))) {
        let levels = [energy.cluster(CoreType::Big).level(big), energy.cluster(CoreType::Little).level(little)];
        // The CPUs of a cluster are alike, so what counts is which tasks share one: 2 of each cluster are enough for 4
        // tasks.
        'placements: for code in 0..4_u32.pow(demands.len() as u32) {
            let (mut load, mut power) = ([0_u32; 4], 0);
            for (index, demand) in demands.iter().enumerate() {
                let cpu = (code / 4_u32.pow(index as u32) % 4) as usize;
                let level = levels[cpu / 2];
                let share = level.share(Rate::new(demand.work.get() + ((demand.work.get() * 51) >> 10)));
                load[cpu] += share;
                power += level.power(demand.work);
                if load[cpu] > Rate::FULL.get() {
                    continue 'placements;
                }
            }
            best = best.min(power);
        }
    }
    best
}

/// First fit is not the optimum for unequal tasks; it is close.
#[test]
fn unequal_tasks_come_close_to_the_exhaustive_optimum() {
    let mut random = 1_u32;
    let mut next = |range: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) % range
    };
    let (mut excess, mut worst) = (0.0, 0.0_f64);
    for profile in [&DEVICE_TREE, &HASH] {
        // Two CPUs of each cluster.
        let energy = Energy::new(&exynos5422::MACHINE, CpuMask::from_bits(0b11_0011), profile, IdleCost::Ignored);
        for _ in 0..20 {
            let demands: Vec<_> =
                (0..5).map(|task| Demand::steady(TaskId::new(task), Rate::of(30 + next(320)))).collect();
            let optimum = exhaustive(&energy, &demands);
            let plan = plan(&energy, &demands);
            if optimum == u32::MAX {
                assert!(!plan.is_feasible());
                continue;
            }
            let ratio = f64::from(plan.power().get()) / f64::from(optimum);
            assert!(ratio > 0.995, "no plan beats the optimum: {ratio}");
            (excess, worst) = (excess + (ratio - 1.0) / 40.0, worst.max(ratio));
        }
    }
    println!("mean {excess:.4} worst {worst:.4}");
    assert!(excess < 0.02, "mean excess {excess:.4}");
}

#[test]
fn tasks_that_never_sleep_get_big_cpus_and_the_rest_is_still_planned() {
    for profile in exynos5422::PROFILES {
        let energy = energy(profile, IdleCost::Ignored);
        let big = energy.cluster(CoreType::Big).cpus;
        for hungry in 1..=4 {
            let mut demands = case_b(&energy);
            demands.extend((0..hungry).map(|task| Demand::hungry(TaskId::new(100 + task))));
            let plan = plan(&energy, &demands);
            assert!(plan.is_feasible(), "{}", profile.name);
            assert_eq!(plan.level(CoreType::Big), Some(18));
            let homes: CpuMask = plan.homes().iter().filter(|home| home.hungry).map(|home| home.cpu).collect();
            assert_eq!((homes.len(), homes & big), (hungry as usize, homes), "{}: one each", profile.name);
            // Whatever the small ones do, a LITTLE core is never dearer than a big one at its top.
            let little = energy.cluster(CoreType::Little).cpus;
            let all_small = plan.homes().iter().filter(|home| !home.hungry).all(|home| little.contains(home.cpu));
            assert!(all_small, "{}: the small ones keep away from the top clock", profile.name);
        }
    }
}

#[test]
fn limits_are_kept_and_affinity_too() {
    let energy = energy(&DEVICE_TREE, IdleCost::Ignored);
    let mut demands = case_b(&energy);
    for (index, demand) in demands.iter_mut().enumerate() {
        demand.affinity = CpuMask::from_bits(if index % 3 == 0 { 0b0011_0000 } else { 0xff });
    }
    let limits = Limits { top: [3, 5], cpus: CpuMask::from_bits(0b0111_1111), ..Limits::all(&energy) };
    let plan = planner::plan(&energy, &demands, &limits, &Plan::none(), Nanos::ZERO);
    assert!(plan.is_feasible());
    assert!(CoreType::BOTH.iter().all(|core| plan.level(*core).is_none_or(|level| level <= limits.top[core.index()])));
    for home in plan.homes() {
        let demand = demands.iter().find(|demand| demand.task == home.task).expect("no stranger");
        assert!((demand.affinity & limits.cpus).contains(home.cpu));
    }
    assert_eq!(plan.homes().len(), demands.len());
}

#[test]
fn a_new_plan_leaves_tasks_where_they_are() {
    let energy = energy(&HASH, IdleCost::Ignored);
    let demands = case_a();
    let first = plan(&energy, &demands);
    let mut changed = demands.clone();
    for (index, demand) in changed.iter_mut().enumerate() {
        demand.work = Rate::new(demand.work.get() + index as u32 % 3);
    }
    let second = planner::plan(&energy, &changed, &Limits::all(&energy), &first, Nanos::ZERO);
    let moved =
        second.homes().iter().filter(|home| first.home(home.task).is_some_and(|old| old.cpu != home.cpu)).count();
    assert_eq!(moved, 0);
}

/// At 600 MHz an A15 does 307 of 1024, at 800 MHz 409, an A7 at its top 377 (device tree). Who never sleeps follows the
/// faster ones, down and up; a plan for those who sleep is not made anew because more is allowed.
#[test]
fn who_never_sleeps_goes_where_heat_leaves_most() {
    let energy = energy(&DEVICE_TREE, IdleCost::Ignored);
    let all = Limits::all(&energy);
    let held = |megahertz: u32| {
        let level = megahertz / 100 - 2;
        Limits { top: [level as usize, all.top[1]], ..all }
    };
    let loops: Vec<_> = (0..4).map(|task| Demand::hungry(TaskId::new(task))).collect();
    let at = |limits: &Limits| planner::plan(&energy, &loops, limits, &Plan::none(), Nanos::ZERO);
    let little = energy.cluster(CoreType::Little).cpus;
    for (megahertz, slower) in [(600, true), (700, true), (800, false), (2_000, false)] {
        assert_eq!(at(&held(megahertz)).hungry() == little, slower, "{megahertz} MHz");
    }
    assert_eq!(at(&all).check(Nanos::ZERO, &loops, held(600).top), Err(Breach::Limits));
    assert_eq!(at(&held(600)).check(Nanos::ZERO, &loops, all.top), Err(Breach::Limits), "it could be done faster");
    let some = [Demand::steady(TaskId::new(9), Rate::of(50))];
    let sleeps = planner::plan(&energy, &some, &held(600), &Plan::none(), Nanos::ZERO);
    assert_eq!(sleeps.check(Nanos::ZERO, &some, all.top), Ok(()));
}

/// Nothing is left to plan where no CPU may rest and some are shared: idle CPUs must pull again. A loop that is bound
/// to the CPU of another is no reason to leave the rest unplanned.
#[test]
fn more_loops_than_cpus_are_too_much_to_do() {
    let energy = energy(&DEVICE_TREE, IdleCost::Ignored);
    let loops = |count: u32| (0..count).map(|task| Demand::hungry(TaskId::new(task))).collect::<Vec<_>>();
    assert!(plan(&energy, &loops(8)).is_feasible());
    assert!(!plan(&energy, &loops(9)).is_feasible());
    let bound = loops(3).into_iter().map(|demand| Demand { affinity: CpuMask::first_n(1), ..demand });
    assert!(plan(&energy, &bound.collect::<Vec<_>>()).is_feasible());
}

#[test]
fn too_much_to_do_is_spread_and_said() {
    let energy = energy(&DEVICE_TREE, IdleCost::Ignored);
    let demands: Vec<_> = (0..24).map(|task| Demand::steady(TaskId::new(task), Rate::of(400))).collect();
    let plan = plan(&energy, &demands);
    assert!(!plan.is_feasible());
    assert_eq!(plan.homes().len(), 24);
    assert_eq!((plan.level(CoreType::Big), plan.level(CoreType::Little)), (Some(18), Some(12)));
}

/// What Linux' energy model would let `schedutil` use on this chip: worked out from `kernel/power/energy_model.c` and
/// the device tree by hand.
#[test]
fn linux_skips_the_levels_that_its_integers_call_inefficient() {
    let energy = energy(&DEVICE_TREE, IdleCost::Ignored);
    let used = |core: CoreType| -> Vec<u32> {
        let cluster = energy.cluster(core);
        let levels = (0..=cluster.top()).filter(|level| cluster.is_efficient(*level));
        levels.map(|level| cluster.level(level).opp.frequency.get() / 1_000).collect()
    };
    assert_eq!(used(CoreType::Big), [500, 600, 700, 800, 1000, 1100, 1200, 1500, 1800, 1900, 2000]);
    assert_eq!(used(CoreType::Little), [300, 700, 1000, 1300, 1400]);
}

/// Half a big CPU of work: as long as it scales with the clock, and where nearly all of its time on that core is spent
/// on waiting for memory.
#[test]
fn work_that_waits_for_memory_gets_a_slower_clock() {
    let energy = energy(&HASH, IdleCost::Ignored);
    let big = energy.cluster(CoreType::Big);
    let works = |stall| Demand { stall, affinity: big.cpus, ..Demand::steady(TaskId::new(0), Rate::permyriad(5000)) };
    let [scales, waits] = [[0, 0], [896, 0]].map(|stall| plan(&energy, &[works(stall)]));
    let level = |plan: &Plan| plan.level(CoreType::Big).expect("it is bound to that cluster");
    let share = |plan: &Plan| f64::from(plan.home(TaskId::new(0)).expect("it is planned").share) / 16_384.0;
    assert!(level(&waits) < level(&scales), "{} against {}", level(&waits), level(&scales));
    // Seven eighths take the same time at every clock.
    let speed = f64::from(big.level(level(&waits)).speed.get()) / 16_384.0;
    let expected = 1.05 * 0.5 * (0.875 + 0.125 / speed);
    assert!((share(&waits) / expected - 1.0).abs() < 0.01, "{} of its time, expected {expected}", share(&waits));
}
