//! Structures that cross the system-call border. All are plain words in the order given, so that both sides agree byte
//! for byte.

use crate::numbered::numbered;

/// CPUs a system can have.
pub const MAX_CPUS: usize = 8;
/// Tasks that can exist at once.
pub const MAX_TASKS: usize = 512;
/// Channels that can exist at once.
pub const MAX_CHANNELS: usize = 256;
/// Messages a channel can hold.
pub const MAX_MESSAGES: usize = 16;
/// Bytes of the longest message.
pub const MAX_MESSAGE: usize = 4096;
/// Bytes of the longest single console write.
pub const MAX_WRITE: usize = 1024;
/// Bytes of the longest boot-argument string that is kept.
pub const MAX_BOOT_ARGUMENTS: usize = 512;

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum EndKind {
    /// It returned or called exit; the value is its exit code.
    Exited = 0,
    /// It was killed; the value is a [`FaultKind`].
    Killed = 1,
}

numbered! {
    /// What a task was killed for.
    FaultKind {
        /// An instruction that does not exist, or that a task may not execute.
        Undefined = 0,
        /// An instruction fetched from where a task may not execute.
        PrefetchAbort = 1,
        /// A load or store where a task may not do that; a stack overflow is one.
        DataAbort = 2,
        /// The task panicked.
        Panic = 3,
    }
}

/// What a task has cost so far. Times in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Statistics {
    /// Time in its own code.
    pub user_ns: u64,
    /// Time in the kernel on its behalf.
    pub system_ns: u64,
    /// Time as the running task of each CPU, injected rest included.
    pub on_cpu_ns: [u64; MAX_CPUS],
    /// How often it changed its CPU.
    pub migrations: u32,
    /// How often it was put on a CPU.
    pub switches: u32,
    /// Energy that it has used by the price list of the plant, in nanojoules; 0 without a plant.
    pub energy_nj: u64,
    /// Cycles and instructions of its CPUs while it ran, kernel included; 0 where the CPUs do not count them.
    pub cycles: u64,
    /// See [`Statistics::cycles`].
    pub instructions: u64,
    /// Its speed on a LITTLE core against a big one, both at their tops, as its instructions tell, in 1/1024; 0 as long
    /// as it has not run on both.
    pub little_ratio: u32,
    /// 0.
    pub reserved: u32,
}

/// What machine this is and how it was booted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct SystemInfo {
    /// Name of the board, padded with zeros.
    pub board: [u8; 24],
    /// CPUs that the board has.
    pub cpus: u32,
    /// Mask of the CPUs that are online.
    pub online: u32,
    /// Mask of the CPUs of the big kind.
    pub big: u32,
    /// Capacity of each CPU, 1024 for the largest.
    pub capacity: [u32; MAX_CPUS],
    /// Frequency of the counter that the clock is made from, in Hz.
    pub timer_hz: u32,
    /// Slots of the emulated pace: a task gets at most 1/`pace_slots` of the time of a CPU. 1: no pace.
    pub pace_slots: u32,
    /// Policy in force, see [`Policy`].
    pub policy: u32,
    /// Goal in force, see [`Goal`].
    pub goal: u32,
    /// 1 when `policy=` stood in the boot arguments: benchmarks then keep to it.
    pub policy_chosen: u32,
    /// What clocks and sensors there are, see [`Plant`].
    pub plant: u32,
    /// The rule for the clocks, see [`Governor`].
    pub governor: u32,
    /// 1 with `after=shell`: the first program asks at the console when it is done.
    pub shell: u32,
}

impl SystemInfo {
    /// An empty record to be filled by the kernel.
    pub const EMPTY: SystemInfo = SystemInfo {
        board: [0; 24],
        cpus: 0,
        online: 0,
        big: 0,
        capacity: [0; MAX_CPUS],
        timer_hz: 0,
        pace_slots: 1,
        policy: 0,
        goal: 0,
        policy_chosen: 0,
        plant: 0,
        governor: 0,
        shell: 0,
    };
}

/// Events the kernel counts, for tests and reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Counters {
    /// Verdicts of the policy that the mechanism refused. Must stay 0.
    pub refused: u32,
    /// Tasks moved between CPUs.
    pub migrations: u32,
    /// Timer ticks handled.
    pub ticks: u32,
    /// Inter-processor interrupts sent.
    pub ipis: u32,
    /// Interrupt acknowledgements that found nothing.
    pub spurious: u32,
    /// Tasks killed.
    pub faults: u32,
    /// Tasks that exist.
    pub tasks: u32,
    /// Characters the console could not take in bounded time.
    pub dropped_characters: u32,
}

/// Clocks, temperature and energy. Pairs are of the big and of the LITTLE cluster. All 0 without a plant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Climate {
    /// What all clusters have drawn since boot, in microjoules.
    pub energy_uj: u64,
    /// The clocks in force.
    pub clock_khz: [u32; 2],
    /// The highest clocks that heat allows.
    pub cap_khz: [u32; 2],
    /// The capacity of a CPU that heat takes away, as the policy is told.
    pub pressure: [u32; 2],
    /// How often each clock changed.
    pub clock_changes: [u32; 2],
    /// The hottest sensor, in thousandths of a degree Celsius as a signed number.
    pub temperature_mc: i32,
    /// How many plans were made.
    pub plans: u32,
    /// Mask of the CPUs that rest to cool down.
    pub parked: u32,
}

numbered! {
    /// What clocks and sensors there are.
    Plant {
        /// None.
        None = 0: "none",
        /// Emulated ones: windows for clocks, a price list and a thermal network for power and heat.
        Virtual = 1: "virtual",
        /// Those of the chip.
        Real = 2: "real",
    }
}

numbered! {
    /// Which rule chooses the clocks.
    Governor {
        /// The highest.
        Performance = 0: "performance",
        /// The lowest.
        Powersave = 1: "powersave",
        /// As Linux does with energy-aware scheduling.
        Schedutil = 2: "schedutil",
        /// What the plan says.
        Planner = 3: "planner",
    }
}

numbered! {
    /// Which rule places and moves tasks. The numbers of [`crate::Call::SetPolicy`].
    Policy {
        /// A task stays where it started.
        Pinned = 0: "pinned",
        /// A CPU that falls idle pulls.
        Pull = 1: "pull",
        /// Gearshift's own.
        Gear = 2: "gear",
        /// As Linux places by energy.
        Eas = 3: "eas",
        /// As Android rotates big tasks.
        Walt = 4: "walt",
    }
}

numbered! {
    /// What a policy aims at.
    Goal {
        /// Finish each task early.
        Mean = 0: "mean",
        /// Finish the whole set early.
        Makespan = 1: "makespan",
        /// Use little energy.
        Energy = 2: "energy",
    }
}

numbered! {
    /// What a self-test may ask of the kernel, see [`crate::Call::Diagnose`].
    Diagnosis {
        /// Keep interrupts masked for this many microseconds, at most 20,000.
        HoldInterrupts = 0,
        /// Panic in the kernel.
        Panic = 1,
        /// Touch an unmapped address in the kernel.
        KernelFault = 2,
        /// Overflow the kernel stack.
        KernelStackOverflow = 3,
        /// Panic while the console lock is held.
        PanicInConsole = 4,
        /// How many bytes of this CPU's kernel stack were in use at most, ever.
        StackUsed = 5,
    }
}

/// The longest time that [`Diagnosis::HoldInterrupts`] keeps interrupts masked, in microseconds.
pub const MAX_HOLD_US: u32 = 20_000;
