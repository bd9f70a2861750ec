//! The table of tasks: numbers, lives and ends.

use core::mem::MaybeUninit;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use abi::types::{EndKind, MAX_TASKS};
use abi::{Error, Result};
use heapless::Vec;
use sched::{Clamp, CpuMask, TaskId};
use spin::Mutex;

use crate::task::{Shared, Task, TaskRef};

/// Bits of a task number that name its slot; the generation stands above them.
const SLOT_BITS: u32 = 9;
const _: () = assert!(MAX_TASKS <= 1 << SLOT_BITS);
/// Numbers stay positive as results of system calls.
const GENERATIONS: u32 = 1 << (31 - SLOT_BITS);

/// How a task ended: what joining it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Exited or killed.
    pub kind: EndKind,
    /// Exit code or fault kind.
    pub value: u32,
}

/// The tag is explicit so that a free slot is all zero, and the table of a system that has not booted costs no byte of
/// the image.
#[repr(u32)]
enum Life {
    Free,
    Live { joiner: Option<TaskRef> },
    Ended { end: End, task: TaskRef },
}

/// What joining gives at once.
pub enum Joined {
    /// The task had ended; its slot is free again.
    Ended(End),
    /// It lives; the joiner waits in its slot and gets the end when it comes.
    Waiting,
}

/// All tasks of a system. Its locks are leaves: nothing else is locked while one is held.
pub struct TaskTable {
    shared: [Shared; MAX_TASKS],
    lives: [Mutex<Life>; MAX_TASKS],
    free: Mutex<Vec<TaskRef, MAX_TASKS>>,
    /// All slots from here on were never used.
    reach: AtomicU32,
}

impl TaskTable {
    /// A table without task blocks.
    pub const fn new() -> TaskTable {
        TaskTable {
            shared: [const { Shared::new() }; MAX_TASKS],
            lives: [const { Mutex::new(Life::Free) }; MAX_TASKS],
            free: Mutex::new(Vec::new()),
            reach: AtomicU32::new(0),
        }
    }

    /// How many slots there are to look through for a task.
    pub fn reach(&self) -> usize {
        self.reach.load(Relaxed) as usize
    }

    /// Makes the blocks of all tasks, one a slot, in the room given. Called once, at boot.
    pub fn furnish(&'static self, room: &'static mut [MaybeUninit<Task>]) {
        let mut free = self.free.lock();
        for (slot, place) in room.iter_mut().enumerate().rev() {
            let task = place.write(Task::new(TaskId::new(slot as u32), &self.shared[slot]));
            if free.push(task).is_err() {
                unreachable!("more task blocks than slots");
            }
        }
    }

    /// A free block with a new number, alive from now on, with these bounds of its utilisation.
    ///
    /// # Errors
    /// [`Error::Exhausted`].
    pub fn create(&self, affinity: CpuMask, clamp: Clamp) -> Result<TaskRef> {
        let task = self.free.lock().pop().ok_or(Error::Exhausted)?;
        let number = task.number.raw();
        self.reach.fetch_max(slot_of(number) as u32 + 1, Relaxed);
        let generation = ((number >> SLOT_BITS) + 1) % GENERATIONS;
        task.number = TaskId::new(generation << SLOT_BITS | slot_of(number) as u32);
        task.shared.set_affinity(affinity);
        task.shared.clamp.set(clamp);
        *self.lives[slot_of(number)].lock() = Life::Live { joiner: None };
        task.shared.number.store(task.number.raw(), Release);
        Ok(task)
    }

    /// Ends a task. Returns its joiner, to be woken with the end, if there is one; otherwise the slot keeps the end.
    pub fn end(&self, task: TaskRef, end: End) -> Option<TaskRef> {
        let mut life = self.lives[slot_of(task.number.raw())].lock();
        let joiner = match &mut *life {
            Life::Live { joiner } => joiner.take(),
            Life::Free | Life::Ended { .. } => unreachable!("only a live task can end"),
        };
        if joiner.is_some() {
            *life = Life::Free;
            drop(life);
            self.release(task);
        } else {
            *life = Life::Ended { end, task };
        }
        joiner
    }

    /// Joins task `number`; `joiner` yields the joining task when it has to wait.
    ///
    /// # Errors
    /// [`Error::NoSuchTask`], or [`Error::Refused`] when somebody else waits for it already.
    pub fn join(&self, number: u32, joiner: impl FnOnce() -> TaskRef) -> Result<Joined> {
        let shared = self.find(number)?;
        let mut life = self.lives[slot_of(number)].lock();
        if shared.number.load(Acquire) != number {
            return Err(Error::NoSuchTask);
        }
        match core::mem::replace(&mut *life, Life::Free) {
            Life::Ended { end, task } => {
                drop(life);
                self.release(task);
                Ok(Joined::Ended(end))
            }
            Life::Live { joiner: None } => {
                *life = Life::Live { joiner: Some(joiner()) };
                Ok(Joined::Waiting)
            }
            Life::Live { joiner } => {
                *life = Life::Live { joiner };
                Err(Error::Refused)
            }
            Life::Free => Err(Error::NoSuchTask),
        }
    }

    /// Looks at the block of a task that has ended and is not joined yet.
    ///
    /// # Errors
    /// [`Error::NoSuchTask`], or [`Error::Refused`] while it lives: its numbers are its CPU's.
    pub fn ended<R>(&self, number: u32, look: impl FnOnce(&Task) -> R) -> Result<R> {
        let shared = self.find(number)?;
        let life = self.lives[slot_of(number)].lock();
        match &*life {
            _ if shared.number.load(Acquire) != number => Err(Error::NoSuchTask),
            Life::Ended { task, .. } => Ok(look(task)),
            Life::Live { .. } => Err(Error::Refused),
            Life::Free => Err(Error::NoSuchTask),
        }
    }

    /// What is public of a task.
    ///
    /// # Errors
    /// [`Error::NoSuchTask`] when no task has this number now.
    pub fn find(&self, number: u32) -> Result<&Shared> {
        let shared = self.shared.get(slot_of(number)).ok_or(Error::NoSuchTask)?;
        if number != 0 && shared.number.load(Acquire) == number { Ok(shared) } else { Err(Error::NoSuchTask) }
    }

    /// What is public of the task in a slot, whoever that is.
    #[inline]
    pub fn shared(&self, slot: usize) -> &Shared {
        &self.shared[slot]
    }

    /// How many tasks exist, ended ones that nobody joined included.
    pub fn count(&self) -> u32 {
        self.shared[..self.reach()].iter().filter(|shared| shared.number.load(Relaxed) != 0).count() as u32
    }

    fn release(&self, task: TaskRef) {
        task.shared.number.store(0, Release);
        if self.free.lock().push(task).is_err() {
            unreachable!("a block has one slot and one place on the free list");
        }
    }
}

impl Default for TaskTable {
    fn default() -> Self {
        TaskTable::new()
    }
}

/// The slot of a task number.
#[inline]
pub const fn slot_of(number: u32) -> usize {
    (number & ((1 << SLOT_BITS) - 1)) as usize
}
