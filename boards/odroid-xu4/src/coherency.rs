//! How a core becomes coherent with the others, before its caches are on.
//!
//! In this order: the interconnect snoops the core's cluster, the core takes part (ACTLR.SMP), and only then caches.
//! The non-secure world may do both on this board, as Linux does; where firmware differs, its monitor is asked. How far
//! a core came is noted where the others can read it, because this one cannot speak yet.
#![expect(unsafe_code, reason = "claims devices; calls the secure monitor")]

use arch::smc;
use drivers::cci400::{self, Interconnect, PortError};
use drivers::exynos::mailbox::{Mailbox, Progress};
use drivers::exynos::monitor::{SystemRegister, write_device_register, write_system_register};
use drivers::exynos::power::Core;
use soc::exynos5422::{MACHINE, blocks};

/// In L2ACTLR: detect the hazard of Cortex-A15 erratum 798870, by which a read may stall for ever. To be set before the
/// cluster's caches are used, and by the secure world.
const HAZARD_DETECTION: u32 = 1 << 7;

/// Runs on CPU `cpu` with its MMU off. If it fails on the boot CPU, that goes on without the other cluster; any other
/// CPU stops, as it would read stale memory and write what nobody sees.
pub fn join(cpu: usize) {
    // SAFETY: the firmware's mailbox; the MMU is off.
    let mailbox = unsafe { Mailbox::claim(blocks::MAILBOX_BASE) };
    mailbox.note(cpu, Progress::Entered);
    let progress = try_to_join(cpu);
    mailbox.note(cpu, progress);
    if progress != Progress::Coherent && cpu != 0 {
        arch::cpu::halt();
    }
}

fn try_to_join(cpu: usize) -> Progress {
    let core = Core::with_affinity(MACHINE.cpus[cpu].mpidr);
    let port = match core {
        Core::CortexA15(_) => blocks::INTERCONNECT_PORT_A15,
        Core::CortexA7(_) => blocks::INTERCONNECT_PORT_A7,
    };
    if let Core::CortexA15(_) = core {
        detect_hazards();
    }
    if open(port).is_err() {
        return Progress::NoPort;
    }
    arch::cpu::join_coherency(cpu);
    if !arch::cpu::is_coherent() {
        let control = arch::cpu::coherent_auxiliary_control();
        ask_monitor(write_system_register(SystemRegister::AuxiliaryControl, control));
    }
    if arch::cpu::is_coherent() { Progress::Coherent } else { Progress::NotCoherent }
}

fn open(port: usize) -> Result<(), PortError> {
    // SAFETY: the chip's interconnect; the MMU is off, and nobody ever closes a port.
    let interconnect = unsafe { Interconnect::claim(blocks::INTERCONNECT_BASE) };
    interconnect.open(port).or_else(|_| {
        let secure_access = (blocks::INTERCONNECT_BASE + cci400::SECURE_ACCESS) as u32;
        ask_monitor(write_device_register(secure_access, 1));
        interconnect.open(port)
    })
}

fn detect_hazards() {
    let control = arch::cpu::l2_auxiliary_control();
    if control & HAZARD_DETECTION == 0 {
        ask_monitor(write_system_register(SystemRegister::L2AuxiliaryControl, control | HAZARD_DETECTION));
    }
}

/// Asks the secure monitor to write a register. Whether it did is seen at the register.
fn ask_monitor(call: [u32; 4]) {
    // SAFETY: the board's boot chain always has the monitor, which only the chip's maker can sign. It writes the one
    // register, and keeps all of ours but r0-r3.
    let _answer = unsafe { smc::call(call) };
}
