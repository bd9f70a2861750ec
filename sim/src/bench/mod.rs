//! The benchmarks of crate `workloads`, as scenarios: the same names, the same arguments (a test of crate `xtask`
//! compares them), and those that only a model has a use for: a class of work, the size of a job in time.
//!
//! | name | arguments and their defaults | the model's own |
//! |---|---|---|
//! | `looper` | `n=8 work=28s`: loops that start together | `class=looper` |
//! | `mixed` | `n=8 work=28s`: half of the loops are of another class | `class=hash other=cache-killer` |
//! | `periodic` | `n=24 period=16ms duty=10 phase=sync jobs=…`: jobs of `duty` % of a CPU | `of=big busy=0 time=10s class=device-tree` |
//! | `pair` | `place=free requests=2000`: a client and its server, 616 to 384, two requests under way at most | `work=10ms` |
//! | `chain` | `frames=300`: five stages, each third frame three times the work | `period=33ms buffered=2 load=100 first=2 class=device-tree` |
//! | `rampup` | `rest=1s`: a loop that begins when the machine has been idle for so long | `time=1s` |
//! | `soak` | `n=8 time=600s`: loops for ever, from cold, without a fan | `class=hash` |
//! | `dhrystone` | `threads=20 loops=…`: integer loops, 81 ns each | `work=2s class=cache-resident` |
//! | `aobench` | `size=… n=16 split=dynamic`: tiles of 64 x 64 points | `tiles=64 work=50ms` |
//! | `hackbench` | `groups=1 loops=20 size=100` | |
//! | `pingpong` | `place=free rounds=2000`: two tasks that wait for each other in turn | |
//! | `schbench` | `n=8 requests=…`: a messenger wakes workers for requests of 2 ms | `rate=800 time=10s` |
//! | `cyclictest` | `interval=1ms loops=10000`: a timer on each CPU | `n=8 load=none`: beside `loops`, four a CPU, or `hackbench` |
//! | `uclamp` | `n=8 max=100 time=4s`: endless loops on the LITTLE cores that count as small | `class=device-tree` |

mod latency;
mod messages;
mod request;

use std::ops::RangeInclusive;

use sched::{Clamp, CoreType, Nanos, Rate};
use soc::exynos5422::{CACHE_KILLER, CACHE_RESIDENT, DEVICE_TREE, HASH, LOOPER};

use crate::heat::Surroundings;
use crate::plant::Plant;
use crate::program::{Program, Step};
use crate::scenario::Scenario;
use crate::task::TaskSpec;
use request::Request;

/// So many tasks of a kind, with room for a few others in the scenario.
const TASKS: RangeInclusive<u32> = 1..=1_000;
/// How often something is done.
const TIMES: RangeInclusive<u32> = 1..=1_000_000;

/// The names, for messages.
pub const NAMES: &str = "looper, mixed, periodic, pair, chain, rampup, soak, dhrystone, aobench, hackbench, pingpong, schbench, cyclictest, uclamp";

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
        "cyclictest" => latency::cyclictest,
        "uclamp" => uclamp,
        "pair" => messages::pair,
        "chain" => messages::chain,
        "aobench" => messages::aobench,
        "hackbench" => messages::hackbench,
        "pingpong" => messages::pingpong,
        "schbench" => latency::schbench,
        _ => return None,
    };
    let made = make(&request).and_then(|mut scenario| {
        request.done()?;
        Scenario::limit_tasks(scenario.tasks.len())?;
        text.clone_into(&mut scenario.name);
        Ok(scenario)
    });
    Some(made)
}

fn looper(request: &Request<'_>) -> Made {
    let count = request.number("n", 8, TASKS)?;
    let work = request.time("work", Nanos::from_millis(28_000))?;
    let plant = Plant::odroid(request.class("class", &LOOPER)?);
    Ok(Scenario::new("looper", plant).tasks(count as usize, &TaskSpec::new("loop", Program::looper(work))))
}

fn mixed(request: &Request<'_>) -> Made {
    let count = request.number("n", 8, TASKS)? as usize;
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
    let count = request.number("n", 24, TASKS)? as usize;
    let period = request.time("period", Nanos::from_millis(16))?;
    let duty = u64::from(request.number("duty", 10, 1..=100)?);
    let of = request.choice("of", &["big", "little"])?;
    let spread = request.choice("phase", &["sync", "spread"])? == "spread";
    let jobs = request.number("jobs", 0, TIMES)?;
    let busy = request.number("busy", 0, 0..=*TASKS.end())? as usize;
    let time = request.time("time", Nanos::from_millis(10_000))?;
    let profile = request.class("class", &DEVICE_TREE)?;
    let points = if of == "big" { profile.big } else { profile.little };
    let speed = points.last().map_or(0, |point| u64::from(point.speed.get()));
    let work = Nanos::new(period.as_nanos() * duty / 100 * speed / u64::from(Rate::FULL.get()));
    let program =
        Program::new().repeat(jobs, |body| body.step(Step::Run(work)).step(Step::Timer { period, resets: false }));
    let hungry = TaskSpec::new("busy", Program::new().repeat(0, |body| body.step(Step::Run(period))));
    let mut scenario = Scenario::new("periodic", Plant::odroid(profile)).tasks(count, &TaskSpec::new("small", program));
    if spread {
        let begin = |task: usize| period.as_nanos() * task as u64 / count as u64;
        scenario.tasks.iter_mut().enumerate().for_each(|(number, task)| task.start = begin(number));
    }
    let scenario = scenario.tasks(busy, &hungry);
    Ok(if jobs == 0 { scenario.lasting(time) } else { scenario })
}

fn rampup(request: &Request<'_>) -> Made {
    let time = request.time("time", Nanos::from_millis(1_000))?;
    let rest = request.time("rest", Nanos::from_millis(1_000))?;
    let program = Program::new().step(Step::Run(Nanos::from_micros(100))).step(Step::Sleep(rest)).step(Step::Run(time));
    Ok(Scenario::new("rampup", Plant::odroid(&DEVICE_TREE)).tasks(1, &TaskSpec::new("ramp", program)))
}

fn soak(request: &Request<'_>) -> Made {
    let count = request.number("n", 8, TASKS)? as usize;
    let time = request.time("time", Nanos::from_millis(600_000))?;
    let plant = Plant::odroid(request.class("class", &HASH)?);
    let hungry = Program::new().repeat(0, |body| body.step(Step::Run(Nanos::from_millis(100))));
    let mut scenario = Scenario::new("soak", plant).tasks(count, &TaskSpec::new("soak", hungry)).lasting(time);
    scenario.heat = Some(Surroundings::default());
    Ok(scenario)
}

fn uclamp(request: &Request<'_>) -> Made {
    let count = request.number("n", 8, TASKS)? as usize;
    let max = request.number("max", 100, 0..=Clamp::NONE.max)?;
    let time = request.time("time", Nanos::from_millis(4_000))?;
    let plant = Plant::odroid(request.class("class", &DEVICE_TREE)?);
    let affinity = plant.cluster(CoreType::Little);
    let hungry = Program::new().repeat(0, |body| body.step(Step::Run(Nanos::from_millis(100))));
    let spec = TaskSpec { affinity, clamp: (0, max), ..TaskSpec::new("bounded", hungry) };
    Ok(Scenario::new("uclamp", plant).tasks(count, &spec).lasting(time))
}

/// One round of Dhrystone on the fastest core: 3.5 DMIPS/MHz (ARM, Cortex-A15) x 1757 rounds/s x 2000 MHz.
const ROUND: u64 = 81;

fn dhrystone(request: &Request<'_>) -> Made {
    let count = request.number("threads", 20, TASKS)?;
    let loops = u64::from(request.number("loops", 0, 1..=1_000_000_000)?);
    let work = request.time("work", Nanos::from_millis(2_000))?;
    let work = if loops == 0 { work } else { Nanos::new(loops * ROUND) };
    let plant = Plant::odroid(request.class("class", &CACHE_RESIDENT)?);
    let program = Program::looper(work);
    Ok(Scenario::new("dhrystone", plant).tasks(count as usize, &TaskSpec::new("dhrystone", program)))
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

    #[test]
    fn sizes_are_checked() {
        for (wrong, what) in [
            ("looper:n=0", "expected for n a number from 1 to 1000, found \"0\""),
            ("looper:n=1000000", "expected for n a number from 1 to 1000, found \"1000000\""),
            ("hackbench:groups=0", "expected for groups a number from 1 to 25, found \"0\""),
            ("hackbench:groups=200", "expected for groups a number from 1 to 25, found \"200\""),
            ("periodic:duty=500", "expected for duty a number from 1 to 100, found \"500\""),
            ("periodic:n=4,period=0ms", "period: expected a time above 0, found \"0ms\""),
            ("periodic:n=600,busy=600", "expected at most 1024 tasks, found 1200"),
        ] {
            assert_eq!(parse(wrong).expect("known").expect_err(wrong), what);
        }
        for right in ["looper:n=1000", "hackbench:groups=25", "periodic:busy=0", "periodic:duty=100"] {
            assert!(parse(right).expect("known").is_ok(), "{right}");
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
