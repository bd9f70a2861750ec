//! What joins the cores to the rest of the machine: physical memory, the platform's devices, the exclusive monitor and
//! the lines between cores.
//!
//! A core is given `&mut Bus<dyn Platform>` for the length of one slice. A machine owns a `Bus<ItsOwnSoc>`; the
//! reference coerces by itself, so the machine keeps its concrete type.

mod lines;
mod memory;
mod monitor;

pub(crate) use lines::{CacheLines, Epoch};
pub use memory::{LINE_SIZE, Memory, PAGE_SIZE};
pub use monitor::Monitor;

use crate::cpu::{Cache, Core};

/// Model time in nanoseconds since power-on.
pub type Time = u64;

/// Width of one access to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// 8 bits.
    Byte,
    /// 16 bits.
    Half,
    /// 32 bits. A doubleword access reaches a device as two words, the lower address first.
    Word,
}

impl Size {
    /// The width in bytes.
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Byte => 1,
            Self::Half => 2,
            Self::Word => 4,
        }
    }
}

/// Who accesses, and when.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Index of the core within the machine.
    pub core: usize,
    /// The core's own model time.
    pub time: Time,
    /// Address of the accessing instruction.
    pub pc: u32,
    /// Whether the core is in secure state (a GIC and the secure timer show other registers then).
    pub secure: bool,
}

/// The access was answered by nobody, or refused: the core takes an external abort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusFault;

/// State of the lines into one core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// IRQ asserted by the interrupt controller.
    pub irq: bool,
    /// FIQ asserted by the interrupt controller.
    pub fiq: bool,
}

/// A register of the generic timer that lives outside the core (ARM DDI 0406C.c, B8). The access rights by CNTKCTL and
/// CNTHCTL are checked by the core before the platform is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerRegister {
    /// CNTFRQ.
    Frequency,
    /// CNTPCT, 64 bits, read only.
    PhysicalCount,
    /// CNTVCT, 64 bits, read only.
    VirtualCount,
    /// CNTP_CVAL of the access's security state, 64 bits.
    PhysicalCompare,
    /// CNTP_TVAL.
    PhysicalValue,
    /// CNTP_CTL.
    PhysicalControl,
    /// CNTV_CVAL, 64 bits.
    VirtualCompare,
    /// CNTV_TVAL.
    VirtualValue,
    /// CNTV_CTL.
    VirtualControl,
    /// CNTHP_CVAL, 64 bits.
    HypCompare,
    /// CNTHP_TVAL.
    HypValue,
    /// CNTHP_CTL.
    HypControl,
    /// CNTVOFF, 64 bits.
    VirtualOffset,
}

/// A call out of the program, offered to the platform before the core takes the architectural exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// `SMC #n`: the secure monitor.
    Smc(u16),
    /// `HVC #n`: the hypervisor.
    Hvc(u16),
    /// `SVC #n`: semihosting uses 0x123456.
    Svc(u32),
    /// `BKPT #n`.
    Breakpoint(u16),
    /// `HLT #n` (0xF000 is semihosting in A32 on later cores; undefined on ARMv7 unless the platform takes it).
    Halt(u16),
}

/// What the platform did with a [`Call`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing: take the exception that the architecture prescribes.
    Decline,
    /// Done: go on with the next instruction.
    Done,
    /// Done, and the slice ends here (the machine has something to see to).
    EndSlice,
}

/// Everything outside cores and memory.
pub trait Platform {
    /// Reads from a physical address that is not memory.
    ///
    /// # Errors
    /// [`BusFault`]: nobody answers, or with an error.
    fn read(&mut self, address: u32, size: Size, at: &Access) -> Result<u32, BusFault>;

    /// Writes to a physical address that is not memory.
    ///
    /// # Errors
    /// [`BusFault`]: nobody answers, or with an error.
    fn write(&mut self, address: u32, size: Size, value: u32, at: &Access) -> Result<(), BusFault>;

    /// Reads a generic timer register through cp15 (32-bit registers zero-extended).
    fn timer_read(&mut self, register: TimerRegister, at: &Access) -> u64;

    /// Writes a generic timer register through cp15.
    fn timer_write(&mut self, register: TimerRegister, value: u64, at: &Access);

    /// The lines into `core` at `time`. Asked at the start of a slice and after each access that may have changed them.
    fn lines(&mut self, core: usize, time: Time) -> Lines;

    /// Offers a call to the platform, which may change the core's registers and memory.
    fn call(&mut self, call: Call, core: &mut Core, memory: &mut Memory, at: &Access) -> Answer;

    /// A core did what real silicon would not forgive. The run goes on with the model's lenient behaviour.
    fn misuse(&mut self, misuse: Misuse, address: u32, at: &Access);

    /// Whether hardware coherency reaches this core: its CCI port answers snoops (checked against ACTLR.SMP when the
    /// caches are switched on).
    fn coherent(&self, core: usize) -> bool;
}

/// What a core can see that silicon would punish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Misuse {
    /// Unaligned access while the MMU is off (all memory is strongly ordered then): alignment fault.
    UnalignedStronglyOrdered,
    /// Exclusive access while the MMU or the data cache is off: no monitor answers outside the cluster.
    ExclusiveUncached,
    /// Exclusive access to device or strongly-ordered memory.
    ExclusiveDevice,
    /// SCTLR.C set while ACTLR.SMP is clear.
    CachesBeforeSmp,
    /// SCTLR.C set while the cluster's CCI port does not snoop.
    CachesBeforeCoherency,
    /// Instructions fetched from a line that was written and not cleaned to the point of unification.
    CodeNotCleaned,
    /// Instructions fetched from a line that was changed after an earlier fetch, without I-cache invalidation.
    CodeNotInvalidated,
    /// Access past the caches to a line that sits modified in one of them.
    StaleRead,
    /// Write past the caches to a line that sits modified in one of them.
    LostWrite,
    /// Cached access to a line that was written past the caches since it was cached.
    StaleCopy,
    /// MMU or caches switched on without invalidating TLB (or I-cache) after reset.
    MmuWithoutInvalidate,
    /// The program uses an instruction that this model does not implement; the address field holds its encoding.
    Unimplemented,
    /// A CP15 register that this model does not know; the address field holds the instruction.
    UnknownSystemRegister,
    /// UNPREDICTABLE by the architecture; the address field holds the instruction.
    Unpredictable,
}

/// What a core reaches beyond itself.
pub struct Bus<P: Platform + ?Sized> {
    /// Physical memory.
    pub memory: Memory,
    /// Exclusive reservations of all cores.
    pub monitor: Monitor,
    /// Event registers of all cores (bit n: core n); SEV sets all, WFE clears the own one.
    pub events: u32,
    /// Counts TLB maintenance that was broadcast; a core that sees it changed drops its translations.
    pub tlb_epoch: u32,
    /// The second-level caches of the clusters, for what an access costs.
    pub l2: Vec<Cache>,
    /// Devices and firmware.
    pub platform: P,
}

impl<P: Platform> Bus<P> {
    /// A bus with nothing reserved, no event pending and no second-level cache: a core whose cluster has none pays for
    /// memory at each miss of its own cache.
    pub fn new(memory: Memory, platform: P) -> Self {
        Self { memory, monitor: Monitor::default(), events: 0, tlb_epoch: 0, l2: Vec::new(), platform }
    }
}
