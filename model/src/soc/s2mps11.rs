//! The power-management chip S2MPS11 on the PMIC bus (torvalds/linux:include/linux/mfd/samsung/s2mps11.h; sheet §7.4):
//! what the rails are told to be, and how fast they get there.

use crate::bus::Time;

/// Its address on the bus.
pub const ADDRESS: u8 = 0x66;
const CTRL1: u8 = 0x0c;
const RAMP: u8 = 0x10;
const RAMP_BUCK: u8 = 0x11;
/// Smallest selector that a buck accepts.
const LEAST: u8 = 8;

/// The rails that matter to the cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rail {
    /// vdd_arm, the A15s: buck 2.
    Arm,
    /// vdd_int, the interconnect: buck 3.
    Int,
    /// vdd_kfc, the A7s: buck 6.
    Kfc,
}

impl Rail {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Arm, Self::Int, Self::Kfc];

    const fn register(self) -> u8 {
        match self {
            Self::Arm => 0x28,
            Self::Int => 0x2a,
            Self::Kfc => 0x34,
        }
    }
}

/// A rail on its way from one voltage to another.
#[derive(Clone, Copy, Debug)]
struct Ramp {
    from: u32,
    to: u32,
    since: Time,
    /// Microvolts in a microsecond.
    rate: u32,
}

impl Ramp {
    fn at(&self, now: Time) -> u32 {
        let moved = (u64::from(self.rate) * now.saturating_sub(self.since) / 1000).min(u64::from(u32::MAX)) as u32;
        match self.to >= self.from {
            true => self.from.saturating_add(moved).min(self.to),
            false => self.from.saturating_sub(moved).max(self.to),
        }
    }
}

/// The chip.
#[derive(Clone, Debug)]
pub struct S2mps11 {
    registers: [u8; 256],
    ramps: [Ramp; 3],
    /// Bytes are acknowledged, and the bucks stay as they are.
    pub refuses: bool,
}

/// Microvolts of a selector of bucks 1 to 6.
const fn microvolts(selector: u8) -> u32 {
    650_000 + 6250 * selector as u32
}

/// The selector nearest to a voltage in microvolts.
const fn selector(microvolts: u32) -> u8 {
    ((microvolts - 650_000) / 6250) as u8
}

impl S2mps11 {
    /// With the rails as the boot loaders leave them, in microvolts: arm, int and kfc.
    #[must_use]
    pub fn new(rails: [u32; 3]) -> Self {
        let mut registers = [0; 256];
        registers[0] = 0x82;
        registers[usize::from(CTRL1)] = 0x10;
        registers[usize::from(RAMP)] = 0xaf;
        registers[usize::from(RAMP_BUCK)] = 0xaa;
        let mut ramps = [Ramp { from: 0, to: 0, since: 0, rate: 1 }; 3];
        for ((rail, voltage), ramp) in Rail::ALL.into_iter().zip(rails).zip(&mut ramps) {
            let register = usize::from(rail.register());
            registers[register] = selector(voltage);
            registers[register - 1] = 0xd8;
            *ramp = Ramp { from: voltage, to: voltage, since: 0, rate: 1 };
        }
        Self { registers, ramps, refuses: false }
    }

    /// The rail's voltage at `now` in microvolts.
    #[must_use]
    pub fn microvolts(&self, rail: Rail, now: Time) -> u32 {
        self.ramps[rail as usize].at(now)
    }

    /// What the rail is told to be, in microvolts.
    #[must_use]
    pub fn target(&self, rail: Rail) -> u32 {
        self.ramps[rail as usize].to
    }

    /// Reads a register.
    #[must_use]
    pub fn read(&self, register: u8) -> u8 {
        self.registers[usize::from(register)]
    }

    /// Writes a register.
    pub fn write(&mut self, register: u8, value: u8, now: Time) {
        if self.refuses {
            return;
        }
        self.registers[usize::from(register)] = value;
        if let Some(rail) = Rail::ALL.into_iter().find(|rail| rail.register() == register) {
            let rate = self.rate(rail);
            let ramp = &mut self.ramps[rail as usize];
            *ramp = Ramp { from: ramp.at(now), to: microvolts(value.max(LEAST)), since: now, rate };
        }
    }

    /// Microvolts in a microsecond by the ramp fields: 6.25, 12.5, 25 or 50 mV.
    fn rate(&self, rail: Rail) -> u32 {
        let code = match rail {
            Rail::Arm => self.read(RAMP) >> 6,
            Rail::Int => self.read(RAMP) >> 4 & 3,
            Rail::Kfc => self.read(RAMP_BUCK) >> 4 & 3,
        };
        6250 << code
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rail_rises_at_25_millivolts_a_microsecond() {
        let mut chip = S2mps11::new([1_000_000, 1_012_500, 1_025_000]);
        assert_eq!(chip.microvolts(Rail::Arm, 0), 1_000_000);
        chip.write(0x28, 0x6a, 1_000_000);
        assert_eq!(chip.read(0x28), 0x6a);
        assert_eq!(chip.microvolts(Rail::Arm, 1_002_000), 1_050_000);
        assert_eq!(chip.microvolts(Rail::Arm, 1_020_000), 1_312_500);
        assert_eq!(chip.target(Rail::Int), 1_012_500);
    }
}
