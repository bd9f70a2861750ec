//! What a file may hold.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// What it shows, in a sentence.
    pub about: Option<String>,
    /// The class of work of tasks that do not say their own, and of the idle power: a name of
    /// `soc::exynos5422::PROFILES`.
    pub profile: Option<Spanned<String>>,
    /// How long to run; without it, until all tasks have ended.
    pub duration: Option<Spanned<String>>,
    /// What chance begins with.
    pub seed: Option<u64>,
    /// The CPUs that came up; all, if it is not there.
    pub cpus: Option<Spanned<Vec<usize>>>,
    /// "none", "gated", "sleeps" (off while no timer is due, as far as that pays), or for how long an idle cluster
    /// keeps its power: "20 ms".
    pub idle: Option<Spanned<String>>,
    /// Times that differ from the usual ones: switch, call, near, far, interrupt, clock.
    pub costs: Option<BTreeMap<Spanned<String>, Spanned<String>>>,
    /// The setups to compare, as on the command line.
    pub compare: Option<Vec<Spanned<String>>>,
    /// A benchmark as in the boot arguments of the kernel, whose tasks come first.
    pub bench: Option<Spanned<String>>,
    /// The surroundings; without them heat is not simulated.
    pub heat: Option<HeatTable>,
    /// The tasks.
    #[serde(default)]
    pub task: Vec<TaskTable>,
}

/// The surroundings.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeatTable {
    /// Of the air, in degrees.
    pub ambient: Option<Spanned<f64>>,
    /// Of the whole chip at the start.
    pub start: Option<Spanned<f64>>,
    /// Level of the fan; by the trips of the board if it is not there.
    pub fan: Option<Spanned<usize>>,
    /// Deviation of what sensors show, in degrees.
    pub noise: Option<Spanned<f64>>,
    /// What happens.
    #[serde(default)]
    pub event: Vec<HeatEvent>,
}

/// One thing that happens at a time: the air, the fan, or a sensor that shows a temperature, is silent, or is well
/// again.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeatEvent {
    pub at: Spanned<String>,
    pub ambient: Option<Spanned<f64>>,
    pub fan: Option<Spanned<usize>>,
    pub sensor: Option<Spanned<usize>>,
    pub shows: Option<Spanned<f64>>,
    pub silent: Option<bool>,
}

/// Tasks that are alike.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskTable {
    pub name: Spanned<String>,
    /// How many; 1 if it is not there.
    pub count: Option<Spanned<u32>>,
    pub class: Option<Spanned<String>>,
    pub cpus: Option<Spanned<Vec<usize>>>,
    pub nice: Option<Spanned<i8>>,
    /// Least and greatest utilisation to plan with, of 1024.
    pub clamp: Option<Spanned<[u32; 2]>>,
    /// When it begins.
    pub start: Option<Spanned<String>>,
    /// Work of each job, in time of the fastest CPU at its top; of the CPU of that number, if `reference` is there.
    pub run: Spanned<String>,
    pub reference: Option<Spanned<usize>>,
    /// From job to job, by the clock; without it one job follows the other.
    pub every: Option<Spanned<String>>,
    /// Sleep after each job.
    pub sleep: Option<Spanned<String>>,
    /// How many jobs; without it, one if there is no period and no sleep, else for ever.
    pub jobs: Option<Spanned<u32>>,
    /// Whether instances begin at random times within a period.
    #[serde(default)]
    pub scattered: bool,
}
