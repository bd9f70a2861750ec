use super::*;

struct Bench {
    pmu: Pmu,
    effects: Effects,
}

impl Bench {
    fn new(faults: Faults) -> Self {
        Self { pmu: Pmu::new(faults), effects: Effects::default() }
    }

    fn write(&mut self, time: Time, offset: u32, value: u32) {
        let at = Access { core: 4, time, pc: 0, secure: false };
        self.pmu.write(offset, Size::Word, value, &at, &mut self.effects).expect("answers");
    }

    fn read(&mut self, time: Time, offset: u32) -> u32 {
        let at = Access { core: 4, time, pc: 0, secure: false };
        self.pmu.read(offset, Size::Word, &at, &mut self.effects).expect("answers")
    }
}

fn start(core: usize) -> Request {
    Request::Start { core, entry: iram::PAGE, argument: 0 }
}

#[test]
fn an_a15_comes_up_by_itself_once_its_cluster_does() {
    let mut bench = Bench::new(Faults::default());
    bench.write(0, 0x2500, 3);
    bench.write(0, 0x2000, 3);
    assert_eq!(bench.read(1000, 0x2004), 0);
    assert_eq!(bench.read(100_000, 0x2004), 3);
    assert_eq!(bench.effects.requests, [start(0)]);
}

#[test]
fn without_its_cluster_a_core_stays_off() {
    let mut bench = Bench::new(Faults::default());
    bench.write(0, 0x2080, 3);
    assert_eq!(bench.read(1_000_000, 0x2084), 0);
}

#[test]
fn the_option_raises_the_cluster_with_its_first_core() {
    let mut bench = Bench::new(Faults::default());
    bench.write(0, 0x2508, 1 << 30);
    bench.write(0, 0x2000, 3);
    assert_eq!(bench.read(100_000, 0x2504), 3);
    assert_eq!(bench.effects.requests, [start(0)]);
}

#[test]
fn an_a7_waits_for_its_reset() {
    let mut bench = Bench::new(Faults::default());
    bench.write(0, SPARE2, 0);
    bench.write(0, 0x2280, 3);
    assert_eq!(bench.read(100_000, 0x2284), 3);
    assert_eq!(bench.read(100_000, SPARE2), 1);
    assert_eq!(bench.effects.requests, []);
    bench.write(200_000, SWRESET, 0x0010_0100 << 1);
    assert_eq!(bench.effects.requests, [start(5)]);
}

#[test]
fn a_reset_before_the_boot_rom_is_ready_is_lost_and_found() {
    let mut bench = Bench::new(Faults::default());
    bench.write(0, 0x2300, 3);
    bench.write(1000, SWRESET, 0x0010_0100 << 2);
    assert_eq!(bench.effects.findings[0].kind, FindingKind::ResetTooEarly);
    bench.read(1_000_000, SPARE2);
    assert_eq!(bench.effects.requests, []);
}

#[test]
fn a_missing_core_never_answers() {
    let mut bench = Bench::new(Faults { missing: 1 << 6, silent: 0 });
    bench.write(0, 0x2300, 3);
    assert_eq!(bench.read(10_000_000, 0x2304), 0);
}

#[test]
fn letting_go_of_the_power_ends_the_run() {
    let mut bench = Bench::new(Faults::default());
    bench.write(0, PS_HOLD_CONTROL, 0x5200);
    assert_eq!(bench.effects.requests, [Request::End(Ending::PowerOff)]);
}
