//! The page tables: one identity map for all CPUs and tasks, built once by the boot CPU.
//!
//! The image's megabytes are mapped in 4 KiB pages, because permissions change there and every stack has a guard page;
//! devices and boot parameters are mapped in sections. Everything else faults, the zero page included.
#![expect(unsafe_code, reason = "writes translation tables and the registers that switch them on")]

use core::arch::asm;
use core::cell::UnsafeCell;
use core::ops::Range;

use super::boot::{Platform, platform};
use super::image;
use crate::layout::{GUARD, STACK_STRIDE};
use crate::translation::{Access, PAGE, SECTION, device_section, page, page_table, parameter_section};

/// The bits of SCTLR that read as one on ARMv7, with CP15 barriers and unaligned accesses (ARM DDI 0406C B4.1.130).
pub(super) const SCTLR_ONES: u32 = 0x00c5_0078;
/// SCTLR for good: MMU, data and instruction caches, branch prediction.
const SCTLR_RUN: u32 = SCTLR_ONES | 1 << 12 | 1 << 11 | 1 << 2 | 1;
/// Attributes of table walks: inner and outer write-back, write-allocate, shareable (ARM DDI 0406C B4.1.154).
const WALK: u32 = 1 << 6 | 0b01 << 3 | 1 << 1;
/// Domain 0 is a client: permissions are checked.
const DACR: u32 = 1;

/// Entries in a second-level table.
const PAGES_PER_SECTION: usize = (SECTION / PAGE) as usize;
/// The most megabytes that an image may span; the linker scripts assert it.
const IMAGE_SECTIONS: usize = 24;

#[repr(C, align(16384))]
struct Tables {
    first: UnsafeCell<[u32; 4096]>,
    second: UnsafeCell<[[u32; PAGES_PER_SECTION]; IMAGE_SECTIONS]>,
}

// SAFETY: written by the boot CPU alone, before any other CPU runs Rust; only the hardware reads it after that.
unsafe impl Sync for Tables {}

static TABLES: Tables =
    Tables { first: UnsafeCell::new([0; 4096]), second: UnsafeCell::new([[0; PAGES_PER_SECTION]; IMAGE_SECTIONS]) };

/// The tables while they are filled.
struct Map {
    first: &'static mut [u32; 4096],
    second: &'static mut [[u32; PAGES_PER_SECTION]; IMAGE_SECTIONS],
    origin: u32,
}

impl Map {
    fn pages(&mut self, area: Range<u32>, access: Access) {
        for address in area.step_by(PAGE as usize) {
            let number = ((address - self.origin) / PAGE) as usize;
            self.second[number / PAGES_PER_SECTION][number % PAGES_PER_SECTION] = page(address, access);
        }
    }

    /// Stacks of `stride` bytes, of which the lowest page stays unmapped.
    fn stacks(&mut self, area: Range<u32>, stride: u32, access: Access) {
        for stack in area.step_by(stride as usize) {
            self.pages(stack + GUARD..stack + stride, access);
        }
    }

    fn sections(&mut self, area: Range<u32>, entry: impl Fn(u32) -> u32) {
        for number in area.start / SECTION..area.end.div_ceil(SECTION) {
            let slot = &mut self.first[number as usize];
            // The image's own pages come first and stay.
            if *slot == 0 {
                *slot = entry(number * SECTION);
            }
        }
    }
}

/// Fills the tables. `parameters` is the address of what the loader passed on, or anything else.
///
/// # Safety
///
/// Only on the boot CPU, with the MMU off, once.
pub(super) unsafe fn build(platform: &Platform, parameters: u32) {
    let origin = image::whole().start & !(SECTION - 1);
    // SAFETY: the caller is alone, and this is called once.
    let (first, second) = unsafe { (&mut *TABLES.first.get(), &mut *TABLES.second.get()) };
    for (number, table) in second.iter().enumerate() {
        first[origin as usize / SECTION as usize + number] = page_table(table.as_ptr().addr() as u32);
    }
    let mut map = Map { first, second, origin };
    map.pages(image::entry_text(), Access::KernelText);
    map.pages(image::kernel_text(), Access::KernelText);
    map.pages(image::user_text(), Access::UserText);
    map.pages(image::kernel_rodata(), Access::KernelConstants);
    map.pages(image::user_rodata(), Access::UserConstants);
    map.pages(image::kernel_data(), Access::KernelData);
    map.pages(image::kernel_bss(), Access::KernelData);
    map.pages(image::user_data(), Access::UserData);
    map.stacks(image::cpu_stacks(), image::CPU_STACK_STRIDE, Access::KernelData);
    map.stacks(image::user_stacks(), STACK_STRIDE, Access::UserData);
    for &(base, size) in platform.devices {
        map.sections(base..base + size, device_section);
    }
    if let Some(area) = parameter_area(parameters) {
        map.sections(area, parameter_section);
    }
}

/// The two megabytes in which boot parameters at `address` may lie: what is mapped read-only for the kernel. `None` if
/// that is not in the board's RAM, or where the image is.
pub(super) fn parameter_area(address: u32) -> Option<Range<u32>> {
    let (base, size) = platform().ram;
    let start = address & !(SECTION - 1);
    let end = start.checked_add(2 * SECTION)?;
    let image_end = (image::whole().start & !(SECTION - 1)) + IMAGE_SECTIONS as u32 * SECTION;
    let apart = start >= image_end || end <= image::whole().start;
    (start >= base && end - base <= size && apart).then_some(start..end)
}

/// Switches the executing CPU to the tables, with caches and branch prediction, and goes on with an empty stack.
///
/// # Safety
///
/// The tables are built, this CPU's caches, TLBs and predictors were invalidated since reset, and the memory below
/// `stack_top` is a stack that nobody else uses and of which nothing is needed any more.
pub(super) unsafe fn enable(stack_top: u32, go_on: extern "C" fn(u32) -> !, argument: u32) -> ! {
    // SAFETY: the map is the identity for everything that executes and is accessed here.
    unsafe {
        asm!(
            "mcr p15, 0, {zero}, c13, c0, 1", // CONTEXTIDR: ASID 0
            "mcr p15, 0, {table}, c2, c0, 0", // TTBR0
            "mcr p15, 0, {domains}, c3, c0, 0",
            "isb",
            "mcr p15, 0, {zero}, c8, c7, 0",  // TLBIALL
            "mcr p15, 0, {zero}, c7, c5, 6",  // BPIALL
            "dsb",
            "isb",
            "mcr p15, 0, {control}, c1, c0, 0", // SCTLR
            "isb",
            "mov sp, {stack}",
            "bx {go_on}",
            zero = in(reg) 0,
            table = in(reg) (&raw const TABLES).addr() as u32 | WALK,
            domains = in(reg) DACR,
            control = in(reg) SCTLR_RUN,
            stack = in(reg) stack_top,
            go_on = in(reg) go_on,
            in("r0") argument,
            options(noreturn),
        );
    }
}
