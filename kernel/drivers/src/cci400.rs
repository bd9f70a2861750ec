//! Cache-coherent interconnect, CCI-400 (ARM DDI 0470): whether a cluster takes part in snooping.
//!
//! A cluster whose port is closed is silently incoherent as soon as its caches are on. So every core opens the port of
//! its own cluster first, with its MMU off; the second one finds it open.
#![expect(unsafe_code, reason = "claims device registers")]

use crate::words::{Mapped, Words};

/// Secure Access Register (3.3.3).
pub const SECURE_ACCESS: usize = 0x0008;
/// Status Register (3.3.4).
const STATUS: usize = 0x000c;
/// Snoop Control Registers of the slave interfaces (3.3.12).
const SNOOP_CONTROL: usize = 0x1000;
const INTERFACE_STRIDE: usize = 0x1000;
/// In a Snoop Control Register: snoops and distributed virtual memory messages are sent to the cluster.
const OPEN: u32 = 0b11;
/// In the Status Register: a change has not reached all of the interconnect.
const CHANGING: u32 = 1;
/// Polls before a change counts as lost: a millisecond or so.
const PATIENCE: u32 = 10_000;

/// Why a cluster is not snooped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortError {
    /// The register did not take the write: the secure world keeps it to itself.
    Refused,
    /// The change did not come to an end.
    Timeout,
}

/// The interconnect.
#[derive(Debug)]
pub struct Interconnect<W = Mapped> {
    words: W,
}

impl Interconnect {
    /// Takes the device at `base`. It may be taken by several cores: they write the same.
    ///
    /// # Safety
    ///
    /// At `base` is a CCI-400, mapped as device memory or reached with the MMU off, of which nobody closes a port.
    #[must_use]
    pub const unsafe fn claim(base: usize) -> Self {
        // SAFETY: the caller's promise.
        Self { words: unsafe { Mapped::at(base) } }
    }
}

impl<W: Words> Interconnect<W> {
    /// Opens slave interface `port` (0-4), to which a cluster is connected, and waits until that holds everywhere.
    ///
    /// # Errors
    ///
    /// If the port stays closed, or the change does not end.
    pub fn open(&self, port: usize) -> Result<(), PortError> {
        let register = SNOOP_CONTROL + port * INTERFACE_STRIDE;
        if self.words.read(register) & OPEN != OPEN {
            self.words.write(register, OPEN);
            if self.words.read(register) & OPEN != OPEN {
                return Err(PortError::Refused);
            }
        }
        // Also for a port that was found open: another core may have written it just now.
        match self.words.poll(STATUS, PATIENCE, |status| status & CHANGING == 0) {
            true => Ok(()),
            false => Err(PortError::Timeout),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::script::{Did, Script};

    #[test]
    fn a_port_is_opened_read_back_and_waited_for() {
        let device = Script::new(&[(STATUS, CHANGING)], |words, did| {
            if did == Did::Read(STATUS) {
                // Twice "changing", as 3 and 2 and 1 end in a bit, then not.
                let status = words[&STATUS];
                words.insert(STATUS, if status == CHANGING { 3 } else { 0 });
            }
        });
        assert_eq!(Interconnect { words: &device }.open(3), Ok(()));
        let expected = [Did::Read(0x4000), Did::Wrote(0x4000, 3), Did::Read(0x4000), Did::Read(STATUS)];
        assert_eq!(device.accesses(), expected);
    }

    #[test]
    fn a_port_that_is_open_is_not_written() {
        let device = Script::new(&[(0x5000, 3)], |_, _| {});
        assert_eq!(Interconnect { words: &device }.open(4), Ok(()));
        assert_eq!(device.accesses(), [Did::Read(0x5000), Did::Read(STATUS)]);
    }

    #[test]
    fn what_the_secure_world_keeps_is_refused() {
        let device = Script::new(&[], |words, did| {
            if let Did::Wrote(offset, _) = did {
                words.insert(offset, 0);
            }
        });
        assert_eq!(Interconnect { words: &device }.open(4), Err(PortError::Refused));
    }

    #[test]
    fn a_change_without_end_costs_bounded_time() {
        let device = Script::new(&[(STATUS, CHANGING)], |_, _| {});
        assert_eq!(Interconnect { words: &device }.open(4), Err(PortError::Timeout));
    }
}
