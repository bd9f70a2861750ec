//! Modes, banked registers, privileges.

use model::bus::Misuse;
use model::cpu::Mode;

use crate::guest::{DATA, Guest, STACK};

#[test]
fn each_mode_has_its_stack_and_link() {
    let words = &[
        0xe3a0_d001, // mov sp, #1
        0xe3a0_e002, // mov lr, #2
        0xf102_0012, // cps #0x12
        0xe3a0_d003, // mov sp, #3
        0xe3a0_e004, // mov lr, #4
        0xf102_001f, // cps #0x1f
        0xe3a0_d005, // mov sp, #5
        0xe3a0_e006, // mov lr, #6
        0xf102_0011, // cps #0x11
        0xe3a0_8007, // mov r8, #7
        0xf102_0013, // cps #0x13
        0xe3a0_8008, // mov r8, #8
    ];
    let guest = Guest::new(words).run();
    let core = &guest.cores[0];
    assert_eq!((core.r[13], core.r[14], core.r[8]), (1, 2, 8));
    assert_eq!((core.banked(Mode::Irq, 13), core.banked(Mode::Irq, 14)), (3, 4));
    assert_eq!((core.banked(Mode::User, 13), core.banked(Mode::System, 14)), (5, 6));
    assert_eq!(core.banked(Mode::Fiq, 8), 7);
}

#[test]
fn the_users_registers_are_stored_and_loaded_from_above() {
    let words = &[
        0xf102_001f, // cps #0x1f
        0xe3a0_d005, // mov sp, #5
        0xe3a0_e006, // mov lr, #6
        0xf102_0013, // cps #0x13
        0xe8ca_6000, // stmia r10, {r13, r14}^
        0xe3a0_0009, // mov r0, #9
        0xe58a_0008, // str r0, [r10, #8]
        0xe58a_000c, // str r0, [r10, #12]
        0xe28a_1008, // add r1, r10, #8
        0xe8d1_6000, // ldmia r1, {r13, r14}^
        0xe320_f000, // nop
    ];
    let mut guest = Guest::new(words).run();
    assert_eq!((guest.word(DATA), guest.word(DATA + 4)), (5, 6));
    assert_eq!((guest.cores[0].banked(Mode::User, 13), guest.r(13)), (9, STACK));
}

#[test]
fn banked_registers_have_names() {
    let words = &[
        0xe3a0_0005, // mov r0, #5
        0xe125_f200, // msr sp_usr, r0
        0xe124_f300, // msr lr_abt, r0
        0xe160_f300, // msr spsr_irq, r0
        0xe105_1200, // mrs r1, sp_usr
        0xe104_2300, // mrs r2, lr_abt
        0xe140_3300, // mrs r3, spsr_irq
        0xe103_4300, // mrs r4, sp_svc
    ];
    let guest = Guest::new(words).run();
    assert_eq!([1, 2, 3].map(|n| guest.r(n)), [5; 3]);
    assert_eq!(guest.cores[0].banked(Mode::Abort, 14), 5);
}

#[test]
fn a_user_changes_flags_only() {
    let words = &[
        0xf102_0010, // cps #0x10
        0xe3e0_0000, // mvn r0, #0
        0xe12f_f000, // msr cpsr_fsxc, r0
        0xe10f_1000, // mrs r1, cpsr
        0xf102_0013, // cps #0x13
        0xe10f_2000, // mrs r2, cpsr
    ];
    let guest = Guest::new(words).run();
    assert_eq!((guest.r(1) >> 27, guest.r(1) & 0x1f, guest.r(2) & 0x1f), (0x1f, 0x10, 0x10));
}

#[test]
fn a_user_reaches_few_system_registers() {
    let undefined = |words: &[u32]| Guest::new(words).run().exceptions()[1];
    assert_eq!(
        undefined(&[
            0xf102_0010, // cps #0x10
            0xee11_0f10, // mrc p15, #0, r0, c1, c0, #0
        ]),
        1
    );
    assert_eq!(
        undefined(&[
            0xf102_0010, // cps #0x10
            0xee1d_0f90, // mrc p15, #0, r0, c13, c0, #4
        ]),
        1
    );
    assert_eq!(
        undefined(&[
            0xf102_0010, // cps #0x10
            0xee19_0f1d, // mrc p15, #0, r0, c9, c13, #0
        ]),
        1
    );
    assert_eq!(
        undefined(&[
            0xf102_0010, // cps #0x10
            0xec51_0f1e, // mrrc p15, #1, r0, r1, c14
        ]),
        1
    );
    assert_eq!(
        undefined(&[
            0xf102_0010, // cps #0x10
            0xee1d_0f70, // mrc p15, #0, r0, c13, c0, #3
            0xee0d_0f50, // mcr p15, #0, r0, c13, c0, #2
            0xee07_0fba, // mcr p15, #0, r0, c7, c10, #5
        ]),
        0
    );
    let opened = &[
        0xe3a0_0001, // mov r0, #1
        0xee09_0f1e, // mcr p15, #0, r0, c9, c14, #0
        0xe3a0_0002, // mov r0, #2
        0xee0e_0f11, // mcr p15, #0, r0, c14, c1, #0
        0xf102_0010, // cps #0x10
        0xee19_0f1d, // mrc p15, #0, r0, c9, c13, #0
        0xec51_0f1e, // mrrc p15, #1, r0, r1, c14
    ];
    assert_eq!(undefined(opened), 0);
}

#[test]
fn an_impossible_mode_is_named() {
    let guest = Guest::new(&[
        0xe10f_0000, // mrs r0, cpsr
        0xe3c0_001f, // bic r0, r0, #0x1f
        0xe380_0015, // orr r0, r0, #0x15
        0xe121_f000, // msr cpsr_c, r0
        0xe10f_1000, // mrs r1, cpsr
    ])
    .run();
    assert_eq!((guest.misuses(), guest.r(1) & 0x1f), (vec![Misuse::Unpredictable], 0x13));
}

#[test]
fn identity_tells_the_core() {
    let words = &[
        0xee10_0f10, // mrc p15, #0, r0, c0, c0, #0
        0xee10_1fb0, // mrc p15, #0, r1, c0, c0, #5
        0xee30_2f30, // mrc p15, #1, r2, c0, c0, #1
        0xe3a0_3002, // mov r3, #2
        0xee40_3f10, // mcr p15, #2, r3, c0, c0, #0
        0xee30_4f10, // mrc p15, #1, r4, c0, c0, #0
    ];
    let guest = Guest::new(words).run();
    assert_eq!([0, 1, 2].map(|n| guest.r(n)), [0x412f_c0f3, 0x8000_0000, 0x0a20_0023]);
    // 2 MiB in 16 ways of 64-byte lines.
    assert_eq!(guest.r(4), 0x70ff_e07a);
}
