//! Blocks of the chip that are there and do nothing in this model: they hold what is written.

use std::collections::BTreeMap;

use crate::bus::{Access, BusFault, Size};
use crate::findings::FindingKind;
use crate::soc::device::{Device, Effects};

/// Base and size of each (sheet §1.2).
const BLOCKS: &[(u32, u32)] = &[
    (0x0386_0000, 0x1000),   // pinctrl4
    (0x0388_0000, 0x1000),   // ADMA
    (0x1005_0000, 0x5000),   // SYSREG
    (0x100e_0000, 0xc_0000), // TZPC
    (0x101b_0000, 0x200),    // HDMI-CEC
    (0x101e_0000, 0x100),    // RTC
    (0x1048_4000, 0x4000),   // GICH, GICV
    (0x1080_0000, 0x1000),   // MDMA0
    (0x1083_0000, 0x300),    // SSS
    (0x10c2_0000, 0x2_0000), // DREX
    (0x1200_0000, 0x1_0000), // USB 3
    (0x1211_0000, 0x2_0000), // USB 2
    (0x121a_0000, 0x2_0000), // PDMA
    (0x1220_0000, 0x3_0000), // eMMC, SD
    (0x1225_0000, 0x1000),   // SROMC
    (0x1240_0000, 0x1_0000), // USB 3
    (0x12c0_0000, 0x2_0000), // UART0, UART1
    (0x12c3_0000, 0x7_0000), // UART3, I2C, HSI2C
    (0x12cb_0000, 0x3_0000), // HSI2C5-7
    (0x12d1_0000, 0x100),    // ADC
    (0x12e0_0000, 0x3_0000), // HSI2C8-10
    (0x1340_0000, 0x2_0000), // pinctrl0, pinctrl1
    (0x1400_0000, 0x2_0000), // pinctrl2, pinctrl3
];

/// The ones among them that the firmware keeps to the secure world: TZPC and the memory controllers.
const SECURE: [(u32, u32); 2] = [(0x100e_0000, 0xc_0000), (0x10c2_0000, 0x2_0000)];

/// CON and DAT of the bank with the fan's pin, GPB2.
const FAN_BANK: u32 = 0x1401_00a0;

/// The blocks, by absolute address.
#[derive(Clone, Debug)]
pub struct Others {
    words: BTreeMap<u32, u32>,
}

impl Default for Others {
    fn default() -> Self {
        // The boot loader lets the fan run at full speed: an output, high. The boot strap says "A7".
        Self { words: BTreeMap::from([(FAN_BANK, 1), (FAN_BANK + 4, 1), (0x1400_00c4, 0)]) }
    }
}

impl Others {
    /// Whether such a block answers at the address.
    #[must_use]
    pub fn has(address: u32) -> bool {
        BLOCKS.iter().any(|(base, size)| address.wrapping_sub(*base) < *size)
    }

    fn get(&self, address: u32) -> u32 {
        self.words.get(&address).copied().unwrap_or(0)
    }

    /// How fast the fan turns, 0 to 1, if the PWM gives `pwm` in 1/256: pin function 1 is an output, 2 the PWM.
    #[must_use]
    pub fn fan(&self, pwm: u32) -> f64 {
        match self.get(FAN_BANK) & 0xf {
            1 => f64::from(self.get(FAN_BANK + 4) & 1),
            2 => f64::from(pwm) / 256.0,
            _ => 0.0,
        }
    }
}

impl Device for Others {
    fn read(&mut self, offset: u32, size: Size, _: &Access, _: &mut Effects) -> Result<u32, BusFault> {
        let value = self.get(offset & !3) >> (8 * (offset & 3));
        Ok(value & (u32::MAX >> (32 - 8 * size.bytes())))
    }

    fn write(&mut self, offset: u32, _: Size, value: u32, at: &Access, effects: &mut Effects) -> Result<(), BusFault> {
        if SECURE.iter().any(|(base, size)| offset.wrapping_sub(*base) < *size) {
            effects.find(FindingKind::Secure, at, format!("{offset:#010x} is written"));
            return Ok(());
        }
        self.words.insert(offset & !3, value);
        Ok(())
    }
}
