//! The coherent interconnect, CCI-400: whether the clusters see each other's caches (ARM DDI 0470; sheet §3.6).

use crate::bus::{Access, BusFault, Size, Time};
use crate::soc::device::{Device, Effects, Words};

const SECURE_ACCESS: u32 = 0x0008;
const STATUS: u32 = 0x000c;
/// Snoop control of the A7s' and of the A15s' port.
const PORTS: [u32; 2] = [0x5000, 0x4000];
/// Snoops and DVM messages.
const ENABLED: u32 = 3;
/// A change of a port takes this long.
const CHANGE: Time = 400;

/// The interconnect.
#[derive(Clone, Debug)]
pub struct Cci {
    registers: Words,
    changing_until: Time,
    /// Writes are refused: the firmware has closed it to the non-secure world.
    closed: bool,
}

impl Cci {
    /// As the firmware leaves it: both ports closed. A `closed` one takes no write before the monitor opens it.
    #[must_use]
    pub fn new(closed: bool) -> Self {
        Self { registers: Words::new(0xa000), changing_until: 0, closed }
    }

    /// Whether cluster 0 (A15) or 1 (A7) takes part in coherency.
    #[must_use]
    pub fn coherent(&self, cluster: usize) -> bool {
        self.registers.get(PORTS[cluster]) & ENABLED == ENABLED
    }

    /// The monitor's write to the secure-access register.
    pub fn allow_non_secure(&mut self, allowed: bool) {
        self.closed = !allowed;
        self.registers.set(SECURE_ACCESS, allowed.into());
    }
}

impl Device for Cci {
    fn read(&mut self, offset: u32, _: Size, at: &Access, _: &mut Effects) -> Result<u32, BusFault> {
        Ok(match offset {
            STATUS => u32::from(at.time < self.changing_until),
            _ if self.closed => 0,
            _ => self.registers.get(offset),
        })
    }

    fn write(&mut self, offset: u32, _: Size, value: u32, at: &Access, _: &mut Effects) -> Result<(), BusFault> {
        if self.closed || offset == SECURE_ACCESS {
            return Ok(());
        }
        self.registers.set(offset, value);
        if PORTS.contains(&offset) {
            self.changing_until = at.time + CHANGE;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: Time) -> Access {
        Access { core: 4, time, pc: 0, secure: false }
    }

    #[test]
    fn a_port_opens_after_a_while() {
        let (mut cci, mut effects) = (Cci::new(false), Effects::default());
        assert!(!cci.coherent(1));
        cci.write(0x4000, Size::Word, 3, &at(0), &mut effects).expect("answers");
        assert_eq!(cci.read(STATUS, Size::Word, &at(100), &mut effects), Ok(1));
        assert_eq!(cci.read(STATUS, Size::Word, &at(500), &mut effects), Ok(0));
        assert!(cci.coherent(1) && !cci.coherent(0));
    }

    #[test]
    fn a_closed_one_reads_zero_until_the_monitor_opens_it() {
        let (mut cci, mut effects) = (Cci::new(true), Effects::default());
        cci.write(0x5000, Size::Word, 3, &at(0), &mut effects).expect("answers");
        assert_eq!(cci.read(0x5000, Size::Word, &at(0), &mut effects), Ok(0));
        cci.allow_non_secure(true);
        cci.write(0x5000, Size::Word, 3, &at(0), &mut effects).expect("answers");
        assert!(cci.coherent(0));
    }
}
