//! A machine and the tasks that it is given.

use std::rc::Rc;

use sched::{CpuMask, Nanos};

use crate::heat::{Disturbance, Surroundings};
use crate::plant::Plant;
use crate::program::{Program, Step};
use crate::sync::{Barrier, Channel, Lock, Objects};
use crate::task::{MOST_TASKS, TaskSpec};

/// What is simulated.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its name in reports.
    pub name: String,
    /// What it shows, in a sentence.
    pub about: String,
    /// The machine.
    pub plant: Plant,
    /// The tasks.
    pub tasks: Vec<TaskSpec>,
    /// How long it is run; without it, until all awaited tasks have ended.
    pub duration: Option<Nanos>,
    /// How long it runs before it is measured.
    pub warm_up: Nanos,
    /// What chance begins with.
    pub seed: u64,
    /// The surroundings, if heat is simulated.
    pub heat: Option<Surroundings>,
    /// What happens from outside, and when.
    pub disturbances: Vec<(Nanos, Disturbance)>,
    pub(crate) objects: Objects,
}

impl Scenario {
    /// A scenario without tasks.
    #[must_use]
    pub fn new(name: &str, plant: Plant) -> Self {
        Self {
            name: name.to_owned(),
            about: String::new(),
            plant,
            tasks: Vec::new(),
            duration: None,
            warm_up: Nanos::ZERO,
            seed: 1,
            heat: None,
            disturbances: Vec::new(),
            objects: Objects::default(),
        }
    }

    /// Adds tasks that are alike.
    #[must_use]
    pub fn tasks(mut self, count: usize, spec: &TaskSpec) -> Self {
        self.tasks.extend((0..count).map(|_| TaskSpec { program: Rc::clone(&spec.program), ..spec.clone() }));
        self
    }

    /// Whether there is room for so many tasks.
    ///
    /// # Errors
    /// Says what was expected.
    pub(crate) fn limit_tasks(count: usize) -> Result<(), String> {
        if count > MOST_TASKS { Err(format!("expected at most {MOST_TASKS} tasks, found {count}")) } else { Ok(()) }
    }

    /// Runs for a time, whatever has ended.
    #[must_use]
    pub fn lasting(mut self, duration: Nanos) -> Self {
        self.duration = Some(duration);
        self
    }

    /// Measures only what comes after this time.
    #[must_use]
    pub fn warming_up(mut self, time: Nanos) -> Self {
        self.warm_up = time;
        self
    }

    /// All tasks are created on these CPUs, whatever the policy says; from then on it decides.
    #[must_use]
    pub fn born_on(mut self, cpus: CpuMask) -> Self {
        self.tasks.iter_mut().for_each(|task| task.cradle = cpus);
        self
    }

    /// A new channel with room for so many messages; its number.
    pub fn channel(&mut self, room: u32) -> usize {
        self.objects.channels.push(Channel::new(room));
        self.objects.channels.len() - 1
    }

    /// A new lock; its number.
    pub fn lock(&mut self) -> usize {
        self.objects.locks.push(Lock::default());
        self.objects.locks.len() - 1
    }

    /// A new condition; its number.
    pub fn condition(&mut self) -> usize {
        self.objects.conditions.push(std::collections::VecDeque::new());
        self.objects.conditions.len() - 1
    }

    /// A new barrier for so many tasks; its number.
    pub fn barrier(&mut self, parties: u32) -> usize {
        self.objects.barriers.push(Barrier { parties, waiters: Vec::new() });
        self.objects.barriers.len() - 1
    }

    /// Counts `count` tasks that run `program` as parties of the barriers in it.
    pub(crate) fn count_parties(&mut self, program: &Program, count: u32) {
        for (number, barrier) in self.objects.barriers.iter_mut().enumerate() {
            if program.steps().contains(&Step::Barrier(number)) {
                barrier.parties += count;
            }
        }
    }
}
