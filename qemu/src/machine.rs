//! The machines Gearshift runs on, and how each takes an image.

use std::fmt;
use std::str::FromStr;

/// A machine that QEMU emulates. Its name is the board's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// ARM Versatile Express with a CoreTile A15x4: four cores that all start at once.
    VexpressA15,
    /// QEMU's `virt` with a GICv2: eight cores, secondaries started by PSCI.
    QemuVirt,
}

/// The state of a core at the image's first instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Supervisor mode, secure world.
    SecureSvc,
    /// Supervisor mode, non-secure world.
    NonSecureSvc,
    /// Hypervisor mode.
    Hyp,
}

/// The form in which a machine takes its kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// The linked ELF as it is.
    Elf,
    /// The loadable bytes alone, from the lowest address on: QEMU treats it as a Linux kernel and passes a DTB.
    Flat,
}

impl Machine {
    /// Every machine, the default one first.
    pub const ALL: [Self; 2] = [Self::VexpressA15, Self::QemuVirt];

    /// The board's name, as people type it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::VexpressA15 => "vexpress-a15",
            Self::QemuVirt => "qemu-virt",
        }
    }

    /// How many cores the machine has at most.
    #[must_use]
    pub const fn cores(self) -> u32 {
        match self {
            Self::VexpressA15 => 4,
            Self::QemuVirt => 8,
        }
    }

    /// The form in which it takes its kernel.
    #[must_use]
    pub const fn kernel(self) -> Kernel {
        match self {
            Self::VexpressA15 => Kernel::Elf,
            Self::QemuVirt => Kernel::Flat,
        }
    }

    /// The entry state that the machine gives unasked.
    #[must_use]
    pub const fn usual_entry(self) -> Entry {
        match self {
            Self::VexpressA15 => Entry::SecureSvc,
            Self::QemuVirt => Entry::NonSecureSvc,
        }
    }

    /// The value of `-machine` that makes cores start in `entry`; `None` if this machine cannot.
    ///
    /// QEMU starts a core in the highest exception level it has, so EL3 and EL2 are taken away from above. A flat
    /// kernel on `virt` is always started non-secure, as Linux wants it.
    #[must_use]
    pub const fn option(self, entry: Entry) -> Option<&'static str> {
        match (self, entry) {
            (Self::VexpressA15, Entry::SecureSvc) => Some("vexpress-a15"),
            (Self::VexpressA15, Entry::NonSecureSvc) => Some("vexpress-a15,virtualization=off,secure=off"),
            (Self::VexpressA15, Entry::Hyp) => Some("vexpress-a15,virtualization=on,secure=off"),
            (Self::QemuVirt, Entry::SecureSvc) => None,
            (Self::QemuVirt, Entry::NonSecureSvc) => Some("virt,gic-version=2"),
            (Self::QemuVirt, Entry::Hyp) => Some("virt,gic-version=2,virtualization=on"),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no machine's; its message lists those that are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownMachine(String);

impl fmt::Display for UnknownMachine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Machine::ALL.map(Machine::name).join(", ");
        write!(f, "no board is called \"{}\"; there are: {known}", self.0)
    }
}

impl std::error::Error for UnknownMachine {}

impl FromStr for Machine {
    type Err = UnknownMachine;

    fn from_str(name: &str) -> Result<Self, UnknownMachine> {
        let known = Self::ALL.into_iter().find(|machine| machine.name() == name);
        known.ok_or_else(|| UnknownMachine(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_as_the_machines_they_name() {
        for machine in Machine::ALL {
            assert_eq!(machine.name().parse(), Ok(machine));
        }
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let refusal = "beagle".parse::<Machine>().expect_err("no such board");
        assert_eq!(refusal.to_string(), "no board is called \"beagle\"; there are: vexpress-a15, qemu-virt");
    }

    #[test]
    fn every_machine_can_start_the_way_it_usually_does() {
        for machine in Machine::ALL {
            assert!(machine.option(machine.usual_entry()).is_some());
        }
    }
}
