//! Boot: any number of cores, any entry mode, either core type, dirty RAM, wrong arguments.

use std::time::Duration;

use qemu::{Cpu, Entry, Machine, Start};

use crate::machine::{Run, run, start};

/// A boot that does nothing but boot takes no longer than this on the host, missing cores included.
const BOUNDED: Duration = Duration::from_secs(30);

/// Boots with a little work on every core: a ball between tasks, and the lines of the CPUs.
fn boots(start: &Start) -> Run {
    let run = run(start);
    run.expect_well();
    assert!(run.took < BOUNDED, "booted in bounded time");
    assert_eq!(run.record("BOOT").text("board"), start.machine.name());
    let cpus: Vec<_> = run.records("CPU").collect();
    assert_eq!(cpus.len() as u32, start.machine.cores(), "one line a CPU");
    let online = cpus.iter().filter(|cpu| cpu.text("state") == "online");
    assert_eq!(online.count() as u32, start.cores, "cores online");
    for missing in cpus.iter().filter(|cpu| cpu.text("state") == "missing") {
        assert!(!missing.text("why").is_empty(), "a missing core has a reason");
    }
    run
}

#[test]
fn every_number_of_cores() {
    for machine in Machine::ALL {
        for cores in [1, 2, 3, 4, 8].into_iter().filter(|&cores| cores <= machine.cores()) {
            boots(&Start { cores, ..start(machine, "bench=pingpong:rounds=20") });
        }
    }
}

#[test]
fn every_entry_mode() {
    for machine in Machine::ALL {
        for entry in [Entry::SecureSvc, Entry::NonSecureSvc, Entry::Hyp] {
            if machine.option(entry).is_none() {
                continue;
            }
            let run = boots(&Start { entry, ..start(machine, "bench=pingpong:rounds=20") });
            let wanted = if entry == Entry::Hyp { "hyp" } else { "svc" };
            assert_eq!(run.record("BOOT").text("entry"), wanted);
        }
    }
}

#[test]
fn cores_with_smaller_cache_lines() {
    for machine in Machine::ALL {
        boots(&Start { cpu: Cpu::CortexA7, ..start(machine, "bench=pingpong:rounds=20+selftest:only=memory") });
    }
}

#[test]
fn ram_full_of_rubbish() {
    for machine in Machine::ALL {
        for entry in [machine.usual_entry(), Entry::Hyp] {
            boots(&Start { filler: Some(0xA5), entry, ..start(machine, "bench=pingpong:rounds=20") });
        }
    }
}

#[test]
fn wrong_arguments_are_named_and_boot_goes_on() {
    let bootargs = "policy=fast goal=x pace=maybe colour=red bench=pingpong:rounds=many,shape=round";
    let run = boots(&start(Machine::VexpressA15, bootargs));
    for wrong in ["policy=fast", "goal=x", "pace=maybe", "colour=red", "rounds=many", "shape"] {
        assert_eq!(run.mentions(wrong), 1, "one line names {wrong}");
    }
    let boot = run.record("BOOT");
    assert_eq!((boot.text("policy"), boot.text("goal"), boot.text("pace")), ("gear", "mean", "emulated"));
    assert_eq!(run.done(), (1, 0));
}

#[test]
fn chosen_arguments_are_obeyed() {
    for machine in Machine::ALL {
        let run = boots(&start(machine, "policy=pull goal=makespan pace=off bench=none"));
        let boot = run.record("BOOT");
        assert_eq!((boot.text("policy"), boot.text("goal"), boot.text("pace")), ("pull", "makespan", "off"));
        assert_eq!(run.done(), (0, 0));
    }
}

#[test]
fn half_of_the_cores_are_little() {
    for machine in Machine::ALL {
        let run = boots(&start(machine, "bench=none"));
        let (big, little): (Vec<_>, Vec<_>) = run.records("CPU").partition(|cpu| cpu.text("class") == "big");
        assert_eq!(big.len(), little.len());
        assert!(big.iter().all(|cpu| cpu.number::<u32>("capacity") == 1024));
        assert!(little.iter().all(|cpu| cpu.number::<u32>("capacity") == 462));
    }
}
