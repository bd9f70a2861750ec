//! The right clock for work that the price list does not know, and for work that leaves time to rest.

mod common;

use common::{best_of_linux, outcome, periodic};
use sched::{CoreType, CpuMask};
use sim::Scenario;
use sim::plant::IdlePower;

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
    for (of, most) in [("big", 0.85), ("little", 0.85)] {
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
