//! Deaths: of a task, which only it notices, and of the kernel, which ends the machine with a record and a failing
//! code.

use std::time::Duration;

use qemu::{Clock, Ending, Machine, Start};

use crate::machine::{run, start};

/// The exit code of a machine whose kernel panicked.
const PANIC_CODE: i32 = 101;

#[test]
fn a_task_that_faults_is_reported_and_killed() {
    for machine in Machine::ALL {
        let run = run(&start(machine, "bench=selftest:only=fault+selftest:only=memory"));
        run.expect_well();
        for kind in ["undefined", "prefetch_abort", "data_abort", "panic"] {
            let fault = run.records("FAULT").find(|fault| fault.text("kind") == kind);
            let fault = fault.unwrap_or_else(|| panic!("a FAULT line of kind {kind}"));
            assert_eq!(fault.text("action"), "killed");
            assert!(fault.find("pc").is_some() && fault.find("cpu").is_some() && fault.find("task").is_some());
        }
    }
}

#[test]
fn a_kernel_that_dies_ends_the_machine() {
    for machine in Machine::ALL {
        for kind in ["panic", "kernel_fault", "stack_overflow", "panic_in_console"] {
            // On the host's clock the other cores really run when one dies.
            let bootargs = format!("pace=off bench=selftest:die={kind}");
            let limit = Duration::from_secs(20);
            let run = run(&Start { clock: Clock::Host, limit, ..start(machine, &bootargs) });
            assert_eq!(run.ending, Ending::Exited(PANIC_CODE), "the failing code of a panic");
            assert!(!run.record("PANIC").text("cpu").is_empty());
            assert_eq!(run.mentions("DONE"), 0, "nothing runs after a panic");
        }
    }
}

/// QEMU is told to end where the machine is reset, with a code of its own: to halt would hand over the failing code of
/// the programs.
#[test]
fn a_machine_that_shall_reboot_is_reset() {
    for machine in Machine::ALL {
        let extra = vec!["-no-reboot".into()];
        let run = run(&Start { extra, ..start(machine, "after=reboot bench=nonsense") });
        assert_eq!(run.done(), (0, 1));
        assert_eq!(run.ending, Ending::Exited(0), "{machine} was not reset");
    }
}

#[test]
fn what_fails_fails_the_machine() {
    let run = run(&start(Machine::VexpressA15, "bench=nonsense+pingpong:rounds=5"));
    assert_eq!(run.done(), (1, 1));
    assert_eq!(run.ending, Ending::Exited(1));
    assert_eq!(run.mentions("bench=nonsense: unknown"), 1);
}
