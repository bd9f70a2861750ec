//! What the machine physically is: how fast it works and what it draws, class of work by class of work.

use sched::{CoreType, CpuId, CpuMask, Machine, Profile};
use soc::exynos5422;

/// When a clocked cluster without work draws its idle power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdlePower {
    /// It draws none: only work costs.
    None,
    /// Until it has been idle for so long that its power is switched off, in nanoseconds; it takes time to come back.
    Lingers(u64),
    /// Its power is switched off at once when its last CPU falls idle, if no timer is due before that pays; it takes
    /// time to come back.
    Sleeps,
    /// Only while one of its CPUs works: power comes and goes at once, the best that hardware could do.
    Gated,
}

/// What it costs to do something besides the work, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// From one task to another on one CPU.
    pub switch: u64,
    /// Into the kernel and out again, for what a task asks of it.
    pub call: u64,
    /// The first run after a move inside a cluster: the first-level cache is cold.
    pub near: u64,
    /// The first run after a move to the other cluster: both levels are.
    pub far: u64,
    /// From the wish that another CPU looks up to that.
    pub interrupt: u64,
    /// From a request to a stable clock.
    pub clock: u64,
    /// From the first interrupt to a cluster that was switched off to its first instruction: big, LITTLE.
    pub power_up: [u64; 2],
    /// For how long a cluster must be off to be worth it: big, LITTLE.
    pub residency: [u64; 2],
}

impl Costs {
    /// Nothing costs anything: for comparisons with bounds.
    pub const NONE: Self =
        Self { switch: 0, call: 0, near: 0, far: 0, interrupt: 0, clock: 0, power_up: [0, 0], residency: [0, 0] };
}

impl Default for Costs {
    /// The move is that of ARM's big.LITTLE white paper (20 000 cycles) and the refill of a first-level cache; the
    /// clock is `clock-latency` of the device tree; power goes and comes back as `drivers/cpuidle/cpuidle-big_little.c`
    /// of Linux says.
    fn default() -> Self {
        let off = exynos5422::CLUSTER_OFF;
        Self {
            switch: 2_000,
            call: 1_000,
            near: 20_000,
            far: 50_000,
            interrupt: 2_000,
            clock: 140_000,
            power_up: off.map(|off| off.exit.as_nanos()),
            residency: off.map(|off| off.residency.as_nanos()),
        }
    }
}

/// The machine.
#[derive(Clone, Debug)]
pub struct Plant {
    /// Its CPUs and operating points.
    pub machine: &'static Machine,
    /// The CPUs that came up.
    pub present: CpuMask,
    /// The classes of work that its tasks do; the first one's idle power is the machine's.
    pub classes: Vec<&'static Profile>,
    /// When idle power is paid.
    pub idle: IdlePower,
    /// What else takes time.
    pub costs: Costs,
}

impl Plant {
    /// The Odroid XU4, all CPUs, with work of one class.
    #[must_use]
    pub fn odroid(profile: &'static Profile) -> Self {
        Self {
            machine: &exynos5422::MACHINE,
            present: CpuMask::first_n(exynos5422::MACHINE.cpus.len()),
            classes: vec![profile],
            idle: IdlePower::None,
            costs: Costs::default(),
        }
    }

    /// The kind of a CPU.
    #[must_use]
    pub fn core(&self, cpu: CpuId) -> CoreType {
        self.machine.cpus[cpu.index()].kind.core
    }

    /// The CPUs of one kind that are present.
    #[must_use]
    pub fn cluster(&self, core: CoreType) -> CpuMask {
        self.present.iter().filter(|&cpu| self.core(cpu) == core).collect()
    }

    /// How many operating points the kind has.
    #[must_use]
    pub fn levels(&self, core: CoreType) -> usize {
        self.classes[0].points(core).len()
    }

    /// Work per nanosecond, in the unit of [`sched::Rate`].
    #[inline]
    #[must_use]
    pub fn speed(&self, class: usize, core: CoreType, level: usize) -> u64 {
        u64::from(self.classes[class].points(core)[level].speed.get())
    }

    /// What a CPU takes that does work of this class, in microwatts beyond the idle cluster.
    #[inline]
    #[must_use]
    pub fn busy_power(&self, class: usize, core: CoreType, level: usize) -> u64 {
        u64::from(self.classes[class].points(core)[level].busy.get())
    }

    /// What the clocked cluster takes whatever its CPUs do, in microwatts.
    #[must_use]
    pub fn idle_power(&self, core: CoreType, level: usize) -> u64 {
        match self.idle {
            IdlePower::None => 0,
            IdlePower::Lingers(_) | IdlePower::Sleeps | IdlePower::Gated => {
                u64::from(self.classes[0].idle(core)[level].get())
            }
        }
    }

    /// The number of the class of that name, which is added if need be.
    #[must_use]
    pub fn class(&mut self, profile: &'static Profile) -> usize {
        let known = self.classes.iter().position(|class| class.name == profile.name);
        known.unwrap_or_else(|| {
            self.classes.push(profile);
            self.classes.len() - 1
        })
    }
}

fn known() -> impl Iterator<Item = &'static Profile> {
    exynos5422::PROFILES.into_iter().chain(exynos5422::LEAKY)
}

/// The profile of that name.
#[must_use]
pub fn profile(name: &str) -> Option<&'static Profile> {
    known().find(|profile| profile.name == name)
}

/// The names of all profiles, for messages.
#[must_use]
pub fn profile_names() -> String {
    known().map(|profile| profile.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_odroid() {
        let plant = Plant::odroid(profile("looper").expect("soc has it"));
        assert_eq!((plant.levels(CoreType::Big), plant.levels(CoreType::Little)), (19, 13));
        assert_eq!(plant.cluster(CoreType::Big).bits(), 0xf0);
        assert_eq!(plant.speed(0, CoreType::Big, 18), 1 << 14);
        assert!(profile("nonsense").is_none() && profile_names().contains("hash"));
    }
}
