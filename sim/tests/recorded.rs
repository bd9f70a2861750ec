//! The trace that a kernel recorded in QEMU is held against the same rules as a simulated one.

use sched::CpuMask;
use sim::check::{Rules, check, read_trace};

/// `cargo xtask run vexpress-a15 --bootargs "trace=on bench=looper:n=4,work=50ms"`.
const RECORDED: &str = include_str!("data/looper-vexpress-a15.txt");

#[test]
fn a_recorded_trace_breaks_no_rule() {
    let trace = read_trace(RECORDED).expect("the kernel prints events that can be read");
    let rules = Rules { affinity: &|_| CpuMask::first_n(4), patience: 500_000_000, resolution: 1_000 };
    let verdict = check(&trace, &rules);
    assert!(verdict.violations.is_empty(), "{:?}", verdict.violations);
    assert!(verdict.events > 100, "{}", verdict.events);
}

#[test]
fn a_spoilt_trace_does() {
    // The same task on two CPUs at once.
    let spoilt = format!(
        "{RECORDED}\nEVENT cpu=0 t_us=9000000 event=switch task=1\nEVENT cpu=1 t_us=9000001 event=switch task=1\n"
    );
    let trace = read_trace(&spoilt).expect("it can be read");
    let rules = Rules { affinity: &|_| CpuMask::first_n(4), patience: u64::MAX, resolution: 1_000 };
    assert_eq!(check(&trace, &rules).violations.len(), 1);
}
