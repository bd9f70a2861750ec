use super::bench::Bench;
use super::*;
use crate::words::script::Script;

const RATES: Rates = Rates { peripheral: 66_000_000, bus: 100_000 };
const CHIP: u32 = 0x66;

#[test]
fn the_timing_is_linuxs() {
    let device = Script::new(&[], |_, _| {});
    Hsi2c::over(&device, RATES).reset();
    // 66 MHz / 100 kHz - 8 = 652 = 2 · 326, of which 2 are the controller's.
    let half = 162;
    assert_eq!(device.word(TIMING_START_STOP), half << 24 | half << 16 | half << 8);
    assert_eq!(device.word(TIMING_DATA_CLOCK), 81 << 24 | half << 8 | half);
    assert_eq!(device.word(TIMING_DIVIDER_RELEASE), 1 << 16 | 324);
    assert_eq!(device.writes()[..2], [(CONTROL, SOFTWARE_RESET), (CONTROL, 0)]);
    assert_eq!((device.word(CONTROL), device.word(CONFIGURATION)), (I2C_MASTER, AUTOMATIC_MODE));
}

#[test]
fn a_register_is_written_and_read_back() {
    let bench = Bench::default();
    let mut bus = Hsi2c::over(&bench, RATES);
    bus.begin_write(CHIP, &[0x28, 0x6a], true, 0);
    assert_eq!(bus.ended(0), Some(Ok(())));
    bus.begin_write(CHIP, &[0x28], false, 0);
    assert_eq!(bus.ended(0), Some(Ok(())));
    bus.begin_read(CHIP, 0);
    assert_eq!((bus.ended(0), bus.received()), (Some(Ok(())), Ok(0x6a)));
    assert_eq!((&bench).read(ADDRESS), CHIP << 10);
}

#[test]
fn silence_is_no_answer_and_no_end_is_given_up() {
    let bench = Bench::default();
    bench.state().deaf = true;
    let mut bus = Hsi2c::over(&bench, RATES);
    bus.begin_write(CHIP, &[0x28], false, 0);
    assert_eq!(bus.ended(0), Some(Err(BusError::NoAnswer)));
    bench.state().stuck = true;
    bus.begin_write(CHIP, &[0x28], false, 1_000);
    assert_eq!(bus.ended(2_000_000), None);
    assert_eq!(bus.ended(2_901_000), Some(Err(BusError::Timeout)));
}

#[test]
fn an_empty_fifo_is_no_byte() {
    let device = Script::new(&[(FIFO_STATUS, NOTHING_RECEIVED)], |_, _| {});
    assert_eq!(Hsi2c::over(&device, RATES).received(), Err(BusError::NothingReceived));
}
