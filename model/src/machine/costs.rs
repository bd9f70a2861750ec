//! What instructions cost on each core type.
//!
//! A cost model, not a pipeline: numbers are chosen so that whole programs stand to each other as people measured them
//! (sheet §10), not so that any single instruction is right.

use crate::cpu::{Class, Costs};

/// The price of each class in 1/64 cycle, as pairs of A15 and A7.
const PRICES: [(Class, u16, u16); Class::COUNT] = [
    (Class::Alu, 36, 64),
    (Class::Shift, 40, 71),
    (Class::Multiply, 64, 87),
    (Class::MultiplyLong, 80, 128),
    (Class::Divide, 640, 512),
    (Class::Media, 48, 80),
    (Class::Load, 56, 68),
    (Class::Store, 44, 66),
    (Class::Transfer, 30, 48),
    (Class::Branch, 44, 72),
    (Class::BranchIndirect, 96, 128),
    (Class::Exclusive, 320, 320),
    (Class::Barrier, 640, 640),
    (Class::System, 192, 192),
    (Class::FloatMove, 64, 80),
    (Class::FloatAdd, 72, 128),
    (Class::FloatMultiply, 80, 160),
    (Class::FloatDivide, 640, 1100),
    (Class::FloatDivideDouble, 1150, 1860),
];

/// The prices of a Cortex-A15.
#[must_use]
pub fn a15() -> Costs {
    Costs {
        l2_hit: 16 * 64,
        dram: 150,
        ahead: 9,
        exception: 24 * 64,
        device: 120,
        uncached: 110,
        class: prices(|row| row.1),
    }
}

/// The prices of a Cortex-A7.
#[must_use]
pub fn a7() -> Costs {
    Costs {
        l2_hit: 10 * 64,
        dram: 150,
        ahead: 80,
        exception: 16 * 64,
        device: 120,
        uncached: 110,
        class: prices(|row| row.2),
    }
}

fn prices(pick: fn(&(Class, u16, u16)) -> u16) -> [u16; Class::COUNT] {
    let mut class = [0; Class::COUNT];
    PRICES.iter().for_each(|row| class[row.0 as usize] = pick(row));
    class
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_a_price() {
        for costs in [a15(), a7()] {
            assert!(costs.class.iter().all(|price| *price > 0));
        }
    }
}
