//! An Odroid XU4 at the moment at which U-Boot jumps into the kernel.
//!
//! Cores 0-3 are the A15s, cores 4-7 the A7s; core 4 boots. Everything follows the project's hardware sheet, whose
//! sources are Linux, U-Boot, the device tree and the vendor's firmware: there is no public manual of this chip.

mod chip;
mod faults;
mod handover;
mod monitor;
mod others;
mod physics;
mod report;
mod turns;
mod watch;

pub use chip::Chip;
pub use faults::{Fault, Faults};
pub use handover::{BootLoader, Entry};
pub use report::report;

use crate::bus::{Bus, Memory};
use crate::cpu::{Cache, Code, Core, Costs, Identity};
use crate::findings::{FindingKind, Findings};
use crate::load::{Image, LoadError};
use crate::machine::{Machine, costs};
use crate::soc::iram;
use crate::soc::pmu::BOOT_CORE;

/// Memory that belongs to the normal world.
const DRAM: (u32, u32) = (0x4000_0000, 0x7ea0_0000);
/// What DRAM holds after power-on: anything but zero.
const PATTERN: u32 = 0xa5c3_965a;
/// Base of the private peripherals, in which the interrupt controller is.
const PERIPHERALS: u32 = 0x1048_0000;
/// Cores of each cluster, and of both.
const CLUSTER: u32 = 4;
const CORES: usize = 8;

/// How the machine is built.
#[derive(Clone, Debug)]
pub struct Options {
    /// How the kernel is entered.
    pub entry: Entry,
    /// Which U-Boot did it: they leave different voltages.
    pub boot_loader: BootLoader,
    /// `/chosen/bootargs`.
    pub bootargs: String,
    /// A device tree to hand over instead of the model's own small one; `bootargs` is not used then.
    pub device_tree: Option<Vec<u8>>,
    /// The interface of the interrupt controller that each core has; nobody documents it.
    pub gic_interfaces: [usize; 8],
    /// The serial line takes no time.
    pub instant_uart: bool,
    /// Temperature of the whole chip at the start; a board that has just booted if nothing is said.
    pub initial_celsius: Option<f64>,
    /// Every access to a device is told on the host's standard error.
    pub trace: bool,
    /// What is broken.
    pub faults: Faults,
    /// Kinds of findings that do not fail the run.
    pub allowed: Vec<FindingKind>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            entry: Entry::Hyp,
            boot_loader: BootLoader::Mainline,
            bootargs: String::new(),
            device_tree: None,
            gic_interfaces: [0, 1, 2, 3, 4, 5, 6, 7],
            instant_uart: false,
            initial_celsius: None,
            trace: false,
            faults: Faults::default(),
            allowed: Vec::new(),
        }
    }
}

/// A board with `image` loaded, about to enter it.
///
/// # Errors
///
/// If image or device tree do not fit into memory.
pub fn machine(image: &Image, options: &Options) -> Result<Machine<Chip>, LoadError> {
    let mut memory = Memory::new(&[DRAM, (iram::PAGE, iram::SIZE)]).filled_with(PATTERN);
    iram::install(&mut memory);
    image.load(&mut memory)?;
    let costs = [costs::a15(), costs::a7()];
    let cores = (0..8).map(|index| core(index, &costs)).collect();
    let mut bus = Bus::new(memory, Chip::new(options));
    bus.l2 = vec![Cache::new(2 << 20, 16), Cache::new(512 << 10, 8)];
    let mut machine = Machine::new(bus, cores, Code::new(costs), Findings::allowing(&options.allowed));
    machine.symbols = image.symbols.clone();
    handover::enter(&mut machine, image.entry, options)?;
    Ok(machine)
}

fn core(index: usize, costs: &[Costs; 2]) -> Core {
    let within = index as u32 % CLUSTER;
    match index < CLUSTER as usize {
        true => Core::new(index, 0, Identity::cortex_a15(0x8000_0000 | within, CLUSTER, PERIPHERALS), costs[0].clone()),
        false => Core::new(index, 1, Identity::cortex_a7(0x8000_0100 | within, CLUSTER, PERIPHERALS), costs[1].clone()),
    }
}
