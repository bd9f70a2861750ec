//! Hardkernel's Odroid XU4 with Samsung's Exynos5422: what there is, claimed and handed to the kernel.
//!
//! U-Boot starts the image on the first Cortex-A7, in HYP mode with firmware of 2014 and later, in SVC mode before.
//! With `bootm` it passes a device tree, whose `/chosen/bootargs` are the boot arguments; with `go` the words behind
//! the address.
//!
//! Three things differ from every other board: the generic timers stand still until the multi-core timer's counter is
//! started; nobody notes their frequency; and a core must open its cluster's port of the interconnect before it may use
//! its caches. Cores come one by one, in dense order: first the Cortex-A7s, then the Cortex-A15s. Any that does not
//! come is named, and the others run.
#![no_std]
#![no_main]
#![expect(unsafe_code, reason = "claims the devices")]

mod coherency;
mod plant;

use arch::boot::Handover;
use arch::once::TakeOnce;
use arch::{IrqsOff, smp};
use drivers::exynos::mailbox::{Mailbox, Progress};
use drivers::exynos::mct::MultiCoreTimer;
use drivers::exynos::power::{Core, NoPower, PowerManagement};
use drivers::exynos::uart::Uart;
use drivers::exynos::watchdog::Watchdog;
use drivers::semihosting::Semihosting;
use fdt::Fdt;
use kernel::{Board, CpuId, Ending, Facts, StartError};
use soc::exynos5422::{self as facts, blocks};

arch::boot! {
    cpus: &soc::mpidrs::<8>(&facts::MACHINE),
    all_cores_start: false,
    ram: (facts::RAM_BASE as u32, facts::RAM_SIZE as u32),
    devices: &blocks::DEVICES,
    gic: (facts::GIC_DISTRIBUTOR_BASE as u32, facts::GIC_CPU_INTERFACE_BASE as u32),
    coherency: coherency::join,
    main: main,
    secondary: kernel::start_secondary,
}

struct OdroidXu4 {
    console: Console,
    power: PowerManagement,
    mailbox: Mailbox,
    host: Semihosting,
    plant: &'static plant::Plant,
    boot_arguments: &'static str,
}

struct Console(Uart);

static FACTS: Facts = Facts {
    machine: &facts::LOOPER_MACHINE,
    console_interrupt: facts::UART_INTERRUPT,
    timer_hz: facts::TIMER_HZ,
    timer_hz_is_noted: false,
    emulates_pace: false,
    interactive: true,
};

/// Time for a core from its power or reset to our code; nobody published how long it takes.
const ENTRY_NS: u64 = 20_000_000;

static BOARD: TakeOnce<Option<OdroidXu4>> = TakeOnce::new(None);
static PLANT: TakeOnce<Option<plant::Plant>> = TakeOnce::new(None);

fn main(irqs: IrqsOff, handover: Handover) -> ! {
    let tree = handover.device_tree().and_then(|bytes| Fdt::new(bytes).ok());
    // SAFETY: the chip's blocks, mapped by `boot!`, and nobody else's.
    let (uart, power, mailbox, timer, watchdog) = unsafe {
        (
            Uart::claim(facts::UART_BASE),
            PowerManagement::claim(blocks::POWER_MANAGEMENT_BASE),
            Mailbox::claim(blocks::MAILBOX_BASE),
            MultiCoreTimer::claim(blocks::MULTI_CORE_TIMER_BASE),
            Watchdog::claim(blocks::WATCHDOG_BASE),
        )
    };
    watchdog.stop();
    // If that fails, the kernel finds that time stands still, and says so.
    let _lost = timer.start();
    power.prepare();
    // SAFETY: mapped by `boot!`, and claimed nowhere else.
    let plant = PLANT.take().expect("main runs once").insert(unsafe { plant::claim() });
    let board = BOARD.take().expect("main runs once").insert(OdroidXu4 {
        console: Console(uart),
        plant,
        power,
        mailbox,
        // SAFETY: the kernel's SVC entry answers calls that nobody catches.
        host: unsafe { Semihosting::claim() },
        boot_arguments: tree
            .and_then(|tree| tree.find_node("/chosen")?.property("bootargs")?.as_str())
            .unwrap_or(handover.arguments),
    });
    board.mailbox.send_cores_to(smp::secondary_entry());
    kernel::start(irqs, board, tests::first)
}

impl kernel::Console for Console {
    fn put(&self, byte: u8) -> bool {
        self.0.send(byte).is_ok()
    }

    fn take(&self) -> Option<u8> {
        self.0.receive()
    }

    fn enable_receive(&self) {
        self.0.enable_receive_interrupt();
    }
}

impl Board for OdroidXu4 {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn console(&self) -> &dyn kernel::Console {
        &self.console
    }

    fn plant(&self) -> Option<&'static dyn kernel::Plant> {
        Some(self.plant)
    }

    fn boot_arguments(&self) -> &str {
        self.boot_arguments
    }

    fn start_cpu(&self, cpu: CpuId) -> Result<(), StartError> {
        let core = core(cpu);
        let other_cluster = matches!(core, Core::CortexA15(_));
        if other_cluster && self.mailbox.progress(0) != Progress::Coherent {
            return Err(StartError::Board("boot_cluster_not_coherent"));
        }
        self.mailbox.note(cpu.index(), Progress::Nowhere);
        // The mailbox must hold all of it before the core can look; and a core may already wait there.
        smp::wake_waiting();
        self.power.start(core, arch::time::now).map_err(|NoPower| StartError::Board("no_power"))?;
        self.await_entry(cpu)
    }

    fn why_missing(&self, cpu: CpuId) -> StartError {
        StartError::Board(match self.mailbox.progress(cpu.index()) {
            Progress::Nowhere if self.power.is_powered(core(cpu)) => "not_entered",
            Progress::Nowhere => "power_lost",
            Progress::NoPort => "interconnect_port_closed",
            Progress::NotCoherent => "not_coherent",
            Progress::Entered | Progress::Coherent => return StartError::Timeout,
        })
    }

    fn end(&self, ending: Ending) -> ! {
        match ending {
            Ending::Halt(code) => {
                // Only an emulator or a debugger answers.
                self.host.exit(code);
                self.drain();
                self.power.power_off();
            }
            Ending::Reboot => {
                // The boot loader sets clocks before voltages, and finds what we leave.
                self.plant.bring_to(plant::HAND_OVER);
                self.drain();
                self.power.reset();
            }
        }
        arch::cpu::halt()
    }
}

impl OdroidXu4 {
    /// Waits until the core runs our code. The next one must not be started before: they share the boot ROM's word and
    /// the mailbox, and everybody who has done it brings them one by one.
    fn await_entry(&self, cpu: CpuId) -> Result<(), StartError> {
        let deadline = arch::time::now() + ENTRY_NS;
        while self.mailbox.progress(cpu.index()) == Progress::Nowhere {
            if arch::time::now() > deadline {
                return Err(self.why_missing(cpu));
            }
            arch::cpu::relax();
        }
        Ok(())
    }

    /// Lets the last words out before the power goes.
    fn drain(&self) {
        let _stuck = self.console.0.flush();
    }
}

fn core(cpu: CpuId) -> Core {
    Core::with_affinity(facts::MACHINE.cpus[cpu.index()].mpidr)
}
