//! The non-secure page of on-chip RAM through which every core comes out of the firmware (sheet §3.3).
//!
//! The vendor's second boot loader leaves code at its start and a table of states behind it. That code is put there
//! literally, so that a core executes it as on the board, and so that a kernel may replace its first words by its own
//! trampoline, as Linux does.

use crate::bus::Memory;
use crate::soc::pmu::BOOT_CORE;

/// Address of the page.
pub const PAGE: u32 = 0x0207_3000;
/// Its size.
pub const SIZE: u32 = 0x1000;
/// Where the firmware's dispatcher proper lies, in a corner that nobody uses.
const DISPATCHER: u32 = 0x400;
/// State of core n: index core + 4 · cluster, cluster 0 being the A15s.
const STATES: u32 = 0x28;
/// "Comes from reset": the dispatcher goes to the boot loader. The boot core's state, so whoever powers it up again
/// lands there.
const RESET: u32 = 1;
/// Where the boot loader was, and where a core in state RESET goes.
const BOOT_LOADER: u32 = 0x43e0_0000;
/// What stands for the boot loader's old text: whoever arrives there is caught by the model.
const TRAP: u32 = 0xe120_0070 | (TRAP_NUMBER as u32 >> 4) << 8 | TRAP_NUMBER as u32 & 0xf;
/// The breakpoint's number.
pub const TRAP_NUMBER: u16 = 0xb007;
/// PMU INFORM1, which the dispatcher looks at.
const INFORM1: u32 = 0x1004_0804;

/// The dispatcher, in the order of its checks: switch, idle, resume, reset; else it waits for the hotplug word. r1 is
/// the page, r2 the core's state.
const CODE: [u32; 36] = [
    0xee10_0fb0, //         mrc   p15, 0, r0, c0, c0, 5
    0xe200_3003, //         and   r3, r0, #3
    0xe7e3_0450, //         ubfx  r0, r0, #8, #4
    0xe083_0100, //         add   r0, r3, r0, lsl #2
    0xe59f_106c, //         ldr   r1, page
    0xe081_3100, //         add   r3, r1, r0, lsl #2
    0xe593_2028, //         ldr   r2, [r3, #0x28]
    0xe312_0010, //         tst   r2, #0x10
    0x1a00_000e, //         bne   switch
    0xe312_0008, //         tst   r2, #8
    0x1591_3024, //         ldrne r3, [r1, #0x24]
    0x112f_ff13, //         bxne  r3
    0xe59f_3050, //         ldr   r3, inform1
    0xe593_0000, //         ldr   r0, [r3]
    0xe350_0000, //         cmp   r0, #0
    0x1a00_000c, //         bne   resume
    0xe312_0001, //         tst   r2, #1
    0x159f_0040, //         ldrne r0, boot_loader
    0x112f_ff10, //         bxne  r0
    0xe320_f002, // wait:   wfe
    0xe591_301c, //         ldr   r3, [r1, #0x1c]
    0xe353_0000, //         cmp   r3, #0
    0x0aff_fffb, //         beq   wait
    0xe12f_ff13, //         bx    r3
    0xe320_f002, // switch: wfe
    0xe591_3018, //         ldr   r3, [r1, #0x18]
    0xe353_0000, //         cmp   r3, #0
    0x0aff_fffb, //         beq   switch
    0xe12f_ff13, //         bx    r3
    0xe3a0_2000, // resume: mov   r2, #0
    0xe583_2000, //         str   r2, [r3]
    0xe513_3004, //         ldr   r3, [r3, #-4]
    0xe12f_ff13, //         bx    r3
    PAGE,        // page
    INFORM1,     // inform1
    BOOT_LOADER, // boot_loader
];

/// Puts the page into the state in which the second boot loader leaves it.
pub fn install(memory: &mut Memory) {
    let branch = 0xea00_0000 | ((DISPATCHER - 8) / 4);
    let mut page = [0; SIZE as usize / 4];
    page[0] = branch;
    page[STATES as usize / 4 + BOOT_CORE] = RESET;
    page[DISPATCHER as usize / 4..][..CODE.len()].copy_from_slice(&CODE);
    let bytes: Vec<u8> = page.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.write(PAGE, &bytes).expect("the page is RAM of this machine");
    memory.write_word(BOOT_LOADER, TRAP).expect("the boot loader was loaded into RAM");
}
