//! Benchmarks that ask how long it takes from a wake-up to running.

use sched::{CpuId, CpuMask, Nanos};
use soc::exynos5422::GZIP;

use super::messages::group;
use super::request::Request;
use super::{Made, TASKS, TIMES};
use crate::plant::Plant;
use crate::program::{Program, Step};
use crate::scenario::Scenario;
use crate::task::TaskSpec;

/// A messenger hands out requests at a steady rate, workers answer them.
pub(super) fn schbench(request: &Request<'_>) -> Made {
    let workers = request.number("n", 8, TASKS)?;
    let each = request.number("requests", 0, TIMES)?;
    let rate = u64::from(request.number("rate", 800, 1..=1_000_000)?);
    let time = request.time("time", Nanos::from_millis(10_000))?;
    let mut scenario = Scenario::new("schbench", Plant::odroid(&GZIP));
    let requests = scenario.channel(1024);
    let period = Nanos::new(1_000_000_000 / rate);
    let messenger = Program::new().repeat(each * workers, |body| {
        body.step(Step::Run(Nanos::from_micros(5)))
            .step(Step::Send(requests))
            .step(Step::Timer { period, resets: false })
    });
    let worker = Program::new().repeat(each, |body| {
        body.step(Step::Receive(requests)).step(Step::Run(Nanos::from_millis(2))).step(Step::Done)
    });
    let scenario = scenario.tasks(1, &TaskSpec::new("messenger", messenger));
    let scenario = scenario.tasks(workers as usize, &TaskSpec::new("worker", worker));
    Ok(if each == 0 { scenario.lasting(time) } else { scenario })
}

/// A timer on each CPU, alone or beside others that keep all CPUs busy.
pub(super) fn cyclictest(request: &Request<'_>) -> Made {
    /// Enough that a turn of all of them takes four slices.
    const LOOPS_PER_CPU: usize = 4;
    let count = request.number("n", 8, TASKS)? as usize;
    let period = request.time("interval", Nanos::from_millis(1))?;
    let loops = request.number("loops", 10_000, TIMES)?;
    let load = request.choice("load", &["none", "loops", "hackbench"])?;
    let mut scenario = Scenario::new("cyclictest", Plant::odroid(&GZIP));
    for cpu in 0..count {
        let program = Program::new().repeat(loops, |body| {
            body.step(Step::Run(Nanos::from_micros(10))).step(Step::Timer { period, resets: false })
        });
        let affinity = CpuMask::of(CpuId::new(cpu % sched::MAX_CPUS));
        scenario = scenario.tasks(1, &TaskSpec { affinity, ..TaskSpec::new("cyclic", program) });
    }
    let endless = Program::new().repeat(0, |body| body.step(Step::Run(Nanos::from_millis(100))));
    Ok(match load {
        "loops" => scenario.tasks(LOOPS_PER_CPU * sched::MAX_CPUS, &TaskSpec::new("loop", endless)),
        "hackbench" => group(scenario, 0, 100),
        _ => scenario,
    })
}
