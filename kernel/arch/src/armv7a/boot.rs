//! From the first instructions to the board's `main`.
#![expect(unsafe_code, reason = "called by the start-up assembly; builds page tables with the MMU off")]

use core::cell::UnsafeCell;
use core::slice;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use super::{cpu, image, mmu, stack};
use crate::arguments::{self, Ram};
use crate::topology::affinities;
use crate::{IrqsOff, MAX_CPUS};

/// The facts about a board that the start-up and the MPCore's drivers need. Made by [`boot!`](crate::boot!).
#[repr(C)]
pub struct Platform {
    pub(super) cpu_count: usize,
    pub(super) cpus: [u32; MAX_CPUS],
    pub(super) all_cores_start: u32,
    pub(super) ram: (u32, u32),
    pub(super) devices: &'static [(u32, u32)],
    pub(super) gic_distributor: u32,
    pub(super) gic_interface: u32,
    steps: Steps,
}

/// The board's own code on the way of a CPU into the system; see [`boot!`](crate::boot!).
pub struct Steps {
    /// Runs on every CPU before its caches are on.
    pub coherency: fn(usize),
    /// Where the boot CPU continues.
    pub main: fn(IrqsOff, Handover) -> !,
    /// Where every other CPU continues.
    pub secondary: fn(IrqsOff) -> !,
}

impl Platform {
    /// See [`boot!`](crate::boot!).
    ///
    /// # Panics
    ///
    /// At compile time, if there are no CPUs or more than [`MAX_CPUS`], or two with the same affinity.
    #[must_use]
    pub const fn new(
        cpus: &[u32],
        all_cores_start: bool,
        ram: (u32, u32),
        devices: &'static [(u32, u32)],
        gic: (u32, u32),
        steps: Steps,
    ) -> Self {
        Self {
            cpu_count: cpus.len(),
            cpus: affinities(cpus),
            all_cores_start: all_cores_start as u32,
            ram,
            devices,
            gic_distributor: gic.0,
            gic_interface: gic.1,
            steps,
        }
    }
}

// SAFETY: the board's `boot!` defines it with this type.
unsafe extern "Rust" {
    safe static ARCH_PLATFORM: Platform;
}

/// The board's facts.
#[inline(always)]
pub(super) fn platform() -> &'static Platform {
    &ARCH_PLATFORM
}

/// Defines what the start-up code must know about a board; once in each image.
///
/// - `cpus`: MPIDR of each CPU in the order of the dense numbers.
/// - `all_cores_start`: whether all cores come to `_start` at once; CPU 0 then boots and the others park until
///   [`smp::release`](crate::smp::release). Otherwise whoever comes boots.
/// - `ram`: base and size in bytes of the memory in which boot parameters may lie.
/// - `devices`: base and size in bytes of each area of device registers. Whole megabytes are mapped.
/// - `gic`: addresses of the distributor and of the CPU interface; they must lie in one of the `devices`.
/// - `coherency`: makes the executing CPU, whose dense number it gets, part of the coherent system. It runs on every
///   CPU before the caches are on, so it must do without atomic operations and unaligned accesses. Where the
///   interconnect needs nothing, [`cpu::join_coherency`](crate::cpu::join_coherency) is all of it.
/// - `main`: the boot CPU continues here, with MMU and caches on.
/// - `secondary`: and every other CPU here.
#[macro_export]
macro_rules! boot {
    (
        cpus: $cpus:expr,
        all_cores_start: $all_cores_start:expr,
        ram: $ram:expr,
        devices: $devices:expr,
        gic: $gic:expr,
        coherency: $coherency:expr,
        main: $main:expr,
        secondary: $secondary:expr $(,)?
    ) => {
        // SAFETY: no other symbol has this name, and its type is the one that `arch` expects.
        #[unsafe(no_mangle)]
        static ARCH_PLATFORM: $crate::boot::Platform = $crate::boot::Platform::new(
            $cpus,
            $all_cores_start,
            $ram,
            $devices,
            $gic,
            $crate::boot::Steps { coherency: $coherency, main: $main, secondary: $secondary },
        );
    };
}

/// What the loader left to the boot CPU.
#[derive(Clone, Copy, Debug)]
pub struct Handover {
    /// r0, r1 and r2 as they were at `_start`: for Linux's protocol 0, the machine number and the address of the DTB.
    pub registers: [u32; 3],
    /// The boot arguments where they come without a device tree: the words behind U-Boot's `go`, or the command line of
    /// a tagged list. Empty if there are none.
    pub arguments: &'static str,
}

/// First word of a flattened device tree (Devicetree Specification 0.4, 5.2).
const DEVICE_TREE_MAGIC: u32 = 0xd00d_feed;

impl Handover {
    /// The device tree to which r2 points, if there is one in the board's RAM. By `go`, which has another number than 0
    /// in r0, there is none, whatever r2 holds.
    #[must_use]
    pub fn device_tree(&self) -> Option<&'static [u8]> {
        let [0, _, address] = self.registers else { return None };
        let mapped = mmu::parameter_area(address)?;
        if !address.is_multiple_of(4) {
            return None;
        }
        let header = address as *const [u32; 2];
        // SAFETY: the area is mapped, read-only to everybody, and at least a page longer than the address.
        let [magic, size] = unsafe { header.read() }.map(u32::from_be);
        if magic != DEVICE_TREE_MAGIC || size > mapped.end - address {
            return None;
        }
        // SAFETY: as above, and `size` bytes fit into the area.
        Some(unsafe { slice::from_raw_parts(address as *const u8, size as usize) })
    }
}

/// r0, r1 and r2 of the boot CPU, on their way over the switch to caches.
static HANDOVER: [AtomicU32; 3] = [const { AtomicU32::new(0) }; 3];

/// Boot arguments, on the same way.
struct Arguments {
    text: UnsafeCell<[u8; arguments::CAPACITY]>,
    length: AtomicUsize,
}

// SAFETY: the boot CPU writes it alone, before anybody else runs; after that it is only read.
unsafe impl Sync for Arguments {}

static ARGUMENTS: Arguments =
    Arguments { text: UnsafeCell::new([0; arguments::CAPACITY]), length: AtomicUsize::new(0) };

impl Arguments {
    /// Reads what r0 to r2 lead to.
    ///
    /// # Safety
    ///
    /// Only on the boot CPU, with the MMU off, once.
    unsafe fn read(&self, registers: [u32; 3]) {
        // SAFETY: the MMU is off, and the address is one of RAM.
        let ram = Ram { area: platform().ram, read: |address| unsafe { (address as *const u8).read_volatile() } };
        // SAFETY: the caller is alone.
        let length = arguments::collect(registers, &ram, unsafe { &mut *self.text.get() });
        self.length.store(length, Ordering::Relaxed);
    }

    fn text(&self) -> &str {
        // SAFETY: nobody writes it any more.
        let bytes = unsafe { &(&*self.text.get())[..self.length.load(Ordering::Relaxed)] };
        core::str::from_utf8(bytes).unwrap_or("")
    }
}

/// The boot CPU comes here with the MMU off. `cpu_and_mode` is the dense number, and bit 8: came in HYP.
pub(super) extern "C" fn start_boot(cpu_and_mode: u32, r0: u32, r1: u32, r2: u32) -> ! {
    // SAFETY: this is the boot CPU, the MMU is off, and nobody else runs Rust yet.
    unsafe {
        ARGUMENTS.read([r0, r1, r2]);
        mmu::build(platform(), r2);
    }
    for (kept, register) in HANDOVER.iter().zip([r0, r1, r2]) {
        kept.store(register, Ordering::Relaxed);
    }
    join(cpu_and_mode, go_on_booting)
}

/// Every other CPU comes here with the MMU off, after it was released or started by the firmware.
pub(super) extern "C" fn start_secondary(cpu_and_mode: u32) -> ! {
    join(cpu_and_mode, go_on_as_secondary)
}

extern "C" fn go_on_booting(cpu_and_mode: u32) -> ! {
    let registers = [0, 1, 2].map(|register: usize| HANDOVER[register].load(Ordering::Relaxed));
    (platform().steps.main)(arrived(cpu_and_mode), Handover { registers, arguments: ARGUMENTS.text() })
}

extern "C" fn go_on_as_secondary(cpu_and_mode: u32) -> ! {
    (platform().steps.secondary)(arrived(cpu_and_mode))
}

/// Takes the executing CPU into the coherent system and switches its MMU and caches on.
///
/// What it pushed on its stack until now went around the caches, of which another CPU's may hold older copies of the
/// same lines, fetched by speculation. So nothing of that is read again: the stack begins anew.
fn join(cpu_and_mode: u32, go_on: extern "C" fn(u32) -> !) -> ! {
    let cpu = number(cpu_and_mode);
    (platform().steps.coherency)(cpu);
    // SAFETY: the tables are built, this CPU has invalidated its caches and TLBs in the start-up code, and the stack is
    // its own.
    unsafe { mmu::enable(image::svc_stack_top(cpu), go_on, cpu_and_mode) }
}

/// What every CPU does to become an ordinary one.
fn arrived(cpu_and_mode: u32) -> IrqsOff {
    let cpu = number(cpu_and_mode);
    stack::paint(cpu);
    cpu::init(cpu, cpu_and_mode & 0x100 != 0);
    IrqsOff::new(cpu)
}

fn number(cpu_and_mode: u32) -> usize {
    (cpu_and_mode & 0xff) as usize
}
