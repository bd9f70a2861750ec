//! The program counter, branches, conditions.

use model::bus::Misuse;

use crate::guest::{CODE, DATA, Guest};

#[test]
fn the_program_counter_reads_eight_bytes_ahead() {
    let words = &[
        0xe320_f000, // nop
        0xe1a0_000f, // mov r0, pc
        0xe28f_1004, // add r1, pc, #4
        0xe58a_f000, // str pc, [r10]
        0xe51f_2004, // ldr r2, [pc, #-4]
        0x11a0_300f, // movne r3, pc
    ];
    let mut guest = Guest::new(words).run();
    assert_eq!((guest.r(0), guest.r(1)), (CODE + 4 + 8, CODE + 8 + 8 + 4));
    assert_eq!((guest.word(DATA), guest.r(2), guest.r(3)), (CODE + 12 + 8, 0x11a0_300f, CODE + 20 + 8));
}

#[test]
fn calls_return_in_every_way() {
    let words = &[
        0xe3a0_0000, // mov r0, #0
        0xeb00_0004, // bl 1f
        0xeb00_0005, // bl 2f
        0xeb00_0007, // bl 3f
        0xe28f_1020, // adr r1, 4f
        0xe12f_ff31, // blx r1
        0xea00_0009, // b 5f
        0xe280_0001, // 1: add r0, r0, #1
        0xe12f_ff1e, // bx lr
        0xe92d_4010, // 2: push {r4, lr}
        0xe280_0002, // add r0, r0, #2
        0xe8bd_8010, // pop {r4, pc}
        0xe280_0004, // 3: add r0, r0, #4
        0xe1a0_f00e, // mov pc, lr
        0xe58a_e000, // 4: str lr, [r10]
        0xe280_0008, // add r0, r0, #8
        0xe59a_f000, // ldr pc, [r10]
        0xe320_f000, // 5: nop
    ];
    assert_eq!(Guest::new(words).run().r(0), 15);
}

#[test]
fn loops_count_their_instructions() {
    let guest = Guest::new(&[
        0xe3a0_0000, // mov r0, #0
        0xe3a0_1064, // mov r1, #100
        0xe080_0001, // 1: add r0, r0, r1
        0xe251_1001, // subs r1, r1, #1
        0x1aff_fffc, // bne 1b
    ])
    .run();
    assert_eq!(guest.r(0), 5050);
    // Two in front, three a round, and the end.
    assert_eq!(guest.cores[0].statistics.instructions, 2 + 300 + 1);
}

#[test]
fn conditions_look_at_the_right_flags() {
    for flags in 0_u32..16 {
        let mut expected = 0;
        for condition in 0..14 {
            let (n, z, c, v) = (flags >> 3 & 1 != 0, flags >> 2 & 1 != 0, flags >> 1 & 1 != 0, flags & 1 != 0);
            let base = match condition >> 1 {
                0 => z,
                1 => c,
                2 => n,
                3 => v,
                4 => c && !z,
                5 => n == v,
                _ => n == v && !z,
            };
            expected |= u32::from(base != (condition & 1 != 0)) << condition;
        }
        // MSR CPSR_f, r0; MOV r1, #0; then ORR r1, r1, r2 under each condition, shifting the bit in r2.
        let mut words = vec![0xe128_f000, 0xe3a0_1000, 0xe3a0_2001];
        for condition in 0..14 {
            words.extend([condition << 28 | 0x0181_1002, 0xe1a0_2082]);
        }
        let mut guest = Guest::new(&words);
        guest.cores[0].r[0] = flags << 28;
        assert_eq!(guest.run().r(1), expected, "flags {flags:04b}");
    }
}

#[test]
fn thumb_code_is_named_as_missing() {
    let mut guest = Guest::new(&[
        0xe28f_0004, // adr r0, 1f
        0xe380_0001, // orr r0, r0, #1
        0xe12f_ff10, // bx r0
        0xe320_f000, // 1: nop
    ]);
    guest.finish(0);
    assert!(guest.misuses().contains(&Misuse::Unimplemented), "{:?}", guest.misuses());
}
