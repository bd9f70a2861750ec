//! Other things that are broken: the kernel names each in a line and goes on.

use crate::board::{Run, broken, entered, run};
use model::machine::Outcome;
use model::machine::exynos5422::{Entry, Fault, Options};
use model::soc::device::Ending;

/// Snoop control of the A7s' and the A15s' ports of the interconnect.
const PORTS: [u32; 2] = [0x10d2_4000, 0x10d2_5000];
const WORK: &str = "bench=looper:n=8,work=2ms";

fn assert_eight(run: &Run, what: &str) {
    run.assert_well(what);
    assert_eq!(run.cpus("online"), 8, "{what}\n{}", run.text);
}

#[test]
fn an_interconnect_that_is_closed_to_us_is_opened_by_the_monitor() {
    assert_eight(&run(WORK, broken(Fault::Interconnect)), "closed interconnect");
}

#[test]
fn coherency_that_is_not_ours_to_switch_on_is_switched_on_by_the_monitor() {
    for entry in [Entry::Hyp, Entry::Svc] {
        let options = Options { faults: [Fault::Coherency].into_iter().collect(), ..entered(entry) };
        assert_eight(&run(WORK, options), "ACTLR.SMP is closed");
    }
}

#[test]
fn a_cluster_whose_port_stays_closed_stays_out() {
    let run = run(WORK, broken(Fault::Register(PORTS[1])));
    run.assert_well("the A15s' port");
    assert_eq!((run.cpus("online"), run.cpus("missing")), (4, 4), "{}", run.text);
}

#[test]
fn a_counter_that_never_runs_is_told_and_not_waited_for() {
    let run = run("bench=none", broken(Fault::Counter));
    let last = run.lines("PANIC");
    assert!(last.len() == 1 && last[0].contains("the generic counter stands still"), "{}", run.text);
    assert!(matches!(run.outcome, Outcome::Ended(Ending::Exit(_))), "{:?}", run.outcome);
    assert!(run.findings.iter().all(|finding| finding.starts_with("counter_stopped")), "{:#?}", run.findings);
}

#[test]
fn sensors_that_lie_and_a_dead_pmic_do_not_keep_it_from_working() {
    for fault in [Fault::Sensors(-200), Fault::Pmic] {
        assert_eight(&run(WORK, broken(fault)), &format!("{fault:?}"));
    }
}

/// Each sensor cuts the power by itself, whatever the software does. One that lies so has the last word.
#[test]
fn sensors_that_say_too_hot_cut_the_power() {
    let run = run(WORK, broken(Fault::Sensors(200)));
    assert_eq!(run.outcome, Outcome::Ended(Ending::ThermalTrip), "{}", run.text);
    assert_eq!(run.findings, Vec::<String>::new());
}
