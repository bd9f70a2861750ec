//! Random instructions without UNPREDICTABLE ones. Results go to r0-r9; r10 points to memory, r11 is a small offset.

use crate::random::Random;

mod float;

pub use float::{floats, fpscr};

#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Data,
    Multiply,
    Media,
    Memory,
    Float,
    Any,
}

pub fn instruction(kind: Kind, random: &mut Random) -> u32 {
    let word = match kind {
        Kind::Data => data(random),
        Kind::Multiply => multiply(random),
        Kind::Media => media(random),
        Kind::Memory => memory(random),
        Kind::Float => float::instruction(random),
        Kind::Any => {
            let kind = random.pick(&[Kind::Data, Kind::Multiply, Kind::Media, Kind::Memory, Kind::Float]);
            return instruction(kind, random);
        }
    };
    let condition = if random.chance(70) { 14 } else { random.below(14) };
    condition << 28 | word
}

/// A register that may be written.
fn target(random: &mut Random) -> u32 {
    random.below(10)
}

/// A register that may be read.
fn source(random: &mut Random) -> u32 {
    random.below(13)
}

/// A register that may be left out.
fn optional(random: &mut Random) -> u32 {
    if random.chance(50) { 15 } else { source(random) }
}

/// Interesting integers.
pub fn integer(random: &mut Random) -> u32 {
    match random.below(6) {
        0 => random.below(70),
        1 => random.pick(&[0, 1, u32::MAX, 0x8000_0000, 0x7fff_ffff, 0x8000, 0x7fff, 0xffff, 0x8080_8080, 0x7f7f_7f7f]),
        2 => random.below(70).wrapping_neg(),
        _ => random.word(),
    }
}

fn data(random: &mut Random) -> u32 {
    if random.chance(5) {
        // MOVW, MOVT.
        let base = random.pick(&[0x0300_0000, 0x0340_0000]);
        return base | random.below(16) << 16 | target(random) << 12 | random.below(4096);
    }
    let code = random.below(16);
    let compares = (8..12).contains(&code);
    let flags = if compares { 1 } else { random.below(2) };
    let d = if compares { 0 } else { target(random) };
    let n = if matches!(code, 13 | 15) { 0 } else { source(random) };
    let base = code << 21 | flags << 20 | n << 16 | d << 12;
    match random.below(4) {
        0 => base | 1 << 25 | random.below(4096),
        // R15 reads as the instruction's address plus 8.
        1 if random.chance(10) => base | 15,
        1 | 2 => base | random.below(32) << 7 | random.below(4) << 5 | source(random),
        _ => base | source(random) << 8 | random.below(4) << 5 | 1 << 4 | source(random),
    }
}

fn multiply(random: &mut Random) -> u32 {
    let (low, high) = two_targets(random);
    let operands = source(random) << 8 | source(random);
    let kind = random.below(12);
    match kind {
        0 if random.chance(50) => random.below(2) << 20 | high << 16 | operands | 9 << 4,
        0 => 1 << 21 | random.below(2) << 20 | high << 16 | source(random) << 12 | operands | 9 << 4,
        1 => 3 << 21 | high << 16 | source(random) << 12 | operands | 9 << 4,
        2 => 2 << 21 | high << 16 | low << 12 | operands | 9 << 4,
        3..=5 => (4 + random.below(4)) << 21 | random.below(2) << 20 | high << 16 | low << 12 | operands | 9 << 4,
        // SMLAxy and its kin.
        6 => 0x0100_0080 | random.below(4) << 5 | high << 16 | source(random) << 12 | operands,
        7 => 0x0120_0080 | random.below(2) << 6 | high << 16 | source(random) << 12 | operands,
        8 => random.pick(&[0x0120_00a0, 0x0160_0080]) | random.below(2) << 6 | high << 16 | operands,
        9 => 0x0140_0080 | random.below(4) << 5 | high << 16 | low << 12 | operands,
        // SMLAD, SMLSD, SMLALD, SMLSLD.
        10 if random.chance(50) => 0x0700_0010 | random.below(4) << 5 | high << 16 | optional(random) << 12 | operands,
        10 => 0x0740_0010 | random.below(4) << 5 | high << 16 | low << 12 | operands,
        // SMMLA, SMMLS, SDIV, UDIV.
        _ => match random.below(3) {
            0 => {
                let subtracts = random.below(2);
                let a = if subtracts == 1 { source(random) } else { optional(random) };
                0x0750_0010 | (subtracts * 0xc0) | random.below(2) << 5 | high << 16 | a << 12 | operands
            }
            1 => 0x0710_f010 | high << 16 | operands,
            _ => 0x0730_f010 | high << 16 | operands,
        },
    }
}

fn two_targets(random: &mut Random) -> (u32, u32) {
    let low = target(random);
    (low, (low + 1 + random.below(9)) % 10)
}

fn media(random: &mut Random) -> u32 {
    let (d, n, m) = (target(random), source(random), source(random));
    match random.below(10) {
        0..=2 => {
            let prefix = random.pick(&[1, 2, 3, 5, 6, 7]);
            0x0600_0f10 | prefix << 20 | n << 16 | d << 12 | random.pick(&[0, 1, 2, 3, 4, 7]) << 5 | m
        }
        3 => 0x0100_0050 | random.below(4) << 21 | n << 16 | d << 12 | m,
        4 => {
            random.pick(&[0x06a0_0010, 0x06e0_0010])
                | random.below(32) << 16
                | d << 12
                | random.below(32) << 7
                | random.below(2) << 6
                | m
        }
        5 => random.pick(&[0x06a0_0f30, 0x06e0_0f30]) | random.below(16) << 16 | d << 12 | m,
        6 => {
            let op = random.pick(&[0, 2, 3, 4, 6, 7]);
            0x0680_0070 | op << 20 | random.pick(&[15, n]) << 16 | d << 12 | random.below(4) << 10 | m
        }
        7 => match random.below(4) {
            0 => 0x0680_0010 | n << 16 | d << 12 | random.below(32) << 7 | random.below(2) << 6 | m,
            1 => 0x0680_0fb0 | n << 16 | d << 12 | m,
            2 => 0x0780_0010 | d << 16 | random.pick(&[15, n]) << 12 | source(random) << 8 | m,
            _ => 0x016f_0f10 | d << 12 | m,
        },
        8 => random.pick(&[0x06bf_0f30, 0x06bf_0fb0, 0x06ff_0f30, 0x06ff_0fb0]) | d << 12 | m,
        _ => {
            let low = random.below(32);
            let width = random.below(32 - low);
            match random.below(3) {
                0 => random.pick(&[0x07a0_0050, 0x07e0_0050]) | width << 16 | d << 12 | low << 7 | m,
                _ => 0x07c0_0010 | (low + width) << 16 | d << 12 | low << 7 | random.pick(&[15, m]),
            }
        }
    }
}

/// Bytes that an offset may reach on either side of r10.
const REACH: u32 = 96;

fn memory(random: &mut Random) -> u32 {
    let up = random.below(2) << 23;
    let d = target(random);
    let offset = random.below(REACH + 1);
    let aligned = offset & !3;
    let loads = random.below(2) << 20;
    let base = 10 << 16;
    match random.below(9) {
        // LDR, STR, LDRB, STRB by immediate; words may be unaligned.
        0 | 1 => 0x0500_0000 | up | random.below(2) << 22 | loads | base | d << 12 | offset,
        // By register r11, shifted right or not.
        2 => 0x0780_0000 | random.below(2) << 22 | loads | base | d << 12 | random.below(4) << 7 | 1 << 5 | 11,
        3 => 0x0780_0000 | random.below(2) << 22 | loads | base | d << 12 | 11,
        // LDRH, LDRSB, LDRSH, STRH by immediate or register.
        4 | 5 => {
            let kind = if loads != 0 { 1 + random.below(3) } else { 1 };
            let place = if random.chance(70) { 1 << 22 | (offset >> 4) << 8 | offset & 15 } else { 11 };
            0x0100_0090 | up | loads | base | d << 12 | kind << 5 | place
        }
        // LDRD, STRD.
        6 => 0x0140_00d0 | random.below(2) << 5 | up | base | (d & !1) << 12 | (aligned >> 4) << 8 | aligned & 15,
        // LDM, STM without moving the base.
        7 => {
            let list = random.below(1 << 10).max(1);
            0x0800_0000 | random.below(2) << 24 | up | loads | base | list
        }
        _ => {
            // VLDR, VSTR; VLDM, VSTM.
            let double = random.below(2) << 8;
            let precision = 0x0a00 | double;
            if random.chance(50) {
                0x0d00_0000 | up | loads | base | random.below(16) << 12 | precision | (aligned / 4)
            } else {
                let count = 1 + random.below(8);
                let words = if double != 0 { 2 * count } else { count };
                0x0c80_0000 | loads | base | random.below(8) << 12 | precision | words
            }
        }
    }
}
