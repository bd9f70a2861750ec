//! The traces that a kernel recorded in QEMU and on the model of the XU4 are held against the same rules as a simulated one.

use sched::CpuMask;
use sim::check::{RECORDED_RESOLUTION, Rules, Verdict, check, read_trace};

/// `cargo xtask run vexpress-a15 --bootargs "trace=on bench=looper:n=4,work=50ms"`.
const VEXPRESS: &str = include_str!("data/looper-vexpress-a15.txt");
/// `cargo xtask run --bootargs "bench=looper:n=8,work=10ms trace=on policy=pull"`.
const XU4: &str = include_str!("data/looper-odroid-xu4.txt");

fn verdict(text: &str, cpus: usize, resolution: u64) -> Verdict {
    let trace = read_trace(text).expect("the kernel prints events that can be read");
    let affinity = |_| CpuMask::first_n(cpus);
    check(&trace, &Rules { affinity: &affinity, patience: 500_000_000, resolution, whole_from: 0 })
}

#[test]
fn a_recorded_trace_breaks_no_rule() {
    for (text, cpus) in [(VEXPRESS, 4), (XU4, 8)] {
        let verdict = verdict(text, cpus, RECORDED_RESOLUTION);
        assert!(verdict.violations.is_empty(), "{:?}", verdict.violations);
        assert!(verdict.events > 100, "{}", verdict.events);
    }
}

/// The time at which the kernel was entered would be too early by up to a stay in it, which in QEMU is as long as the host likes.
#[test]
fn a_clock_that_differs_is_noticed() {
    let early = |line: &str| {
        let (before, rest) = line.split_once("EVENT cpu=0 t_us=")?;
        let (time, rest) = rest.split_once(' ')?;
        Some(format!("{before}EVENT cpu=0 t_us={} {rest}", time.parse::<u64>().ok()? - 30))
    };
    let skewed: Vec<_> = VEXPRESS.lines().map(|line| early(line).unwrap_or_else(|| line.to_owned())).collect();
    let verdict = verdict(&skewed.join("\n"), 4, RECORDED_RESOLUTION);
    assert!(!verdict.violations.is_empty(), "30 us are not within {RECORDED_RESOLUTION} ns");
}

#[test]
fn a_spoilt_trace_does() {
    // The same task on two CPUs at once.
    let spoilt = format!(
        "{VEXPRESS}\nEVENT cpu=0 t_us=9000000 event=switch task=1\nEVENT cpu=1 t_us=9000100 event=switch task=1\n"
    );
    assert_eq!(verdict(&spoilt, 4, RECORDED_RESOLUTION).violations.len(), 1);
}
