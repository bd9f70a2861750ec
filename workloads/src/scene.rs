//! The frame of a benchmark: what was in force, what the machine drew meanwhile, how it is labelled.

use core::fmt;

use abi::types::{Climate, Statistics};
use abi::{clock, println, system};

use crate::decimal::Decimal;
use crate::init::Outcome;
use crate::machine::Machine;

/// Says why a benchmark could not go on.
pub fn refused(name: &str, error: abi::Error) -> Outcome {
    println!("{name}: a system call was refused ({error:?})");
    Outcome::Failed
}

/// The keys that every `BENCH` line carries: policy, goal, governor, pace, plant.
pub struct Labels<'a>(pub &'a Machine);

impl fmt::Display for Labels<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let machine = self.0;
        let (policy, goal) = machine.rule();
        write!(
            formatter,
            "policy={} goal={} governor={} pace={} plant={}",
            policy.name(),
            goal.name(),
            machine.governor(),
            machine.pace(),
            machine.plant()
        )
    }
}

/// The machine at the beginning of a measurement.
pub struct Scene {
    begin: u64,
    climate: Climate,
}

impl Scene {
    /// Begins now.
    ///
    /// # Errors
    /// When a system call is refused.
    pub fn begin() -> abi::Result<Scene> {
        Ok(Scene { begin: clock::now(), climate: system::climate()? })
    }

    /// Ends now.
    ///
    /// # Errors
    /// When a system call is refused.
    pub fn end(&self) -> abi::Result<Drawn> {
        let climate = system::climate()?;
        let before = &self.climate;
        let changes = |cluster: usize| climate.clock_changes[cluster].wrapping_sub(before.clock_changes[cluster]);
        Ok(Drawn {
            elapsed: clock::now() - self.begin,
            microjoules: climate.energy_uj - before.energy_uj,
            changes: changes(0) + changes(1),
            plans: climate.plans.wrapping_sub(before.plans),
            temperature: climate.temperature_mc,
        })
    }
}

/// What happened in between. Printed as the keys that stand at the end of a `BENCH` line.
pub struct Drawn {
    /// Nanoseconds.
    pub elapsed: u64,
    /// All clusters, idle included; 0 without a plant. By the price list: no board has a meter.
    pub microjoules: u64,
    /// Changes of clocks.
    pub changes: u32,
    /// Plans made.
    pub plans: u32,
    /// The hottest sensor at the end, in thousandths of a degree.
    pub temperature: i32,
}

impl Drawn {
    /// The mean power in milliwatts: the same however slow the machine is that stands for the chip.
    pub fn milliwatts(&self) -> u64 {
        self.microjoules * 1_000_000 / self.elapsed.max(1)
    }
}

impl fmt::Display for Drawn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "time_ms={} energy_mj={} power_mw={} energy_from=prices clock_changes={} plans={} temperature_mc={}",
            Decimal::milliseconds(self.elapsed),
            Decimal::ratio(self.microjoules, 1_000),
            self.milliwatts(),
            self.changes,
            self.plans,
            self.temperature
        )
    }
}

/// The calling task's moves, if it may ask.
pub fn moves() -> u32 {
    abi::task::current().statistics().map_or(0, |Statistics { migrations, .. }| migrations)
}
