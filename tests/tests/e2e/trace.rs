//! What a kernel recorded while tasks woke each other all the time holds against the rules of the simulator's runs.

use qemu::{Clock, Machine, Start};
use sim::check::{ANYWHERE, RECORDED_RESOLUTION, Rules, check, read_trace, whole_from};

use crate::machine::{run, start};

/// Under the host's clock no two runs are alike: when events were stamped with the time at which the kernel had been
/// entered, two of three such runs broke a rule.
const RUNS: u32 = 6;

fn recorded_traces_break_no_rule(machine: Machine) {
    let bootargs = "trace=on pace=off bench=pingpong:rounds=300+hackbench:loops=5";
    for _ in 0..RUNS {
        let run = run(&Start { clock: Clock::Host, ..start(machine, bootargs) });
        run.expect_well();
        let text = run.lines.join("\n");
        let trace = read_trace(&text).expect("every event can be read");
        let whole_from = whole_from(&text, &trace);
        let judged = trace.iter().filter(|(time, ..)| *time >= whole_from).count();
        assert!(judged > 100, "{judged} of {} events are judged", trace.len());
        let rules =
            Rules { affinity: &|_| ANYWHERE, patience: 1_000_000_000, resolution: RECORDED_RESOLUTION, whole_from };
        assert_eq!(check(&trace, &rules).violations, []);
    }
}

#[test]
fn traces_of_vexpress_break_no_rule() {
    recorded_traces_break_no_rule(Machine::VexpressA15);
}

#[test]
fn traces_of_virt_break_no_rule() {
    recorded_traces_break_no_rule(Machine::QemuVirt);
}
