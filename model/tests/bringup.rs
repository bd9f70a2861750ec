//! Bringing up the other seven cores, by both ways that are known to work on the board, and with cores that fail.

mod common;

use common::program::Program;
use common::{ORIGIN, board, run};
use model::bus::Memory;
use model::cpu::Mode;
use model::machine::Machine;
use model::machine::exynos5422::{Chip, Entry, Fault, Options};

const PMU: u32 = 0x1004_0000;
const MAILBOX: u32 = 0x0207_3000;
const HOTPLUG: u32 = MAILBOX + 0x1c;
/// Where the others begin, and where each leaves its mark.
const SECONDARY: u32 = ORIGIN + 0x2000;
const MARKS: u32 = 0x4500_0000;
const SEV: u32 = 0xe320_f004;
/// Rounds of waiting for more than 100 µs at 800 MHz.
const SETTLE: u32 = 60_000;

/// Every core marks its place: core + 4 · cluster, the A15s first.
fn secondary() -> Program {
    Program::new()
        .word(0xee10_0fb0) // mrc   p15, 0, r0, c0, c0, 5
        .word(0xe200_3003) // and   r3, r0, #3
        .word(0xe7e3_0450) // ubfx  r0, r0, #8, #4
        .word(0xe083_0100) // add   r0, r3, r0, lsl #2
        .set(4, MARKS)
        .word(0xe084_4100) // add   r4, r4, r0, lsl #2
        .set(1, 1)
        .word(0xe584_1000) // str   r1, [r4]
        .sleep()
}

fn power_up(program: Program, core: u32) -> Program {
    program.store(PMU + 0x2000 + 0x80 * core, 3).wait(SETTLE)
}

/// The trampoline of Linux: the page's first words send every core to the entry.
fn by_trampoline() -> Program {
    let page = [0xe59f_0000, 0xe12f_ff10, SECONDARY];
    let written =
        (0..3).zip(page).fold(Program::new(), |program, (word, value)| program.store(MAILBOX + 4 * word, value));
    let little = (1..4).fold(written, |program, c| {
        power_up(program.store(PMU + 0x908, 0), 4 + c).store(PMU + 0x400, 0x0010_0100 << c).wait(1000)
    });
    (0..4).fold(little.store(PMU + 0x2500, 3), power_up).sleep()
}

/// The word that waiting cores poll, with an event to wake them.
fn by_mailbox() -> Program {
    let release = |program: Program| program.store(HOTPLUG, SECONDARY).word(SEV).wait(1000).store(HOTPLUG, 0);
    let little = (1..4).fold(Program::new(), |program, c| {
        let up = power_up(program.store(PMU + 0x908, 0), 4 + c).store(PMU + 0x400, 0x0010_0100 << c).wait(1000);
        release(up)
    });
    (0..4).fold(little.store(PMU + 0x2508, 1 << 30), |program, core| release(power_up(program, core))).sleep()
}

fn start(program: &Program, options: &Options) -> Machine<Chip> {
    assert!(program.len() < SECONDARY - ORIGIN, "the program must not reach the others' code");
    let mut machine = board(program, options);
    machine.bus.memory.write(SECONDARY, &secondary().bytes()).expect("it is RAM");
    (0..8).for_each(|core| machine.bus.memory.write_word(MARKS + 4 * core, 0).expect("it is RAM"));
    run(&mut machine);
    machine
}

/// Bit n: core n has left its mark.
fn marks(memory: &mut Memory) -> u32 {
    (0..8).fold(0, |mask, core| mask | memory.read_word(MARKS + 4 * core).expect("it is RAM") << core)
}

#[test]
fn everybody_comes_by_the_trampoline() {
    let mut machine = start(&by_trampoline(), &Options::default());
    assert_eq!(marks(&mut machine.bus.memory), 0b1110_1111);
    assert!(machine.cores.iter().all(|core| core.mode() == Mode::Hyp));
    assert_eq!(machine.findings.iter().count(), 0, "{:?}", machine.findings);
}

#[test]
fn everybody_comes_by_the_mailbox() {
    let mut machine = start(&by_mailbox(), &Options { entry: Entry::Svc, ..Options::default() });
    assert_eq!(marks(&mut machine.bus.memory), 0b1110_1111);
    assert!(machine.cores.iter().all(|core| core.mode() == Mode::Supervisor));
    assert_eq!(machine.findings.iter().count(), 0, "{:?}", machine.findings);
}

#[test]
fn whoever_is_missing_the_others_come() {
    for core in [0, 1, 2, 3, 5, 6, 7] {
        for fault in [Fault::Missing(core), Fault::Silent(core)] {
            let faults = [fault].into_iter().collect();
            let mut machine = start(&by_trampoline(), &Options { faults, ..Options::default() });
            assert_eq!(marks(&mut machine.bus.memory), 0b1110_1111 & !(1 << core), "without core {core}");
        }
    }
}

#[test]
fn two_runs_are_one() {
    let once = || {
        let machine = start(&by_trampoline(), &Options::default());
        let cores: Vec<_> = machine.cores.iter().map(|core| (core.statistics, core.pc, core.time())).collect();
        (machine.now(), cores)
    };
    assert_eq!(once(), once());
}
