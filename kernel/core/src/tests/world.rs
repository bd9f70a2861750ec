//! A system under test: four CPUs, two of them big, and a board that remembers what was printed.

use std::boxed::Box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::string::String;
use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;
use std::vec::Vec;

use abi::types::MAX_TASKS;
use abi::{Call, Error, Result};
use arch::entry::Kernel as _;
use arch::host;
use sched::{Arrival, CapacityTable, CpuId, CpuMask, Nanos, Why};

use crate::board::{Board, Console, Ending, Facts, StartError};
use crate::kernel::Kernel;
use crate::options::Options;
use crate::pages::PAGE;
use crate::plant::Plant;
use crate::task::Task;

/// What the console printed.
#[derive(Default)]
pub struct Paper(Mutex<Vec<u8>>);

impl Console for Paper {
    fn put(&self, byte: u8) -> bool {
        self.0.lock().expect("no test panics while it prints").push(byte);
        true
    }

    fn take(&self) -> Option<u8> {
        None
    }

    fn enable_receive(&self) {}
}

static FACTS: Facts = Facts {
    machine: &soc::vexpress_a15::MACHINE,
    console_interrupt: 37,
    timer_hz: 62_500_000,
    timer_hz_is_noted: false,
    emulates_pace: false,
};

struct Desk {
    paper: Paper,
    plant: Option<&'static dyn Plant>,
}

impl Board for Desk {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn console(&self) -> &dyn Console {
        &self.paper
    }

    fn plant(&self) -> Option<&'static dyn Plant> {
        self.plant
    }

    fn boot_arguments(&self) -> &str {
        "bench=none"
    }

    fn start_cpu(&self, _: CpuId) -> core::result::Result<(), StartError> {
        Ok(())
    }

    fn end(&self, ending: Ending) -> ! {
        panic!("the system ended: {ending:?}")
    }
}

/// A booted system with its first task on CPU 0. Each test has its own.
pub struct World {
    pub kernel: &'static Kernel,
    desk: &'static Desk,
}

/// The function of every task; nobody executes it.
pub const ENTRY: u32 = host::USER_TEXT.start;

impl World {
    /// A system whose CPUs all idle but CPU 0, which runs the first task under the policy of `arguments`.
    pub fn new(arguments: &str) -> World {
        World::with_plant(arguments, None)
    }

    /// The same with clocks and sensors.
    pub fn with_plant(arguments: &str, plant: Option<&'static dyn Plant>) -> World {
        host::reset();
        host::set_time(10_000_000);
        let kernel: &'static Kernel = Box::leak(Box::new(Kernel::new()));
        let desk: &'static Desk = Box::leak(Box::new(Desk { paper: Paper::default(), plant }));
        kernel.board.call_once(|| desk);
        let options = Options::parse(arguments, |complaint| panic!("{complaint}"));
        kernel.policy.set(options.policy);
        kernel.options.call_once(|| options);
        kernel.tasks.furnish(Box::leak(Box::<[Task]>::new_uninit_slice(MAX_TASKS)));
        kernel.channels.pages.furnish(Box::leak(Box::<[[u8; PAGE]]>::new_uninit_slice(4)));
        let reached = plant.and_then(|plant| plant.begin(options.clocks));
        let machine = reached.unwrap_or(desk.facts().machine);
        for cpu in 0..machine.cpus.len() {
            kernel.view.set_online(CpuId::new(cpu));
        }
        kernel.start_governing(Nanos::new(arch::time::now()));
        kernel.view.set_capacities(CapacityTable::new(machine, CpuMask::first_n(machine.cpus.len())));
        let world = World { kernel, desk };
        for cpu in (0..machine.cpus.len()).rev() {
            let irqs = host::irqs_off(cpu);
            kernel.open(irqs);
            if cpu == 0 {
                kernel.cpus.with(irqs, |cpu| {
                    let task = kernel.create(cpu, ENTRY, [0, 0], CpuMask::ALL).expect("there are blocks");
                    kernel.first.store(task.number.raw(), Relaxed);
                    kernel.send(cpu, cpu.id, task, Arrival::New, Why::Previous, world.now());
                });
            }
            host::run(|| kernel.start(irqs));
        }
        world
    }

    pub fn now(&self) -> Nanos {
        Nanos::new(arch::time::now())
    }

    /// The number of the task that runs on a CPU.
    pub fn running(&self, cpu: usize) -> Option<u32> {
        self.kernel.cpus.with(host::irqs_off(cpu), |cpu| cpu.current.as_ref().map(|task| task.number.raw()))
    }

    /// Makes a system call in the task that runs on a CPU. The result is there when the same task still runs.
    pub fn call(&self, cpu: usize, call: Call, arguments: [u32; 4]) -> Option<Result<u32>> {
        self.raw_call(cpu, call as u32, arguments)
    }

    /// The same with any number.
    pub fn raw_call(&self, cpu: usize, number: u32, arguments: [u32; 4]) -> Option<Result<u32>> {
        let irqs = host::irqs_off(cpu);
        let caller = self.kernel.cpus.with(irqs, |cpu| {
            let task = cpu.running();
            task.context.set_register(12, number);
            for (register, value) in arguments.into_iter().enumerate() {
                task.context.set_register(register, value);
            }
            task.number.raw()
        });
        host::run(|| self.kernel.system_call(irqs));
        (self.running(cpu) == Some(caller)).then(|| self.result(cpu))
    }

    /// What the task that runs on a CPU finds in r0.
    pub fn result(&self, cpu: usize) -> Result<u32> {
        let r0 = self.kernel.cpus.with(host::irqs_off(cpu), |cpu| cpu.running().context.register(0));
        Error::decode(r0)
    }

    /// Starts a task; panics where the kernel refuses.
    pub fn spawn(&self, cpu: usize, mask: u32) -> u32 {
        self.call(cpu, Call::Spawn, [ENTRY, 0, 0, mask])
            .expect("spawning does not block")
            .expect("there is room for a task")
    }

    /// Lets every CPU that has something pending handle it, until none has.
    pub fn settle(&self) {
        while let Some(cpu) = (0..4).find(|cpu| host::has_pending(*cpu)) {
            let irqs = host::irqs_off(cpu);
            host::run(|| self.kernel.interrupt(irqs));
        }
    }

    /// Lets time pass in steps of half a tick.
    pub fn pass(&self, milliseconds: u64) {
        for _ in 0..2 * milliseconds {
            host::advance(500_000);
            self.settle();
        }
    }

    /// What was printed so far.
    pub fn printed(&self) -> String {
        let bytes = self.desk.paper.0.lock().expect("no test panics while it prints").clone();
        String::from_utf8(bytes).expect("the kernel prints UTF-8")
    }

    /// How the system ends when `act` ends it.
    pub fn ends(&self, act: impl FnOnce()) -> String {
        let payload = catch_unwind(AssertUnwindSafe(act)).expect_err("the system goes on");
        payload.downcast_ref::<String>().cloned().unwrap_or_default()
    }
}
