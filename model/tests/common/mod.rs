//! What the tests of whole machines share.
#![allow(dead_code, reason = "each test binary uses its part")]

pub mod program;

use model::load::Image;
use model::machine::exynos5422::{self, Chip, Options};
use model::machine::{Limits, Machine, Outcome, Typing};
use program::Program;

/// Where the programs lie.
pub const ORIGIN: u32 = 0x4200_0000;
/// A translation table: everything where it is, DRAM cacheable, the rest device memory.
pub const TABLE: u32 = 0x4400_0000;
/// No test's program runs longer, in nanoseconds of model time.
const LONGEST: u64 = 60_000_000;

/// A board that is about to execute `program`.
pub fn board(program: &Program, options: &Options) -> Machine<Chip> {
    let image = Image::flat(&program.bytes(), ORIGIN);
    let mut machine = exynos5422::machine(&image, options).expect("it fits");
    for section in 0..4096_u32 {
        let dram = (0x400..0xbea).contains(&section);
        let attributes = if dram { 0x1_1c0e } else { 0x0c16 };
        machine.bus.memory.write_word(TABLE + 4 * section, section << 20 | attributes).expect("it is RAM");
    }
    machine
}

/// Runs it for at most 60 ms.
pub fn run(machine: &mut Machine<Chip>) -> Outcome {
    let limits = Limits { model: LONGEST, ..Limits::default() };
    machine.run(&limits, &mut Typing::nothing(), &mut |_| ())
}

/// A program in SVC mode with MMU and caches on, everything in the right order. Its `prologue` comes first.
pub fn cached(prologue: Program) -> Program {
    translated(prologue.leave_hyp().system(0, 1, 0, 1, 0x40).store(0x10d2_4000, 3))
}

/// Switches MMU and caches on.
pub fn translated(program: Program) -> Program {
    program
        .system(0, 8, 7, 0, 0)
        .system(0, 7, 5, 0, 0)
        .system(0, 2, 0, 0, TABLE)
        .system(0, 2, 0, 2, 0)
        .system(0, 3, 0, 0, 1)
        .word(0xf57f_f04f) // dsb
        .system(0, 1, 0, 0, 0x00c5_187d)
        .word(0xf57f_f06f) // isb
}
