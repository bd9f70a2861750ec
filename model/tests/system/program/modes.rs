//! The part with modes, stacks, calls, and the registers of other modes.

pub const WORDS: [u32; 59] = [
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
];
