//! Scenarios of our own. `sim/scenarios/*.toml` are examples; every key is told of here.

use std::collections::BTreeMap;
use std::ops::Range;

use sched::{CpuId, CpuMask, MAX_CPUS, Nanos, Profile};
use serde::Deserialize;
use toml::Spanned;

use super::{Loaded, line_of};
use crate::bench;
use crate::heat::{Disturbance, Surroundings};
use crate::plant::{Costs, IdlePower, Plant, profile, profile_names};
use crate::program::{Program, Step};
use crate::random::Random;
use crate::scenario::Scenario;
use crate::task::TaskSpec;
use crate::units::{parse_time, positive_time};

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// What it shows, in a sentence.
    about: Option<String>,
    /// The class of work of tasks that do not say their own, and of the idle power: a name of `soc::exynos5422::PROFILES`.
    profile: Option<Spanned<String>>,
    /// How long to run; without it, until all tasks have ended.
    duration: Option<Spanned<String>>,
    /// What chance begins with.
    seed: Option<u64>,
    /// The CPUs that came up; all, if it is not there.
    cpus: Option<Spanned<Vec<usize>>>,
    /// "none", "gated", or for how long an idle cluster keeps its power: "20 ms".
    idle: Option<Spanned<String>>,
    /// Times that differ from the usual ones: switch, call, near, far, interrupt, clock.
    costs: Option<BTreeMap<Spanned<String>, Spanned<String>>>,
    /// The setups to compare, as on the command line.
    compare: Option<Vec<String>>,
    /// A benchmark as in the boot arguments of the kernel, whose tasks come first.
    bench: Option<Spanned<String>>,
    /// The surroundings; without them heat is not simulated.
    heat: Option<HeatTable>,
    /// The tasks.
    #[serde(default)]
    task: Vec<TaskTable>,
}

/// The surroundings.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HeatTable {
    /// Of the air, in degrees.
    ambient: Option<f64>,
    /// Of the whole chip at the start.
    start: Option<f64>,
    /// Level of the fan; by the trips of the board if it is not there.
    fan: Option<usize>,
    /// Deviation of what sensors show, in degrees.
    noise: Option<f64>,
    /// What happens.
    #[serde(default)]
    event: Vec<HeatEvent>,
}

/// One thing that happens at a time: the air, the fan, or a sensor that shows a temperature, is silent, or is well again.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HeatEvent {
    at: Spanned<String>,
    ambient: Option<f64>,
    fan: Option<usize>,
    sensor: Option<Spanned<usize>>,
    shows: Option<f64>,
    silent: Option<bool>,
}

/// Tasks that are alike.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskTable {
    name: Spanned<String>,
    /// How many; 1 if it is not there.
    count: Option<Spanned<u32>>,
    class: Option<Spanned<String>>,
    cpus: Option<Spanned<Vec<usize>>>,
    nice: Option<i8>,
    /// Least and greatest utilisation to plan with, of 1024.
    clamp: Option<[u32; 2]>,
    /// When it begins.
    start: Option<Spanned<String>>,
    /// Work of each job, in time of the fastest CPU at its top; of the CPU of that number, if `reference` is there.
    run: Spanned<String>,
    reference: Option<Spanned<usize>>,
    /// From job to job, by the clock; without it one job follows the other.
    every: Option<Spanned<String>>,
    /// Sleep after each job.
    sleep: Option<Spanned<String>>,
    /// How many jobs; without it, one if there is no period and no sleep, else for ever.
    jobs: Option<Spanned<u32>>,
    /// Whether instances begin at random times within a period.
    #[serde(default)]
    scattered: bool,
}

type Wrong = (usize, String);

/// Reads a scenario.
///
/// # Errors
/// The line, from 1, and what was expected there.
pub fn read(name: &str, text: &str) -> Result<Loaded, Wrong> {
    let place = |span: Range<usize>| line_of(text, span.start);
    let file: File =
        ::toml::from_str(text).map_err(|error| (error.span().map_or(1, place), error.message().to_owned()))?;
    Reader { text }.scenario(name, file)
}

struct Reader<'a> {
    text: &'a str,
}

impl Reader<'_> {
    fn scenario(&self, name: &str, file: File) -> Result<Loaded, Wrong> {
        let base = match &file.profile {
            Some(name) => self.class(name)?,
            None => &soc::exynos5422::DEVICE_TREE,
        };
        let mut scenario = match &file.bench {
            None => Scenario::new(name, Plant::odroid(base)),
            Some(bench) => bench::parse(bench.get_ref())
                .unwrap_or_else(|| Err(format!("expected a benchmark: {}", bench::NAMES)))
                .map_err(|what| self.wrong(bench.span(), what))?,
        };
        name.clone_into(&mut scenario.name);
        if file.profile.is_some() {
            scenario.plant.classes[0] = base;
        }
        scenario.about = file.about.unwrap_or_default();
        scenario.seed = file.seed.unwrap_or(1);
        if let Some(duration) = &file.duration {
            scenario.duration = Some(self.positive_time(duration)?);
        }
        if let Some(cpus) = &file.cpus {
            scenario.plant.present = self.cpus(cpus)?;
        }
        if let Some(idle) = &file.idle {
            scenario.plant.idle = match idle.get_ref().as_str() {
                "none" => IdlePower::None,
                "gated" => IdlePower::Gated,
                _ => IdlePower::Lingers(self.time(idle)?.as_nanos()),
            };
        }
        for (key, value) in file.costs.iter().flatten() {
            let time = self.time(value)?.as_nanos();
            *self.cost(&mut scenario.plant.costs, key)? = time;
        }
        if let Some(heat) = &file.heat {
            scenario.heat = Some(Surroundings {
                ambient: heat.ambient.unwrap_or(25.0),
                start: heat.start,
                fan: heat.fan,
                noise: heat.noise.unwrap_or(0.0),
                ..Surroundings::default()
            });
            let events: Result<Vec<_>, Wrong> = heat.event.iter().map(|event| self.heat_event(event)).collect();
            scenario.disturbances = events?;
        }
        let mut random = Random::new(scenario.seed);
        for task in &file.task {
            self.add(&mut scenario, task, &mut random)?;
        }
        if scenario.tasks.is_empty() {
            return Err((1, "expected a [[task]] or a bench".to_owned()));
        }
        if scenario.duration.is_none() && scenario.tasks.iter().all(|task| !task.awaited) {
            return Err((1, "expected a duration, since no task ends by itself".to_owned()));
        }
        Ok(Loaded { scenario, compare: file.compare.unwrap_or_default() })
    }

    fn heat_event(&self, event: &HeatEvent) -> Result<(Nanos, Disturbance), Wrong> {
        let at = self.time(&event.at)?;
        let sensors = soc::exynos5422::HEAT.network.sensors.len();
        let disturbance = match (event.ambient, event.fan, &event.sensor, event.shows, event.silent) {
            (Some(degrees), None, None, None, None) => Disturbance::Ambient(degrees),
            (None, Some(level), None, None, None) => Disturbance::Fan(level),
            (None, None, Some(sensor), ..) if *sensor.get_ref() >= sensors => {
                return Err(self.wrong(sensor.span(), format!("expected a sensor from 0 to {}", sensors - 1)));
            }
            (None, None, Some(sensor), Some(degrees), None) => Disturbance::Shows(*sensor.get_ref(), degrees),
            (None, None, Some(sensor), None, Some(true)) => Disturbance::Silent(*sensor.get_ref()),
            (None, None, Some(sensor), None, Some(false)) => Disturbance::Well(*sensor.get_ref()),
            _ => {
                let what = "expected one of ambient, fan, or sensor with shows or silent";
                return Err(self.wrong(event.at.span(), what.to_owned()));
            }
        };
        Ok((at, disturbance))
    }

    fn cost<'c>(&self, costs: &'c mut Costs, key: &Spanned<String>) -> Result<&'c mut u64, Wrong> {
        Ok(match key.get_ref().as_str() {
            "switch" => &mut costs.switch,
            "call" => &mut costs.call,
            "near" => &mut costs.near,
            "far" => &mut costs.far,
            "interrupt" => &mut costs.interrupt,
            "clock" => &mut costs.clock,
            other => {
                let what = format!("expected switch, call, near, far, interrupt or clock; found {other}");
                return Err(self.wrong(key.span(), what));
            }
        })
    }

    fn add(&self, scenario: &mut Scenario, table: &TaskTable, random: &mut Random) -> Result<(), Wrong> {
        let class = match &table.class {
            Some(class) => {
                let profile = self.class(class)?;
                scenario.plant.class(profile)
            }
            None => 0,
        };
        let period = table.every.as_ref().map(|time| self.positive_time(time)).transpose()?;
        let program = self.program(&scenario.plant, class, table, period)?;
        let mut spec = TaskSpec::new(table.name.get_ref(), program);
        spec.class = class;
        spec.nice = table.nice.unwrap_or(0);
        if let Some(cpus) = &table.cpus {
            spec.affinity = self.cpus(cpus)?;
        }
        if let Some([least, most]) = table.clamp {
            spec.clamp = (least.min(1024), most.min(1024));
        }
        let start = table.start.as_ref().map_or(Ok(Nanos::ZERO), |time| self.time(time))?.as_nanos();
        let count = self.at_least_one(table.count.as_ref())?.unwrap_or(1);
        let place = table.count.as_ref().map_or(table.name.span(), Spanned::span);
        Scenario::limit_tasks(scenario.tasks.len() + count as usize).map_err(|what| self.wrong(place, what))?;
        for _ in 0..count {
            let scatter = period.filter(|_| table.scattered).map_or(0, |period| random.below(period.as_nanos()));
            scenario.tasks.push(TaskSpec { start: start + scatter, ..spec.clone() });
        }
        Ok(())
    }

    fn program(&self, plant: &Plant, class: usize, table: &TaskTable, period: Option<Nanos>) -> Result<Program, Wrong> {
        let mut work = self.time(&table.run)?;
        if let Some(reference) = &table.reference {
            let cpu = self.cpu(reference.span(), *reference.get_ref())?;
            let core = plant.core(cpu);
            let speed = plant.speed(class, core, plant.levels(core) - 1);
            work = Nanos::new(work.as_nanos() * speed / u64::from(sched::Rate::FULL.get()));
        }
        let sleep = table.sleep.as_ref().map(|time| self.time(time)).transpose()?;
        let once = period.is_none() && sleep.is_none();
        let jobs = self.at_least_one(table.jobs.as_ref())?.unwrap_or(u32::from(once));
        let zero = |time: Option<Nanos>| time.is_none_or(|time| time == Nanos::ZERO);
        if work == Nanos::ZERO && period.is_none() && zero(sleep) {
            return Err(self.wrong(table.run.span(), "expected a task whose jobs take time".to_owned()));
        }
        Ok(Program::new().repeat(jobs, |mut body| {
            body = body.step(Step::Run(work));
            if let Some(time) = sleep {
                body = body.step(Step::Sleep(time));
            }
            match period {
                Some(period) => body.step(Step::Timer { period, resets: false }),
                None => body,
            }
        }))
    }

    fn class(&self, name: &Spanned<String>) -> Result<&'static Profile, Wrong> {
        let what = || format!("expected a class of work ({}), found \"{}\"", profile_names(), name.get_ref());
        profile(name.get_ref()).ok_or_else(|| self.wrong(name.span(), what()))
    }

    fn time(&self, text: &Spanned<String>) -> Result<Nanos, Wrong> {
        parse_time(text.get_ref()).map_err(|what| self.wrong(text.span(), what))
    }

    fn positive_time(&self, text: &Spanned<String>) -> Result<Nanos, Wrong> {
        positive_time(text.get_ref()).map_err(|what| self.wrong(text.span(), what))
    }

    fn at_least_one(&self, number: Option<&Spanned<u32>>) -> Result<Option<u32>, Wrong> {
        match number {
            Some(number) if *number.get_ref() == 0 => {
                Err(self.wrong(number.span(), "expected a number from 1, found 0".to_owned()))
            }
            number => Ok(number.map(|number| *number.get_ref())),
        }
    }

    fn cpus(&self, list: &Spanned<Vec<usize>>) -> Result<CpuMask, Wrong> {
        let cpus: Result<CpuMask, Wrong> = list.get_ref().iter().map(|&cpu| self.cpu(list.span(), cpu)).collect();
        match cpus? {
            CpuMask::EMPTY => Err(self.wrong(list.span(), "expected at least one CPU".to_owned())),
            cpus => Ok(cpus),
        }
    }

    fn cpu(&self, span: Range<usize>, cpu: usize) -> Result<CpuId, Wrong> {
        let what = || format!("expected a CPU from 0 to {}, found {cpu}", MAX_CPUS - 1);
        (cpu < MAX_CPUS).then(|| CpuId::new(cpu)).ok_or_else(|| self.wrong(span, what()))
    }

    fn wrong(&self, span: Range<usize>, what: String) -> Wrong {
        (line_of(self.text, span.start), what)
    }
}

#[cfg(test)]
mod tests;
