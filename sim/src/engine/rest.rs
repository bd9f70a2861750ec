//! Clusters that are switched off between jobs, and the jobs that are held back so that this pays.
//!
//! As `cpuidle` knows what timers will go off, so does the machine: a cluster whose last CPU falls idle is switched off at once if
//! none of its sleepers is due before that pays. With the policy's common rest those that become due while their CPU rests stand in line in
//! front of it. When the rest is over each CPU takes them one after the other by their deadlines, and who becomes due before it has
//! caught up joins the line.

use sched::rest::{self, Coming, PowerDown};
use sched::{Beat, CoreType, CpuId, CpuMask, Cpus, Nanos, Rate};

use super::{TICK, World};
use crate::event::Event;

/// A third: what it takes to be worth it and to come back is a fifth of 16 ms, and CPUs do not fall idle together. With a fifth the plan counts on
/// rests that do not come.
pub(super) const RESTLESS: u32 = Rate::FULL.get() / 3;

/// After so many strokes in vain others are tried.
const VAIN: u32 = 4;

/// What is held back.
#[derive(Debug, Default)]
pub(super) struct Rests {
    /// Each cluster's stroke, when its CPUs begin together: the next one if some of them rest until then, else the last one.
    strokes: [Nanos; 2],
    /// How many strokes have come since the cluster rested.
    vain: [u32; 2],
    resting: CpuMask,
    /// The CPUs that take jobs from the line.
    catching_up: CpuMask,
    line: Vec<Waiting>,
}

/// One who is due and waits for its CPU.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    number: u32,
    cpu: CpuId,
    job: Coming,
}

/// One whose timer will go off: where it will be woken, when, and what it will do if that is known.
struct Sleeper {
    cpu: CpuId,
    due: u64,
    job: Option<Coming>,
}

impl World<'_> {
    /// The timer of a task goes off.
    pub(super) fn timer(&mut self, number: u32) {
        let sleeper = self.sleeper(number, self.now);
        match sleeper.and_then(|sleeper| Some((sleeper.cpu, sleeper.job?))) {
            Some((cpu, job)) if self.holds_back(cpu) => self.rests.line.push(Waiting { number, cpu, job }),
            _ => self.wake(number, None),
        }
    }

    fn holds_back(&self, cpu: CpuId) -> bool {
        self.rests.resting.contains(cpu) || self.rests.catching_up.contains(cpu) && !self.idle().contains(cpu)
    }

    /// A CPU has fallen idle: it rests until the next stroke if all that will be due there can wait for it, else the stroke is put forward.
    pub(super) fn begin_rest(&mut self, cpu: CpuId) {
        if !self.setup.rests {
            return;
        }
        let (now, core) = (self.time(), self.plant.core(cpu));
        let sleepers = self.sleepers(core);
        let jobs = |of: &dyn Fn(&Sleeper) -> bool| -> Vec<Coming> {
            sleepers.iter().filter(|sleeper| of(sleeper)).filter_map(|sleeper| sleeper.job).collect()
        };
        let Some(period) = jobs(&|_| true).iter().map(|job| job.period).min() else { return };
        let (last, power) = (self.rests.strokes[core.index()], self.power_down_of(core));
        let stroke = if last > now { last } else { Beat { period, phase: last }.next(now) };
        let Some(rest) = rest::until(now, stroke, &jobs(&|sleeper| sleeper.cpu == cpu), &power) else { return };
        if last > now || power.pays(now, rest) {
            self.rests.resting.insert(cpu);
            if rest != last {
                self.rests.strokes[core.index()] = rest;
                self.agenda.plan(rest.as_nanos(), Event::Stroke(core));
            }
        }
    }

    /// The last CPU of a cluster has fallen idle.
    pub(super) fn consider_power_down(&mut self, core: CoreType) {
        let until = self.rests.strokes[core.index()].as_nanos();
        let wakes = |sleeper: &Sleeper| match sleeper.job {
            Some(_) if self.rests.resting.contains(sleeper.cpu) => sleeper.due.max(until),
            _ => sleeper.due,
        };
        let next = self.sleepers(core).iter().map(wakes).min().unwrap_or(u64::MAX);
        let (generation, power) = (self.clusters[core.index()].generation, self.power_down_of(core));
        if power.pays(self.time(), Nanos::new(next)) {
            self.power_down(core, generation);
        } else {
            // Whoever is due may be woken elsewhere.
            self.agenda.plan(self.now + power.residency.as_nanos(), Event::Reconsider(core, generation));
        }
    }

    pub(super) fn reconsider_power_down(&mut self, core: CoreType, generation: u64) {
        let cluster = &self.clusters[core.index()];
        if cluster.busy_cpus() == 0 && cluster.generation == generation {
            self.consider_power_down(core);
        }
    }

    fn power_down_of(&self, core: CoreType) -> PowerDown {
        let costs = &self.plant.costs;
        let [exit, residency] = [costs.power_up, costs.residency].map(|times| Nanos::new(times[core.index()]));
        PowerDown { exit, residency }
    }

    /// Those that will be woken on a cluster.
    fn sleepers(&self, core: CoreType) -> Vec<Sleeper> {
        let timers = (0..).zip(&self.timers).filter_map(|(number, due)| self.sleeper(number, (*due)?));
        timers.filter(|sleeper| self.plant.core(sleeper.cpu) == core).collect()
    }

    fn sleeper(&self, number: u32, due: u64) -> Option<Sleeper> {
        let task = &self.parked[number as usize].as_ref()?.0;
        let plan = self.govern.plan();
        let home = plan.home(task.id).filter(|_| self.setup.plans() && plan.is_feasible());
        let known = home.filter(|_| self.setup.rests).zip(task.signals.rhythm().period());
        let job = known.map(|(home, period)| {
            let cluster = self.energy.cluster(self.plant.core(home.cpu));
            let speed = plan.level(cluster.core).map_or(Rate::FULL, |level| cluster.level(level).speed);
            let longest = (task.signals.rhythm().longest_job().as_nanos() << 14) / u64::from(speed.get());
            // No less than a job has taken, whatever is reserved.
            let span = Nanos::new(longest.max((u64::from(home.share) * period.as_nanos()) >> 14));
            Coming { release: Nanos::new(due), period, span }
        });
        Some(Sleeper { cpu: home.map_or(task.cpu, |home| home.cpu), due, job })
    }

    /// The stroke has come, unless it was put forward. If several have come without a rest of the whole cluster, others are tried: of two CPUs
    /// each may be at work when the other one rests.
    pub(super) fn stroke(&mut self, core: CoreType) {
        if self.rests.strokes[core.index()] == self.time() {
            let vain = &mut self.rests.vain[core.index()];
            *vain = if self.clusters[core.index()].powered { *vain + 1 } else { 0 };
            if *vain == VAIN {
                *vain = 0;
                self.rests.strokes[core.index()] = self.time().saturating_sub(self.power_down_of(core).residency);
            }
            self.end_rest(core);
        }
    }

    /// The CPUs of a cluster begin with those that are in line.
    pub(super) fn end_rest(&mut self, core: CoreType) {
        let cpus = self.plant.cluster(core);
        self.rests.resting = self.rests.resting & !cpus;
        let in_line: CpuMask = self.rests.line.iter().map(|waiting| waiting.cpu).collect();
        self.rests.catching_up = self.rests.catching_up | in_line & cpus;
        for cpu in (in_line & cpus).iter() {
            // The first one to wake up has woken the cluster, and with it the others. A job may have another home by now.
            while self.idle().contains(cpu) && self.next_in_line(cpu) {}
        }
    }

    /// A CPU has nothing to do: it takes the next job in line. Whether there was one.
    pub(super) fn next_in_line(&mut self, cpu: CpuId) -> bool {
        let here = self.rests.line.iter().enumerate().filter(|(_, waiting)| waiting.cpu == cpu);
        let Some((position, _)) = here.min_by_key(|(_, waiting)| waiting.job.deadline()) else {
            self.rests.catching_up.remove(cpu);
            return false;
        };
        let Waiting { number, .. } = self.rests.line.swap_remove(position);
        self.wake(number, None);
        true
    }

    /// Whoever would be late if it stood in line for another tick goes to its CPU whatever runs there.
    pub(super) fn dissolve_line(&mut self, cpu: CpuId) {
        let soon = Nanos::new(self.now + TICK);
        let urgent = |waiting: &mut Waiting| waiting.cpu == cpu && waiting.job.latest() < soon;
        let urgent: Vec<Waiting> = self.rests.line.extract_if(.., urgent).collect();
        urgent.iter().for_each(|waiting| self.wake(waiting.number, None));
    }
}
