//! Scenarios of our own. `sim/scenarios/*.toml` are examples; every key is told of in [`tables`].

mod heat;
mod tables;

use std::ops::Range;

use sched::{CpuId, CpuMask, MAX_CPUS, Nanos, Profile};
use toml::Spanned;

use super::{Loaded, Wrong, line_of};
use crate::bench;
use crate::plant::{Costs, IdlePower, Plant, profile, profile_names};
use crate::program::{Program, Step};
use crate::random::Random;
use crate::scenario::Scenario;
use crate::setup::Setup;
use crate::task::{EXPECTED_NICE, NICE, TaskSpec};
use crate::units::{parse_time, positive_time};
use tables::{File, TaskTable};

/// No switch and no change of a clock takes longer; with more than this nothing would ever be done.
const LONGEST_COST: Nanos = Nanos::from_millis(100);

/// Reads a scenario.
///
/// # Errors
/// The line, from 1, and what was expected there.
pub fn read(name: &str, text: &str) -> Result<Loaded, Wrong> {
    let place = |span: Range<usize>| line_of(text, span.start);
    let file: File =
        ::toml::from_str(text).map_err(|error| (error.span().map_or(1, place), error.message().to_owned()))?;
    Reader { text }.scenario(name, &file)
}

struct Reader<'a> {
    text: &'a str,
}

impl Reader<'_> {
    fn scenario(&self, name: &str, file: &File) -> Result<Loaded, Wrong> {
        let mut scenario = self.origin(name, file)?;
        scenario.about = file.about.clone().unwrap_or_default();
        scenario.seed = file.seed.unwrap_or(1);
        if let Some(duration) = &file.duration {
            scenario.duration = Some(self.positive_time(duration)?);
        }
        self.chip(&mut scenario, file)?;
        if let Some(heat) = &file.heat {
            scenario.heat = Some(self.surroundings(heat)?);
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
        let compare: Result<Vec<String>, Wrong> =
            file.compare.iter().flatten().map(|name| self.setup(&scenario, name)).collect();
        Ok(Loaded { compare: compare?, scenario })
    }

    /// What the scenario begins with: a benchmark, or the chip without tasks.
    fn origin(&self, name: &str, file: &File) -> Result<Scenario, Wrong> {
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
        Ok(scenario)
    }

    /// What the scenario says of the chip.
    fn chip(&self, scenario: &mut Scenario, file: &File) -> Result<(), Wrong> {
        if let Some(cpus) = &file.cpus {
            scenario.plant.present = self.cpus(cpus)?;
            let homeless = |task: &TaskSpec| (task.affinity & scenario.plant.present).is_empty();
            if let Some(task) = scenario.tasks.iter().find(|task| homeless(task)) {
                return Err(
                    self.wrong(cpus.span(), format!("expected a CPU for each task, found none for {}", task.name))
                );
            }
        }
        if let Some(idle) = &file.idle {
            scenario.plant.idle = match idle.get_ref().as_str() {
                "none" => IdlePower::None,
                "gated" => IdlePower::Gated,
                "sleeps" => IdlePower::Sleeps,
                _ => IdlePower::Lingers(self.time(idle)?.as_nanos()),
            };
        }
        for (key, value) in file.costs.iter().flatten() {
            let time = self.time(value)?;
            if time > LONGEST_COST {
                return Err(self.wrong(value.span(), format!("expected at most {} ms", LONGEST_COST.as_millis())));
            }
            *self.cost(&mut scenario.plant.costs, key)? = time.as_nanos();
        }
        Ok(())
    }

    /// The name of a setup that can make a difference in the scenario.
    fn setup(&self, scenario: &Scenario, name: &Spanned<String>) -> Result<String, Wrong> {
        let setup = Setup::parse(name.get_ref()).and_then(|setup| setup.suits(scenario));
        setup.map(|()| name.get_ref().clone()).map_err(|what| self.wrong(name.span(), what))
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
        if let Some(nice) = &table.nice {
            let wrong = || self.wrong(nice.span(), EXPECTED_NICE.to_owned());
            spec.nice = Some(*nice.get_ref()).filter(|nice| NICE.contains(nice)).ok_or_else(wrong)?;
        }
        if let Some(cpus) = &table.cpus {
            spec.affinity = self.cpus(cpus)?;
            if let Some(absent) = (spec.affinity & !scenario.plant.present).first() {
                return Err(self.wrong(cpus.span(), format!("expected CPUs that came up, found {absent}")));
            }
        }
        if let Some(clamp) = &table.clamp {
            let &[least, most] = clamp.get_ref();
            if least > most || most > 1024 {
                return Err(
                    self.wrong(clamp.span(), "expected a least and a greatest utilisation of at most 1024".to_owned())
                );
            }
            spec.clamp = (least, most);
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
