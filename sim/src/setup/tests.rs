use super::*;

#[test]
fn names_mean_what_goes_with_them() {
    let eas = Setup::parse("eas").expect("known");
    assert_eq!(eas.clocks, Clocks::Governed(GovernorKind::Schedutil));
    assert_eq!(eas.belief.map(|profile| profile.name), Some("device-tree"));
    assert!(!Setup::parse("gear/energy/whole").expect("known").split);
    let ours = Setup::parse("gear/energy").expect("known");
    assert!(ours.split && ours.plans() && ours.clocks == Clocks::Governed(GovernorKind::Planner));
    assert_eq!(Setup::parse("gear/makespan").expect("known").policy.goal, Goal::Makespan);
    assert_eq!(Setup::parse("pull/fixed:800:1400").expect("known").clocks, Clocks::Fixed([6, 12]));
}

#[test]
fn says_what_was_expected() {
    let silent =
        ["gear/mean/energy", "eas/energy", "pull/whole", "pull/schedutil/performance", "gear/heat:ipa/heat:none"];
    for wrong in ["best", "gear/fast", "gear/fixed:801:1400", "eas/belief:music", ""].into_iter().chain(silent) {
        assert!(Setup::parse(wrong).expect_err("it is wrong").starts_with("expected"), "{wrong}");
    }
}

#[test]
fn what_needs_heat_is_refused_without_any() {
    let made = |text: &str| crate::bench::parse(text).expect("known").expect("right");
    let (cold, warm) = (made("looper:n=2,work=1s"), made("soak:n=1,time=1s"));
    for words in ["heat:ipa", "pressure:instant", "still", "heat:look-ahead/pressure:250ms"] {
        let setup = Setup::parse(&format!("gear/{words}")).expect("known");
        assert_eq!(setup.suits(&warm), Ok(()), "{words}");
        let wrong = setup.suits(&cold).expect_err("nothing gets warm");
        assert!(wrong.starts_with("expected a scenario with heat") && wrong.contains("looper:n=2"), "{wrong}");
    }
    for words in ["pull", "gear/heat:none/pressure:none"] {
        assert_eq!(Setup::parse(words).expect("known").suits(&cold), Ok(()), "{words}");
    }
}

#[test]
fn beliefs_have_their_capacities() {
    let plant = Plant::odroid(&exynos5422::LOOPER);
    let machine = Setup::new(PolicyKind::Gear, Goal::Mean).machine(&plant);
    let capacities = sched::CapacityTable::new(machine, plant.present);
    assert_eq!(capacities.capacity(sched::CpuId::new(0)).get(), 462, "28 s to 62 s");
}
