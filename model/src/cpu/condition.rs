//! The condition flags and conditions (ARM ARM A8.3).

/// The flags in the form that is cheapest to set: from results, not as bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flags {
    /// N is bit 31.
    pub negative: u32,
    /// Z is set when this is zero.
    pub nonzero: u32,
    /// C is 0 or 1.
    pub carry: u32,
    /// V is bit 31.
    pub overflow: u32,
    /// Q: sticky saturation.
    pub saturated: bool,
    /// GE: four bits.
    pub greater_equal: u8,
}

impl Default for Flags {
    /// All clear.
    fn default() -> Self {
        Self { negative: 0, nonzero: 1, carry: 0, overflow: 0, saturated: false, greater_equal: 0 }
    }
}

impl Flags {
    /// N, Z, C, V, Q and GE at their places in a PSR.
    pub fn bits(&self) -> u32 {
        self.negative & 1 << 31
            | u32::from(self.nonzero == 0) << 30
            | self.carry << 29
            | (self.overflow >> 31) << 28
            | u32::from(self.saturated) << 27
            | u32::from(self.greater_equal) << 16
    }

    /// Sets N, Z, C, V from bits 31:28.
    pub fn set_nzcv(&mut self, bits: u32) {
        self.negative = bits;
        self.nonzero = u32::from(bits & 1 << 30 == 0);
        self.carry = bits >> 29 & 1;
        self.overflow = bits << 3;
    }

    /// Sets all flags from a PSR.
    pub fn set(&mut self, bits: u32) {
        self.set_nzcv(bits);
        self.saturated = bits & 1 << 27 != 0;
        self.greater_equal = (bits >> 16 & 0xf) as u8;
    }

    /// N and Z from a result.
    #[inline(always)]
    pub fn set_nz(&mut self, result: u32) {
        self.negative = result;
        self.nonzero = result;
    }

    /// N and Z from a 64-bit result.
    pub fn set_nz_long(&mut self, result: u64) {
        self.negative = (result >> 32) as u32;
        self.nonzero = (result >> 32) as u32 | result as u32;
    }

    /// Whether condition `C` holds.
    #[inline(always)]
    pub fn hold<const C: u8>(&self) -> bool {
        let greater_or_equal = (self.negative ^ self.overflow) >> 31 == 0;
        match C {
            0 => self.nonzero == 0,
            1 => self.nonzero != 0,
            2 => self.carry != 0,
            3 => self.carry == 0,
            4 => self.negative >> 31 != 0,
            5 => self.negative >> 31 == 0,
            6 => self.overflow >> 31 != 0,
            7 => self.overflow >> 31 == 0,
            8 => self.carry != 0 && self.nonzero != 0,
            9 => self.carry == 0 || self.nonzero == 0,
            10 => greater_or_equal,
            11 => !greater_or_equal,
            12 => self.nonzero != 0 && greater_or_equal,
            13 => self.nonzero == 0 || !greater_or_equal,
            _ => true,
        }
    }
}

/// A table of the instances of a function that is generic in a number, so that the host's compiler can lay each out by
/// itself.
macro_rules! instances {
    ($function:ident: $($number:literal)+) => {
        [$($function::<$number>),+]
    };
}
pub(super) use instances;

/// A table of an operation for each of the 15 conditions.
macro_rules! by_condition {
    ($function:ident) => {
        $crate::cpu::condition::instances!($function: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14)
    };
}
pub(super) use by_condition;
