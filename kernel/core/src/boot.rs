//! From the board's first call to the first task: other CPUs started, the system described on the console, the doors opened.

use core::sync::atomic::Ordering::Relaxed;

use abi::task::{Entry, beginning};
use abi::types::{MAX_TASKS, SystemInfo};
use arch::IrqsOff;
use arch::once::TakeOnce;
use sched::{Arrival, CapacityTable, CpuId, CpuMask, Machine, Nanos};

use crate::board::{Board, StartError};
use crate::cpu::Cpu;
use crate::kernel::{Kernel, now};
use crate::options::Options;
use crate::pace::{Grid, Pace};
use crate::{death, policy};

/// How long a CPU may take from being started to reporting.
const ARRIVAL_TIME: Nanos = Nanos::from_millis(200);

/// The one system of an image.
pub(crate) static KERNEL: Kernel = Kernel::new();

static TASKS: TakeOnce<[crate::task::Task; MAX_TASKS]> = TakeOnce::new([const { crate::task::Task::new() }; MAX_TASKS]);

/// Boots the system on the CPU that the loader started, with `first` as its first task. The board has claimed its devices.
pub fn start(irqs: IrqsOff, board: &'static dyn Board, first: Entry) -> ! {
    KERNEL.board.call_once(|| board);
    let tasks = TASKS.take().expect("the kernel is started once");
    arch::entry::install(&KERNEL);
    arch::gic::init_distributor(irqs);
    arch::gic::init_interface(irqs);
    death::report_previous(&KERNEL);
    KERNEL.set_options();
    assert!(arch::time::counter_moves(), "the generic counter stands still");
    KERNEL.check_timer(irqs);
    KERNEL.tasks.adopt(tasks);
    KERNEL.print_boot_line();
    KERNEL.view.set_online(CpuId::new(irqs.cpu()));
    let missing = KERNEL.start_others(irqs.cpu());
    KERNEL.open_doors(irqs, missing, first);
    arch::entry::run(irqs)
}

/// Brings a CPU that the kernel started into the system.
pub fn start_secondary(irqs: IrqsOff) -> ! {
    arch::gic::init_interface(irqs);
    KERNEL.check_timer(irqs);
    KERNEL.view.set_online(CpuId::new(irqs.cpu()));
    while !KERNEL.view.is_open() {
        arch::cpu::wait_for_interrupt(irqs);
        if let Some(interrupt) = arch::gic::acknowledge(irqs) {
            arch::gic::end(irqs, interrupt);
        }
    }
    arch::entry::run(irqs)
}

impl Kernel {
    /// Parses the boot arguments; a line for each word that makes no sense.
    fn set_options(&self) {
        let arguments = self.board().boot_arguments();
        let options = Options::parse(arguments, |complaint| self.print(format_args!("{complaint}")));
        self.policy.set(options.policy);
        self.options.call_once(|| options);
    }

    /// Starts the timer of this CPU and says so when it tells another frequency than the board.
    fn check_timer(&self, irqs: IrqsOff) {
        let expected = self.board().facts().timer_hz;
        if let Err(mismatch) = arch::time::init(irqs, expected) {
            let cpu = irqs.cpu();
            self.print(format_args!("timer: cpu {cpu} says {} Hz, {expected} Hz is used", mismatch.found));
        }
    }

    fn print_boot_line(&self) {
        let (facts, options) = (self.board().facts(), self.options());
        let policy = options.policy;
        self.print(format_args!(
            "BOOT version={} board={} cpus={} entry={} timer_hz={} policy={} goal={} \
             governor={} pressure={} pace={} plant={}",
            env!("CARGO_PKG_VERSION"),
            facts.machine.name,
            facts.machine.cpus.len(),
            arch::cpu::entry_mode(),
            facts.timer_hz,
            policy.kind,
            policy.goal,
            options.governor,
            options.pressure_name(),
            if self.emulates_pace() { "emulated" } else { "off" },
            self.plant_name(),
        ));
    }

    /// Starts all CPUs but `this` one and waits for each, a bounded time. Returns why the missing ones are missing.
    fn start_others(&self, this: usize) -> Missing {
        let count = self.board().facts().machine.cpus.len();
        let mut missing = [None; abi::types::MAX_CPUS];
        for cpu in (0..count).filter(|cpu| *cpu != this).map(CpuId::new) {
            missing[cpu.index()] = self.board().start_cpu(cpu).and_then(|()| self.await_arrival(cpu)).err();
        }
        missing
    }

    fn await_arrival(&self, cpu: CpuId) -> Result<(), StartError> {
        let deadline = now() + ARRIVAL_TIME;
        while !self.view.online().contains(cpu) {
            if now() > deadline {
                return Err(StartError::Timeout);
            }
            arch::cpu::relax();
        }
        Ok(())
    }

    /// Fixes the capacities of the CPUs that came, reports all CPUs, makes the first task and lets everyone go.
    fn open_doors(&'static self, irqs: IrqsOff, missing: Missing, first: Entry) {
        let machine = self.board().facts().machine;
        let online = self.view.online();
        let capacities = CapacityTable::new(machine, online);
        self.report_cpus(machine, &capacities, missing);
        self.start_governing(now());
        self.view.set_capacities(capacities);
        self.cpus[irqs.cpu()].with(irqs, |cpu| {
            let [begin, argument] = beginning(first);
            let task = self
                .create(cpu, begin, [argument, 0], CpuMask::ALL)
                .expect("an image has a first task, and a fresh table a place for it");
            self.first.store(task.number.raw(), Relaxed);
            self.send(cpu, cpu.id, task, Arrival::New, sched::Why::Previous, now());
        });
        self.board().console().enable_receive();
        arch::gic::enable_shared(irqs, self.board().facts().console_interrupt, irqs.cpu());
        for cpu in online.without(CpuId::new(irqs.cpu())).iter() {
            self.poke(cpu);
        }
    }

    fn report_cpus(&self, machine: &Machine, capacities: &CapacityTable, missing: Missing) {
        for (index, facts) in machine.cpus.iter().enumerate() {
            let (mpidr, core) = (facts.mpidr, facts.kind.core);
            match missing[index] {
                None => self.print(format_args!(
                    "CPU id={index} mpidr={mpidr:#05x} class={core} capacity={} state=online",
                    capacities.capacity(CpuId::new(index)),
                )),
                Some(why) => {
                    self.print(format_args!("CPU id={index} mpidr={mpidr:#05x} class={core} state=missing why={why}"))
                }
            }
        }
    }

    /// Tells a CPU what it is worth, before it runs its first task.
    pub(crate) fn open(&'static self, cpu: &mut Cpu) {
        let count = self.board().facts().machine.cpus.len();
        let capacity = self.view.capacities().capacity(cpu.id);
        cpu.queue.set_capacity(capacity);
        cpu.grid = Grid::new(cpu.id, count);
        cpu.tracing = self.options().trace;
        if self.emulates_pace() {
            cpu.pace = Pace::slot(count, capacity);
        }
        self.install_meter(cpu);
    }

    pub(crate) fn emulates_pace(&self) -> bool {
        self.board().facts().emulates_pace && self.options().pace
    }

    /// The system as a task may know it.
    pub(crate) fn info(&self) -> SystemInfo {
        let facts = self.board().facts();
        let machine = facts.machine;
        let mut info = SystemInfo { cpus: machine.cpus.len() as u32, ..SystemInfo::EMPTY };
        for (to, from) in info.board.iter_mut().zip(machine.name.bytes()) {
            *to = from;
        }
        let capacities = self.view.capacities();
        info.online = self.view.online().bits();
        info.big = capacities.mask_of(sched::CoreType::Big).bits();
        for cpu in self.view.online().iter() {
            info.capacity[cpu.index()] = capacities.capacity(cpu).get();
        }
        info.timer_hz = facts.timer_hz;
        info.pace_slots = if self.emulates_pace() { machine.cpus.len() as u32 } else { 1 };
        (info.policy, info.goal) = policy::to_numbers(self.policy());
        info.plant = self.plant_number();
        info.governor = policy::governor_number(self.options().governor);
        info.policy_chosen = u32::from(self.options().policy_chosen);
        info
    }
}

/// Why each CPU is missing; nothing for those that are there.
type Missing = [Option<StartError>; abi::types::MAX_CPUS];
