//! The part with the vectors and what stands behind them.

pub const WORDS: [u32; 67] = [
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
];
