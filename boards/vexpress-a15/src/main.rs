//! QEMU's `vexpress-a15`: what there is, claimed and handed to the kernel.
//!
//! An ELF file is given neither ATAGs nor a device tree, so the boot arguments come by semihosting.
#![no_std]
#![no_main]
#![expect(unsafe_code, reason = "claims the devices")]

use arch::IrqsOff;
use arch::boot::Handover;
use arch::once::TakeOnce;
use drivers::{pl011::Pl011, semihosting::Semihosting, vexpress::SystemRegisters};
use kernel::{
    Board, Console, CpuFacts, CpuId, Ending, Facts, Machine, Plant, PlantFacts, StartError, VirtualPlant, standing_for,
};
use soc::exynos5422;
use soc::vexpress_a15 as facts;

arch::boot! {
    cpus: &soc::mpidrs::<4>(&facts::MACHINE),
    all_cores_start: true,
    ram: facts::RAM,
    devices: &facts::DEVICES,
    gic: (facts::GIC_DISTRIBUTOR_BASE as u32, facts::GIC_CPU_INTERFACE_BASE as u32),
    coherency: arch::cpu::join_coherency,
    main: main,
    secondary: kernel::start_secondary,
}

struct Vexpress {
    uart: Uart,
    system: SystemRegisters,
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
static STANDING_FOR: [CpuFacts; 4] = standing_for(&facts::MACHINE, &exynos5422::CORTEX_A15, &exynos5422::CORTEX_A7);
static CHIP: Machine = Machine { name: facts::MACHINE.name, cpus: &STANDING_FOR };
static PLANT: VirtualPlant = VirtualPlant::new(PlantFacts {
    machine: &CHIP,
    profile: &exynos5422::LOOPER,
    heat: &exynos5422::HEAT,
    latency: exynos5422::OPP_LATENCY,
});

static BOARD: TakeOnce<Option<Vexpress>> = TakeOnce::new(None);
static BOOT_ARGUMENTS: TakeOnce<[u8; 1024]> = TakeOnce::new([0; 1024]);

fn main(irqs: IrqsOff, _handover: Handover) -> ! {
    // SAFETY: the kernel's SVC entry answers calls that nobody catches.
    let host = unsafe { Semihosting::claim() };
    let buffer = BOOT_ARGUMENTS.take().expect("main runs once");
    let board = BOARD.take().expect("main runs once").insert(Vexpress {
        // SAFETY: the machine's console, mapped by `boot!`, and nobody else's.
        uart: Uart(unsafe { Pl011::claim(facts::UART_BASE) }),
        // SAFETY: the machine's system registers, mapped by `boot!`, and nobody else's.
        system: unsafe { SystemRegisters::claim(facts::SYSTEM_REGISTERS_BASE) },
        boot_arguments: host.command_line(buffer).unwrap_or(""),
        host,
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

impl Board for Vexpress {
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
        arch::smp::release(cpu.index());
        Ok(())
    }

    fn end(&self, ending: Ending) -> ! {
        let _refused = match ending {
            Ending::Halt(code) => {
                self.host.exit(code);
                self.system.power_off()
            }
            Ending::Reboot => self.system.reboot(),
        };
        arch::cpu::halt()
    }
}
