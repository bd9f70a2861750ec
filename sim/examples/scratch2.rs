use sched::*;
use sim::*;
fn main() {
    for class in ["encrypt", "hash", "gzip", "device-tree"] {
        let s = bench::parse(&format!("periodic:class={class}")).unwrap().unwrap();
        println!("{class} {:?}", bound::exact_equal(&s.plant, 0, 24, 0.1, 0.05));
        let energy = Energy::new(
            &soc::exynos5422::MACHINE,
            CpuMask::ALL,
            sim::plant::profile(class).unwrap(),
            IdleCost::Ignored,
        );
        for w in [1638u32, 1640, 1642, 1644, 1646, 1650, 1655, 1660] {
            let d: Vec<_> = (0..24).map(|t| Demand::steady(TaskId::new(t), Rate::new(w))).collect();
            let p = planner::plan(&energy, &d, &planner::Limits::all(&energy), &Plan::none(), Nanos::ZERO);
            println!(
                "{w}: {:?} {:?} {} looks {}",
                p.level(CoreType::Big),
                p.level(CoreType::Little),
                p.power().get(),
                p.effort()
            );
        }
        for (c, l) in [(CoreType::Little, 7..13), (CoreType::Big, 3..10)] {
            for i in l {
                let v = energy.cluster(c).level(i);
                println!(
                    "  {c} {i} {} speed {} busy {} cost {}",
                    v.opp.frequency.get() / 1000,
                    v.speed.get(),
                    v.busy.get(),
                    v.cost()
                );
            }
        }
    }
}
