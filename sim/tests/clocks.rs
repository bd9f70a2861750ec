//! The right clock for work that the price list does not know, and for work that leaves time to rest.

mod common;

use common::{best_of_linux, outcome, periodic};
use sched::planner::{self, Limits};
use sched::{CoreType, CpuMask, Demand, Energy, IdleCost, Nanos, Plan, Rate, TaskId};
use sim::Scenario;
use sim::plant::{self, IdlePower};
use soc::exynos5422;

/// Plans by the device tree, as `eas` does, and by what tasks count of themselves; without tasks cut in two.
const BY_THE_TREE: &str = "gear/energy/whole/belief:device-tree";

/// Work that waits for memory takes time that no clock shortens. The device tree says nothing about that; two clocks tell it of each task.
#[test]
fn who_waits_for_memory_gets_a_slow_clock() {
    // By its own price list it is 99 mW and 47 mW.
    for (of, most) in [("big", 0.80), ("little", 0.71)] {
        let scenario = periodic(&format!("n=24,of={of},class=cache-killer,time=7s"));
        let (ours, listed) = (outcome(&scenario, BY_THE_TREE), outcome(&scenario, "gear/energy/whole"));
        let uncounted = outcome(&scenario, "gear/energy/whole/belief:device-tree/uncounted");
        let linux = best_of_linux(&scenario);
        println!(
            "{of}: {:.1} mW by the device tree, {:.1} by its own list, {:.1} uncounted with {} missed, eas {linux:.1}",
            ours.milliwatts(),
            listed.milliwatts(),
            uncounted.milliwatts(),
            uncounted.misses()
        );
        assert_eq!((ours.misses(), listed.misses()), (0, 0), "{of}");
        assert!(ours.milliwatts() <= most * linux, "{of}: {:.1} against {linux:.1}", ours.milliwatts());
        assert!(listed.milliwatts() <= 0.58 * linux, "{of}: {:.1} against {linux:.1}", listed.milliwatts());
        // On an A7 time is known without counting; what an A15 does at another clock is not.
        let worse = uncounted.misses() > 0 || uncounted.milliwatts() > 1.15 * ours.milliwatts();
        assert!(worse || of == "little", "{of}: without counters it is no worse");
    }
}

/// The speed ratio of the looper is 0.452, that of the device tree 0.368.
#[test]
fn a_ratio_that_the_list_has_wrong_is_measured() {
    for (of, most) in [("big", 0.85), ("little", 0.90)] {
        let scenario = periodic(&format!("n=24,of={of},class=looper,time=7s"));
        let (ours, linux) = (outcome(&scenario, BY_THE_TREE), best_of_linux(&scenario));
        println!("{of}: {:.1} mW, eas {linux:.1}", ours.milliwatts());
        assert_eq!(ours.misses(), 0, "{of}");
        assert!(ours.milliwatts() <= most * linux, "{of}: {:.1} against {linux:.1}", ours.milliwatts());
    }
}

/// One task for each of so many CPUs of a kind, on a machine that takes its idle power while it works.
fn paced(count: usize, core: CoreType, duty: u32, class: &str) -> Scenario {
    let (of, cpus) = match core {
        CoreType::Big => ("big", 0xf0),
        CoreType::Little => ("little", 0x0f),
    };
    let mut scenario = periodic(&format!("n={count},of={of},duty={duty},class={class},time=4s"));
    scenario.plant.idle = IdlePower::Gated;
    scenario.tasks.iter_mut().for_each(|task| task.affinity = CpuMask::from_bits(cpus));
    scenario
}

/// Power at each constant clock of that kind at which nobody is late, with the clock in MHz.
fn constant(scenario: &Scenario, core: CoreType) -> Vec<(u32, f64)> {
    let kind = scenario.plant.machine.cpus.iter().map(|cpu| cpu.kind).find(|kind| kind.core == core).expect("is there");
    let clocks = kind.opps.iter().map(|opp| opp.frequency.get() / 1_000);
    let at = |clock: u32| match core {
        CoreType::Big => outcome(scenario, &format!("gear/fixed:{clock}:200")),
        CoreType::Little => outcome(scenario, &format!("gear/fixed:200:{clock}")),
    };
    let in_time = clocks.map(|clock| (clock, at(clock))).filter(|(_, outcome)| outcome.misses() == 0);
    in_time.map(|(clock, outcome)| (clock, outcome.milliwatts())).collect()
}

/// Slower than the critical speed is dearer, however much time there is: no constant clock takes less than what was chosen.
#[test]
fn slack_is_used_down_to_the_critical_speed_only() {
    for (class, critical) in [("hash", [700, 500]), ("leaky-200", [800, 300]), ("device-tree", [800, 300])] {
        for core in CoreType::BOTH {
            for (count, duty) in [(1, 5), (4, 5), (4, 15), (4, 25)] {
                let scenario = paced(count, core, duty, class);
                let (ours, constant) = (outcome(&scenario, "gear/energy/whole"), constant(&scenario, core));
                let best = constant.iter().min_by(|one, other| one.1.total_cmp(&other.1)).expect("some clock will do");
                let slowest = constant[0];
                println!(
                    "{class} {core}, {count} of {duty} %: {:.1} mW; {:.1} at {} MHz, {:.1} at {} MHz",
                    ours.milliwatts(),
                    best.1,
                    best.0,
                    slowest.1,
                    slowest.0
                );
                assert_eq!(ours.misses(), 0);
                assert!(ours.milliwatts() <= 1.005 * best.1, "{class} {core}, {count} of {duty} %");
                if (count, duty) == (4, 5) {
                    assert_eq!(best.0, critical[core.index()], "{class} {core}");
                    assert!(slowest.1 > 1.02 * best.1, "{class} {core}: racing pays");
                }
            }
        }
    }
}

/// What so many equal tasks take on one kind of core at a level, in microwatts, if they find room on its four CPUs with 5 % of slack: by the price
/// list, but for what their time does not go by the clock.
fn price(energy: &Energy, core: CoreType, level: usize, demand: &Demand, count: usize) -> Option<f64> {
    let cluster = energy.cluster(core);
    let (now, top) = (cluster.level(level), cluster.level(cluster.top()));
    let ratio = if core == CoreType::Little { f64::from(demand.ratio) / 1_024.0 } else { 1.0 };
    let at_the_top = f64::from(demand.work.get()) / ratio / f64::from(top.speed.get());
    let [stall, listed] = [demand.stall[core.index()], cluster.stall()].map(|stall| f64::from(stall) / 1_024.0);
    let stall = (stall - listed) / (1.0 - listed);
    let slower = f64::from(top.speed.get()) / f64::from(now.speed.get());
    let share = at_the_top * ((1.0 - stall) * slower + stall);
    let fits = count.div_ceil(4) as f64 * share * 1.05 <= 1.0;
    fits.then(|| count as f64 * share * f64::from(now.busy.get()))
}

/// Among equal tasks a plan is the best one also if they wait for memory: at prices that hardly differ the slower clock is the cheaper one for them.
#[test]
fn plans_for_those_who_wait_for_memory_are_the_best_ones() {
    for class in ["device-tree", "hash", "cache-killer"] {
        let profile = plant::profile(class).expect("it is known");
        let energy = Energy::new(&exynos5422::MACHINE, CpuMask::ALL, profile, IdleCost::Ignored);
        let listed = CoreType::BOTH.map(|core| energy.cluster(core).stall());
        for (ratio, big, little, work) in
            [(1_913, 930, 848, 1_638), (1_900, 930, 930, 800), (1_024, 512, 400, 1_000), (1_700, 900, 860, 1_500)]
        {
            let stall = [big.max(listed[0]), little.max(listed[1])];
            let demand = |task| Demand { ratio, stall, ..Demand::steady(TaskId::new(task), Rate::new(work)) };
            let demands: Vec<Demand> = (0..24).map(demand).collect();
            let plan = planner::plan(&energy, &demands, &Limits::all(&energy), &Plan::none(), Nanos::ZERO);
            let levels = |core: CoreType| 0..=energy.cluster(core).top();
            let cheapest = |core: CoreType, count: usize| {
                levels(core).filter_map(|level| price(&energy, core, level, &demands[0], count)).min_by(f64::total_cmp)
            };
            let split = |count: usize| Some(cheapest(CoreType::Big, 24 - count)? + cheapest(CoreType::Little, count)?);
            let best = (0..=24).filter_map(split).min_by(f64::total_cmp).expect("there is room");
            let found = f64::from(plan.power().get());
            println!("{class}, ratio {ratio}, stall {stall:?}: {:.1} mW, best {:.1}", found / 1e3, best / 1e3);
            assert!(plan.is_feasible() && found <= 1.01 * best, "{class}, ratio {ratio}, stall {stall:?}");
        }
    }
}
