//! The kernel as one value: everything shared, and the ways in.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use abi::types::MAX_CPUS;
use arch::IrqsOff;
use arch::context::Resume;
use arch::entry::{Fault, KernelFault};
use arch::percpu::{PerCpu, Slot};
use sched::{CpuId, Nanos, Policy};
use spin::Once;

use crate::board::Board;
use crate::channel::Channels;
use crate::console::Output;
use crate::cpu::Cpu;
use crate::futex::Futexes;
use crate::govern::Governance;
use crate::inbox::Inbox;
use crate::input::Input;
use crate::options::Options;
use crate::policy::PolicyCell;
use crate::table::TaskTable;
use crate::view::View;

/// A system: the state of all CPUs and what they share. Before boot all of it is zero, so that it costs no byte of the
/// image.
///
/// The order of the fields is kept, and the large ones come last: what each switch and wake-up reads lies within reach
/// of the short offset of a load.
#[repr(C)]
pub struct Kernel {
    pub(crate) view: View,
    pub(crate) policy: PolicyCell,
    pub(crate) counts: Counts,
    pub(crate) board: Once<&'static dyn Board>,
    pub(crate) options: Once<Options>,
    pub(crate) dumped: AtomicU32,
    /// The number of the first task: the system ends with it.
    pub(crate) first: AtomicU32,
    pub(crate) cpus: PerCpu<Cpu>,
    pub(crate) inboxes: [Inbox; MAX_CPUS],
    pub(crate) tasks: TaskTable,
    pub(crate) futexes: Futexes,
    pub(crate) channels: Channels,
    pub(crate) output: Output,
    pub(crate) input: Input,
    pub(crate) governance: Governance,
}

/// What the kernel counts. Plain sums: nothing is ordered by them.
#[derive(Default)]
pub(crate) struct Counts {
    pub refused: AtomicU32,
    pub migrations: AtomicU32,
    pub ticks: AtomicU32,
    pub ipis: AtomicU32,
    pub faults: AtomicU32,
}

impl Counts {
    const fn new() -> Counts {
        Counts {
            refused: AtomicU32::new(0),
            migrations: AtomicU32::new(0),
            ticks: AtomicU32::new(0),
            ipis: AtomicU32::new(0),
            faults: AtomicU32::new(0),
        }
    }
}

/// Adds one to a count.
pub(crate) fn count(counter: &AtomicU32) {
    counter.fetch_add(1, Relaxed);
}

impl Kernel {
    /// A system without a board, tasks or CPUs.
    pub const fn new() -> Kernel {
        Kernel {
            view: View::new(),
            policy: PolicyCell::new(),
            counts: Counts::new(),
            board: Once::new(),
            options: Once::new(),
            dumped: AtomicU32::new(0),
            first: AtomicU32::new(0),
            cpus: PerCpu::new([const { Slot::new(Cpu::new()) }; MAX_CPUS]),
            inboxes: [const { Inbox::new() }; MAX_CPUS],
            tasks: TaskTable::new(),
            futexes: Futexes::new(),
            channels: Channels::new(),
            output: Output::new(),
            input: Input::new(),
            governance: Governance::new(),
        }
    }

    /// The board.
    ///
    /// # Panics
    /// Before boot.
    pub(crate) fn board(&self) -> &'static dyn Board {
        *self.board.get().expect("the board is known from the first line of boot")
    }

    /// The boot options.
    pub(crate) fn options(&self) -> &Options {
        self.options.get().unwrap_or(&Options::DEFAULT)
    }

    /// The policy in force.
    #[inline]
    pub(crate) fn policy(&self) -> Policy {
        self.policy.get()
    }

    /// Makes a CPU look at its inbox.
    pub(crate) fn poke(&self, cpu: CpuId) {
        count(&self.counts.ipis);
        arch::ipi::reschedule(cpu.index());
    }

    #[inline]
    fn enter(&'static self, irqs: IrqsOff, cause: impl FnOnce(&'static Kernel, &mut Cpu, Nanos)) -> Resume {
        self.cpus.with(irqs, |cpu| {
            let now = now();
            cpu.charge_user(now);
            cause(self, cpu, now);
            self.leave(irqs, cpu)
        })
    }
}

impl Default for Kernel {
    fn default() -> Self {
        Kernel::new()
    }
}

/// The time.
#[inline]
pub(crate) fn now() -> Nanos {
    Nanos::new(arch::time::now())
}

impl arch::entry::Kernel for Kernel {
    fn start(&'static self, irqs: IrqsOff) -> Resume {
        self.cpus.with(irqs, |cpu| {
            let now = now();
            cpu.charge_nobody(now);
            // Others may have opened before: the interrupt that announced their mail was taken for the sign to open.
            self.read_inbox(irqs, cpu, now);
            self.leave(irqs, cpu)
        })
    }

    #[inline]
    fn system_call(&'static self, irqs: IrqsOff) -> Resume {
        self.enter(irqs, |kernel, cpu, now| kernel.call(irqs, cpu, now))
    }

    #[inline]
    fn interrupt(&'static self, irqs: IrqsOff) -> Resume {
        self.enter(irqs, |kernel, cpu, now| kernel.take_interrupt(irqs, cpu, now))
    }

    fn fault(&'static self, irqs: IrqsOff, fault: Fault) -> Resume {
        self.enter(irqs, |kernel, cpu, now| kernel.kill_faulty(cpu, now, &fault))
    }

    fn broken(&'static self, fault: &KernelFault) -> ! {
        self.die_of_fault(fault)
    }
}
