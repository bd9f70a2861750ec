//! Tasks: start, end, wait for, place.

use core::fmt::Write;

use crate::call::Call;
use crate::console::Line;
use crate::error::{Error, Result};
use crate::trap::{address, trap};
use crate::types::{EndKind, FaultKind, Statistics};

/// A task that exists, or existed until it was joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task(u32);

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It returned or exited with this code.
    Exited(u32),
    /// It was killed for this.
    Killed(FaultKind),
}

/// The bounds of the utilisation that a task is taken for whatever it does, in parts of a full CPU (Linux' `uclamp`).
/// They say how fast a CPU it is worth, not for how long it may run: a loop with an upper bound of a tenth is placed
/// and clocked like a task that needs a tenth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clamp {
    /// At least this, `0..=1024`: so much speed is due to it from its first instruction on.
    pub min: u32,
    /// At most this, `min..=1024`: no faster CPU and no faster clock for its sake.
    pub max: u32,
}

impl Clamp {
    /// No bounds: what the first task has.
    pub const NONE: Clamp = Clamp { min: 0, max: 1024 };
}

/// Where a task starts: its function and one word for it.
pub type Entry = fn(usize);

#[expect(improper_ctypes_definitions, reason = "a function pointer is one register, and both ends are this crate")]
extern "C" fn start(entry: Entry, argument: usize) -> ! {
    entry(argument);
    exit(0)
}

/// Where the registers of a task that runs `entry` begin: its program counter and its first argument; the second one is
/// the function's own. The kernel makes the first task of all from it.
pub fn beginning(entry: Entry) -> [u32; 2] {
    [address(start as extern "C" fn(Entry, usize) -> ! as *const u8), address(entry as *const u8)]
}

/// Starts a task that may run wherever the caller may. It has the caller's [`Clamp`].
pub fn spawn(entry: Entry, argument: usize) -> Result<Task> {
    spawn_on(0, entry, argument)
}

/// Starts a task that may run on the CPUs of `affinity` only; 0 stands for the caller's own mask.
///
/// # Errors
/// [`Error::Exhausted`] when no task block is free, [`Error::BadArgument`] when the mask names no online CPU.
pub fn spawn_on(affinity: u32, entry: Entry, argument: usize) -> Result<Task> {
    let [begin, first] = beginning(entry);
    let (task, _) = trap(Call::Spawn, begin, first, argument as u32, affinity);
    Error::decode(task).map(Task)
}

/// Starts a task at a raw address; for tests of the kernel's checks.
pub fn spawn_raw(entry: u32, first: u32, second: u32, affinity: u32) -> Result<Task> {
    Error::decode(trap(Call::Spawn, entry, first, second, affinity).0).map(Task)
}

/// Ends the calling task.
pub fn exit(code: u32) -> ! {
    trap(Call::Exit, code, 0, 0, 0);
    // Only the host's twin of the kernel comes back.
    loop {
        core::hint::spin_loop();
    }
}

/// Ends the calling task as faulty; the kernel prints the message with its `FAULT` line.
fn panicked(message: &str) -> ! {
    trap(Call::Panicked, address(message.as_ptr()), message.len() as u32, 0, 0);
    exit(u32::MAX)
}

/// Ends the calling task as faulty: what the image's panic handler does for a task.
pub fn panicked_with(information: &core::panic::PanicInfo<'_>) -> ! {
    let mut message = Line::new();
    // A line never refuses text: it cuts.
    let _ = match information.location() {
        Some(at) => write!(message, "{} at {}:{}", information.message(), at.file(), at.line()),
        None => write!(message, "{}", information.message()),
    };
    panicked(message.as_str())
}

/// Lets others of this CPU run.
#[inline]
pub fn yield_now() {
    trap(Call::Yield, 0, 0, 0, 0);
}

/// Enters and leaves the kernel.
#[inline]
pub fn null_call() {
    trap(Call::Null, 0, 0, 0, 0);
}

/// The CPU that runs the caller, at some instant of the call.
pub fn current_cpu() -> usize {
    trap(Call::CurrentCpu, 0, 0, 0, 0).0 as usize
}

/// The calling task.
pub fn current() -> Task {
    Task(trap(Call::CurrentTask, 0, 0, 0, 0).0)
}

impl Task {
    /// Its number, as it stands in trace and `FAULT` lines.
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The task with this number; for tests of the kernel's checks.
    pub const fn from_number(number: u32) -> Task {
        Task(number)
    }

    /// Waits for its end and frees its number.
    ///
    /// # Errors
    /// [`Error::NoSuchTask`] when it has been joined already, [`Error::BadArgument`] for the caller itself.
    pub fn join(self) -> Result<End> {
        let (kind, value) = trap(Call::Join, self.0, 0, 0, 0);
        let kind = Error::decode(kind)?;
        Ok(if kind == EndKind::Exited as u32 {
            End::Exited(value)
        } else {
            End::Killed(FaultKind::from_number(value).ok_or(Error::Unsupported)?)
        })
    }

    /// Restricts it to the CPUs of a mask; it moves as soon as its CPU hears of it.
    ///
    /// # Errors
    /// [`Error::BadArgument`] when the mask names no online CPU, [`Error::NoSuchTask`].
    pub fn set_affinity(self, mask: u32) -> Result<()> {
        Error::decode(trap(Call::SetAffinity, self.0, mask, 0, 0).0).map(|_| ())
    }

    /// The CPUs it may run on.
    pub fn affinity(self) -> Result<u32> {
        Error::decode(trap(Call::GetAffinity, self.0, 0, 0, 0).0)
    }

    /// Sets the bounds of its utilisation, from its next tick or wake-up on. Tasks that it starts later inherit them;
    /// those that it has started keep theirs.
    ///
    /// # Errors
    /// [`Error::BadArgument`] when a bound is above 1024 or the lower one above the upper one, [`Error::NoSuchTask`].
    pub fn set_clamp(self, clamp: Clamp) -> Result<()> {
        Error::decode(trap(Call::SetClamp, self.0, clamp.min, clamp.max, 0).0).map(|_| ())
    }

    /// The bounds of its utilisation.
    ///
    /// # Errors
    /// [`Error::NoSuchTask`].
    pub fn clamp(self) -> Result<Clamp> {
        let (min, max) = trap(Call::GetClamp, self.0, 0, 0, 0);
        Error::decode(min).map(|min| Clamp { min, max })
    }

    /// What it has cost so far.
    pub fn statistics(self) -> Result<Statistics> {
        let mut statistics = Statistics::default();
        let into = address(&raw mut statistics);
        Error::decode(trap(Call::Statistics, self.0, into, 0, 0).0).map(|_| statistics)
    }
}
