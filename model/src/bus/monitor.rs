//! The exclusive monitor (ARM DDI 0406C.c, A3.4): one reservation a core, a granule being one cache line.

use super::memory::LINE_SIZE;

/// Most cores of one machine.
pub const CORES: usize = 8;

/// The address that no reservation has: reservations are line-aligned.
const NONE: u32 = 1;

/// The reservations of all cores by physical line.
#[derive(Clone, Debug)]
pub struct Monitor {
    reserved: [u32; CORES],
    /// Bit n: core n holds a reservation.
    held: u32,
}

impl Default for Monitor {
    fn default() -> Self {
        Self { reserved: [NONE; CORES], held: 0 }
    }
}

impl Monitor {
    /// `core` reserves the line of physical `address`, giving up an earlier reservation.
    pub fn reserve(&mut self, core: usize, address: u32) {
        self.reserved[core] = address & !(LINE_SIZE - 1);
        self.held |= 1 << core;
    }

    /// Gives up the reservation of `core` (CLREX, or a store-exclusive of whatever outcome).
    pub fn clear(&mut self, core: usize) {
        self.reserved[core] = NONE;
        self.held &= !(1 << core);
    }

    /// Whether `core` still holds the line of physical `address`.
    pub fn holds(&self, core: usize, address: u32) -> bool {
        self.reserved[core] == address & !(LINE_SIZE - 1)
    }

    /// The lines that cores other than `core` hold.
    pub fn held_by_others(&self, core: usize) -> impl Iterator<Item = u32> + '_ {
        let others = self.held & !(1 << core);
        (0..CORES).filter(move |&n| others >> n & 1 != 0).map(|n| self.reserved[n])
    }

    /// Whether any core but `core` holds a reservation.
    pub fn others_hold(&self, core: usize) -> bool {
        self.held & !(1 << core) != 0
    }

    /// `core` stores to the line of physical `address`: the others lose it. Returns a mask of the losers.
    pub fn store(&mut self, core: usize, address: u32) -> u32 {
        let line = address & !(LINE_SIZE - 1);
        let mut losers = 0;
        for other in 0..CORES {
            if other != core && self.reserved[other] == line {
                self.clear(other);
                losers |= 1 << other;
            }
        }
        losers
    }
}
