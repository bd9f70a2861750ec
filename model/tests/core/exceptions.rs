//! Taking exceptions and returning from them.

use model::bus::Lines;
use model::cpu::{Exit, Mode, ResetMode};

use crate::guest::{CODE, DATA, Guest, HYP_VECTORS, STACK, VECTORS};

#[test]
fn a_call_goes_to_its_vector_and_back() {
    let mut guest = Guest::new(&[
        0xf102_0010, // cps #0x10
        0xe3a0_0001, // mov r0, #1
        0xef00_0005, // svc #5
        0xe3a0_2003, // mov r2, #3
    ]);
    // SVC's vector: reads SPSR and LR, returns.
    guest.put(
        VECTORS + 8,
        &[
            0xe14f_1000, // mrs r1, spsr
            0xe58a_e000, // str lr, [r10]
            0xe1b0_f00e, // movs pc, lr
        ],
    );
    let mut guest = guest.run();
    assert_eq!((guest.r(1) & 0x1f, guest.r(2), guest.word(DATA)), (0x10, 3, CODE + 12));
    assert_eq!((guest.cores[0].mode(), guest.exceptions()[2]), (Mode::User, 1));
}

#[test]
fn undefined_instructions_tell_where_they_are() {
    let guest = Guest::new(&[
        0xe320_f000, // nop
        0xe7f0_00f0, // udf #0
        0xe320_f000, // nop
    ])
    .run();
    assert_eq!((guest.cores[0].mode(), guest.r(14), guest.exceptions()[1]), (Mode::Undefined, CODE + 8, 1));
    // What did not execute does not count: two in front, the end in the vector.
    assert_eq!(guest.cores[0].statistics.instructions, 2);
}

#[test]
fn the_unit_that_is_off_is_undefined() {
    let guest = Guest::bare(
        &[
            0xeeb7_0a00, // vmov.f32 s0, #1.0
        ],
        ResetMode::SecureSvc,
    )
    .run();
    assert_eq!(guest.exceptions()[1], 1);
    let words = &[
        0xe3a0_060f, // mov r0, #0xf00000
        0xee01_0f50, // mcr p15, #0, r0, c1, c0, #2
        0xe3a0_0101, // mov r0, #0x40000000
        0xeee8_0a10, // vmsr fpexc, r0
        0xeeb7_0a00, // vmov.f32 s0, #1.0
    ];
    assert_eq!(Guest::bare(words, ResetMode::SecureSvc).run().exceptions()[1], 0);
}

#[test]
fn an_interrupt_waits_until_it_is_unmasked() {
    let mut guest = Guest::new(&[
        0xe3a0_0001, // mov r0, #1
        0xf108_0080, // cpsie i
        0xe3a0_0002, // mov r0, #2
    ]);
    guest.bus.platform.lines[0] = Lines { irq: true, fiq: false };
    let guest = guest.run();
    assert_eq!((guest.r(0), guest.cores[0].mode(), guest.r(14)), (1, Mode::Irq, CODE + 8 + 4));
    assert_eq!(guest.cores[0].spsr() & 0x80, 0);
    assert_eq!(guest.cores[0].cpsr() & 0x80, 0x80);
}

#[test]
fn a_masked_interrupt_ends_a_wait_all_the_same() {
    let mut guest = Guest::new(&[
        0xe320_f003, // wfi
        0xe3a0_0001, // mov r0, #1
    ]);
    assert_eq!(guest.slice(0, 100), Exit::Waiting);
    assert_eq!(guest.slice(0, 100), Exit::Waiting);
    guest.bus.platform.lines[0].irq = true;
    guest.finish(0);
    assert_eq!((guest.r(0), guest.exceptions()[6]), (1, 0));
}

#[test]
fn state_is_stored_and_reloaded_by_srs_and_rfe() {
    let mut guest = Guest::new(&[
        0xf102_001f, // cps #0x1f
        0xe1a0_d00a, // mov sp, r10
        0xef00_0000, // svc #0
        0xe3a0_5009, // mov r5, #9
    ]);
    guest.put(
        VECTORS + 8,
        &[
            0xf96d_051f, // srsdb sp!, #0x1f
            0xf102_001f, // cps #0x1f
            0xe1a0_400d, // mov r4, sp
            0xf8bd_0a00, // rfeia sp!
        ],
    );
    let mut guest = guest.run();
    assert_eq!((guest.r(4), guest.r(5), guest.r(13)), (DATA - 8, 9, DATA));
    assert_eq!((guest.word(DATA - 8), guest.word(DATA - 4) & 0x1f), (CODE + 12, 0x1f));
    assert_eq!(guest.cores[0].mode(), Mode::System);
}

#[test]
fn a_fetch_aborts_by_address_and_kind() {
    // Nothing is mapped at 0x4000_0000.
    let guest = Guest::new(&[
        0xe3a0_0101, // mov r0, #0x40000000
        0xe12f_ff10, // bx r0
    ])
    .run();
    let cp15 = &guest.cores[0].cp15;
    assert_eq!((guest.exceptions()[3], cp15.ifsr, cp15.ifar, guest.r(14)), (1, 5, 0x4000_0000, 0x4000_0004));
    let guest = Guest::new(&[
        0xe120_0071, // bkpt #1
    ])
    .run();
    assert_eq!((guest.exceptions()[3], guest.cores[0].cp15.ifsr), (1, 2));
}

#[test]
fn hyp_mode_is_left_by_eret_and_entered_by_hvc() {
    let words = &[
        0xe300_01d3, // mov r0, #0x1d3
        0xe16e_f300, // msr spsr_hyp, r0
        0xe28f_1004, // adr r1, 1f
        0xe12e_f301, // msr elr_hyp, r1
        0xe160_006e, // eret
        0xe10f_2000, // 1: mrs r2, cpsr
        0xe3a0_3007, // mov r3, #7
        0xe140_0071, // hvc #1
        0xe3a0_4008, // mov r4, #8
    ];
    let mut guest = Guest::bare(words, ResetMode::Hyp);
    guest.put(
        HYP_VECTORS + 0x14,
        &[
            0xe10e_5300, // mrs r5, elr_hyp
            0xe14f_6000, // mrs r6, spsr
            0xe1a0_700d, // mov r7, sp
            0xe160_006e, // eret
        ],
    );
    let guest = guest.run();
    assert_eq!((guest.r(2) & 0x1ff, guest.r(4)), (0x1d3, 8));
    assert_eq!((guest.r(5), guest.r(6) & 0x1f, guest.r(7)), (CODE + 32, 0x13, STACK));
}

#[test]
fn calls_to_nobody_are_undefined() {
    // HVC in the secure state, and SMC and HVC in USR mode.
    assert_eq!(
        Guest::new(&[
            0xe140_0070, // hvc #0
        ])
        .run()
        .exceptions()[1],
        1
    );
    assert_eq!(
        Guest::new(&[
            0xf102_0010, // cps #0x10
            0xe160_0070, // smc #0
        ])
        .run()
        .exceptions()[1],
        1
    );
}
