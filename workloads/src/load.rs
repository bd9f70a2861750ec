//! Work of a known size: what every load generator here is made of.
//!
//! Work is counted in units of equal instruction paths, never by watching a clock: a generator that runs until a time
//! has passed does more work on a fast core than on a slow one, and none of its own when it was interrupted. How long a
//! unit takes is measured once a boot, alone on the fastest core at its highest clock, in time of its own code; a
//! second measurement shows how well what is asked for is met.

use core::hint::black_box;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use abi::crew::Crew;
use abi::types::{Goal, Policy};
use abi::{println, system, task};

use crate::decimal::Decimal;
use crate::machine::Machine;

/// Rounds of one unit: about a microsecond.
const ROUNDS: u32 = 250;
/// What is measured.
const PROBE: u32 = 20_000;
/// A generator that is off by more than this part, in 1/1000, is no generator.
const TOLERANCE: u64 = 20;

static UNITS: AtomicU32 = AtomicU32::new(0);
static TOOK: AtomicU64 = AtomicU64::new(0);
/// Time of [`PROBE`] units in nanoseconds; 0 until it was measured.
static PACE: AtomicU64 = AtomicU64::new(0);

/// The conversion from time on a big core at its highest clock to units.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    nanoseconds: u64,
}

impl Load {
    /// Measures it, or takes what was measured before. `None` when the generator does not do what it is asked for; it
    /// has said so.
    ///
    /// # Errors
    /// When a system call is refused.
    pub fn measure(machine: &Machine) -> abi::Result<Option<Load>> {
        let known = PACE.load(Ordering::Relaxed);
        if known > 0 {
            return Ok(Some(Load { nanoseconds: known }));
        }
        let (policy, goal) = machine.rule();
        // Under this goal the clocks are at the top.
        system::set_policy(Policy::Gear, Goal::Makespan)?;
        // They take some milliseconds to get there.
        alone(PROBE, machine)?;
        let load = Load { nanoseconds: alone(PROBE, machine)?.max(1) };
        let asked = 5_000_000;
        let achieved = alone(load.units(asked), machine)?;
        system::set_policy(policy, goal)?;
        let off = achieved.abs_diff(asked) * 1_000 / asked;
        println!(
            "LOAD asked_ms={} achieved_ms={} pace={}",
            Decimal::milliseconds(asked),
            Decimal::milliseconds(achieved),
            machine.pace()
        );
        // On a clock that is the host's anything may come between.
        if off > TOLERANCE && machine.paced() {
            println!("load: off by {off} per mille, at most {TOLERANCE} are allowed");
            return Ok(None);
        }
        PACE.store(load.nanoseconds, Ordering::Relaxed);
        Ok(Some(load))
    }

    /// The units that take this long, in nanoseconds, on a big core at its highest clock.
    pub fn units(&self, nanoseconds: u64) -> u32 {
        (nanoseconds * u64::from(PROBE) / self.nanoseconds).clamp(1, u64::from(u32::MAX)) as u32
    }

    /// The time of so many units there.
    pub fn nanoseconds(&self, units: u64) -> u64 {
        units * self.nanoseconds / u64::from(PROBE)
    }
}

/// The time in its own code of a task that does `units` alone on the reference CPU, in nanoseconds.
fn alone(units: u32, machine: &Machine) -> abi::Result<u64> {
    UNITS.store(units, Ordering::Relaxed);
    let mut crew = Crew::<1>::new();
    crew.start(1 << machine.reference_cpu(), probe, 0)?;
    crew.wait()?;
    Ok(TOOK.load(Ordering::Acquire))
}

fn probe(_: usize) {
    let own = || task::current().statistics().map_or(0, |statistics| statistics.user_ns);
    let before = own();
    burn(UNITS.load(Ordering::Relaxed));
    TOOK.store(own() - before, Ordering::Release);
}

/// Does `units` units of integer work in registers.
pub fn burn(units: u32) {
    let mut state = black_box(1_u32);
    for _ in 0..units {
        for _ in 0..ROUNDS {
            // The linear congruential step of Numerical Recipes, 2nd edition, section 7.1.
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        }
        state = black_box(state);
    }
}
