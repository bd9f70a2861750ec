//! What each controller does while all sensors show the same for long.

use sched::{Activity, Caps, CoreType, CpuMask, Heat, HeatKind, Nanos};
use soc::exynos5422::{HASH, HEAT};

use super::plant::energy;
use super::{KINDS, readings};

/// The caps after so many polls that all show the same.
fn steady(kind: HeatKind, degrees: i32, polls: u32) -> Caps {
    let truth = energy(&HASH);
    let mut heat = Heat::new(kind, &HEAT, &truth);
    let activity = Activity { levels: [18, 12], busy: [1024; 8], scales: true };
    let mut poll = |number: u32| {
        let now = Nanos::from_millis(100 * u64::from(number + 1));
        heat.poll(now, &readings([degrees; 4]), &activity, &truth)
    };
    (0..polls).map(&mut poll).last().expect("it is polled")
}

/// While there are clocks to turn down, big CPUs are parked at 89 °C, 4 K above the limit, and not before.
#[test]
fn cpus_are_parked_just_above_the_limit_even_if_clocks_can_be_changed() {
    for kind in KINDS {
        assert_eq!(steady(kind, 89, 20).parked, CpuMask::EMPTY, "{kind}");
        assert_eq!(steady(kind, 90, 20).parked.len(), 4, "{kind}: one at each poll");
    }
}

/// At 1 K too hot the budget is S·(1 - 1/R - 0.2·n/R) after n polls (Linux' `gov_power_allocator.c`: k_po = S/R; the
/// gain of the integral is a tenth of k_pu = 2·k_po). A cluster gets its part of what both would like, and the highest
/// level that this pays for.
#[test]
fn the_integral_of_ipa_takes_the_budget_away_poll_by_poll() {
    let truth = energy(&HASH);
    let power = |core: CoreType, level: usize| {
        let level = truth.cluster(core).level(level);
        4.0 * f64::from(level.busy.get()) + f64::from(level.idle.get())
    };
    let part = power(CoreType::Big, 18) / (power(CoreType::Big, 18) + power(CoreType::Little, 12));
    let range = f64::from(HEAT.limit.get() - HEAT.switch_on.get()) / 1e3;
    let top = |polls: u32| steady(HeatKind::Ipa, HEAT.limit.get() / 1_000 + 1, polls).top;
    // What jumps is believed a few polls later.
    let believed = (1..10).find(|&polls| top(polls) != [18, 12]).expect("it is too hot") - 1;
    // Before three seconds are over nobody doubts sensors that stand still.
    for polls in [1, 5, 10, 15, 20] {
        let budget = f64::from(HEAT.sustainable.get()) * (1.0 - (1.0 + 0.2 * f64::from(polls)) / range);
        let pays =
            |core: CoreType, part: f64, top: usize| (0..=top).rfind(|&level| power(core, level) <= part * budget);
        let expected = [pays(CoreType::Big, part, 18), pays(CoreType::Little, 1.0 - part, 12)];
        assert_eq!(top(believed + polls).map(Some), expected, "after {polls} polls");
    }
}
