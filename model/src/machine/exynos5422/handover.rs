//! What U-Boot leaves behind: the state of the boot core, the device tree, the voltages (sheet §2.4, §2.5).

use super::{Chip, DRAM, Options};
use crate::load::LoadError;
use crate::load::tree::Node;
use crate::machine::Machine;
use crate::soc::pmu::BOOT_CORE;

/// How the kernel is entered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Entry {
    /// `bootm` with the firmware that everybody has: HYP mode, caches off.
    #[default]
    Hyp,
    /// `bootm` with firmware that drops to non-secure SVC first.
    Svc,
    /// `go`: HYP mode, no arguments of Linux's kind, and PL1's MMU and caches as U-Boot used them.
    Go,
}

impl std::str::FromStr for Entry {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "hyp" => Ok(Self::Hyp),
            "svc" => Ok(Self::Svc),
            "go" => Ok(Self::Go),
            _ => Err(format!("{name:?} is none of the entries hyp, svc and go")),
        }
    }
}

/// Which U-Boot started the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BootLoader {
    /// Mainline, and the vendor's of 2017: raises vdd_arm.
    #[default]
    Mainline,
    /// The vendor's of 2012: leaves the second boot loader's voltages.
    Vendor2012,
}

impl std::str::FromStr for BootLoader {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "mainline" => Ok(Self::Mainline),
            "vendor2012" => Ok(Self::Vendor2012),
            _ => Err(format!("{name:?} is none of the boot loaders mainline and vendor2012")),
        }
    }
}

impl BootLoader {
    /// vdd_arm, vdd_int and vdd_kfc in microvolts.
    pub(super) const fn rails(self) -> [u32; 3] {
        match self {
            Self::Mainline => [1_300_000, 1_012_500, 1_025_000],
            Self::Vendor2012 => [1_000_000, 1_000_000, 1_025_000],
        }
    }
}

/// Where `bootm` moves the device tree to: below the end of the 256 MiB that it may use.
const TREE_ADDRESS: u32 = 0x4ffe_8000;
/// U-Boot's own stack, high in memory.
const STACK: u32 = 0xb7ae_4c10;
/// Where its shell keeps the words of a command, above its stack.
const WORDS: u32 = STACK + 0x40;
/// U-Boot's translation table, by now anything.
const OLD_TABLE: u32 = 0xbe9f_0000;
/// Machine number of the vendor's kernels; with a device tree nobody looks at it.
const MACHINE_NUMBER: u32 = 4151;
/// SCTLR as U-Boot uses it at PL1: MMU, caches and branch prediction on.
const SCTLR_OF_BOOT_LOADER: u32 = 0x00c5_187d;

/// Brings the boot core to the kernel's first instruction.
pub(super) fn enter(machine: &mut Machine<Chip>, entry: u32, options: &Options) -> Result<(), LoadError> {
    let tree = options.device_tree.clone().unwrap_or_else(|| device_tree(&options.bootargs).flatten());
    machine
        .bus
        .memory
        .write(TREE_ADDRESS, &tree)
        .ok_or_else(|| LoadError("the device tree does not fit into memory".into()))?;
    machine.start(BOOT_CORE, entry, 0);
    let core = &mut machine.cores[BOOT_CORE];
    core.r[13] = STACK;
    if options.entry == Entry::Go {
        let words = command_line(machine, entry, &options.bootargs)?;
        let core = &mut machine.cores[BOOT_CORE];
        // argc and argv of the command line, and whatever was in the others.
        core.r[..4].copy_from_slice(&[words, WORDS, 0x0bad_f00d, 0xbe95_5c3c]);
        core.cp15.sctlr = SCTLR_OF_BOOT_LOADER;
        core.cp15.ttbr0 = OLD_TABLE;
        core.cp15.dacr = !0;
    } else {
        core.r[..3].copy_from_slice(&[0, MACHINE_NUMBER, TREE_ADDRESS]);
    }
    Ok(())
}

/// Writes what U-Boot's `go` passes on: the addresses of the words behind the command, and the words. How many there
/// are.
fn command_line(machine: &mut Machine<Chip>, entry: u32, bootargs: &str) -> Result<u32, LoadError> {
    let address = format!("{entry:x}");
    let words: Vec<&str> = std::iter::once(address.as_str()).chain(bootargs.split_whitespace()).collect();
    let mut text = WORDS + 4 * words.len() as u32;
    let memory = &mut machine.bus.memory;
    for (place, word) in (WORDS..).step_by(4).zip(&words) {
        let bytes = [word.as_bytes(), &[0]].concat();
        let written = memory.write_word(place, text).and_then(|()| memory.write(text, &bytes));
        written.ok_or_else(|| LoadError("the command line does not fit into memory".into()))?;
        text += bytes.len() as u32;
    }
    Ok(words.len() as u32)
}

fn device_tree(bootargs: &str) -> Node {
    let chosen = Node::new().text("bootargs", bootargs).text("stdout-path", "serial2:115200n8");
    let memory = Node::new().text("device_type", "memory").cells("reg", &[DRAM.0, DRAM.1]);
    let cpu = |model: &str, mpidr: u32, capacity: u32| {
        let cpu = Node::new().text("device_type", "cpu").text("compatible", model).cells("reg", &[mpidr]);
        cpu.cells("capacity-dmips-mhz", &[capacity])
    };
    let cpus = Node::new().cells("#address-cells", &[1]).cells("#size-cells", &[0]);
    let cpus =
        (0..4).fold(cpus, |cpus, n| cpus.child(&format!("cpu@{:x}", 0x100 + n), cpu("arm,cortex-a7", 0x100 + n, 539)));
    let cpus = (0..4).fold(cpus, |cpus, n| cpus.child(&format!("cpu@{n:x}"), cpu("arm,cortex-a15", n, 1024)));
    let aliases = Node::new().text("serial2", "/soc/serial@12c20000");
    Node::new()
        .cells("#address-cells", &[1])
        .cells("#size-cells", &[1])
        .bytes("compatible", b"hardkernel,odroid-xu4\0samsung,exynos5800\0samsung,exynos5\0".to_vec())
        .text("model", "Hardkernel Odroid XU4")
        .child("chosen", chosen)
        .child("aliases", aliases)
        .child("memory@40000000", memory)
        .child("cpus", cpus)
}
