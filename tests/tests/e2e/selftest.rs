//! The whole self-test, on every machine, paced on the exact clock and unpaced on the host's.

use std::time::Duration;

use qemu::{Clock, Entry, Machine, Start};

use crate::machine::{run, start};

/// Tests that the self-test has at least; a list that was lost on the way would pass otherwise.
const LEAST_TESTS: u32 = 40;
/// Wall time of one self-test.
const LIMIT: Duration = Duration::from_secs(120);

fn passes(start: &Start) {
    let run = run(&Start { limit: LIMIT, ..start.clone() });
    run.expect_well();
    let (passed, _) = run.done();
    assert!(passed >= LEAST_TESTS || start.cores == 1, "{passed} tests passed");
    assert_eq!(run.mentions("FAIL"), 0);
}

#[test]
fn vexpress_paced_on_the_exact_clock() {
    passes(&start(Machine::VexpressA15, "bench=selftest"));
}

#[test]
fn virt_paced_on_the_exact_clock() {
    passes(&start(Machine::QemuVirt, "bench=selftest"));
}

#[test]
fn vexpress_unpaced_on_the_clock_of_the_host() {
    passes(&Start { clock: Clock::Host, ..start(Machine::VexpressA15, "pace=off bench=selftest") });
}

#[test]
fn virt_unpaced_on_the_clock_of_the_host() {
    passes(&Start { clock: Clock::Host, ..start(Machine::QemuVirt, "pace=off bench=selftest") });
}

#[test]
fn one_core_alone() {
    for machine in Machine::ALL {
        passes(&Start { cores: 1, ..start(machine, "bench=selftest") });
    }
}

#[test]
fn entered_in_hypervisor_mode() {
    passes(&Start { entry: Entry::Hyp, ..start(Machine::VexpressA15, "bench=selftest policy=pull") });
}
