//! The part with exclusives, the floating-point unit, a wait that an interrupt ends, and the end.

pub const WORDS: [u32; 72] = [
    // -- Exclusives.
    0xe3a0_0003, // mov r0, #3
    0xf57f_f01f, // clrex
    0xe184_1f90, // strex r1, r0, [r4]
    0xe489_1004, // str r1, [r9], #4
    0xe194_2f9f, // ldrex r2, [r4]
    0xe184_1f90, // strex r1, r0, [r4]
    0xe489_1004, // str r1, [r9], #4
    0xe184_1f90, // strex r1, r0, [r4]
    0xe489_1004, // str r1, [r9], #4
    // -- Floating point: off, on, flags.
    0xeeb7_0a00, // vmov.f32 s0, #1.000000e+00
    0xe3a0_060f, // mov r0, #15728640
    0xee01_0f50, // mcr p15, #0, r0, c1, c0, #2
    0xf57f_f06f, // isb sy
    0xe3a0_0101, // mov r0, #1073741824
    0xeee8_0a10, // vmsr fpexc, r0
    0xeeb7_0a00, // vmov.f32 s0, #1.000000e+00
    0xeef0_0a08, // vmov.f32 s1, #3.000000e+00
    0xee80_1a20, // vdiv.f32 s2, s0, s1
    0xee70_1a40, // vsub.f32 s3, s0, s0
    0xee80_2a21, // vdiv.f32 s4, s0, s3
    0xee62_2a21, // vmul.f32 s5, s4, s3
    0xee11_0a10, // vmov r0, s2
    0xe489_0004, // str r0, [r9], #4
    0xee12_0a90, // vmov r0, s5
    0xe489_0004, // str r0, [r9], #4
    0xeef1_0a10, // vmrs r0, fpscr
    0xe489_0004, // str r0, [r9], #4
    // -- An interrupt of the virtual timer, taken in a wait.
    0xe300_0000, // movw r0, #0
    0xe340_0800, // movt r0, #2048
    0xe3a0_1001, // mov r1, #1
    0xe580_1000, // str r1, [r0]
    0xe3a0_1302, // mov r1, #134217728
    0xe580_1100, // str r1, [r0, #256]
    0xe300_0000, // movw r0, #0
    0xe340_0801, // movt r0, #2049
    0xe3a0_10ff, // mov r1, #255
    0xe580_1004, // str r1, [r0, #4]
    0xe3a0_1001, // mov r1, #1
    0xe580_1000, // str r1, [r0]
    0xe3a0_1ffa, // mov r1, #1000
    0xee0e_1f13, // mcr p15, #0, r1, c14, c3, #0
    0xe3a0_1001, // mov r1, #1
    0xee0e_1f33, // mcr p15, #0, r1, c14, c3, #1
    0xf57f_f06f, // isb sy
    0xe320_f003, // wfi
    0xee1e_1f33, // mrc p15, #0, r1, c14, c3, #1
    0xe489_1004, // str r1, [r9], #4
    0xee1c_1f11, // mrc p15, #0, r1, c12, c1, #0
    0xe489_1004, // str r1, [r9], #4
    0xf108_0080, // cpsie i
    0xe320_f000, // nop
    0xe320_f000, // nop
    0xf10c_0080, // cpsid i
    0xee1e_1f33, // mrc p15, #0, r1, c14, c3, #1
    0xe489_1004, // str r1, [r9], #4
    // -- Events.
    0xe320_f004, // sev
    0xe320_f002, // wfe
    0xe3a0_1099, // mov r1, #153
    0xe489_1004, // str r1, [r9], #4
    // -- Everything out, and the end.
    0xe300_0000, // movw r0, #0
    0xe344_0030, // movt r0, #16432
    0xe300_2000, // movw r2, #0
    0xe340_2900, // movt r2, #2304
    0xe150_0009, // cmp r0, r9
    0x34d0_1001, // ldrblo r1, [r0], #1
    0x35c2_1000, // strblo r1, [r2]
    0x3aff_fffb, // blo to word 368
    0xe3a0_0018, // mov r0, #24
    0xe300_1026, // movw r1, #38
    0xe340_1002, // movt r1, #2
    0xef12_3456, // svc #1193046
    0xeaff_fffe, // b to word 377
];
