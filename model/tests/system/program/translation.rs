//! The part with translation, rights, fetches, remapping and new code.

pub const WORDS: [u32; 180] = [
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
    // Walks go through the caches, which hold what is written below.
    0xe380_004a, // orr r0, r0, #74
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
];
