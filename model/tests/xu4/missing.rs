//! One core does not come up: the others pass the self-test, however the kernel was entered. The boot core cannot be
//! missing, so there are seven such boards; with the whole one, which `main` has, eight.

use crate::board::{broken, entered, run};
use model::machine::exynos5422::{Entry, Fault, Options};

/// The serial line takes no time in these runs: most of the self-test is waiting for it. And clocks are low in two of
/// three, so that there are fewer instructions in the same time.
fn self_test_without(core: usize, entry: Entry) {
    let what = format!("{entry:?} without core {core}");
    let governor = if entry == Entry::Hyp { "planner" } else { "powersave" };
    let run = run(
        &format!("bench=selftest governor={governor}"),
        Options { instant_uart: true, entry, ..broken(Fault::Missing(core)) },
    );
    run.assert_self_test(&what);
    assert_eq!((run.cpus("online"), run.cpus("missing")), (7, 1), "{what}\n{}", run.text);
    let named = run.lines("CPU").iter().filter(|line| line.contains("state=missing why=")).count();
    assert_eq!(named, 1, "{what}\n{}", run.text);
}

/// One test each, so that they share the host's cores. `go` differs from the others in what the boot core finds only,
/// so that one board without an A15 and one without an A7 do for it.
macro_rules! without {
    ($($name:ident: $core:literal $entry:ident,)*) => {
        $(#[test]
        fn $name() {
            self_test_without($core, Entry::$entry);
        })*
    };
}

without! {
    hyp_without_the_first_a15: 0 Hyp,
    hyp_without_the_second_a15: 1 Hyp,
    hyp_without_the_third_a15: 2 Hyp,
    hyp_without_the_fourth_a15: 3 Hyp,
    hyp_without_the_second_a7: 5 Hyp,
    hyp_without_the_third_a7: 6 Hyp,
    hyp_without_the_fourth_a7: 7 Hyp,
    svc_without_the_first_a15: 0 Svc,
    svc_without_the_second_a15: 1 Svc,
    svc_without_the_third_a15: 2 Svc,
    svc_without_the_fourth_a15: 3 Svc,
    svc_without_the_second_a7: 5 Svc,
    svc_without_the_third_a7: 6 Svc,
    svc_without_the_fourth_a7: 7 Svc,
    go_without_the_first_a15: 0 Go,
    go_without_the_second_a7: 5 Go,
}

#[test]
fn a_core_that_gets_power_and_never_arrives_is_named() {
    for core in [1, 6] {
        let run = run("bench=looper:n=8,work=2ms", broken(Fault::Silent(core)));
        run.assert_well(&format!("core {core} is silent"));
        let named = run.lines("CPU").iter().filter(|line| line.ends_with("state=missing why=not_entered")).count();
        assert_eq!(named, 1, "{}", run.text);
    }
}

#[test]
fn a_whole_cluster_may_be_missing() {
    for (cores, entry, fastest) in [([0, 1, 2, 3].as_slice(), Entry::Hyp, "LITTLE"), (&[5, 6, 7], Entry::Svc, "big")] {
        let faults = cores.iter().map(|core| Fault::Missing(*core)).collect();
        let run = run("bench=looper:n=8,work=2ms+rampup", Options { faults, ..entered(entry) });
        run.assert_well(&format!("without {cores:?}"));
        assert_eq!(run.cpus("missing"), cores.len(), "{}", run.text);
        assert!(run.text.contains(&format!("one alone on a {fastest} core:")), "{}", run.text);
        let skipped = run.text.contains("BENCH name=rampup skipped why=no_big_core");
        assert_eq!(skipped, fastest == "LITTLE", "{}", run.text);
    }
}
