use sched::Nanos;
use sim::*;
fn main() {
    let mut args = std::env::args().skip(1);
    let text = args.next().unwrap();
    let seed: Option<u64> = std::env::var("SEED").ok().and_then(|s| s.parse().ok());
    let trace = std::env::var("TRACE").is_ok();
    for setup in args {
        let mut scenario = bench::parse(&text).expect("known").expect("right").warming_up(Nanos::from_millis(2_000));
        if let Some(seed) = seed {
            let mut random = random::Random::new(seed);
            scenario.tasks.iter_mut().for_each(|task| task.start = random.below(16_000_000));
        }
        if let Ok(start) = std::env::var("BORN") {
            scenario = scenario.born_on(sched::CpuMask::from_bits(u32::from_str_radix(&start, 16).unwrap()));
        }
        let s = Setup { record: trace, ..Setup::parse(&setup).unwrap() };
        let t = std::time::Instant::now();
        let o = run(&scenario, &s);
        println!(
            "{setup}: {:.1} mW, jobs {} misses {} lateness {} moves {} switches {} lapsed {} refused {} clock changes {:?} plans {:?} took {:?}",
            o.milliwatts(),
            o.jobs(),
            o.misses(),
            o.tasks.iter().map(|t| t.statistics.lateness).max().unwrap(),
            o.counts.moves,
            o.counts.switches,
            o.counts.lapsed,
            o.counts.refused,
            o.counts.clock_changes,
            o.plans,
            t.elapsed()
        );
        for (core, opps) in [("big", soc::exynos5422::CORTEX_A15.opps), ("little", soc::exynos5422::CORTEX_A7.opps)] {
            let i = usize::from(core == "little");
            let v: Vec<String> = o.residency[i]
                .iter()
                .zip(opps)
                .filter(|(r, _)| r.as_nanos() > 0)
                .map(|(r, o)| format!("{}:{:.3}", o.frequency.get() / 1000, r.as_nanos() as f64 / 1e9))
                .collect();
            println!("   {core} {} off {:.3}", v.join(" "), o.off[i].as_nanos() as f64 / 1e9);
        }
        println!(
            "   busy {:?}",
            o.busy.iter().map(|b| (b.as_nanos() as f64 / 1e7 / o.span()).round() / 1.0).collect::<Vec<_>>()
        );
        println!(
            "   work J {:?} small {:.3} W busy {:.3}",
            o.energy,
            o.joules_of(|t| t.name == "small") / o.span(),
            o.tasks.iter().filter(|t| t.name == "busy").map(|t| t.statistics.work >> 14).sum::<u64>() as f64
                / 1e9
                / o.span()
        );
        if trace {
            let lo: u64 = std::env::var("LO").ok().and_then(|s| s.parse().ok()).unwrap_or(0);
            let hi: u64 = std::env::var("HI").ok().and_then(|s| s.parse().ok()).unwrap_or(u64::MAX);
            for (t, c, l) in &o.record.levels {
                if *t >= lo && *t < hi {
                    println!("L {t} {c} {l}");
                }
            }
            for (t, c, e) in &o.record.events {
                if *t >= lo && *t < hi {
                    println!("E {t} {c} {e:?}");
                }
            }
        }
    }
}
