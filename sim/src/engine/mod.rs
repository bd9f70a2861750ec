//! The machine in motion: discrete events over the linked policy.
//!
//! Only physics is here: who works how fast, what that draws, what takes time. Every decision is asked of crate `sched`,
//! in the order in which the kernel asks (kernel/core: `dispatch.rs`, `moves.rs`), and is checked as there: a verdict that
//! breaks a rule is counted as refused and not carried out.
//!
//! ```text
//!   Agenda ── Spawn, Wake ──▶ place ──▶ a queue ── Reschedule ──▶ settle: pick, do steps until one takes time
//!          ── StepDone ─────▶ settle                                 │ none left: on_idle
//!          ── Tick ─────────▶ account, on_tick, should_preempt       ▼
//!          ── Govern, Heat ─▶ the slow loop                    the CPU idles without a tick
//! ```

mod clock;
mod cpu;
mod finish;
mod heat;
mod mind;
mod moves;
mod rest;
mod steps;
mod view;
mod work;

use sched::{CapacityTable, CpuId, CpuMask, Demand, Energy, Govern, Governor, Hints, MilliCelsius, Nanos, Pressure};

use crate::event::{Agenda, Event};
use crate::heat::Disturbance;
use crate::outcome::{Counts, EnergyUse, Outcome, Record};
use crate::plant::Plant;
use crate::scenario::Scenario;
use crate::setup::Setup;
use crate::sync::Objects;
use crate::task::{Task, TaskSpec, TaskStatistics, Token};
use clock::Cluster;
use cpu::Cpu;
use heat::Warmth;
use mind::Presence;
use rest::Rests;

/// The time between two ticks of a busy CPU.
pub(crate) const TICK: u64 = 1_000_000;

/// A machine with its tasks.
pub struct World<'a> {
    plant: &'a Plant,
    specs: &'a [TaskSpec],
    setup: &'a Setup,
    now: u64,
    agenda: Agenda,
    cpus: Vec<Cpu>,
    clusters: [Cluster; 2],
    /// Tasks that wait for time or for each other, by number.
    parked: Vec<Option<Token>>,
    /// When those are due that wait for time, by number.
    timers: Vec<Option<u64>>,
    rests: Rests,
    /// What the tasks have come to, by number.
    books: Vec<TaskStatistics>,
    objects: Objects,
    /// What the policy believes of the machine.
    capacities: CapacityTable,
    energy: Energy,
    /// What the tasks publish for it.
    hints: Vec<Hints>,
    demands: Vec<Option<Demand>>,
    presence: Vec<Presence>,
    governors: [Governor; 2],
    govern: Govern,
    /// When measuring began, and what had been drawn then.
    begin: u64,
    energy_before: EnergyUse,
    hottest: f64,
    /// The most that a plan took.
    effort: u32,
    warmth: Option<Warmth>,
    pressures: [Pressure; 2],
    /// How far each CPU is below the limit of heat, as far as the policy knows.
    rooms: Vec<Option<MilliCelsius>>,
    disturbances: &'a [(Nanos, Disturbance)],
    /// CPUs that heat keeps empty.
    closed: CpuMask,
    /// Awaited tasks that have not ended.
    awaited: usize,
    counts: Counts,
    record: Record,
}

/// Runs a scenario under a set of policies.
#[must_use]
pub fn run(scenario: &Scenario, setup: &Setup) -> Outcome {
    World::new(scenario, setup).run(scenario.duration)
}

impl<'a> World<'a> {
    fn new(scenario: &'a Scenario, setup: &'a Setup) -> Self {
        let plant = &scenario.plant;
        let believed = setup.machine(plant);
        let capacities = CapacityTable::new(believed, plant.present);
        let mut energy = Energy::new(believed, plant.present, setup.profile(plant), setup.idle_cost(plant));
        energy.restless = if setup.rests { rest::RESTLESS } else { 0 };
        let count = scenario.tasks.len();
        let mut world = Self {
            plant,
            specs: &scenario.tasks,
            setup,
            now: 0,
            agenda: Agenda::default(),
            cpus: (0..plant.machine.cpus.len()).map(|cpu| Cpu::new(CpuId::new(cpu), plant)).collect(),
            clusters: sched::CoreType::BOTH.map(|core| Cluster::new(plant, core)),
            parked: (0..count).map(|_| None).collect(),
            timers: vec![None; count],
            rests: Rests::default(),
            books: vec![TaskStatistics::default(); count],
            objects: scenario.objects.clone(),
            capacities,
            energy,
            hints: vec![Hints::default(); count],
            demands: vec![None; count],
            presence: vec![Presence::default(); count],
            governors: sched::CoreType::BOTH.map(|core| setup.governor(plant, core)),
            govern: Govern::new(),
            begin: 0,
            energy_before: EnergyUse::default(),
            hottest: 0.0,
            effort: 0,
            warmth: None,
            pressures: heat::pressures(setup),
            rooms: vec![None; plant.machine.cpus.len()],
            disturbances: &scenario.disturbances,
            closed: CpuMask::EMPTY,
            awaited: scenario.tasks.iter().filter(|task| task.awaited).count(),
            counts: Counts::default(),
            record: Record::new(setup.record),
        };
        for (number, task) in (0..).zip(&scenario.tasks) {
            world.agenda.plan(task.start, Event::Spawn(number));
        }
        world.start_clocks();
        world.warmth = Warmth::new(scenario, setup, &world.energy);
        world.start_heat(scenario);
        if setup.plans() {
            world.agenda.plan(mind::SLOW_LOOP, Event::Govern);
        }
        if scenario.warm_up > Nanos::ZERO {
            world.agenda.plan(scenario.warm_up.as_nanos(), Event::BeginMeasuring);
        }
        world
    }

    fn run(mut self, duration: Option<Nanos>) -> Outcome {
        let limit = duration.map_or(u64::MAX, Nanos::as_nanos);
        while let Some((time, event)) = self.agenda.next() {
            if time > limit || (self.awaited == 0 && duration.is_none()) {
                break;
            }
            self.now = time;
            self.handle(event);
        }
        if duration.is_some() {
            self.now = limit;
        }
        self.finish()
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Spawn(task) => self.spawn(task),
            Event::Wake(task) => self.timer(task),
            Event::StepDone(cpu, generation) => self.step_done(cpu, generation),
            Event::PartDone(cpu, generation) => self.part_done(cpu, generation),
            Event::Reschedule(cpu) => self.reschedule(cpu),
            Event::Tick(cpu) => self.tick(cpu),
            Event::ClockSettled(core) => self.clock_settled(core),
            Event::Govern => self.slow_loop(),
            Event::Heat => self.heat_flows(),
            Event::Disturb(number) => self.disturb(number),
            Event::BeginMeasuring => self.begin_measuring(),
            Event::PowerDown(core, generation) => self.power_down(core, generation),
            Event::Reconsider(core, generation) => self.reconsider_power_down(core, generation),
            Event::Stroke(core) => self.stroke(core),
        }
    }

    fn spawn(&mut self, number: u32) {
        let boot = self.plant.present.first().unwrap_or(CpuId::new(0));
        let task = Task::new(number, &self.specs[number as usize], boot, self.now);
        self.books[number as usize].start = self.now;
        self.parked[number as usize] = Some(Token(Box::new(task)));
        self.wake(number, None);
    }

    fn time(&self) -> Nanos {
        Nanos::new(self.now)
    }
}
