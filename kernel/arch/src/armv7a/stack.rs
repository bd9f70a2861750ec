//! How much of the kernel's stack was ever used: it is painted at the start, and what is still paint was not.
#![expect(unsafe_code, reason = "looks at the unused part of a stack")]

use core::arch::asm;
use core::slice;

use super::image;
use crate::IrqsOff;
use crate::layout::GUARD;

/// No address, no small number and no text.
const PAINT: u32 = 0xc5a9_0d73;
/// Bytes below the stack pointer that are left alone: what the painter itself may use.
const MARGIN: u32 = 512;

/// The lowest word of a CPU's stack that may be used.
fn bottom(cpu: usize) -> u32 {
    image::svc_stack_top(cpu) - image::CPU_STACK_STRIDE + GUARD
}

/// Paints the unused part of the executing CPU's stack. Once, when the CPU starts.
pub(super) fn paint(cpu: usize) {
    let pointer: u32;
    // SAFETY: reading the stack pointer has no effect.
    unsafe { asm!("mov {}, sp", out(reg) pointer, options(nomem, nostack, preserves_flags)) };
    let words = (pointer - MARGIN - bottom(cpu)) as usize / 4;
    // SAFETY: mapped, the executing CPU's own, and below everything that is in use: interrupts are masked.
    unsafe { slice::from_raw_parts_mut(bottom(cpu) as *mut u32, words) }.fill(PAINT);
}

/// How many bytes of the executing CPU's stack were in use at most since it started.
#[must_use]
pub fn used(irqs: IrqsOff) -> usize {
    let words = (image::CPU_STACK_STRIDE - GUARD) as usize / 4;
    let bottom = bottom(irqs.cpu()) as *const u32;
    // SAFETY: as in `paint`; what is in use lies above the first word that is no paint, and reading ends there.
    let unused = (0..words).take_while(|&word| unsafe { bottom.add(word).read_volatile() } == PAINT).count();
    (words - unused) * 4
}
