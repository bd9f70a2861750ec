//! The task block.
//!
//! A block exists once, in a static, and is passed on as `&'static mut`: whoever holds the reference owns the task. It
//! sits in exactly one place at a time - running on a CPU, in a CPU's run queue or sleeper heap, in an inbox on its
//! way, in a wait queue, in its slot of the table after its end, or on the free list. That a task cannot run twice is
//! therefore proved by the compiler. See docs/adr/0002.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use abi::types::{MAX_CPUS, Statistics};
use arch::context::Context;
use sched::{CpuId, CpuMask, Demand, Entity, Nanos, Rate, RunningView, Schedulable, TaskId, Weight};

use crate::clamp::AtomicClamp;
use crate::learned::{Insight, Learned};

/// Ownership of a task.
pub type TaskRef = &'static mut Task;

/// What only the owner may touch.
///
/// The order of the fields is kept, so that all but the registers lie within reach of a load of two words.
#[repr(C)]
pub struct Task {
    /// What it has cost.
    pub usage: Usage,
    /// What the policy knows about it.
    pub entity: Entity,
    /// What is learnt about it beside.
    pub learned: Learned,
    /// Its number: slot in the low byte, generation above it.
    pub number: TaskId,
    /// What everyone may read.
    pub shared: &'static Shared,
    /// The CPU it ran on last.
    pub cpu: CpuId,
    /// What it waits for, with what is needed to finish its system call.
    pub wait: Wait,
    /// The one behind it, or before it, in a [wait queue](crate::waitqueue).
    pub next: Option<TaskRef>,
    /// Its registers while it does not run in user mode.
    pub context: Context,
}

/// Times in nanoseconds, and counts: see [`Statistics`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    pub user_ns: u64,
    pub system_ns: u64,
    pub on_cpu_ns: [u64; MAX_CPUS],
    pub migrations: u32,
    pub switches: u32,
}

/// What a task waits for. The holder of its wait queue finishes its system call for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wait {
    /// Nothing, or something that needs no more than waking.
    #[default]
    None,
    /// A change of the word at this address of user memory.
    Word(u32),
    /// A user buffer to fill from a channel or the console, or to send from.
    Buffer {
        /// Its address, checked before the task went to sleep.
        address: u32,
        /// Its length in bytes.
        length: usize,
    },
}

/// What every CPU may read of a task, and its affinity and its bounds, which any may write. The owner publishes on each
/// tick and when the task moves, so of a running task they are at most a tick old; the policy decides on them, nothing
/// depends on them for soundness.
pub struct Shared {
    /// The task number; 0 while the slot is free.
    pub number: AtomicU32,
    affinity: AtomicU32,
    cpu: AtomicU32,
    utilisation: AtomicU32,
    progress: AtomicU32,
    last_moved: AtomicU32,
    runnable: AtomicU32,
    /// The bounds of its utilisation.
    pub clamp: AtomicClamp,
    /// What is learnt about it.
    pub insight: Insight,
}

/// Progress and times are published in units of 2^16 ns: 65 µs in 78 hours.
const COARSE: u32 = 16;

fn coarse(time: Nanos) -> u32 {
    (time.as_nanos() >> COARSE) as u32
}

fn fine(time: u32) -> Nanos {
    Nanos::new(u64::from(time) << COARSE)
}

impl Shared {
    /// A free slot.
    pub const fn new() -> Shared {
        Shared {
            number: AtomicU32::new(0),
            affinity: AtomicU32::new(0),
            cpu: AtomicU32::new(0),
            utilisation: AtomicU32::new(0),
            progress: AtomicU32::new(0),
            last_moved: AtomicU32::new(0),
            runnable: AtomicU32::new(0),
            clamp: AtomicClamp::new(),
            insight: Insight::new(),
        }
    }

    /// The CPUs it may run on.
    #[inline]
    pub fn affinity(&self) -> CpuMask {
        CpuMask::from_bits(self.affinity.load(Relaxed))
    }

    /// Restricts it; its CPU has to be told.
    pub fn set_affinity(&self, mask: CpuMask) {
        self.affinity.store(mask.bits(), Relaxed);
    }

    /// The CPU where it was last seen.
    pub fn cpu(&self) -> CpuId {
        CpuId::new(self.cpu.load(Relaxed) as usize)
    }

    /// Says where it is now.
    #[inline]
    pub fn set_cpu(&self, cpu: CpuId) {
        self.cpu.store(cpu.index() as u32, Relaxed);
    }

    /// Publishes what the policy wants to know of a running task.
    #[inline]
    pub fn publish(&self, entity: &Entity) {
        self.utilisation.store(entity.utilisation(), Relaxed);
        self.runnable.store(entity.runnable(), Relaxed);
        self.progress.store(coarse(entity.progress()), Relaxed);
        self.last_moved.store(coarse(entity.last_moved()), Relaxed);
    }

    /// Publishes that it has just moved.
    pub fn publish_move(&self, now: Nanos) {
        self.last_moved.store(coarse(now), Relaxed);
    }

    /// What the planner is to reserve for it at `now`; nothing while nobody has this number or nothing is known.
    pub fn demand(&self, now: Nanos) -> Option<Demand> {
        let number = self.number.load(Relaxed);
        let demand = (number != 0).then(|| self.insight.demand(TaskId::new(number), now)).flatten()?;
        Some(Demand { affinity: self.affinity(), least: Rate::of(self.clamp.get().min), ..demand })
    }

    /// What was published.
    pub fn view(&self) -> RunningView {
        RunningView {
            task: TaskId::new(self.number.load(Relaxed)),
            utilisation: self.utilisation.load(Relaxed),
            runnable: self.runnable.load(Relaxed),
            progress: fine(self.progress.load(Relaxed)),
            last_moved: fine(self.last_moved.load(Relaxed)),
            affinity: self.affinity(),
        }
    }
}

impl Default for Shared {
    fn default() -> Self {
        Shared::new()
    }
}

impl Task {
    /// The block of a task that will be created.
    pub fn new(number: TaskId, shared: &'static Shared) -> Task {
        Task {
            usage: Usage::default(),
            entity: Entity::new(Weight::NORMAL),
            learned: Learned::new(),
            number,
            shared,
            cpu: CpuId::new(0),
            wait: Wait::None,
            next: None,
            context: Context::new(),
        }
    }

    /// What it has cost so far. `listed` is the speed of a LITTLE core against a big one by the price list, in 1/1024.
    pub fn statistics(&self, listed: u32) -> Statistics {
        let Usage { user_ns, system_ns, on_cpu_ns, migrations, switches } = self.usage;
        let [cycles, instructions] = self.learned.counted;
        Statistics {
            user_ns,
            system_ns,
            on_cpu_ns,
            migrations,
            switches,
            energy_nj: self.learned.account.total().get() / 1_000,
            cycles,
            instructions,
            little_ratio: (self.learned.signals.speeds().correction() * listed) >> 10,
            reserved: 0,
        }
    }
}

impl Schedulable for Task {
    #[inline]
    fn entity(&self) -> &Entity {
        &self.entity
    }

    #[inline]
    fn entity_mut(&mut self) -> &mut Entity {
        &mut self.entity
    }

    #[inline]
    fn id(&self) -> TaskId {
        self.number
    }

    #[inline]
    fn affinity(&self) -> CpuMask {
        self.shared.affinity()
    }
}
