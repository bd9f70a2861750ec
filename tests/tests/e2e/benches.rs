//! The benchmarks: they run, and the looper shows what the scheduler is for.

use std::time::Duration;

use qemu::{Clock, Machine, Start};

use crate::machine::{Run, run, start};
use crate::record::Record;

/// Wall time of one run of the loopers.
const LIMIT: Duration = Duration::from_secs(240);

/// The ends of the last loop, in times of one loop alone, when cores are as unequal as in the report this project grew
/// from (62 s on a LITTLE core for 28 s on a big one), with as many loops as cores.
const PINNED: f64 = 62.0 / 28.0;
/// LITTLE loops move when the big cores fall idle: 1 + (1 - 28/62).
const PULLED: f64 = 1.0 + (1.0 - 28.0 / 62.0);
/// The fluid bound: 2 / (1 + 28/62).
const FLUID: f64 = 2.0 / (1.0 + 28.0 / 62.0);

fn looper(machine: Machine) -> Run {
    let bootargs = format!("bench=looper:n={},work=200ms", machine.cores());
    let run = run(&Start { limit: LIMIT, ..start(machine, &bootargs) });
    run.expect_well();
    run
}

fn race<'a>(run: &'a Run, policy: &str) -> Record<'a> {
    let races = run.records("BENCH").filter(|bench| bench.text("name") == "looper");
    races.into_iter().find(|bench| bench.text("policy") == policy).unwrap_or_else(|| panic!("a race of {policy}"))
}

fn loops_leave_slow_cores(machine: Machine) {
    let first = looper(machine);
    let to_alone = |policy| -> f64 { race(&first, policy).number("to_alone") };
    let pinned = to_alone("pinned");
    assert!((pinned / PINNED - 1.0).abs() < 0.03, "pinned: the last loop ends at {pinned}, not {PINNED:.3}");
    let pull = to_alone("pull");
    assert!(pull <= 1.08 * PULLED, "pull: the last loop ends at {pull}, not {PULLED:.3}");
    let gear = to_alone("gear");
    assert!(gear <= 1.08 * FLUID, "gear: the last loop ends at {gear}, not {FLUID:.3}");
    assert!(gear >= 0.99 * FLUID, "gear: nothing ends before the fluid bound; {gear}");
    assert_eq!(race(&first, "gear").text("goal"), "makespan");
    for bench in first.records("BENCH") {
        assert_eq!(bench.text("pace"), "emulated");
    }
    assert_eq!(first.records("TASK").count(), 3 * machine.cores() as usize, "a line for each loop");
    assert!(repeats(machine, &first), "of three runs on the exact clock two say the same");
}

/// Whether another run says the same, or else a third one the same as one of both. On a host with much else to do QEMU now and then lets a virtual
/// CPU go on a few microseconds longer (3 of 50 runs differed in a last digit beside seven other processes); a kernel whose order is
/// left to chance would hardly ever say anything twice.
fn repeats(machine: Machine, first: &Run) -> bool {
    let second = looper(machine);
    first.lines == second.lines || {
        let third = looper(machine);
        [&first.lines, &second.lines].contains(&&third.lines)
    }
}

#[test]
fn loops_leave_slow_cores_on_vexpress() {
    loops_leave_slow_cores(Machine::VexpressA15);
}

#[test]
fn loops_leave_slow_cores_on_virt() {
    loops_leave_slow_cores(Machine::QemuVirt);
}

#[test]
fn a_chosen_policy_races_alone() {
    let bootargs = "policy=gear goal=makespan bench=looper:n=8,work=50ms";
    let run = run(&Start { limit: LIMIT, ..start(Machine::VexpressA15, bootargs) });
    run.expect_well();
    assert_eq!(run.record("BENCH").text("policy"), "gear");
    let to_bound: f64 = run.record("BENCH").number("to_bound");
    assert!(to_bound < 1.15, "twice as many loops as cores end together: {to_bound} of the bound");
}

#[test]
fn messages_and_balls_arrive() {
    for machine in Machine::ALL {
        for clock in [Clock::Instructions, Clock::Host] {
            let run = run(&Start { clock, ..start(machine, "bench=pingpong+hackbench:groups=1,loops=5") });
            run.expect_well();
            assert_eq!(run.done(), (2, 0));
            let hackbench = run.records("BENCH").find(|bench| bench.text("name") == "hackbench").expect("its line");
            assert_eq!(hackbench.number::<u32>("messages"), 2000);
        }
    }
}

/// All that the original can do: ten groups of 40 tasks, short messages and long ones.
#[test]
fn hackbench_runs_in_full() {
    for machine in Machine::ALL {
        let bootargs = "bench=hackbench:groups=10,loops=2+hackbench:groups=10,loops=2,size=4096";
        let run = run(&Start { limit: LIMIT, ..start(machine, bootargs) });
        run.expect_well();
        assert_eq!(run.done(), (2, 0));
        let sizes: Vec<u32> = run.records("BENCH").map(|bench| bench.number("size")).collect();
        assert_eq!(sizes, [100, 4096]);
        assert!(run.records("BENCH").all(|bench| bench.number::<u32>("messages") == 8_000));
    }
}

/// What the kernel's operations cost when this was last tuned, in instructions: nothing may grow by more than a
/// twentieth unnoticed.
const COSTS: [(&str, u32); 9] = [
    ("null_call", 121),
    ("read_clock", 119),
    ("yield", 432),
    ("wake_to_waiter", 838),
    ("block_to_other", 536),
    ("task_create", 909),
    ("cross_wake_waker", 347),
    ("cross_wake_total", 2137),
    ("tick_nothing_due", 749),
];

#[test]
fn costs_are_counted_where_the_clock_counts_instructions_and_do_not_grow() {
    let run = run(&start(Machine::VexpressA15, "pace=off bench=micro"));
    run.expect_well();
    for (operation, known) in COSTS {
        let line = run.records("BENCH").find(|bench| bench.text("op") == operation);
        let cost: u32 = line.expect("a line for each operation").number("least_insn");
        assert!(cost * 20 <= known * 21, "{operation}: {cost} instructions, it was {known}");
    }
    let unable = self::run(&Start { clock: Clock::Host, ..start(Machine::VexpressA15, "pace=off bench=micro") });
    assert_eq!(unable.record("BENCH").text("why"), "no_instruction_counter");
}
