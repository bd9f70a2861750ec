//! The kinds of findings: their names, and what the hardware would do.

use std::fmt;
use std::str::FromStr;

use super::Finding;
use crate::bus::{Access, Misuse};

/// Declares the kinds with their names and consequences, so that no kind lacks one.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal: $hardware:literal,)*) => {
        /// A kind of finding. Its name is what an allow-list uses.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FindingKind {
            $($(#[$doc])* $kind,)*
        }

        impl FindingKind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// The name by which the kind is allowed.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            /// What the hardware would do.
            #[must_use]
            pub const fn hardware(self) -> &'static str {
                match self {
                    $(Self::$kind => $hardware,)*
                }
            }
        }
    };
}

kinds! {
    /// An instruction that the model does not know.
    Unimplemented = "unimplemented":
        "execute it; the model cannot",
    /// A system register that the model does not know.
    UnknownSystemRegister = "unknown_system_register":
        "do something; the model cannot",
    /// An instruction with an UNPREDICTABLE encoding.
    Unpredictable = "unpredictable":
        "do anything that it can do at that privilege",
    /// An unaligned access with the MMU off.
    Unaligned = "unaligned":
        "take an alignment fault: without MMU all memory is strongly ordered",
    /// LDREX or STREX with the MMU or the data cache off.
    ExclusiveUncached = "exclusive_uncached":
        "never succeed, or abort: no global monitor answers outside cacheable memory",
    /// LDREX or STREX to device or strongly-ordered memory.
    ExclusiveDevice = "exclusive_device":
        "never succeed, or abort: devices have no monitor",
    /// The data cache is switched on without ACTLR.SMP.
    CachesBeforeSmp = "caches_before_smp":
        "keep this core out of coherency: its writes are not seen and it sees stale data",
    /// The data cache is switched on before the interconnect snoops this cluster.
    CachesBeforeCci = "caches_before_cci":
        "be silently incoherent between the clusters",
    /// Instructions are fetched from a line that was written and never cleaned.
    CodeNotCleaned = "code_not_cleaned":
        "execute what memory held before",
    /// Instructions are fetched again from a line that changed, without invalidating the instruction cache.
    CodeNotInvalidated = "code_not_invalidated":
        "execute what the instruction cache held before",
    /// A core reads past the caches what sits modified in one of them.
    StaleRead = "stale_read":
        "read what memory held before: the line was never cleaned",
    /// A core writes past the caches what sits modified in one of them.
    LostWrite = "lost_write":
        "lose this write when the cache writes its line back",
    /// A core accesses through its caches what was written past them since a cache took it.
    StaleCopy = "stale_copy":
        "see the cache's old copy: the line was never invalidated",
    /// MMU or caches are switched on without invalidating TLBs or caches after reset.
    MmuWithoutInvalidate = "mmu_without_invalidate":
        "use the random contents of TLBs and caches",
    /// GICC_EOIR is written with a value that GICC_IAR did not give.
    EndOfInterrupt = "end_of_interrupt":
        "behave unpredictably: the interrupt stays active and its priority is never dropped",
    /// A device register is accessed with a width that it does not have.
    AccessSize = "access_size":
        "abort, or read and write something else",
    /// An access to an address where nothing is.
    NothingThere = "nothing_there":
        "take an external abort, often an imprecise one, far from its cause",
    /// The counter is read before it was started.
    CounterStopped = "counter_stopped":
        "give the same value for ever: a delay loop never ends",
    /// CNTFRQ is read: no firmware of this chip sets it.
    CounterFrequency = "counter_frequency":
        "give 0 or anything else",
    /// The virtual offset of the counter is used before it was set.
    CounterOffset = "counter_offset":
        "add an arbitrary number: cores disagree about the time",
    /// A timer register is written again before the write before was seen.
    WriteStatus = "write_status":
        "lose one of the two writes",
    /// A core's clock is too fast for its voltage.
    Overclock = "overclock":
        "compute wrong results or hang, perhaps minutes later",
    /// vdd_arm and vdd_int are more than 0.3 V apart.
    VoltageSpread = "voltage_spread":
        "lose signals between the voltage domains",
    /// The chip is hotter than any sensor trip would allow, and none is armed.
    Overheated = "overheated":
        "be damaged",
    /// A clock is taken from a PLL that has not locked.
    PllUnlocked = "pll_unlocked":
        "run at an undefined frequency",
    /// Something is polled again and again that this chip never sets.
    EndlessWait = "endless_wait":
        "wait for ever",
    /// A byte is written to a full transmit FIFO.
    UartOverrun = "uart_overrun":
        "lose the byte",
    /// An A7 is reset before its boot ROM has said that it is ready.
    ResetTooEarly = "reset_too_early":
        "leave the core in its boot ROM",
    /// A core that comes up finds nothing in the mailbox but the way into the boot loader.
    Mailbox = "mailbox":
        "jump into the boot loader's old code",
    /// A register that belongs to the secure world is written.
    Secure = "secure":
        "ignore the write, or abort",
    /// A monitor call that the firmware does not know.
    MonitorCall = "monitor_call":
        "answer -1",
    /// A bus transfer to the power-management chip that it does not answer.
    Pmic = "pmic":
        "leave the voltage as it was",
    /// A core loses its power with its data cache on.
    PowerCut = "power_cut":
        "lose what only this cache held, and hang on the next snoop of it",
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no kind has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKind(pub String);

impl fmt::Display for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no finding is called {:?}; there are", self.0)?;
        FindingKind::ALL.iter().try_for_each(|kind| write!(f, " {kind}"))
    }
}

impl std::error::Error for UnknownKind {}

impl FromStr for FindingKind {
    type Err = UnknownKind;

    fn from_str(name: &str) -> Result<Self, UnknownKind> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| UnknownKind(name.into()))
    }
}

impl Misuse {
    /// What a core noticed, as a finding.
    #[must_use]
    pub fn finding(self, address: u32, at: &Access) -> Finding {
        let (kind, what) = match self {
            Self::UnalignedStronglyOrdered => (FindingKind::Unaligned, "address"),
            Self::ExclusiveUncached => (FindingKind::ExclusiveUncached, "address"),
            Self::ExclusiveDevice => (FindingKind::ExclusiveDevice, "address"),
            Self::CachesBeforeSmp => (FindingKind::CachesBeforeSmp, "SCTLR"),
            Self::CachesBeforeCoherency => (FindingKind::CachesBeforeCci, "SCTLR"),
            Self::CodeNotCleaned => (FindingKind::CodeNotCleaned, "address"),
            Self::CodeNotInvalidated => (FindingKind::CodeNotInvalidated, "address"),
            Self::StaleRead => (FindingKind::StaleRead, "address"),
            Self::LostWrite => (FindingKind::LostWrite, "address"),
            Self::StaleCopy => (FindingKind::StaleCopy, "address"),
            Self::MmuWithoutInvalidate => (FindingKind::MmuWithoutInvalidate, "SCTLR"),
            Self::Unimplemented => (FindingKind::Unimplemented, "instruction"),
            Self::UnknownSystemRegister => (FindingKind::UnknownSystemRegister, "instruction"),
            Self::Unpredictable => (FindingKind::Unpredictable, "instruction"),
        };
        Finding::new(kind, at.core, at.pc, format!("{what} {address:#010x}"))
    }
}
