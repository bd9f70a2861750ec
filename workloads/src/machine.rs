//! What a benchmark wants to know about the machine it runs on.

use abi::system;
use abi::types::{Goal, Governor, MAX_CPUS, Plant, Policy, SystemInfo};

use crate::order;

/// The kernel's description of the machine, with the questions that benchmarks ask.
#[derive(Clone, Copy, Debug)]
pub struct Machine(pub SystemInfo);

impl Machine {
    /// Asks the kernel, and whether somebody chose the policy since boot.
    pub fn read() -> Machine {
        let info = system::info().expect("the kernel can always write to a live variable of its caller");
        Machine(SystemInfo { policy_chosen: info.policy_chosen | u32::from(order::policy_chosen()), ..info })
    }

    /// CPUs that are online.
    pub const fn cpus(&self) -> usize {
        self.0.online.count_ones() as usize
    }

    /// CPUs of the big kind that are online.
    pub const fn big_cpus(&self) -> usize {
        (self.0.online & self.0.big).count_ones() as usize
    }

    /// The online CPUs, lowest first.
    pub fn online(&self) -> impl Iterator<Item = usize> + use<> {
        let mask = self.0.online;
        (0..MAX_CPUS).filter(move |cpu| mask & (1 << cpu) != 0)
    }

    /// The capacities of the online CPUs; 0 for the others.
    pub fn capacities(&self) -> [u32; MAX_CPUS] {
        let mut capacities = [0; MAX_CPUS];
        for cpu in self.online() {
            capacities[cpu] = self.0.capacity[cpu];
        }
        capacities
    }

    /// The lowest of the largest online CPUs: where work is measured alone. It is a LITTLE one where no big one came.
    pub fn reference_cpu(&self) -> usize {
        let capacities = self.capacities();
        let largest = capacities.iter().copied().max().unwrap_or(0);
        capacities.iter().position(|&capacity| capacity == largest).unwrap_or(0)
    }

    /// What people call the kind of a CPU.
    pub const fn kind_of(&self, cpu: usize) -> &'static str {
        if self.0.big >> cpu & 1 == 1 { "big" } else { "LITTLE" }
    }

    /// An online CPU other than this one, of the same capacity where there is one.
    pub fn neighbour_of(&self, cpu: usize) -> Option<usize> {
        let others = || self.online().filter(|&other| other != cpu);
        others().find(|&other| self.0.capacity[other] == self.0.capacity[cpu]).or_else(|| others().next())
    }

    /// Slots of the emulated pace; a task gets at most this fraction of a CPU's time.
    pub const fn slots(&self) -> u64 {
        if self.0.pace_slots == 0 { 1 } else { self.0.pace_slots as u64 }
    }

    /// Whether time division makes some cores slow.
    pub const fn paced(&self) -> bool {
        self.0.pace_slots > 1
    }

    /// The word for the key `pace` that every `BENCH` line carries.
    pub const fn pace(&self) -> &'static str {
        if self.paced() { "emulated" } else { "off" }
    }

    /// The word for the key `plant`: whether clocks, power and heat are real.
    pub fn plant(&self) -> &'static str {
        Plant::from_number(self.0.plant).map_or("unknown", Plant::name)
    }

    /// The word for the key `governor`; without a plant there is none.
    pub fn governor(&self) -> &'static str {
        match Governor::from_number(self.0.governor) {
            Some(governor) if self.0.plant != 0 => governor.name(),
            _ => "none",
        }
    }

    /// Policy and goal in force when this was read.
    pub fn rule(&self) -> (Policy, Goal) {
        let policy =
            Policy::from_number(self.0.policy).expect("the kernel reports only policies of its own vocabulary");
        let goal = Goal::from_number(self.0.goal).expect("the kernel reports only goals of its own vocabulary");
        (policy, goal)
    }
}
