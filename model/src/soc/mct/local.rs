//! The local timers: each counts down and interrupts, once or again and again.

use super::HZ;
use crate::bus::Time;

// Offsets in a local timer's block.
pub(super) const L_TCNTB: u32 = 0x00;
pub(super) const L_ICNTB: u32 = 0x08;
const L_ICNTO: u32 = 0x0c;
pub(super) const L_TCON: u32 = 0x20;
pub(super) const L_INT_CSTAT: u32 = 0x30;
pub(super) const L_INT_ENB: u32 = 0x34;
/// Interrupts of the local timers.
pub(super) const LOCAL_INTERRUPTS: [u32; 8] = [152, 153, 154, 155, 160, 161, 162, 163];

/// One local timer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Local {
    control: u32,
    tick: u32,
    interval: u32,
    enabled: bool,
    pending: bool,
    /// When the current interval began.
    since: Time,
}

impl Local {
    fn runs(&self) -> bool {
        self.control & 3 == 3
    }

    fn period(&self) -> Time {
        let ticks = u64::from(self.interval & 0x7fff_ffff).max(1);
        (ticks * (u64::from(self.tick) + 1) * 1_000_000_000).div_ceil(u64::from(HZ)).max(1)
    }

    /// Level of its interrupt.
    pub fn interrupts(&self) -> bool {
        self.pending && self.enabled
    }

    /// When its interval ends, unless an earlier end was not acknowledged.
    pub fn next_event(&self) -> Option<Time> {
        (self.runs() && !self.pending).then(|| self.since + self.period())
    }

    /// Counts until `now`. Whether an interval has ended.
    pub fn advance(&mut self, now: Time) -> bool {
        if !self.runs() || now < self.since + self.period() {
            return false;
        }
        self.pending = true;
        // Without interval mode the count wraps through all 31 bits; nobody uses that.
        self.since += (now - self.since) / self.period() * self.period();
        true
    }

    /// What the register at `offset` of its block shows, if that is anything but what was written.
    pub fn read(&self, offset: u32, now: Time) -> Option<u32> {
        match offset {
            L_ICNTO if self.runs() => {
                let passed = (now - self.since) % self.period();
                let ticks = passed * u64::from(HZ) / 1_000_000_000 / (u64::from(self.tick) + 1);
                Some(self.interval.saturating_sub(ticks as u32))
            }
            L_INT_CSTAT => Some(self.pending.into()),
            _ => None,
        }
    }

    /// Writes the register at `offset` of its block.
    pub fn write(&mut self, offset: u32, value: u32, now: Time) {
        match offset {
            L_TCNTB => self.tick = value,
            L_ICNTB => {
                self.interval = value & 0x7fff_ffff;
                self.since = now;
            }
            L_TCON => {
                self.control = value;
                self.since = now;
            }
            L_INT_CSTAT => self.pending &= value & 1 == 0,
            L_INT_ENB => self.enabled = value & 1 != 0,
            _ => {}
        }
    }
}
