//! The host twin: the same names as the target's, with a clock that can be set and hardware that can be watched.
//!
//! All state belongs to the calling thread, so that tests run side by side. One thread plays all CPUs in turn:
//! [`irqs_off`] chooses the one that "executes". An IPI becomes pending on its target, the alarm is as level-like as
//! the target's, and a CPU that waits with nothing pending ends [`run`].

use std::cell::RefCell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::vec::Vec;

use crate::context::Resume;
use crate::layout::{STACK_SLOTS, STACK_STRIDE};
use crate::{IrqsOff, MAX_CPUS};

pub mod cpu;
pub mod entry;
pub(crate) mod frame;
pub mod gic;
pub mod ipi;
pub mod psci;
pub mod smc;
pub mod smp;
pub mod stack;
pub mod survivor;
pub mod time;
pub mod user;

/// Addresses that count as the tasks' code.
pub const USER_TEXT: Range<u32> = 0x1000_0000..0x1001_0000;
/// Addresses that count as the tasks' variables.
pub const USER_DATA: Range<u32> = 0x1002_0000..0x1003_0000;
/// Where the user stacks begin.
const USER_STACKS: u32 = 0x1004_0000;
/// Bytes from the first user address to the last.
const USER_BYTES: usize = (USER_STACKS - USER_TEXT.start) as usize + STACK_SLOTS * STACK_STRIDE as usize;

/// One IPI that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ipi {
    /// Sender's dense CPU number.
    pub from: usize,
    /// Target's dense CPU number.
    pub to: usize,
    /// Interrupt number: [`crate::ipi::RESCHEDULE`] or [`crate::ipi::STOP`].
    pub id: u32,
}

/// The machine that a test thread plays on.
struct Machine {
    current: usize,
    now: u64,
    cycles: u32,
    counts: Option<[cpu::Counts; MAX_CPUS]>,
    alarms: [Option<u64>; MAX_CPUS],
    pending: [Vec<gic::Acknowledged>; MAX_CPUS],
    ended: Vec<u32>,
    spurious: u32,
    ipis: Vec<Ipi>,
    released: Vec<usize>,
    record: Option<Vec<u8>>,
    user: Vec<u8>,
}

impl Machine {
    const fn new() -> Self {
        Self {
            current: 0,
            now: 0,
            cycles: 0,
            counts: None,
            alarms: [None; MAX_CPUS],
            pending: [const { Vec::new() }; MAX_CPUS],
            ended: Vec::new(),
            spurious: 0,
            ipis: Vec::new(),
            released: Vec::new(),
            record: None,
            user: Vec::new(),
        }
    }

    fn has_pending(&self, cpu: usize) -> bool {
        !self.pending[cpu].is_empty() || self.alarms[cpu].is_some_and(|at| at <= self.now)
    }
}

std::thread_local! {
    static MACHINE: RefCell<Machine> = const { RefCell::new(Machine::new()) };
}

fn machine<R>(f: impl FnOnce(&mut Machine) -> R) -> R {
    MACHINE.with_borrow_mut(f)
}

/// Begins again with a machine on which nothing has happened.
pub fn reset() {
    machine(|machine| *machine = Machine::new());
}

/// Lets `cpu` execute and gives its token.
///
/// # Panics
///
/// If `cpu` is not below [`MAX_CPUS`].
#[must_use]
pub fn irqs_off(cpu: usize) -> IrqsOff {
    assert!(cpu < MAX_CPUS, "there is no such CPU");
    machine(|machine| machine.current = cpu);
    IrqsOff::new(cpu)
}

/// Sets the clock, in nanoseconds since boot.
pub fn set_time(nanoseconds: u64) {
    machine(|machine| machine.now = nanoseconds);
}

/// Lets time pass, in nanoseconds.
pub fn advance(nanoseconds: u64) {
    machine(|machine| machine.now += nanoseconds);
}

/// Lets `cpu` have done so much since the last call. From the first call on all CPUs count instructions.
pub fn work(cpu: usize, done: cpu::Counts) {
    machine(|machine| {
        let counts = &mut machine.counts.get_or_insert_default()[cpu];
        counts.cycles = counts.cycles.wrapping_add(done.cycles);
        counts.instructions = counts.instructions.wrapping_add(done.instructions);
    });
}

/// When `cpu` wants to be interrupted, in nanoseconds since boot.
#[must_use]
pub fn alarm(cpu: usize) -> Option<u64> {
    machine(|machine| machine.alarms[cpu])
}

/// Makes interrupt `id` pending on `cpu`.
pub fn raise(cpu: usize, id: u32) {
    machine(|machine| machine.pending[cpu].push(gic::interrupt(id, 0)));
}

/// Whether `cpu` would be interrupted now.
#[must_use]
pub fn has_pending(cpu: usize) -> bool {
    machine(|machine| machine.has_pending(cpu))
}

/// The IPIs since the last call, oldest first.
#[must_use]
pub fn take_ipis() -> Vec<Ipi> {
    machine(|machine| std::mem::take(&mut machine.ipis))
}

/// What was written to end interrupts since the last call: number, and for IPIs the sender from bit 10.
#[must_use]
pub fn take_ended() -> Vec<u32> {
    machine(|machine| std::mem::take(&mut machine.ended))
}

/// The parked CPUs that were released, in order.
#[must_use]
pub fn released() -> Vec<usize> {
    machine(|machine| machine.released.clone())
}

/// What a CPU unwinds with when it waits and nothing is pending.
struct Idle;

/// Enters the kernel as the exception entry would. `None`: the CPU went idle.
///
/// # Panics
///
/// If `enter` does.
pub fn run(enter: impl FnOnce() -> Resume) -> Option<Resume> {
    match catch_unwind(AssertUnwindSafe(enter)) {
        Ok(resume) => Some(resume),
        Err(payload) if payload.is::<Idle>() => None,
        Err(payload) => resume_unwind(payload),
    }
}

/// Puts bytes where a task would have them.
///
/// # Panics
///
/// If the address is no user address.
pub fn user_write(address: u32, bytes: &[u8]) {
    machine(|machine| user::memory(machine, address, bytes.len()).copy_from_slice(bytes));
}

/// What a task would find at `address`.
///
/// # Panics
///
/// If the address is no user address.
#[must_use]
pub fn user_read(address: u32, length: usize) -> Vec<u8> {
    machine(|machine| user::memory(machine, address, length).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Context;

    #[test]
    fn an_ipi_becomes_pending_on_its_target() {
        reset();
        let _sender = irqs_off(2);
        ipi::reschedule(5);
        assert_eq!(take_ipis(), [Ipi { from: 2, to: 5, id: ipi::RESCHEDULE }]);
        let receiver = irqs_off(5);
        let interrupt = gic::acknowledge(receiver).expect("the IPI is pending");
        assert_eq!((interrupt.id(), interrupt.source()), (ipi::RESCHEDULE, 2));
        gic::end(receiver, interrupt);
        assert_eq!(take_ended(), [2 << 10 | ipi::RESCHEDULE], "the sender goes back as well");
        assert!(gic::acknowledge(receiver).is_none());
        assert_eq!(gic::spurious(), 1);
    }

    #[test]
    fn the_alarm_is_a_level() {
        reset();
        let irqs = irqs_off(1);
        time::set_alarm(irqs, 1000);
        assert!(gic::acknowledge(irqs).is_none());
        set_time(1000);
        for _ in 0..2 {
            let interrupt = gic::acknowledge(irqs).expect("the deadline has passed");
            assert_eq!(interrupt.id(), time::INTERRUPT);
            gic::end(irqs, interrupt);
        }
        time::clear_alarm(irqs);
        assert!(!has_pending(1));
    }

    #[test]
    fn waiting_with_nothing_pending_ends_the_run() {
        reset();
        let irqs = irqs_off(0);
        static CONTEXT: Context = Context::new();
        let enter = || {
            cpu::wait_for_interrupt(irqs);
            CONTEXT.resume()
        };
        assert!(run(enter).is_none());
        raise(0, 40);
        assert!(run(enter).is_some_and(|resume| resume.is(&CONTEXT)));
    }

    #[test]
    fn user_memory_is_checked() {
        reset();
        user_write(USER_DATA.start, &[1, 2, 3, 4]);
        assert_eq!(user::load_word(USER_DATA.start), Ok(0x0403_0201));
        assert_eq!(user::write(USER_TEXT.start, &[0]), Err(crate::BadAddress));
        let top = user::stack_top(7);
        assert_eq!(user::write(top - 4, &[9; 4]), Ok(()));
        assert_eq!(user_read(top - 4, 4), [9; 4]);
        let mut back = [0; 2];
        assert_eq!(user::read(top - 2, &mut back), Ok(()));
        assert_eq!(back, [9; 2]);
        assert_eq!(user::read(top - 2, &mut [0; 3]), Err(crate::BadAddress));
    }

    #[test]
    fn the_record_is_taken_once() {
        reset();
        survivor::store(b"it died");
        let mut buffer = [0; 16];
        assert_eq!(survivor::take(&mut buffer), Some(7));
        assert_eq!(&buffer[..7], b"it died");
        assert_eq!(survivor::take(&mut buffer), None);
    }
}
