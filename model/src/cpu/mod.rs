//! The cores: ARMv7-A in A32 with VFPv3-D16, to the letter of the ARM Architecture Reference Manual (ARM DDI 0406C.c;
//! "ARM ARM" in the comments of this room).
//!
//! An instruction is decoded once into one or a few [`op::Op`]s; straight runs of them form blocks ([`code::Code`]).
//! [`run`] executes blocks, [`memory`] is the path to memory, [`exception`] what happens when something goes wrong or
//! interrupts. T32 has its place beside `decode` and is not there yet: a jump to T32 code is a named misuse.

pub mod cost;
pub mod identity;

mod branch;
mod cache;
mod code;
mod condition;
mod cp15;
mod data;
mod decode;
mod exception;
mod exclusive;
mod float;
mod media;
mod memory;
mod mmu;
mod mode;
mod multiple;
mod multiply;
mod op;
mod pmu;
mod run;
mod status;
mod system;
mod transfer;
mod vfp;

pub use cache::Cache;
pub use code::Code;
pub use cost::{Class, Costs};
pub use cp15::Cp15;
pub(crate) use cp15::NSACR_NS_SMP;
pub use exception::Exception;
pub use identity::{Identity, Kind};
pub use mode::{Mode, ResetMode};
pub use run::Exit;

use crate::bus::{Access, Bus, Lines, Platform, Time};
use condition::Flags;
use memory::DataPath;
use mode::Banks;
use pmu::Pmu;
use run::{Clock, Progress};
use vfp::Vfp;

/// The bus as a core sees it.
pub type World = Bus<dyn Platform>;

/// What a core is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Executing.
    Running,
    /// In WFI.
    WaitingForInterrupt,
    /// In WFE.
    WaitingForEvent,
    /// Without power, or held in reset.
    Off,
}

/// What a core did since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Instructions executed, those with a failed condition included.
    pub instructions: u64,
    /// Misses of the first-level data cache.
    pub l1_misses: u64,
    /// Misses that went to memory.
    pub l2_misses: u64,
    /// Exceptions taken, by vector number (1 undefined, 2 SVC, 3 prefetch abort, 4 data abort, 5 HYP trap, 6 IRQ, 7
    /// FIQ).
    pub exceptions: [u64; 8],
}

/// One core.
pub struct Core {
    /// The registers of the current mode. Slot 15 is scratch: the program counter is [`Core::pc`].
    pub r: [u32; 16],
    /// Address of the next instruction, between two blocks.
    pub pc: u32,
    flags: Flags,
    /// CPSR without N, Z, C, V, Q and GE.
    control: u32,
    banks: Banks,
    /// System registers.
    pub cp15: Cp15,
    vfp: Vfp,
    pmu: Pmu,
    data: DataPath,
    jumps: code::Jumps,
    clock: Clock,
    progress: Progress,
    lines: Lines,
    /// Something is to be looked at before the next block: an interrupt, changed code, new translations.
    attention: bool,
    /// The event that an operation raised before it ended its block.
    raised: Option<Exception>,
    /// Index of this core within the machine.
    pub index: usize,
    /// Index of its cluster, and so of its L2 cache on the bus.
    pub cluster: usize,
    identity: Identity,
    costs: Costs,
    /// What the core is doing.
    pub activity: Activity,
    /// What it did so far.
    pub statistics: Statistics,
}

impl Core {
    /// A core that is off, at 1 GHz.
    pub fn new(index: usize, cluster: usize, identity: Identity, costs: Costs) -> Self {
        Self {
            r: [0; 16],
            pc: 0,
            flags: Flags::default(),
            control: 0,
            banks: Banks::default(),
            cp15: Cp15::new(&identity),
            vfp: Vfp::default(),
            pmu: Pmu::new(identity.kind),
            data: DataPath::new(),
            jumps: code::Jumps::new(),
            clock: Clock::new(),
            progress: Progress::default(),
            lines: Lines::default(),
            attention: false,
            raised: None,
            index,
            cluster,
            identity,
            costs,
            activity: Activity::Off,
            statistics: Statistics::default(),
        }
    }

    /// Resets the core to run from `pc` (ARM ARM B1.9.1): everything masked, MMU and caches off. `mode` says how far
    /// the firmware has already taken it.
    pub fn reset(&mut self, pc: u32, mode: ResetMode) {
        self.r = [0; 16];
        self.pc = pc;
        self.flags = Flags::default();
        self.banks = Banks::default();
        self.cp15 = Cp15::new(&self.identity);
        self.cp15.scr = match mode {
            ResetMode::SecureSvc => 0,
            ResetMode::NonSecureSvc | ResetMode::Hyp => cp15::SCR_OF_FIRMWARE,
        };
        self.control = mode.control();
        self.vfp = Vfp::default();
        self.pmu = Pmu::new(self.identity.kind);
        self.forget_translations();
        self.data.reset();
        self.activity = Activity::Running;
        self.attention = true;
    }

    /// Takes the power from the core.
    pub fn power_off(&mut self) {
        self.activity = Activity::Off;
    }

    /// Which core this is.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The current mode.
    pub fn mode(&self) -> Mode {
        Mode::of(self.control)
    }

    /// Whether the core executes in secure state.
    pub fn secure(&self) -> bool {
        self.cp15.scr & cp15::SCR_NS == 0 || self.mode() == Mode::Monitor
    }

    /// Whether the core executes in any mode but USR.
    fn privileged(&self) -> bool {
        self.mode() != Mode::User
    }

    /// Who accesses, when, at operation `i` of the current block.
    fn access(&self, i: usize) -> Access {
        Access { core: self.index, time: self.time(), pc: self.progress.pc_of(i), secure: self.secure() }
    }

    /// The core's own model time.
    pub fn time(&self) -> Time {
        self.clock.time()
    }

    /// Drops every translation the core remembers.
    fn forget_translations(&mut self) {
        self.data.forget();
        self.jumps.forget();
    }

    /// Asks the platform anew for the interrupt lines, after an access that may have changed them.
    fn sample_lines(&mut self, bus: &mut World) {
        self.lines = bus.platform.lines(self.index, self.time());
        self.attention |= self.lines != Lines::default();
    }
}
