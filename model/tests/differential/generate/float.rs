//! Floating-point instructions, and numbers for them.

use super::{target, two_targets};
use crate::random::Random;

/// FPSCR with random modes and cumulative flags.
pub fn fpscr(random: &mut Random) -> u32 {
    let modes = if random.chance(50) { 0 } else { random.word() & 0x03c0_0000 };
    modes | random.word() & 0xf000_0000 | if random.chance(50) { random.word() & 0x9f } else { 0 }
}

/// Registers' worth of floating-point numbers, some of them special.
pub fn floats(random: &mut Random, words: usize) -> Vec<u32> {
    let mut values = Vec::new();
    while values.len() < words {
        if random.chance(50) {
            let bits = double(random);
            values.extend([bits as u32, (bits >> 32) as u32]);
        } else {
            values.extend([single(random), single(random)]);
        }
    }
    values
}

fn double(random: &mut Random) -> u64 {
    let sign = u64::from(random.below(2)) << 63;
    match random.below(8) {
        0 => random.bits(),
        1 => {
            sign | random.pick(&[
                0,
                0x7ff0 << 48,
                0x7ff8 << 48,
                0x7ff0 << 48 | 1,
                1,
                0x000f << 48,
                0x0010 << 48,
                0x7fef_ffff_ffff_ffff,
            ])
        }
        2 => sign | random.bits() & 0x000f_ffff_ffff_ffff,
        3 => f64::from(random.word() as i32).to_bits(),
        4 => sign | u64::from(0x3fe + random.below(4)) << 52 | random.bits() & 0xf_0000_0000_0000,
        _ => sign | u64::from(0x3d0 + random.below(0x60)) << 52 | random.bits() & 0xf_ffff_ffff_ffff,
    }
}

fn single(random: &mut Random) -> u32 {
    let sign = random.below(2) << 31;
    match random.below(8) {
        0 => random.word(),
        1 => sign | random.pick(&[0, 0x7f80_0000, 0x7fc0_0000, 0x7f80_0001, 1, 0x007f_ffff, 0x0080_0000, 0x7f7f_ffff]),
        2 => sign | random.word() & 0x007f_ffff,
        3 => (random.word() as i32 as f32).to_bits(),
        4 => sign | (0x7e + random.below(4)) << 23 | random.word() & 0x78_0000,
        _ => sign | (0x60 + random.below(0x40)) << 23 | random.word() & 0x7f_ffff,
    }
}

pub(super) fn instruction(random: &mut Random) -> u32 {
    let double = random.below(2) << 8;
    let mut register = |at: u32, extension: u32| {
        let extra = if double == 0 { random.below(2) << extension } else { 0 };
        random.below(16) << at | extra
    };
    let (d, n, m) = (register(12, 22), register(16, 7), register(0, 5));
    let precision = 0x0a00 | double;
    // Registers of the other precision.
    let single_d = random.below(16) << 12 | random.below(2) << 22;
    let single_m = random.below(16) | random.below(2) << 5;
    let double_d = random.below(16) << 12;
    let arithmetic = [
        0x0e30_0000,
        0x0e30_0040,
        0x0e20_0000,
        0x0e20_0040,
        0x0e80_0000,
        0x0e00_0000,
        0x0e00_0040,
        0x0e10_0000,
        0x0e10_0040,
    ];
    match random.below(12) {
        0..=4 => random.pick(&arithmetic) | precision | d | n | m,
        // VMOV, VABS, VNEG, VSQRT.
        5 => random.pick(&[0x0eb0_0040, 0x0eb0_00c0, 0x0eb1_0040, 0x0eb1_00c0]) | precision | d | m,
        // VCMP, VCMPE, with zero or not, sometimes followed up by VMRS to the flags.
        6 => match random.below(3) {
            0 => 0x0eb4_0040 | random.below(2) << 7 | precision | d | m,
            1 => 0x0eb5_0040 | random.below(2) << 7 | precision | d,
            _ => 0x0ef1_fa10,
        },
        7 => 0x0eb7_00c0 | precision | m | if double != 0 { single_d } else { double_d },
        8 => 0x0eb8_0040 | random.below(2) << 7 | precision | d | single_m,
        9 => 0x0ebc_0040 | random.below(2) << 16 | random.below(2) << 7 | precision | single_d | m,
        10 => {
            let wide = random.below(2);
            let fraction = if wide == 1 { 1 + random.below(32) } else { random.below(17) };
            let encoded = if wide == 1 { 32 } else { 16 } - fraction;
            let kind = random.pick(&[0x0eba_0040, 0x0ebb_0040, 0x0ebe_0040, 0x0ebf_0040]);
            kind | precision | wide << 7 | d | encoded >> 1 | (encoded & 1) << 5
        }
        _ => between_files(random, precision | d),
    }
}

/// Moves between the register files, and immediates to `place`: a register of this precision.
fn between_files(random: &mut Random, place: u32) -> u32 {
    match random.below(4) {
        0 => 0x0e00_0a10 | random.below(2) << 20 | random.below(16) << 16 | random.below(2) << 7 | target(random) << 12,
        1 => {
            0x0e00_0b10 | random.below(2) << 20 | random.below(2) << 21 | random.below(16) << 16 | target(random) << 12
        }
        2 => {
            let (low, high) = two_targets(random);
            0x0c40_0b10 | random.below(2) << 20 | high << 16 | low << 12 | random.below(16)
        }
        _ => 0x0eb0_0000 | random.below(16) << 16 | place | random.below(16),
    }
}
