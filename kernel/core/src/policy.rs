//! The policy in force: a value that can be exchanged while the system runs, in one atomic word.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use abi::types;
use sched::{Goal, GovernorKind, Policy, PolicyKind};

/// Holds the policy.
pub struct PolicyCell(AtomicU32);

impl PolicyCell {
    /// The policy of a system that has not read its boot arguments.
    pub const fn new() -> PolicyCell {
        PolicyCell(AtomicU32::new(0))
    }

    /// Exchanges it; every CPU uses it from its next decision on.
    pub fn set(&self, policy: Policy) {
        self.0.store(pack(policy), Relaxed);
    }

    /// The policy in force.
    #[inline]
    pub fn get(&self) -> Policy {
        let word = self.0.load(Relaxed);
        Policy { kind: kind_of(word >> 8), goal: goal_of(word & 0xff) }
    }
}

impl Default for PolicyCell {
    fn default() -> Self {
        PolicyCell::new()
    }
}

/// The policy that a task named by two numbers of the system-call interface.
pub fn from_numbers(policy: u32, goal: u32) -> Option<Policy> {
    types::Policy::from_number(policy)?;
    types::Goal::from_number(goal)?;
    Some(Policy { kind: kind_of(policy), goal: goal_of(goal) })
}

/// The numbers of a policy in the system-call interface.
pub const fn to_numbers(policy: Policy) -> (u32, u32) {
    let kind = match policy.kind {
        PolicyKind::Pinned => types::Policy::Pinned,
        PolicyKind::Pull => types::Policy::Pull,
        PolicyKind::Gear => types::Policy::Gear,
        PolicyKind::Eas => types::Policy::Eas,
        PolicyKind::Walt => types::Policy::Walt,
    };
    let goal = match policy.goal {
        Goal::Mean => types::Goal::Mean,
        Goal::Makespan => types::Goal::Makespan,
        Goal::Energy => types::Goal::Energy,
    };
    (kind as u32, goal as u32)
}

/// The number of a governor in the system-call interface.
pub const fn governor_number(kind: GovernorKind) -> u32 {
    let governor = match kind {
        GovernorKind::Performance => types::Governor::Performance,
        GovernorKind::Powersave => types::Governor::Powersave,
        GovernorKind::Schedutil => types::Governor::Schedutil,
        GovernorKind::Planner => types::Governor::Planner,
    };
    governor as u32
}

fn pack(policy: Policy) -> u32 {
    let (kind, goal) = to_numbers(policy);
    kind << 8 | goal
}

/// By their numbers: every decision begins here, and to look up costs less than to compare.
const KINDS: [PolicyKind; 5] =
    [PolicyKind::Pinned, PolicyKind::Pull, PolicyKind::Gear, PolicyKind::Eas, PolicyKind::Walt];
const GOALS: [Goal; 3] = [Goal::Mean, Goal::Makespan, Goal::Energy];

#[inline]
fn kind_of(number: u32) -> PolicyKind {
    KINDS.get(number as usize).copied().unwrap_or(PolicyKind::Gear)
}

#[inline]
fn goal_of(number: u32) -> Goal {
    GOALS.get(number as usize).copied().unwrap_or(Goal::Mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_words_say_the_same() {
        for (kind, goal) in KINDS.into_iter().flat_map(|kind| GOALS.map(|goal| (kind, goal))) {
            let policy = Policy { kind, goal };
            let (kind, goal) = to_numbers(policy);
            assert_eq!(from_numbers(kind, goal), Some(policy));
            let cell = PolicyCell::new();
            cell.set(policy);
            assert_eq!(cell.get(), policy);
        }
        assert_eq!(from_numbers(KINDS.len() as u32, 0), None);
        assert_eq!(from_numbers(0, GOALS.len() as u32), None);
    }
}
