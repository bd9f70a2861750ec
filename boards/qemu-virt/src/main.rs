//! QEMU's `virt` with `gic-version=2`: what there is, claimed and handed to the kernel.
//!
//! A flat binary is started as if it were Linux: the device tree's address comes in r2, the boot arguments are in
//! `/chosen`. Firmware that QEMU plays starts the other cores.
#![no_std]
#![no_main]
#![expect(unsafe_code, reason = "claims the devices")]

use arch::boot::Handover;
use arch::cpu::EntryMode;
use arch::once::TakeOnce;
use arch::psci::{Conduit, PsciError};
use arch::{IrqsOff, psci, smp};
use drivers::{pl011::Pl011, semihosting::Semihosting};
use fdt::Fdt;
use kernel::{
    Board, Console, CpuFacts, CpuId, Ending, Facts, Machine, Plant, PlantFacts, StartError, VirtualPlant, standing_for,
};
use soc::exynos5422;
use soc::qemu_virt as facts;

arch::boot! {
    cpus: &soc::mpidrs::<8>(&facts::MACHINE),
    all_cores_start: false,
    ram: facts::RAM,
    devices: &facts::DEVICES,
    gic: (facts::GIC_DISTRIBUTOR_BASE as u32, facts::GIC_CPU_INTERFACE_BASE as u32),
    coherency: arch::cpu::join_coherency,
    main: main,
    secondary: kernel::start_secondary,
}

struct Virt {
    uart: Uart,
    firmware: Conduit,
    host: Semihosting,
    boot_arguments: &'static str,
}

struct Uart(Pl011);

static FACTS: Facts = Facts {
    machine: &facts::MACHINE,
    console_interrupt: facts::UART_INTERRUPT,
    timer_hz: facts::TIMER_HZ,
    timer_hz_is_noted: true,
    emulates_pace: true,
    interactive: false,
};

/// The chip that the machine stands for: the ratio of its cores is that of the looper.
static STANDING_FOR: [CpuFacts; 8] = standing_for(&facts::MACHINE, &exynos5422::CORTEX_A15, &exynos5422::CORTEX_A7);
static CHIP: Machine = Machine { name: facts::MACHINE.name, cpus: &STANDING_FOR };
static PLANT: VirtualPlant = VirtualPlant::new(PlantFacts {
    machine: &CHIP,
    profile: &exynos5422::LOOPER,
    heat: &exynos5422::HEAT,
    latency: exynos5422::OPP_LATENCY,
});

static BOARD: TakeOnce<Option<Virt>> = TakeOnce::new(None);

fn main(irqs: IrqsOff, handover: Handover) -> ! {
    let tree = handover.device_tree().and_then(|bytes| Fdt::new(bytes).ok());
    let board = BOARD.take().expect("main runs once").insert(Virt {
        // SAFETY: the machine's console, mapped by `boot!`, and nobody else's.
        uart: Uart(unsafe { Pl011::claim(facts::UART_BASE) }),
        // A guest that has HYP mode to itself finds the firmware in the secure world.
        firmware: match arch::cpu::entry_mode() {
            EntryMode::Svc => Conduit::Hvc,
            EntryMode::Hyp => Conduit::Smc,
        },
        // SAFETY: the kernel's SVC entry answers calls that nobody catches.
        host: unsafe { Semihosting::claim() },
        boot_arguments: tree.and_then(|tree| tree.find_node("/chosen")?.property("bootargs")?.as_str()).unwrap_or(""),
    });
    kernel::start(irqs, board, tests::first)
}

impl Console for Uart {
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

impl Board for Virt {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn console(&self) -> &dyn Console {
        &self.uart
    }

    fn plant(&self) -> Option<&'static dyn Plant> {
        Some(&PLANT)
    }

    fn boot_arguments(&self) -> &str {
        self.boot_arguments
    }

    fn start_cpu(&self, cpu: CpuId) -> Result<(), StartError> {
        let mpidr = facts::MACHINE.cpus[cpu.index()].mpidr;
        psci::cpu_on(self.firmware, mpidr, smp::secondary_entry()).map_err(|error| match error {
            PsciError::InvalidParameters => StartError::NotPresent,
            other => StartError::Firmware(other.code()),
        })
    }

    fn end(&self, ending: Ending) -> ! {
        match ending {
            Ending::Halt(code) => {
                self.host.exit(code);
                psci::system_off(self.firmware);
            }
            Ending::Reboot => psci::system_reset(self.firmware),
        }
        arch::cpu::halt()
    }
}
