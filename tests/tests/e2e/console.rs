//! The console: whole lines from all cores at once, and what is typed.

use qemu::{Clock, Machine, Start};

use crate::machine::{run, start};

/// Lines that each core says.
const LINES: u32 = 100;

#[test]
fn lines_of_all_cores_stay_whole() {
    for machine in Machine::ALL {
        let bootargs = format!("pace=off bench=selftest:talk={LINES}");
        // On the host's clock all cores really talk at once.
        let run = run(&Start { clock: Clock::Host, ..start(machine, &bootargs) });
        run.expect_well();
        let mut next = vec![0; machine.cores() as usize];
        for talk in run.records("TALK") {
            let cpu: usize = talk.number("cpu");
            assert_eq!(talk.number::<u32>("number"), next[cpu], "each core's lines in their order");
            assert_eq!(talk.text("text"), "the_quick_brown_fox_jumps_over_the_lazy_dog");
            assert_eq!(talk.number::<usize>("end"), cpu);
            next[cpu] += 1;
        }
        assert!(next.iter().all(|&lines| lines == LINES), "every line arrived: {next:?}");
        assert_eq!(run.mentions("TALK"), (LINES * machine.cores()) as usize, "no line inside another");
    }
}

#[test]
fn what_is_typed_is_read() {
    for machine in Machine::ALL {
        // All of it is there before the machine runs; setting up the UART drops the first byte, as on silicon.
        let input = b"\nhello gear\nsecond line\n".to_vec();
        let run = run(&Start { input, clock: Clock::Host, ..start(machine, "bench=selftest:listen=2") });
        run.expect_well();
        assert_eq!(run.mentions("HEARD hello gear"), 1);
        assert_eq!(run.mentions("HEARD second line"), 1);
    }
}

#[test]
fn the_shell_does_what_is_typed() {
    for machine in Machine::ALL {
        let input =
            b"\nfly\nbench pingpong:rounds=20,place=same\npolicy pull\x08\x08\x08\x08eas makespan\nstatus\nhalt\n"
                .to_vec();
        let run = run(&Start { input, clock: Clock::Host, ..start(machine, "bench=none after=shell") });
        run.expect_well();
        assert_eq!(run.mentions("fly: expected bench, policy"), 1);
        assert_eq!(run.records("BENCH").next().expect("it ran").text("name"), "pingpong");
        let status = run.records("STATUS").next().expect("it was asked for");
        assert_eq!((status.text("policy"), status.text("goal")), ("eas", "makespan"));
    }
}
