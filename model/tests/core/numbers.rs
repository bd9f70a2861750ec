//! Arithmetic at its edges.

use crate::guest::{DATA, Guest};

#[test]
fn subtraction_borrows() {
    let guest = Guest::new(&[
        0xe3a0_0000, // mov r0, #0
        0xe250_1001, // subs r1, r0, #1
        0xe2d0_2000, // sbcs r2, r0, #0
    ])
    .run();
    assert_eq!((guest.r(1), guest.r(2), guest.flags()), (u32::MAX, u32::MAX, 0b1000));
}

#[test]
fn addition_overflows() {
    let guest = Guest::new(&[
        0xe3e0_0102, // mvn r0, #0x80000000
        0xe290_1001, // adds r1, r0, #1
    ])
    .run();
    assert_eq!((guest.r(1), guest.flags()), (0x8000_0000, 0b1001));
    let guest = Guest::new(&[
        0xe3e0_0000, // mvn r0, #0
        0xe290_1001, // adds r1, r0, #1
        0xe2a1_2000, // adc r2, r1, #0
    ])
    .run();
    assert_eq!((guest.r(1), guest.r(2), guest.flags()), (0, 1, 0b0110));
}

#[test]
fn rotations_carry() {
    let guest = Guest::new(&[
        0xe3a0_0003, // mov r0, #3
        0xe1b0_10a0, // movs r1, r0, lsr #1
        0xe1b0_2060, // movs r2, r0, rrx
        0xe1b0_30e0, // movs r3, r0, ror #1
    ])
    .run();
    assert_eq!((guest.r(1), guest.r(2), guest.r(3), guest.flags()), (1, 0x8000_0001, 0x8000_0001, 0b1010));
    // The immediate's rotation gives the carry, no rotation leaves it.
    let guest = Guest::new(&[
        0xe3b0_0102, // movs r0, #0x80000000
        0xe3b0_1001, // movs r1, #1
        0xe2a1_2000, // adc r2, r1, #0
    ])
    .run();
    assert_eq!(guest.r(2), 2);
}

#[test]
fn division_never_traps() {
    let words = &[
        0xe3a0_0102, // mov r0, #0x80000000
        0xe3e0_1000, // mvn r1, #0
        0xe3a0_2000, // mov r2, #0
        0xe3a0_8007, // mov r8, #7
        0xe713_f110, // sdiv r3, r0, r1
        0xe714_f218, // sdiv r4, r8, r2
        0xe735_f218, // udiv r5, r8, r2
        0xe268_6000, // rsb r6, r8, #0
        0xe3a0_7002, // mov r7, #2
        0xe716_f716, // sdiv r6, r6, r7
    ];
    let guest = Guest::new(words).run();
    assert_eq!((guest.r(3), guest.r(4), guest.r(5), guest.r(6)), (0x8000_0000, 0, 0, -3_i32 as u32));
}

#[test]
fn saturation_sticks_in_q() {
    let words = &[
        0xe3e0_0102, // mvn r0, #0x80000000
        0xe3a0_1001, // mov r1, #1
        0xe101_2050, // qadd r2, r0, r1
        0xe6a7_3010, // ssat r3, #8, r0
        0xe6e8_4010, // usat r4, #8, r0
        0xe10f_5000, // mrs r5, cpsr
    ];
    let guest = Guest::new(words).run();
    assert_eq!((guest.r(2), guest.r(3), guest.r(4)), (0x7fff_ffff, 127, 255));
    assert_eq!(guest.r(5) >> 27 & 1, 1);
}

#[test]
fn long_products_accumulate() {
    let words = &[
        0xe3e0_0000, // mvn r0, #0
        0xe3e0_1000, // mvn r1, #0
        0xe3a0_2001, // mov r2, #1
        0xe3a0_3000, // mov r3, #0
        0xe0a3_2190, // umlal r2, r3, r0, r1
        0xe3e0_4000, // mvn r4, #0
        0xe3e0_5000, // mvn r5, #0
        0xe045_4190, // umaal r4, r5, r0, r1
        0xe0c7_6190, // smull r6, r7, r0, r1
    ];
    let guest = Guest::new(words).run();
    assert_eq!((guest.r(2), guest.r(3)), (2, 0xffff_fffe));
    assert_eq!((guest.r(4), guest.r(5)), (u32::MAX, u32::MAX));
    assert_eq!((guest.r(6), guest.r(7)), (1, 0));
}

#[test]
fn lanes_are_independent() {
    let words = &[
        0xe30f_0f01, // movw r0, #0xff01
        0xe347_0f80, // movt r0, #0x7f80
        0xe300_1101, // movw r1, #0x0101
        0xe340_1180, // movt r1, #0x0180
        0xe650_2f91, // uadd8 r2, r0, r1
        0xe680_3fb1, // sel r3, r0, r1
        0xe620_4f91, // qadd8 r4, r0, r1
        0xe670_5f91, // uhadd8 r5, r0, r1
    ];
    let guest = Guest::new(words).run();
    assert_eq!((guest.r(2), guest.r(3)), (0x8000_0002, 0x0180_ff01));
    assert_eq!((guest.r(4), guest.r(5)), (0x7f80_0002, 0x4080_8001));
}

#[test]
fn a_nan_is_quiet_or_the_default_one() {
    // The signalling NaN of the operands comes first, and comes out quiet.
    let words = &[
        0xe300_0001, // movw r0, #1
        0xe347_0f80, // movt r0, #0x7f80
        0xee00_0a10, // vmov s0, r0
        0xeef7_0a00, // vmov.f32 s1, #1.0
        0xee30_1a80, // vadd.f32 s2, s1, s0
        0xee11_1a10, // vmov r1, s2
        0xeef1_2a10, // vmrs r2, fpscr
        0xe3a0_3402, // mov r3, #0x02000000
        0xeee1_3a10, // vmsr fpscr, r3
        0xee30_1a80, // vadd.f32 s2, s1, s0
        0xee11_4a10, // vmov r4, s2
    ];
    let guest = Guest::new(words).run();
    assert_eq!((guest.r(1), guest.r(2), guest.r(4)), (0x7fc0_0001, 1, 0x7fc0_0000));
}

#[test]
fn denormals_flush_when_told() {
    let words = &[
        0xe3a0_0001, // mov r0, #1
        0xee00_0a10, // vmov s0, r0
        0xeef7_0a00, // vmov.f32 s1, #1.0
        0xee20_1a20, // vmul.f32 s2, s0, s1
        0xee11_1a10, // vmov r1, s2
        0xe3a0_3401, // mov r3, #0x01000000
        0xeee1_3a10, // vmsr fpscr, r3
        0xee20_1a20, // vmul.f32 s2, s0, s1
        0xee11_2a10, // vmov r2, s2
        0xeef1_3a10, // vmrs r3, fpscr
    ];
    let guest = Guest::new(words).run();
    assert_eq!((guest.r(1), guest.r(2), guest.r(3)), (1, 0, 0x0100_0080));
}

#[test]
fn comparison_gives_the_four_relations() {
    let relation = |words: &[u32]| Guest::new(words).run().flags();
    assert_eq!(
        relation(&[
            0xeeb7_0b00, // vmov.f64 d0, #1.0
            0xeeb0_1b00, // vmov.f64 d1, #2.0
            0xeeb4_0b41, // vcmp.f64 d0, d1
            0xeef1_fa10, // vmrs APSR_nzcv, fpscr
        ]),
        0b1000
    );
    assert_eq!(
        relation(&[
            0xeeb0_0b00, // vmov.f64 d0, #2.0
            0xeeb4_0b40, // vcmp.f64 d0, d0
            0xeef1_fa10, // vmrs APSR_nzcv, fpscr
        ]),
        0b0110
    );
    assert_eq!(
        relation(&[
            0xeeb0_0b00, // vmov.f64 d0, #2.0
            0xeeb5_0b40, // vcmp.f64 d0, #0
            0xeef1_fa10, // vmrs APSR_nzcv, fpscr
        ]),
        0b0010
    );
    let unordered = &[
        0xeeb7_0b00, // vmov.f64 d0, #1.0
        0xee30_1b40, // vsub.f64 d1, d0, d0
        0xee81_1b01, // vdiv.f64 d1, d1, d1
        0xeeb4_0b41, // vcmp.f64 d0, d1
        0xeef1_fa10, // vmrs APSR_nzcv, fpscr
    ];
    assert_eq!(relation(unordered), 0b0011);
}

#[test]
fn the_upper_doubles_exist() {
    let words = &[
        0xe3a0_0005, // mov r0, #5
        0xe3a0_1006, // mov r1, #6
        0xec41_0b3f, // vmov d31, r0, r1
        0xedca_fb00, // vstr d31, [r10]
        0xecda_0b02, // vldmia r10, {d16}
        0xec53_2b30, // vmov r2, r3, d16
    ];
    let mut guest = Guest::new(words).run();
    assert_eq!((guest.r(2), guest.r(3), guest.word(DATA), guest.word(DATA + 4)), (5, 6, 5, 6));
}
