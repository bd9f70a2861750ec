//! A generic machine with QEMU's `virt` memory map (`gic-version=2`): up to eight equal cores, started by PSCI.
//!
//! It is there to prove the cores and the interrupt controller: the same image that boots on QEMU boots here.

use crate::bus::{Access, Answer, Bus, BusFault, Call, Lines, Memory, Misuse, Platform, Size, Time, TimerRegister};
use crate::cpu::{Code, Core, Costs, Identity, ResetMode};
use crate::findings::{FindingKind, Findings};
use crate::load::tree::Node;
use crate::load::{Image, LoadError};
use crate::machine::{Machine, Soc, host};
use crate::soc::counter::Counter;
use crate::soc::device::{Device, Effects, Ending, Request};
use crate::soc::gic::{CpuInterface, Distributor, Gic, Layout};
use crate::soc::pl011::Pl011;
use crate::soc::timers::{self, Timers};

const RAM: (u32, u32) = (0x4000_0000, 0x2000_0000);
const GIC_DISTRIBUTOR: u32 = 0x0800_0000;
const GIC_INTERFACE: u32 = 0x0801_0000;
const UART: u32 = 0x0900_0000;
const UART_INTERRUPT: u32 = 32 + 1;
/// Where QEMU puts a flat `-kernel` binary: a Linux image asks for 64 KiB above the start of RAM.
pub const IMAGE_ADDRESS: u32 = 0x4001_0000;
/// Where the device tree lies; behind anything an image of this project claims.
const TREE_ADDRESS: u32 = 0x4800_0000;
const COUNTER_HZ: u32 = 62_500_000;
/// One instruction a nanosecond: no cycle of this machine means anything.
const KHZ: u32 = 1_000_000;

/// How the machine is built.
#[derive(Clone, Debug)]
pub struct Options {
    /// One to eight.
    pub cores: usize,
    /// Whether cores come in HYP mode and call the firmware by SMC; else SVC and HVC.
    pub hyp: bool,
    /// `/chosen/bootargs`.
    pub bootargs: String,
    /// Kinds of findings that do not fail the run.
    pub allowed: Vec<FindingKind>,
}

impl Default for Options {
    fn default() -> Self {
        Self { cores: 8, hyp: false, bootargs: String::new(), allowed: Vec::new() }
    }
}

/// Everything of the machine but cores and memory.
#[derive(Debug)]
pub struct Virt {
    gic: Gic,
    timers: Timers,
    counter: Counter,
    uart: Pl011,
    effects: Effects,
    /// Bit n: core n was started.
    started: u32,
    cores: usize,
    hyp: bool,
    /// When a timer next fires, if that is known: a change makes it unknown.
    next_event: Option<Option<Time>>,
}

/// A machine with `image` loaded, ready to run.
///
/// # Errors
///
/// If the image does not fit into its RAM.
pub fn machine(image: &Image, options: &Options) -> Result<Machine<Virt>, LoadError> {
    let mut memory = Memory::new(&[RAM]);
    image.load(&mut memory)?;
    let tree = device_tree(options).flatten();
    memory.write(TREE_ADDRESS, &tree).ok_or_else(|| LoadError("the device tree does not fit".into()))?;
    let cores = options.cores;
    let layout = Layout { interfaces: (0..cores).collect(), interrupts: 288, priority_bits: 8, two_worlds: false };
    let platform = Virt {
        gic: Gic::new(layout),
        timers: Timers::new(cores, COUNTER_HZ),
        counter: Counter::running(COUNTER_HZ),
        uart: Pl011::new(UART_INTERRUPT),
        effects: Effects::default(),
        started: 1,
        cores,
        hyp: options.hyp,
        next_event: None,
    };
    let core = |index: usize| {
        let identity = Identity::cortex_a15(0x8000_0000 | index as u32, cores as u32, GIC_DISTRIBUTOR);
        Core::new(index, 0, identity, Costs::unit())
    };
    let code = Code::new([Costs::unit(), Costs::unit()]);
    let findings = Findings::allowing(&options.allowed);
    let mut machine = Machine::new(Bus::new(memory, platform), (0..cores).map(core).collect(), code, findings);
    machine.symbols = image.symbols.clone();
    machine.start(0, image.entry, 0);
    machine.cores[0].r[1] = !0;
    machine.cores[0].r[2] = TREE_ADDRESS;
    Ok(machine)
}

fn device_tree(options: &Options) -> Node {
    let chosen = Node::new().text("bootargs", &options.bootargs).text("stdout-path", "/pl011@9000000");
    let memory = Node::new().text("device_type", "memory").cells("reg", &[RAM.0, RAM.1]);
    let method = if options.hyp { "smc" } else { "hvc" };
    let psci = Node::new().text("compatible", "arm,psci-0.2").text("method", method).cells("cpu_on", &[CPU_ON]);
    let cpus =
        (0..options.cores).fold(Node::new().cells("#address-cells", &[1]).cells("#size-cells", &[0]), |cpus, n| {
            let cpu =
                Node::new().text("device_type", "cpu").text("compatible", "arm,cortex-a15").cells("reg", &[n as u32]);
            cpus.child(&format!("cpu@{n:x}"), cpu.text("enable-method", "psci"))
        });
    Node::new()
        .cells("#address-cells", &[1])
        .cells("#size-cells", &[1])
        .text("compatible", "linux,dummy-virt")
        .text("model", "linux,dummy-virt")
        .child("chosen", chosen)
        .child("memory@40000000", memory)
        .child("psci", psci)
        .child("cpus", cpus)
}

impl Virt {
    /// Lets the device at `address` act, if there is one.
    fn with_device<R>(&mut self, address: u32, act: impl FnOnce(&mut dyn Device, u32, &mut Effects) -> R) -> Option<R> {
        let effects = &mut self.effects;
        Some(match address {
            GIC_DISTRIBUTOR..GIC_INTERFACE => act(&mut Distributor(&mut self.gic), address - GIC_DISTRIBUTOR, effects),
            GIC_INTERFACE..0x0802_0000 => act(&mut CpuInterface(&mut self.gic), address - GIC_INTERFACE, effects),
            UART..0x0900_1000 => act(&mut self.uart, address - UART, effects),
            _ => return None,
        })
    }

    /// Passes on what a device or timer did.
    fn settle(&mut self, core: usize, now: Time) {
        for (interrupt, level) in self.effects.lines.drain(..) {
            self.gic.drive_shared(interrupt, level);
        }
        self.drive_timers(core, now);
    }

    fn drive_timers(&mut self, core: usize, now: Time) {
        let levels = self.timers.levels(core, &self.counter, now);
        for (interrupt, level) in timers::INTERRUPTS.into_iter().zip(levels) {
            self.gic.drive_private(core, interrupt, level);
        }
    }

    fn nothing_there(&mut self, address: u32, at: &Access) -> BusFault {
        self.effects.find(FindingKind::NothingThere, at, format!("nothing answers at {address:#010x}"));
        BusFault
    }
}

impl Platform for Virt {
    fn read(&mut self, address: u32, size: Size, at: &Access) -> Result<u32, BusFault> {
        let value = self.with_device(address, |device, offset, effects| device.read(offset, size, at, effects));
        self.settle(at.core, at.time);
        value.unwrap_or_else(|| Err(self.nothing_there(address, at)))
    }

    fn write(&mut self, address: u32, size: Size, value: u32, at: &Access) -> Result<(), BusFault> {
        let done = self.with_device(address, |device, offset, effects| device.write(offset, size, value, at, effects));
        self.settle(at.core, at.time);
        done.unwrap_or_else(|| Err(self.nothing_there(address, at)))
    }

    fn timer_read(&mut self, register: TimerRegister, at: &Access) -> u64 {
        self.timers.read(register, &self.counter, at, &mut self.effects)
    }

    fn timer_write(&mut self, register: TimerRegister, value: u64, at: &Access) {
        self.timers.write(register, value, &self.counter, at, &mut self.effects);
        self.settle(at.core, at.time);
        self.next_event = None;
    }

    fn lines(&mut self, core: usize, time: Time) -> Lines {
        self.drive_timers(core, time);
        self.gic.lines(core)
    }

    fn call(&mut self, call: Call, core: &mut Core, memory: &mut Memory, at: &Access) -> Answer {
        match call {
            Call::Hvc(0) if !self.hyp => self.psci(core),
            Call::Smc(0) if self.hyp => self.psci(core),
            _ => host::call(call, core, memory, at, &mut self.effects),
        }
    }

    fn misuse(&mut self, misuse: Misuse, address: u32, at: &Access) {
        self.effects.findings.push(misuse.finding(address, at));
    }

    fn coherent(&self, _: usize) -> bool {
        true
    }
}

impl Soc for Virt {
    fn effects(&mut self) -> &mut Effects {
        &mut self.effects
    }

    fn next_event(&mut self, now: Time) -> Option<Time> {
        // By the machine's time: a core that is ahead of it may have passed the deadline of another one.
        *self.next_event.get_or_insert_with(|| {
            (0..self.cores).filter_map(|core| self.timers.next_event(core, &self.counter, now)).min()
        })
    }

    fn advance(&mut self, now: Time) {
        (0..self.cores).for_each(|core| self.drive_timers(core, now));
        self.next_event = None;
    }

    fn khz(&self, _: usize) -> u32 {
        KHZ
    }

    fn account(&mut self, _: usize, _: Time) {}

    fn start_mode(&self) -> ResetMode {
        if self.hyp { ResetMode::Hyp } else { ResetMode::NonSecureSvc }
    }

    fn receive(&mut self, bytes: &[u8], now: Time) {
        self.uart.receive(bytes, &mut self.effects);
        self.settle(0, now);
    }
}

const PSCI_VERSION: u32 = 0x8400_0000;
const CPU_OFF: u32 = 0x8400_0002;
const CPU_ON: u32 = 0x8400_0003;
const SYSTEM_OFF: u32 = 0x8400_0008;
const SYSTEM_RESET: u32 = 0x8400_0009;
const NOT_SUPPORTED: i32 = -1;
const INVALID_PARAMETERS: i32 = -2;
const ALREADY_ON: i32 = -4;

impl Virt {
    /// Power State Coordination Interface 0.2 (ARM DEN 0022D).
    fn psci(&mut self, core: &mut Core) -> Answer {
        let answer = match core.r[0] {
            PSCI_VERSION => 2,
            CPU_ON => self.cpu_on(core.r[1], core.r[2], core.r[3]),
            CPU_OFF => {
                self.started &= !(1 << core.index);
                core.power_off();
                0
            }
            SYSTEM_OFF => self.end(Ending::PowerOff),
            SYSTEM_RESET => self.end(Ending::Reset),
            _ => NOT_SUPPORTED,
        };
        core.r[0] = answer as u32;
        Answer::EndSlice
    }

    fn cpu_on(&mut self, mpidr: u32, entry: u32, argument: u32) -> i32 {
        let core = mpidr as usize;
        if core >= self.cores {
            return INVALID_PARAMETERS;
        }
        if self.started >> core & 1 != 0 {
            return ALREADY_ON;
        }
        self.started |= 1 << core;
        self.effects.requests.push(Request::Start { core, entry, argument });
        0
    }

    fn end(&mut self, ending: Ending) -> i32 {
        self.effects.requests.push(Request::End(ending));
        0
    }
}
