//! The words of a GICv2 (ARM IHI 0048B): what was acknowledged, who is targeted.

use tock_registers::register_bitfields;

register_bitfields! { u32,
    /// GICD_SGIR (4.3.15).
    pub(crate) SGIR [
        TARGET_FILTER OFFSET(24) NUMBITS(2) [ List = 0, Others = 1 ],
        TARGETS OFFSET(16) NUMBITS(8) [],
        ID OFFSET(0) NUMBITS(4) [],
    ],
    /// GICC_IAR (4.4.4).
    pub(crate) IAR [
        SOURCE OFFSET(10) NUMBITS(3) [],
        ID OFFSET(0) NUMBITS(10) [],
    ],
}

/// Private interrupts: SGIs are 0-15, PPIs 16-31.
#[cfg(target_os = "none")]
pub(crate) const PRIVATE: u32 = 32;
/// Interrupt numbers from here on mean "nothing to acknowledge" (3.2.5).
pub(crate) const FIRST_SPECIAL: u32 = 1020;

/// An interrupt that was taken and has to be ended.
#[must_use = "an interrupt that is not ended blocks all others of its priority"]
#[derive(Debug)]
pub struct Acknowledged {
    /// All of GICC_IAR. It goes back to GICC_EOIR as it is, because for an SGI it holds the sender, too (4.4.5).
    register: u32,
}

impl Acknowledged {
    /// What GICC_IAR said; `None` if that was "nothing".
    #[inline]
    pub(crate) fn from_register(register: u32) -> Option<Self> {
        (IAR::ID.read(register) < FIRST_SPECIAL).then_some(Self { register })
    }

    /// What GICC_EOIR wants.
    #[inline]
    pub(crate) fn into_register(self) -> u32 {
        self.register
    }

    /// The interrupt's number.
    #[inline]
    #[must_use]
    pub fn id(&self) -> u32 {
        IAR::ID.read(self.register)
    }

    /// Who sent it, for SGIs: the GIC's number of that CPU.
    #[must_use]
    pub fn source(&self) -> usize {
        IAR::SOURCE.read(self.register) as usize
    }
}

/// The executing CPU's bit in target fields, from its banked GICD_ITARGETSR0. With one CPU there is nothing to target,
/// and the field reads as zero (4.3.12).
#[cfg(any(test, target_os = "none"))]
pub(crate) const fn own_target(targets: u32) -> u8 {
    match targets as u8 {
        0 => 1,
        target => target,
    }
}

/// A GICD_ITARGETSR word in which interrupt `id` goes to `target` and the other three where they went.
#[cfg(any(test, target_os = "none"))]
pub(crate) const fn retarget(word: u32, id: usize, target: u8) -> u32 {
    let shift = id % 4 * 8;
    word & !(0xff << shift) | (target as u32) << shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_sgi_is_ended_with_its_sender() {
        for source in 0..8 {
            let interrupt = Acknowledged::from_register(source << 10 | 1).expect("SGI 1 is an interrupt");
            assert_eq!((interrupt.id(), interrupt.source()), (1, source as usize));
            assert_eq!(interrupt.into_register(), source << 10 | 1);
        }
    }

    #[test]
    fn special_numbers_are_no_interrupts() {
        for register in [1020, 1021, 1022, 1023, 0x1c00 | 1023] {
            assert!(Acknowledged::from_register(register).is_none());
        }
        assert!(Acknowledged::from_register(1019).is_some());
    }

    #[test]
    fn a_cpu_finds_its_own_bit() {
        for number in 0..8 {
            let banked = 0x0101_0101 << number;
            assert_eq!(own_target(banked), 1 << number);
        }
        assert_eq!(own_target(0), 1, "a single CPU");
    }

    #[test]
    fn retargeting_leaves_the_neighbours_alone() {
        assert_eq!(retarget(0x1122_3344, 37, 0x80), 0x1122_8044);
        assert_eq!(retarget(0x1122_3344, 32, 0x01), 0x1122_3301);
    }

    #[test]
    fn an_sgi_names_its_targets() {
        assert_eq!((SGIR::TARGETS.val(0x80) + SGIR::ID.val(1)).value, 0x0080_0001);
        assert_eq!((SGIR::TARGET_FILTER::Others + SGIR::ID.val(1)).value, 0x0100_0001);
    }
}
