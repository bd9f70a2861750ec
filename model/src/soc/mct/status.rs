//! The write protocol: registers live in a slow clock domain, and a write is done when its status bit appears.

use super::local::{L_ICNTB, L_TCNTB, L_TCON};
use super::{G_CNT_L, G_CNT_U, G_TCON, LOCAL, LOCAL_END};
use crate::bus::{Access, Time};
use crate::findings::FindingKind;
use crate::soc::device::{Effects, Words};

const G_CNT_WSTAT: u32 = 0x110;
pub(super) const G_WSTAT: u32 = 0x24c;
/// In a local timer's block.
const L_WSTAT: u32 = 0x40;
/// The slow clock domain takes a few of its cycles to let a write through.
const WRITE_TIME: Time = 300;

/// The status registers.
#[derive(Clone, Debug)]
pub(super) struct WriteStatus {
    seen: Words,
    /// Bits on their way: register, bit, when it appears.
    coming: Vec<(u32, u32, Time)>,
}

impl Default for WriteStatus {
    fn default() -> Self {
        Self { seen: Words::new(LOCAL_END as usize), coming: Vec::new() }
    }
}

impl WriteStatus {
    /// Whether a status register is at `offset`.
    pub fn is_at(offset: u32) -> bool {
        let local = (LOCAL..LOCAL_END).contains(&offset) && offset & 0xff == L_WSTAT;
        local || matches!(offset, G_CNT_WSTAT | G_WSTAT)
    }

    /// The status register and bit that tells that a write to `offset` is done.
    fn of(offset: u32) -> Option<(u32, u32)> {
        Some(match offset {
            G_CNT_L => (G_CNT_WSTAT, 1),
            G_CNT_U => (G_CNT_WSTAT, 2),
            0x200 => (G_WSTAT, 1),
            0x204 => (G_WSTAT, 2),
            0x208 => (G_WSTAT, 4),
            G_TCON => (G_WSTAT, 1 << 16),
            LOCAL..LOCAL_END => {
                let bit = match offset & 0xff {
                    L_TCNTB => 1,
                    L_ICNTB => 2,
                    L_TCON => 8,
                    _ => return None,
                };
                ((offset & !0xff) | L_WSTAT, bit)
            }
            _ => return None,
        })
    }

    /// What the status register at `offset` shows.
    pub fn get(&self, offset: u32) -> u32 {
        self.seen.get(offset)
    }

    /// Lets the bits appear that are due.
    pub fn settle(&mut self, now: Time) {
        let seen = &mut self.seen;
        self.coming.retain(|&(register, bit, when)| {
            let due = when <= now;
            if due {
                seen.set(register, seen.get(register) | bit);
            }
            !due
        });
    }

    /// The register at `offset` is written: its bit will appear. Tells if an earlier one was not acknowledged.
    pub fn note(&mut self, offset: u32, at: &Access, effects: &mut Effects) {
        let Some((register, bit)) = Self::of(offset) else { return };
        let on_its_way = self.coming.iter().any(|&(other, bits, _)| other == register && bits == bit);
        if on_its_way || self.seen.get(register) & bit != 0 {
            let what = format!("MCT register {offset:#x} is written again, the write before was not acknowledged");
            effects.find(FindingKind::WriteStatus, at, what);
        }
        self.coming.push((register, bit, at.time + WRITE_TIME));
    }

    /// Bits are written back, which clears them.
    pub fn acknowledge(&mut self, offset: u32, bits: u32) {
        self.seen.set(offset, self.seen.get(offset) & !bits);
    }
}
