//! Loads and stores.

use model::bus::{Misuse, Size};
use model::cpu::ResetMode;

use crate::guest::{DATA, DEVICE, Guest, SECOND_TABLE, STACK, TABLE};

#[test]
fn widths_and_signs() {
    let words = &[
        0xe308_00ff, // movw r0, #0x80ff
        0xe348_0001, // movt r0, #0x8001
        0xe58a_0000, // str r0, [r10]
        0xe5da_1000, // ldrb r1, [r10]
        0xe1da_20d0, // ldrsb r2, [r10]
        0xe1da_30b2, // ldrh r3, [r10, #2]
        0xe1da_40f2, // ldrsh r4, [r10, #2]
        0xe5ca_0004, // strb r0, [r10, #4]
        0xe1ca_00b6, // strh r0, [r10, #6]
        0xe59a_5004, // ldr r5, [r10, #4]
    ];
    let guest = Guest::new(words).run();
    assert_eq!([1, 2, 3, 4, 5].map(|n| guest.r(n)), [0xff, u32::MAX, 0x8001, 0xffff_8001, 0x80ff_00ff]);
}

#[test]
fn addresses_move_before_and_after() {
    let words = &[
        0xe3a0_0001, // mov r0, #1
        0xe1a0_100a, // mov r1, r10
        0xe481_0004, // str r0, [r1], #4
        0xe5a1_0004, // str r0, [r1, #4]!
        0xe3a0_2002, // mov r2, #2
        0xe781_0102, // str r0, [r1, r2, lsl #2]
        0xe721_0182, // str r0, [r1, -r2, lsl #3]!
        0xe1ca_40d0, // ldrd r4, r5, [r10]
    ];
    let mut guest = Guest::new(words).run();
    assert_eq!(guest.r(1), DATA + 8 - 16);
    assert_eq!([0, 8, 16, -8_i32 as u32].map(|at| guest.word(DATA.wrapping_add(at))), [1; 4]);
    assert_eq!((guest.r(4), guest.r(5)), (1, 0));
}

#[test]
fn multiples_go_every_way() {
    let words = &[
        0xe3a0_000a, // mov r0, #10
        0xe3a0_100b, // mov r1, #11
        0xe3a0_400e, // mov r4, #14
        0xe28a_2040, // add r2, r10, #64
        0xe1a0_3002, // mov r3, r2
        0xe8a3_0003, // stmia r3!, {r0, r1}
        0xe983_0003, // stmib r3, {r0, r1}
        0xe1a0_5002, // mov r5, r2
        0xe925_0013, // stmdb r5!, {r0, r1, r4}
        0xe805_0011, // stmda r5, {r0, r4}
        0xe992_00c0, // ldmib r2, {r6, r7}
    ];
    let mut guest = Guest::new(words).run();
    let row: Vec<u32> = (0..12).map(|n| guest.word(DATA + 44 + 4 * n)).collect();
    assert_eq!(row, [0, 10, 14, 11, 14, 10, 11, 0, 10, 11, 0, 0]);
    assert_eq!((guest.r(3), guest.r(5)), (DATA + 72, DATA + 52));
    assert_eq!((guest.r(6), guest.r(7)), (11, 0));
}

#[test]
fn a_loaded_base_wins_over_its_update() {
    let mut guest = Guest::new(&[
        0xe1a0_000a, // mov r0, r10
        0xe890_0003, // ldmia r0, {r0, r1}
        0xe1a0_200a, // mov r2, r10
        0xe492_3004, // ldr r3, [r2], #4
    ]);
    guest.put(DATA, &[77, 88]);
    let guest = guest.run();
    assert_eq!((guest.r(0), guest.r(1), guest.r(2), guest.r(3)), (77, 88, DATA + 4, 77));
}

#[test]
fn unaligned_words_work_in_normal_memory() {
    let mut guest = Guest::new(&[
        0xe59a_0001, // ldr r0, [r10, #1]
        0xe1da_10b3, // ldrh r1, [r10, #3]
        0xe58a_003e, // str r0, [r10, #62]
        0xe59a_203e, // ldr r2, [r10, #62]
    ]);
    guest.put(DATA, &[0x4433_2211, 0x8877_6655]);
    let guest = guest.run();
    assert_eq!((guest.r(0), guest.r(1), guest.r(2)), (0x5544_3322, 0x5544, 0x5544_3322));
    assert_eq!(guest.misuses(), []);
}

#[test]
fn some_accesses_are_aligned_or_abort() {
    for words in [
        &[
            0xe28a_1002, // add r1, r10, #2
            0xe891_000c, // ldm r1, {r2, r3}
        ],
        &[
            0xe28a_1002, // add r1, r10, #2
            0xe1c1_20d0, // ldrd r2, r3, [r1]
        ],
        &[
            0xe28a_1002, // add r1, r10, #2
            0xe191_2f9f, // ldrex r2, [r1]
        ],
        &[
            0xe28a_1002, // add r1, r10, #2
            0xed91_0b00, // vldr d0, [r1]
        ],
    ] {
        let guest = Guest::new(words).run();
        assert_eq!((guest.exceptions()[4], guest.cores[0].cp15.dfsr, guest.cores[0].cp15.dfar), (1, 1, DATA + 2));
    }
}

#[test]
fn without_the_mmu_unaligned_is_an_abort_and_named() {
    let guest = Guest::bare(
        &[
            0xe59a_0001, // ldr r0, [r10, #1]
        ],
        ResetMode::SecureSvc,
    )
    .run();
    assert_eq!((guest.exceptions()[4], guest.cores[0].cp15.dfsr), (1, 1));
    assert_eq!(guest.misuses(), [Misuse::UnalignedStronglyOrdered]);
}

#[test]
fn devices_see_widths_and_refuse() {
    let words = &[
        0xe3a0_0102, // mov r0, #0x80000000
        0xe590_1004, // ldr r1, [r0, #4]
        0xe5c0_1008, // strb r1, [r0, #8]
        0xe1c0_21d0, // ldrd r2, r3, [r0, #16]
    ];
    let guest = Guest::new(words).run();
    let seen = &guest.bus.platform.accesses;
    assert_eq!(seen[0], (DEVICE + 4, Size::Word, None));
    assert_eq!(seen[1], (DEVICE + 8, Size::Byte, Some(0x1234_5678)));
    assert_eq!((seen[2].0, seen[3].0), (DEVICE + 16, DEVICE + 20));
    // Behind the device nobody answers: a synchronous external abort.
    let guest = Guest::new(&[
        0xe3a0_0102, // mov r0, #0x80000000
        0xe280_0a01, // add r0, r0, #0x1000
        0xe580_0000, // str r0, [r0]
    ])
    .run();
    assert_eq!((guest.exceptions()[4], guest.cores[0].cp15.dfsr), (1, 0x808));
}

#[test]
fn an_abort_leaves_registers_as_they_were() {
    // The second page of the area is not mapped.
    let words = &[
        0xe3a0_1601, // mov r1, #0x00100000
        0xe281_1eff, // add r1, r1, #0xff0
        0xe1a0_0001, // mov r0, r1
        0xe8b0_03fc, // ldmia r0!, {r2-r9}
    ];
    let mut guest = Guest::new(words);
    guest.put(TABLE + 4, &[SECOND_TABLE | 1]);
    guest.put(SECOND_TABLE, &[0x0010_0000 | 0b11 << 4 | 0b1110, 0]);
    let guest = guest.run();
    assert_eq!((guest.r(0), guest.r(2)), (0x0010_0ff0, 0));
    // A translation fault of a page, in domain 0.
    assert_eq!((guest.cores[0].cp15.dfsr, guest.cores[0].cp15.dfar), (7, 0x0010_1000));
    assert_eq!(guest.cores[0].banked(model::cpu::Mode::Abort, 14), crate::guest::CODE + 12 + 8);
}

#[test]
fn big_endian_data_is_swapped() {
    let guest = Guest::new(&[
        0xe302_0211, // movw r0, #0x2211
        0xe344_0433, // movt r0, #0x4433
        0xe58a_0000, // str r0, [r10]
        0xf101_0200, // setend be
        0xe59a_1000, // ldr r1, [r10]
        0xe1da_20b0, // ldrh r2, [r10]
        0xe1ca_00b4, // strh r0, [r10, #4]
        0xf101_0000, // setend le
        0xe1da_30b4, // ldrh r3, [r10, #4]
    ])
    .run();
    assert_eq!((guest.r(1), guest.r(2), guest.r(3)), (0x1122_3344, 0x1122, 0x1122));
}

#[test]
fn pushes_and_pops_the_floating_registers() {
    let words = &[
        0xeeb7_8b00, // vmov.f64 d8, #1.0
        0xeeb0_9b00, // vmov.f64 d9, #2.0
        0xed2d_8b04, // vpush {d8, d9}
        0xeeb0_9b08, // vmov.f64 d9, #3.0
        0xecbd_8b04, // vpop {d8, d9}
        0xec51_0b19, // vmov r0, r1, d9
    ];
    let guest = Guest::new(words).run();
    assert_eq!((guest.r(1), guest.r(13)), (0x4000_0000, STACK));
}
