use super::super::hsi2c::{Rates, bench::Bench};
use super::*;

const ARM: Rail = Rail::new(Buck::number(2), 900_000, 1_312_500);
const RATES: Rates = Rates { peripheral: 66_000_000, bus: 100_000 };

fn bench() -> Bench {
    let bench = Bench::default();
    bench.state().chip.extend([(0x27, 0xd8), (0x28, 0x68)]);
    bench
}

fn pmic(bench: &Bench) -> Pmic<&Bench> {
    let mut pmic = Pmic::new(Hsi2c::over(bench, RATES), 0x66);
    pmic.reset();
    pmic
}

/// Goes on in steps of 10 µs.
fn finish(pmic: &mut Pmic<&Bench>) -> (u64, Result<u32, PmicError>) {
    (0..1_000).map(|step| step * 10_000).find_map(|now| Some((now, pmic.ended(now)?))).expect("it ends")
}

#[test]
fn bucks_are_where_the_header_says() {
    let registers = [2, 3, 6].map(|number| (Buck::number(number).control, Buck::number(number).voltage));
    assert_eq!(registers, [(0x27, 0x28), (0x29, 0x2a), (0x33, 0x34)]);
}

#[test]
fn a_rail_tells_its_voltage() {
    let bench = bench();
    let mut pmic = pmic(&bench);
    pmic.begin_read(&ARM, 0);
    assert_eq!(finish(&mut pmic).1, Ok(1_300_000));
    bench.state().chip.insert(0x27, 0x18);
    pmic.begin_read(&ARM, 0);
    assert_eq!(finish(&mut pmic).1, Err(PmicError::Off));
}

#[test]
fn a_change_is_read_back_and_given_time() {
    let bench = bench();
    let mut pmic = pmic(&bench);
    pmic.begin_change(1_300_000, ARM.setting(900_000).expect("within limits"), 0);
    let (took, voltage) = finish(&mut pmic);
    assert_eq!((voltage, pmic.is_busy()), (Ok(900_000), false));
    assert_eq!(bench.state().written, [(0x28, 0x28)]);
    assert!(took >= 64_000 + SETTLING, "400 mV at the slowest ramp take 64 µs: {took} ns");
}

#[test]
fn a_voltage_that_is_not_taken_is_told() {
    let bench = bench();
    bench.state().stubborn = std::vec![0x28];
    let mut pmic = pmic(&bench);
    pmic.begin_change(1_300_000, ARM.setting(1_312_500).expect("within limits"), 0);
    assert_eq!(finish(&mut pmic).1, Err(PmicError::Refused));
}

#[test]
fn a_silent_chip_is_told_and_the_bus_is_ready_again() {
    let bench = bench();
    bench.state().deaf = true;
    let mut pmic = pmic(&bench);
    pmic.begin_read(&ARM, 0);
    assert_eq!(finish(&mut pmic).1, Err(PmicError::Bus(BusError::NoAnswer)));
    bench.state().deaf = false;
    pmic.begin_read(&ARM, 0);
    assert_eq!(finish(&mut pmic).1, Ok(1_300_000));
}

/// Every voltage that can be asked for, and none above the limit can even be said.
#[test]
fn no_setting_leaves_the_limits() {
    for microvolts in (0..2_000_000).step_by(625) {
        let within = (900_000..=1_312_500).contains(&microvolts);
        let setting = ARM.setting(microvolts);
        assert_eq!(setting.is_some(), within, "{microvolts} µV");
        assert!(setting.is_none_or(|setting| (microvolts..=1_312_500).contains(&setting.microvolts())));
    }
}

#[test]
#[should_panic = "limits of a CPU's supply"]
fn a_rail_for_too_much_is_none() {
    let _ = Rail::new(Buck::number(2), 900_000, 1_500_000);
}
