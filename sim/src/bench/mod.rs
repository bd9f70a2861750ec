//! The benchmarks of crate `workloads`, as scenarios: the same names, the same arguments.
//!
//! | name | arguments and their defaults |
//! |---|---|
//! | `looper` | `n=8 work=28s class=looper`: loops that start together |
//! | `mixed` | `n=8 work=28s class=hash other=cache-killer`: half of the loops are of another class |
//! | `periodic` | `n=24 period=16ms share=10 of=big busy=0 time=10s class=device-tree`: jobs of `share` % of a big or LITTLE CPU |
//! | `pair` | `place=free requests=2000 work=10ms`: a client and its server, 616 to 384, two requests under way at most |
//! | `chain` | `frames=300 period=33ms`: five stages, each third frame three times the work |
//! | `rampup` | `time=1s`: a loop that begins when the machine has been idle for a second |
//! | `soak` | `n=8 time=600s class=hash`: loops for ever |
//! | `dhrystone` | `n=20 work=2s`: integer loops; `aobench` | `tiles=64 n=16 work=50ms`: tiles, dealt out one by one |
//! | `hackbench` | `groups=1 loops=20 size=100` |
//! | `pingpong` | `place=free rounds=2000`: two tasks that wait for each other in turn |
//! | `schbench` | `workers=8 rate=800 time=10s`: a messenger wakes workers for requests of 2 ms |
//! | `cyclictest` | `n=8 interval=1ms loops=10000` |

mod messages;
mod request;

use sched::{CpuId, CpuMask, Nanos, Rate};
use soc::exynos5422::{CACHE_KILLER, CACHE_RESIDENT, DEVICE_TREE, GZIP, HASH, LOOPER};

use crate::plant::Plant;
use crate::program::{Program, Step};
use crate::scenario::Scenario;
use crate::task::TaskSpec;
use request::Request;

/// The names, for messages.
pub const NAMES: &str =
    "looper, mixed, periodic, pair, chain, rampup, soak, dhrystone, aobench, hackbench, pingpong, schbench, cyclictest";

type Made = Result<Scenario, String>;

/// The scenario that `text` asks for, such as `looper:n=8,work=28s`; `None` if its name is none of [`NAMES`].
#[must_use]
pub fn parse(text: &str) -> Option<Made> {
    let (name, arguments) = text.split_once(':').unwrap_or((text, ""));
    let request = Request::new(arguments);
    let make: fn(&Request<'_>) -> Made = match name {
        "looper" => looper,
        "mixed" => mixed,
        "periodic" => periodic,
        "rampup" => rampup,
        "soak" => soak,
        "dhrystone" => dhrystone,
        "cyclictest" => cyclictest,
        "pair" => messages::pair,
        "chain" => messages::chain,
        "aobench" => messages::aobench,
        "hackbench" => messages::hackbench,
        "pingpong" => messages::pingpong,
        "schbench" => messages::schbench,
        _ => return None,
    };
    Some(make(&request).and_then(|scenario| request.done().map(|()| scenario)).map(|mut scenario| {
        text.clone_into(&mut scenario.name);
        scenario
    }))
}

fn looper(request: &Request<'_>) -> Made {
    let count = request.number("n", 8)?;
    let work = request.time("work", Nanos::from_millis(28_000))?;
    let plant = Plant::odroid(request.class("class", &LOOPER)?);
    Ok(Scenario::new("looper", plant).tasks(count as usize, &TaskSpec::new("loop", Program::looper(work))))
}

fn mixed(request: &Request<'_>) -> Made {
    let count = request.number("n", 8)? as usize;
    let work = request.time("work", Nanos::from_millis(28_000))?;
    let first = request.class("class", &HASH)?;
    let mut plant = Plant::odroid(first);
    let other = request.class("other", &CACHE_KILLER)?;
    let class = plant.class(other);
    let one = TaskSpec::new(first.name, Program::looper(work));
    let two = TaskSpec { class, ..TaskSpec::new(other.name, Program::looper(work)) };
    Ok(Scenario::new("mixed", plant).tasks(count - count / 2, &one).tasks(count / 2, &two))
}

fn periodic(request: &Request<'_>) -> Made {
    let count = request.number("n", 24)? as usize;
    let period = request.time("period", Nanos::from_millis(16))?;
    let share = u64::from(request.number("share", 10)?);
    let of = request.choice("of", &["big", "little"])?;
    let busy = request.number("busy", 0)? as usize;
    let time = request.time("time", Nanos::from_millis(10_000))?;
    let profile = request.class("class", &DEVICE_TREE)?;
    let points = if of == "big" { profile.big } else { profile.little };
    let speed = points.last().map_or(0, |point| u64::from(point.speed.get()));
    let work = period.as_nanos() * share / 100 * speed / u64::from(Rate::FULL.get());
    let small = TaskSpec::new("small", Program::periodic(Nanos::new(work), period));
    let hungry = TaskSpec::new("busy", Program::new().repeat(0, |body| body.step(Step::Run(period))));
    let scenario = Scenario::new("periodic", Plant::odroid(profile)).tasks(count, &small);
    Ok(scenario.tasks(busy, &hungry).lasting(time))
}

fn rampup(request: &Request<'_>) -> Made {
    let time = request.time("time", Nanos::from_millis(1_000))?;
    let idle = Nanos::from_millis(1_000);
    let program = Program::new().step(Step::Run(Nanos::from_micros(100))).step(Step::Sleep(idle)).step(Step::Run(time));
    Ok(Scenario::new("rampup", Plant::odroid(&DEVICE_TREE)).tasks(1, &TaskSpec::new("ramp", program)))
}

fn soak(request: &Request<'_>) -> Made {
    let count = request.number("n", 8)? as usize;
    let time = request.time("time", Nanos::from_millis(600_000))?;
    let plant = Plant::odroid(request.class("class", &HASH)?);
    let hungry = Program::new().repeat(0, |body| body.step(Step::Run(Nanos::from_millis(100))));
    Ok(Scenario::new("soak", plant).tasks(count, &TaskSpec::new("soak", hungry)).lasting(time))
}

fn dhrystone(request: &Request<'_>) -> Made {
    let count = request.number("n", 20)? as usize;
    let work = request.time("work", Nanos::from_millis(2_000))?;
    let plant = Plant::odroid(request.class("class", &CACHE_RESIDENT)?);
    Ok(Scenario::new("dhrystone", plant).tasks(count, &TaskSpec::new("dhrystone", Program::looper(work))))
}

fn cyclictest(request: &Request<'_>) -> Made {
    let count = request.number("n", 8)? as usize;
    let period = request.time("interval", Nanos::from_millis(1))?;
    let loops = request.number("loops", 10_000)?;
    let mut scenario = Scenario::new("cyclictest", Plant::odroid(&GZIP));
    for cpu in 0..count {
        let program = Program::new().repeat(loops, |body| {
            body.step(Step::Run(Nanos::from_micros(10))).step(Step::Timer { period, resets: false })
        });
        let affinity = CpuMask::of(CpuId::new(cpu % sched::MAX_CPUS));
        scenario = scenario.tasks(1, &TaskSpec { affinity, ..TaskSpec::new("cyclic", program) });
    }
    Ok(scenario)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_makes_a_scenario() {
        for name in NAMES.split(", ") {
            let made = parse(name).unwrap_or_else(|| panic!("{name} is known"));
            let scenario = made.unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
            assert!(!scenario.tasks.is_empty(), "{name}");
        }
    }

    #[test]
    fn arguments_are_checked() {
        assert_eq!(parse("looper:n=3").expect("known").expect("right").tasks.len(), 3);
        assert!(parse("nonsense:n=3").is_none());
        for wrong in ["looper:m=3", "looper:n=three", "looper:work=28", "pair:place=here", "soak:class=music"] {
            assert!(parse(wrong).expect("known").is_err(), "{wrong}");
        }
    }

    /// Case A and case B of the 24 tasks.
    #[test]
    fn a_share_is_of_one_kind_of_core() {
        let work = |text: &str| parse(text).expect("known").expect("right").tasks[0].program.steps()[0];
        assert_eq!(work("periodic"), Step::Run(Nanos::from_micros(1_600)));
        let Step::Run(little) = work("periodic:of=little,class=hash") else { panic!("it runs") };
        assert_eq!(little.as_micros(), 637);
    }
}
