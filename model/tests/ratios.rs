//! How the two core types stand to each other, program by program: measured on the board by others (hardware sheet
//! §10), and here. The model is a cost model, not a pipeline; these are the figures that it is fitted to.

mod common;

use common::program::Program;
use common::{ORIGIN, board, cached, run};
use model::bus::Memory;
use model::machine::exynos5422::Options;

/// A core of each kind.
const A15: usize = 0;
const A7: usize = 4;
const SOURCE: u32 = 0x5000_0000;
const TARGET: u32 = 0x6123_4000;
/// Lines of the list that the latency is measured with: 16 MiB of them.
const LINES: u32 = 1 << 18;

const MLA_R3: u32 = 0xe023_5493;
const LOAD_EIGHT: u32 = 0xe8b6_03bb;
const STORE_EIGHT: u32 = 0xe8aa_03bb;
const FOLLOW: u32 = 0xe596_6000;

/// Clocks as in the measurements: A15 at 2.0, A7 at 1.4 GHz.
fn full_speed() -> Program {
    [(0x1001_0000, 0x80fa_0300), (0x1003_8000, 0x80af_0300)].into_iter().fold(Program::new(), |program, (base, pll)| {
        let slow = program.store(base + 0x200, 0x1_0001).store(base, 810).store(base + 0x100, pll).wait(60_000);
        slow.store(base + 0x200, 1)
    })
}

/// Nanoseconds that a core takes for `rounds` of `body`.
fn time(core: usize, rounds: u32, body: &[u32]) -> f64 {
    let measured = |rounds: u32| {
        let prepared = cached(full_speed().store(0x10d2_5000, 3)).set(6, SOURCE).set(10, TARGET);
        let program = prepared.repeat(rounds, body).sleep();
        let mut machine = board(&program, &Options::default());
        link(&mut machine.bus.memory);
        machine.cores[A7].power_off();
        machine.start(core, ORIGIN, 0);
        run(&mut machine);
        machine.usage[core].busy() as f64
    };
    // What comes before the loop costs the same in both.
    (measured(2 * rounds) - measured(rounds)) / f64::from(rounds)
}

/// A list through all lines from SOURCE on, in an order that no prefetcher follows.
fn link(memory: &mut Memory) {
    let place = |line: u32| SOURCE + 64 * line;
    for line in 0..LINES {
        let next = line.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) % LINES;
        memory.write_word(place(line), place(next)).expect("it is RAM");
    }
}

fn assert_near(what: &str, found: f64, measured: f64, tolerance: f64) {
    assert!((found / measured - 1.0).abs() <= tolerance, "{what}: {found:.3}, measured {measured}");
}

#[test]
fn the_looper_takes_28_to_62() {
    let ratio = time(A7, 10_000, &[MLA_R3]) / time(A15, 10_000, &[MLA_R3]);
    assert_near("looper", ratio, 62.0 / 28.0, 0.01);
}

#[test]
fn copying_and_filling_stand_as_measured() {
    let rounds = 30_000;
    let bandwidth = |core, body: &[u32]| 32.0 * 1000.0 / time(core, rounds, body);
    let copy = [A15, A7].map(|core| bandwidth(core, &[LOAD_EIGHT, STORE_EIGHT]));
    let fill = [A15, A7].map(|core| bandwidth(core, &[STORE_EIGHT]));
    assert_near("memcpy, A15 to A7", copy[0] / copy[1], 7.1, 0.1);
    assert_near("memset, A15 to A7", fill[0] / fill[1], 6.1, 0.1);
    // One price for a line that is fetched ahead cannot fit both of a core's figures.
    assert_near("memcpy of the A15 in MB/s", copy[0], 2280.0, 0.15);
    assert_near("memcpy of the A7 in MB/s", copy[1], 323.0, 0.15);
    assert_near("memset of the A15 in MB/s", fill[0], 4905.0, 0.15);
    assert_near("memset of the A7 in MB/s", fill[1], 800.0, 0.15);
}

/// Programs that fit into the caches, at equal clocks: what matters is the mix of instructions.
#[test]
fn mixes_stand_as_measured() {
    let ratio = |body: &[u32]| time(A7, 10_000, body) / time(A15, 10_000, body) * 1.4 / 2.0;
    // Rounds of shifts, exclusive ors and additions: hashing.
    let hash = [0xe023_34e3, 0xe083_3004, 0xe025_53a3, 0xe085_5003, 0xe023_3665, 0xe084_4005];
    assert_near("hash", ratio(&hash), 1.77, 0.1);
    // Loads that hit: LDR r1, [r0] with r0 at the list.
    let resident = [0xe596_1000, 0xe596_3004, 0xe596_4008, 0xe596_500c, 0xe596_1010, 0xe596_3014];
    assert_near("cache-resident loop", ratio(&resident), 1.22, 0.1);
    // One load and one store to three other instructions: packing and unpacking.
    let mixed = [0xe596_1000, 0xe083_3001, 0xe023_34e3, 0xe586_3004, 0xe085_5003];
    assert_near("gzip", ratio(&mixed), 1.58, 0.1);
}

#[test]
fn memory_is_equally_far_for_both() {
    for core in [A15, A7] {
        assert_near("latency in ns", time(core, 20_000, &[FOLLOW]), 154.0, 0.1);
    }
}
