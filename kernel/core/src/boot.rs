//! From the board's first call to the first task: other CPUs started, the system described on the console, the doors
//! opened.

use core::mem::MaybeUninit;
use core::sync::atomic::Ordering::Relaxed;

use abi::task::{Entry, beginning};
use abi::types::{MAX_TASKS, SystemInfo};
use arch::IrqsOff;
use arch::once::TakeOnce;
use sched::{Arrival, CapacityTable, CpuId, CpuMask, Machine, Nanos};

use crate::board::{Board, StartError};
use crate::cpu::Opening;
use crate::kernel::{Kernel, now};
use crate::options::{After, Options};
use crate::pace::{Grid, Pace};
use crate::pages::{Fresh, PAGES};
use crate::task::Task;
use crate::{death, policy};

/// How long the other CPUs may take from being started to reporting; a busy host may give an emulated one a late turn.
const ARRIVAL_TIME: Nanos = Nanos::from_millis(1000);

/// How long the boot CPU sleeps between looking whether they have.
const LOOK_TIME: Nanos = Nanos::from_micros(100);

/// The one system of an image.
pub(crate) static KERNEL: Kernel = Kernel::new();

/// Room for its task blocks.
static TASKS: TakeOnce<[MaybeUninit<Task>; MAX_TASKS]> = TakeOnce::new([const { MaybeUninit::uninit() }; MAX_TASKS]);

/// Its pages for messages.
static PAGE_ROOM: TakeOnce<[Fresh; PAGES]> = TakeOnce::new([const { MaybeUninit::uninit() }; PAGES]);

/// Boots the system on the CPU that the loader started, with `first` as its first task. The board has claimed its
/// devices.
pub fn start(irqs: IrqsOff, board: &'static dyn Board, first: Entry) -> ! {
    KERNEL.board.call_once(|| board);
    let tasks = TASKS.take().expect("the kernel is started once");
    let pages = PAGE_ROOM.take().expect("the kernel is started once");
    arch::entry::install(&KERNEL);
    arch::gic::set_up_distributor(irqs);
    arch::gic::set_up_interface(irqs);
    death::report_previous(&KERNEL);
    KERNEL.set_options();
    assert!(arch::time::counter_moves(), "the generic counter stands still");
    KERNEL.check_timer(irqs);
    KERNEL.tasks.furnish(tasks);
    KERNEL.channels.pages.furnish(pages);
    KERNEL.print_boot_line();
    KERNEL.view.set_online(CpuId::new(irqs.cpu()));
    let arrivals = KERNEL.start_others(irqs);
    KERNEL.open_doors(irqs, arrivals, first);
    arch::entry::run(irqs)
}

/// Brings a CPU that the kernel started into the system.
pub fn start_secondary(irqs: IrqsOff) -> ! {
    arch::gic::set_up_interface(irqs);
    KERNEL.check_timer(irqs);
    KERNEL.view.set_online(CpuId::new(irqs.cpu()));
    while !KERNEL.view.is_open() {
        arch::cpu::wait_for_interrupt(irqs);
        if let Some(interrupt) = arch::gic::acknowledge(irqs) {
            arch::gic::end(irqs, interrupt);
        }
    }
    KERNEL.open(irqs);
    arch::entry::run(irqs)
}

impl Kernel {
    /// Parses the boot arguments; a line for each word that makes no sense.
    fn set_options(&self) {
        let (defaults, arguments) = (Options::of(self.board().facts()), self.board().boot_arguments());
        let options = Options::parse(defaults, arguments, |complaint| self.print(format_args!("{complaint}")));
        self.policy.set(options.policy);
        self.options.call_once(|| options);
    }

    /// Starts the timer of this CPU and says so when the firmware noted another frequency than the board's.
    fn check_timer(&self, irqs: IrqsOff) {
        let facts = self.board().facts();
        arch::time::init(irqs, facts.timer_hz);
        let noted = arch::time::noted_hz;
        if facts.timer_hz_is_noted && noted() != facts.timer_hz {
            let (cpu, hz) = (irqs.cpu(), facts.timer_hz);
            self.print(format_args!("timer: cpu {cpu} says {} Hz, {hz} Hz is used", noted()));
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

    /// Starts all CPUs but this one in dense order, and waits for them together, a bounded time.
    fn start_others(&self, irqs: IrqsOff) -> Arrivals {
        let count = self.board().facts().machine.cpus.len();
        let mut arrivals = [Ok(Nanos::ZERO); abi::types::MAX_CPUS];
        let mut started = CpuMask::EMPTY;
        for cpu in (0..count).filter(|cpu| *cpu != irqs.cpu()).map(CpuId::new) {
            let begun = now();
            let start = self.board().start_cpu(cpu);
            arrivals[cpu.index()] = start.map(|()| now() - begun);
            if start.is_ok() {
                started.insert(cpu);
            }
        }
        self.await_arrivals(irqs, started);
        for cpu in (started & !self.view.online()).iter() {
            arrivals[cpu.index()] = Err(self.board().why_missing(cpu));
        }
        arrivals
    }

    /// Looks now and then, asleep in between, until these CPUs are online or it has taken too long.
    fn await_arrivals(&self, irqs: IrqsOff, wanted: CpuMask) {
        let deadline = now() + ARRIVAL_TIME;
        while !(wanted & !self.view.online()).is_empty() && now() < deadline {
            arch::time::set_alarm(irqs, (now() + LOOK_TIME).as_nanos());
            arch::cpu::wait_for_interrupt(irqs);
            arch::time::clear_alarm(irqs);
            if let Some(interrupt) = arch::gic::acknowledge(irqs) {
                arch::gic::end(irqs, interrupt);
            }
        }
    }

    /// Fixes the capacities of the CPUs that came, reports all CPUs, makes the first task and lets everyone go.
    fn open_doors(&'static self, irqs: IrqsOff, arrivals: Arrivals, first: Entry) {
        let reached = self.plant().and_then(|plant| plant.begin(self.options().clocks));
        let machine = reached.unwrap_or(self.board().facts().machine);
        let online = self.view.online();
        let capacities = CapacityTable::new(machine, online);
        self.report_cpus(machine, &capacities, arrivals);
        self.start_governing(now());
        if reached.is_some() {
            self.tell_clocks();
        }
        self.view.set_capacities(capacities);
        self.open(irqs);
        self.cpus.with(irqs, |cpu| {
            let [begin, argument] = beginning(first);
            let task = self
                .create(cpu, begin, [argument, 0], CpuMask::ALL)
                .expect("an image has a first task, and a fresh table a place for it");
            self.first.store(task.number.raw(), Relaxed);
            self.send(cpu, cpu.id, task, Arrival::New, sched::Why::Previous, now());
        });
        self.open_console(irqs);
        for cpu in online.without(CpuId::new(irqs.cpu())).iter() {
            self.poke(cpu);
        }
    }

    /// Lets what is typed interrupt this CPU, and takes what was typed before: the UART tells of a byte when it comes,
    /// not later.
    fn open_console(&'static self, irqs: IrqsOff) {
        self.board().console().enable_receive();
        arch::gic::enable_shared(irqs, self.board().facts().console_interrupt, irqs.cpu());
        self.cpus.with(irqs, |cpu| self.console_interrupt(cpu, now()));
    }

    fn report_cpus(&self, machine: &Machine, capacities: &CapacityTable, arrivals: Arrivals) {
        for (index, facts) in machine.cpus.iter().enumerate() {
            let (mpidr, core) = (facts.mpidr, facts.kind.core);
            match arrivals[index] {
                Ok(took) => self.print(format_args!(
                    "CPU id={index} mpidr={mpidr:#05x} class={core} capacity={} state=online start_us={}",
                    capacities.capacity(CpuId::new(index)),
                    took.as_micros(),
                )),
                Err(why) => {
                    self.print(format_args!("CPU id={index} mpidr={mpidr:#05x} class={core} state=missing why={why}"))
                }
            }
        }
    }

    /// Tells the executing CPU who it is and what it is worth, before its first task comes.
    pub(crate) fn open(&'static self, irqs: IrqsOff) {
        let id = CpuId::new(irqs.cpu());
        let count = self.board().facts().machine.cpus.len();
        let capacity = self.view.capacities().capacity(id);
        let pace = if self.emulates_pace() { Pace::slot(count, capacity) } else { Pace::NONE };
        let opening = Opening { id, capacity, grid: Grid::new(id, count), pace, tracing: self.options().trace };
        self.cpus.with(irqs, |cpu| {
            cpu.open(opening);
            self.install_meter(cpu);
        });
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
        info.shell = u32::from(self.options().after == After::Shell);
        info
    }
}

/// How long the board took to start each CPU, or why the CPU is missing.
type Arrivals = [Result<Nanos, StartError>; abi::types::MAX_CPUS];
