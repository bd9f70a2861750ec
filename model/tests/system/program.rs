//! The program, written down instruction by instruction. It notes words at r9 (0x4030_0000 on) and sends them to the UART
//! in the end.

/// From 0x4001_0000 on.
pub const WORDS: &[u32] = &[
    0xea00_0041, // b to word 67
    0xe320_f000, // nop
    0xe320_f000, // nop
    0xe320_f000, // nop
    0xe320_f000, // nop
    0xe320_f000, // nop
    0xe320_f000, // nop
    0xe320_f000, // nop
    // -- Vectors.
    0xe320_f000, // nop
    0xea00_0005, // b to word 16
    0xea00_000c, // b to word 24
    0xea00_0017, // b to word 36
    0xea00_0021, // b to word 47
    0xe320_f000, // nop
    0xea00_0029, // b to word 57
    0xe320_f000, // nop
    // -- Undefined instructions: notes 0x100, SPSR, LR; goes on behind.
    0xe50d_e004, // str lr, [sp, #-4]
    0xe3a0_ec01, // mov lr, #256
    0xe489_e004, // str lr, [r9], #4
    0xe14f_e000, // mrs lr, spsr
    0xe489_e004, // str lr, [r9], #4
    0xe51d_e004, // ldr lr, [sp, #-4]
    0xe489_e004, // str lr, [r9], #4
    0xe1b0_f00e, // movs pc, lr
    // -- Calls: notes 0x200 and the mode, LR; a user's return to SVC mode.
    0xe14f_0000, // mrs r0, spsr
    0xe200_101f, // and r1, r0, #31
    0xe3a0_2c02, // mov r2, #512
    0xe181_1002, // orr r1, r1, r2
    0xe489_1004, // str r1, [r9], #4
    0xe489_e004, // str lr, [r9], #4
    0xe380_00c0, // orr r0, r0, #192
    0xe351_0e21, // cmp r1, #528
    0x03c0_001f, // biceq r0, r0, #31
    0x0380_0013, // orreq r0, r0, #19
    0xe16f_f000, // msr SPSR_fsxc, r0
    0xe1b0_f00e, // movs pc, lr
    // -- Prefetch aborts: notes 0x300, IFSR, LR, SPSR; goes on where r8 says, or behind a BKPT.
    0xe3a0_0c03, // mov r0, #768
    0xe489_0004, // str r0, [r9], #4
    0xee15_0f30, // mrc p15, #0, r0, c5, c0, #1
    0xe489_0004, // str r0, [r9], #4
    0xe489_e004, // str lr, [r9], #4
    0xe14f_0000, // mrs r0, spsr
    0xe489_0004, // str r0, [r9], #4
    0xee15_1f30, // mrc p15, #0, r1, c5, c0, #1
    0xe351_0002, // cmp r1, #2
    0x01a0_800e, // moveq r8, lr
    0xe1b0_f008, // movs pc, r8
    // -- Data aborts: notes 0x400, DFSR, DFAR, LR, SPSR; goes on behind.
    0xe3a0_0b01, // mov r0, #1024
    0xe489_0004, // str r0, [r9], #4
    0xee15_0f10, // mrc p15, #0, r0, c5, c0, #0
    0xe489_0004, // str r0, [r9], #4
    0xee16_0f10, // mrc p15, #0, r0, c6, c0, #0
    0xe489_0004, // str r0, [r9], #4
    0xe489_e004, // str lr, [r9], #4
    0xe14f_0000, // mrs r0, spsr
    0xe489_0004, // str r0, [r9], #4
    0xe25e_f004, // subs pc, lr, #4
    // -- Interrupts: notes LR and the interrupt's number, stops the timer.
    0xe24e_e004, // sub lr, lr, #4
    0xe489_e004, // str lr, [r9], #4
    0xe300_0000, // movw r0, #0
    0xe340_0801, // movt r0, #2049
    0xe590_100c, // ldr r1, [r0, #12]
    0xe489_1004, // str r1, [r9], #4
    0xe3a0_2000, // mov r2, #0
    0xee0e_2f33, // mcr p15, #0, r2, c14, c3, #1
    0xe580_1010, // str r1, [r0, #16]
    0xe1b0_f00e, // movs pc, lr
    // -- The beginning: masks everything, sets the notes' address (r9) and the vectors.
    0xe3a0_0000, // mov r0, #0
    0xe128_f000, // msr APSR_nzcvq, r0
    0xf10c_01c0, // cpsid aif
    0xe300_9000, // movw r9, #0
    0xe344_9030, // movt r9, #16432
    0xe24f_0f42, // sub r0, pc, #264
    0xee0c_0f10, // mcr p15, #0, r0, c12, c0, #0
    0xe300_0078, // movw r0, #120
    0xe340_00c5, // movt r0, #197
    0xee01_0f10, // mcr p15, #0, r0, c1, c0, #0
    0xf57f_f06f, // isb sy
    // -- Stacks of the modes.
    0xe300_1000, // movw r1, #0
    0xe344_1031, // movt r1, #16433
    0xf102_0012, // cps #18
    0xe1a0_d001, // mov sp, r1
    0xf102_0017, // cps #23
    0xe281_1a01, // add r1, r1, #4096
    0xe1a0_d001, // mov sp, r1
    0xf102_001b, // cps #27
    0xe281_1a01, // add r1, r1, #4096
    0xe1a0_d001, // mov sp, r1
    0xf102_001f, // cps #31
    0xe281_1a01, // add r1, r1, #4096
    0xe1a0_d001, // mov sp, r1
    0xe3a0_e077, // mov lr, #119
    0xf102_0013, // cps #19
    0xe281_1a01, // add r1, r1, #4096
    0xe1a0_d001, // mov sp, r1
    0xe10f_0000, // mrs r0, apsr
    0xe489_0004, // str r0, [r9], #4
    // -- Calls and undefined instructions.
    0xef00_0007, // svc #7
    0xe7f0_00f3, // udf #3
    0xf102_001f, // cps #31
    0xe1a0_000d, // mov r0, sp
    0xf102_0013, // cps #19
    0xe489_0004, // str r0, [r9], #4
    // -- User bank, state on a stack.
    0xe94d_6000, // stmdb sp, {sp, lr} ^
    0xe320_f000, // nop
    0xe51d_0004, // ldr r0, [sp, #-4]
    0xe489_0004, // str r0, [r9], #4
    0xe51d_0008, // ldr r0, [sp, #-8]
    0xe489_0004, // str r0, [r9], #4
    0xe3a0_0005, // mov r0, #5
    0xe3a0_1006, // mov r1, #6
    0xe24d_2040, // sub r2, sp, #64
    0xe882_0003, // stm r2, {r0, r1}
    0xe8d2_6000, // ldm r2, {sp, lr} ^
    0xe320_f000, // nop
    0xf102_001f, // cps #31
    0xe1a0_000d, // mov r0, sp
    0xe1a0_100e, // mov r1, lr
    0xf102_0013, // cps #19
    0xe489_0004, // str r0, [r9], #4
    0xe489_1004, // str r1, [r9], #4
    0xf96d_0513, // srsdb sp!, #19
    0xe59d_0000, // ldr r0, [sp]
    0xe59d_1004, // ldr r1, [sp, #4]
    0xe28d_d008, // add sp, sp, #8
    0xe489_1004, // str r1, [r9], #4
    // -- Translation: megabytes of RAM, devices, one page table.
    0xe300_0000, // movw r0, #0
    0xe344_0020, // movt r0, #16416
    0xe3a0_1000, // mov r1, #0
    0xe3a0_2a01, // mov r2, #4096
    0xe1a0_3000, // mov r3, r0
    0xe483_1004, // str r1, [r3], #4
    0xe252_2001, // subs r2, r2, #1
    0x1aff_fffc, // bne to word 131
    0xe301_1c0e, // movw r1, #7182
    0xe344_1001, // movt r1, #16385
    0xe301_2000, // movw r2, #4096
    0xe340_2000, // movt r2, #0
    0xe080_3002, // add r3, r0, r2
    0xe583_1000, // str r1, [r3]
    0xe301_1c0e, // movw r1, #7182
    0xe344_1021, // movt r1, #16417
    0xe3c1_1801, // bic r1, r1, #65536
    0xe583_1008, // str r1, [r3, #8]
    0xe281_1601, // add r1, r1, #1048576
    0xe583_100c, // str r1, [r3, #12]
    0xe300_1001, // movw r1, #1
    0xe344_1024, // movt r1, #16420
    0xe583_1010, // str r1, [r3, #16]
    0xe301_1c0e, // movw r1, #7182
    0xe344_1051, // movt r1, #16465
    0xe3c1_1801, // bic r1, r1, #65536
    0xe381_1010, // orr r1, r1, #16
    0xe583_1014, // str r1, [r3, #20]
    0xe300_1c4e, // movw r1, #3150
    0xe344_1060, // movt r1, #16480
    0xe583_1018, // str r1, [r3, #24]
    0xe300_1c16, // movw r1, #3094
    0xe340_1800, // movt r1, #2048
    0xe580_1200, // str r1, [r0, #512]
    0xe300_1c16, // movw r1, #3094
    0xe340_1900, // movt r1, #2304
    0xe580_1240, // str r1, [r0, #576]
    // -- Pages: full, read-only, privileged only, execute never, none.
    0xe300_3000, // movw r3, #0
    0xe344_3024, // movt r3, #16420
    0xe300_103e, // movw r1, #62
    0xe344_1030, // movt r1, #16432
    0xe381_1802, // orr r1, r1, #131072
    0xe583_1000, // str r1, [r3]
    0xe301_221e, // movw r2, #4638
    0xe344_2032, // movt r2, #16434
    0xe583_2004, // str r2, [r3, #4]
    0xe301_201e, // movw r2, #4126
    0xe344_2032, // movt r2, #16434
    0xe583_2008, // str r2, [r3, #8]
    0xe300_203f, // movw r2, #63
    0xe344_2032, // movt r2, #16434
    0xe583_200c, // str r2, [r3, #12]
    0xe3a0_2000, // mov r2, #0
    0xe583_2010, // str r2, [r3, #16]
    0xee02_0f10, // mcr p15, #0, r0, c2, c0, #0
    0xe3a0_1001, // mov r1, #1
    0xee03_1f10, // mcr p15, #0, r1, c3, c0, #0
    0xe3a0_1000, // mov r1, #0
    0xee02_1f50, // mcr p15, #0, r1, c2, c0, #2
    0xee08_1f17, // mcr p15, #0, r1, c8, c7, #0
    0xee11_1f30, // mrc p15, #0, r1, c1, c0, #1
    0xe381_1040, // orr r1, r1, #64
    0xee01_1f30, // mcr p15, #0, r1, c1, c0, #1
    0xf57f_f04f, // dsb sy
    0xf57f_f06f, // isb sy
    0xe301_187d, // movw r1, #6269
    0xe340_10c5, // movt r1, #197
    0xee01_1f10, // mcr p15, #0, r1, c1, c0, #0
    0xf57f_f06f, // isb sy
    // -- Accesses, allowed and not.
    0xe300_4000, // movw r4, #0
    0xe344_4040, // movt r4, #16448
    0xe30c_0afe, // movw r0, #51966
    0xe341_0bad, // movt r0, #7085
    0xe584_0000, // str r0, [r4]
    0xe594_1000, // ldr r1, [r4]
    0xe489_1004, // str r1, [r9], #4
    0xe594_1001, // ldr r1, [r4, #1]
    0xe489_1004, // str r1, [r9], #4
    0xe284_5a01, // add r5, r4, #4096
    0xe595_1000, // ldr r1, [r5]
    0xe489_1004, // str r1, [r9], #4
    0xe585_0000, // str r0, [r5]
    0xe285_5a01, // add r5, r5, #4096
    0xe585_0004, // str r0, [r5, #4]
    0xe4b5_1000, // ldrt r1, [r5], #0
    0xe4a5_0004, // strt r0, [r5], #4
    0xe284_5901, // add r5, r4, #16384
    0xe595_1008, // ldr r1, [r5, #8]
    0xe585_100c, // str r1, [r5, #12]
    0xe300_6000, // movw r6, #0
    0xe347_6000, // movt r6, #28672
    0xe596_1004, // ldr r1, [r6, #4]
    0xe5c6_1005, // strb r1, [r6, #5]
    0xe300_6000, // movw r6, #0
    0xe344_6060, // movt r6, #16480
    0xe596_1000, // ldr r1, [r6]
    0xe300_6002, // movw r6, #2
    0xe344_6040, // movt r6, #16448
    0xe896_0003, // ldm r6, {r0, r1}
    0xe1c6_00d0, // ldrd r0, r1, [r6]
    // -- Fetches.
    0xe28f_8008, // add r8, pc, #8
    0xe303_6000, // movw r6, #12288
    0xe344_6040, // movt r6, #16448
    0xe12f_ff16, // bx r6
    0xe28f_8008, // add r8, pc, #8
    0xe300_6000, // movw r6, #0
    0xe347_6000, // movt r6, #28672
    0xe12f_ff16, // bx r6
    0xe28f_8008, // add r8, pc, #8
    0xe300_6000, // movw r6, #0
    0xe344_6050, // movt r6, #16464
    0xe12f_ff16, // bx r6
    0xe120_0071, // bkpt #1
    // -- As a user: privileged registers and memory.
    0xf102_0010, // cps #16
    0xee11_0f10, // mrc p15, #0, r0, c1, c0, #0
    0xe302_6000, // movw r6, #8192
    0xe344_6040, // movt r6, #16448
    0xe596_1000, // ldr r1, [r6]
    0xec51_0f1e, // mrrc p15, #1, r0, r1, c14
    0xef00_0001, // svc #1
    0xe10f_0000, // mrs r0, apsr
    0xe200_001f, // and r0, r0, #31
    0xe1a0_1000, // mov r1, r0
    0xf102_0013, // cps #19
    0xe10f_0000, // mrs r0, apsr
    0xe200_001f, // and r0, r0, #31
    0xe489_0004, // str r0, [r9], #4
    0xef00_0002, // svc #2
    // -- Remapping.
    0xe300_3000, // movw r3, #0
    0xe344_3024, // movt r3, #16420
    0xe300_103e, // movw r1, #62
    0xe344_1033, // movt r1, #16435
    0xe583_1000, // str r1, [r3]
    0xf57f_f04f, // dsb sy
    0xee08_4f37, // mcr p15, #0, r4, c8, c7, #1
    0xf57f_f04f, // dsb sy
    0xf57f_f06f, // isb sy
    0xe594_1000, // ldr r1, [r4]
    0xe3a0_1055, // mov r1, #85
    0xe584_1000, // str r1, [r4]
    0xe300_5000, // movw r5, #0
    0xe344_5033, // movt r5, #16435
    0xe300_103e, // movw r1, #62
    0xe344_1033, // movt r1, #16435
    0xe583_1010, // str r1, [r3, #16]
    0xf57f_f04f, // dsb sy
    0xee08_4f17, // mcr p15, #0, r4, c8, c7, #0
    0xf57f_f04f, // dsb sy
    0xf57f_f06f, // isb sy
    0xe594_1000, // ldr r1, [r4]
    0xe489_1004, // str r1, [r9], #4
    0xe284_5901, // add r5, r4, #16384
    0xe595_1000, // ldr r1, [r5]
    0xe489_1004, // str r1, [r9], #4
    // -- New code.
    0xe300_5000, // movw r5, #0
    0xe344_5026, // movt r5, #16422
    0xe300_1021, // movw r1, #33
    0xe34e_13a0, // movt r1, #58272
    0xe30f_2f1e, // movw r2, #65310
    0xe34e_212f, // movt r2, #57647
    0xe885_0006, // stm r5, {r1, r2}
    0xee07_5f3b, // mcr p15, #0, r5, c7, c11, #1
    0xf57f_f04f, // dsb sy
    0xee07_5f35, // mcr p15, #0, r5, c7, c5, #1
    0xee07_5fd5, // mcr p15, #0, r5, c7, c5, #6
    0xf57f_f04f, // dsb sy
    0xf57f_f06f, // isb sy
    0xe12f_ff35, // blx r5
    0xe489_0004, // str r0, [r9], #4
    0xe281_1001, // add r1, r1, #1
    0xe585_1000, // str r1, [r5]
    0xee07_5f3b, // mcr p15, #0, r5, c7, c11, #1
    0xf57f_f04f, // dsb sy
    0xee07_5f35, // mcr p15, #0, r5, c7, c5, #1
    0xee07_5fd5, // mcr p15, #0, r5, c7, c5, #6
    0xf57f_f04f, // dsb sy
    0xf57f_f06f, // isb sy
    0xe12f_ff35, // blx r5
    0xe489_0004, // str r0, [r9], #4
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
    0xeaff_fffe, // b to word 376
];
