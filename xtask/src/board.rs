//! The boards by the names that people type, and what each runs on.

use std::fmt;
use std::str::FromStr;

use qemu::Machine;

/// A board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Board {
    /// One that QEMU emulates.
    Emulated(Machine),
    /// The real one, which runs on the model of its chip.
    OdroidXu4,
}

impl Board {
    /// Every board.
    pub const ALL: [Self; 3] =
        [Self::Emulated(Machine::VexpressA15), Self::Emulated(Machine::QemuVirt), Self::OdroidXu4];

    /// Its name, which is also its package's.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Emulated(machine) => machine.name(),
            Self::OdroidXu4 => "odroid-xu4",
        }
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Board {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let names = || Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|board| board.name() == name);
        found.ok_or_else(|| format!("there is no board {name:?}; there are {}", names()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_board_is_found_by_its_name() {
        for board in Board::ALL {
            assert_eq!(board.name().parse(), Ok(board));
        }
        assert!("odroid".parse::<Board>().expect_err("no board").contains("odroid-xu4"));
    }
}
