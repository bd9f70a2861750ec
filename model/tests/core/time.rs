//! Cycles, instructions and time.

use crate::guest::Guest;

#[test]
fn the_cycle_counter_counts_what_was_executed() {
    // PMCR: enable and reset; PMCNTENSET: the cycle counter.
    let words = &[
        0xe3a0_0102, // mov r0, #0x80000000
        0xee09_0f3c, // mcr p15, #0, r0, c9, c12, #1
        0xe3a0_0005, // mov r0, #5
        0xee09_0f1c, // mcr p15, #0, r0, c9, c12, #0
        0xee19_1f1d, // mrc p15, #0, r1, c9, c13, #0
        0xe320_f000, // nop
        0xe320_f000, // nop
        0xe320_f000, // nop
        0xee19_2f1d, // mrc p15, #0, r2, c9, c13, #0
    ];
    let guest = Guest::new(words).run();
    assert_eq!(guest.r(2) - guest.r(1), 4, "one cycle an instruction");
}

#[test]
fn an_event_counter_counts_instructions() {
    let words = &[
        0xe3a0_0002, // mov r0, #2
        0xee09_0fbc, // mcr p15, #0, r0, c9, c12, #5
        0xe3a0_1008, // mov r1, #8
        0xee09_1f3d, // mcr p15, #0, r1, c9, c13, #1
        0xe3a0_1004, // mov r1, #4
        0xee09_1f3c, // mcr p15, #0, r1, c9, c12, #1
        0xe3a0_0001, // mov r0, #1
        0xee09_0f1c, // mcr p15, #0, r0, c9, c12, #0
        0xee19_1f5d, // mrc p15, #0, r1, c9, c13, #2
        0xe320_f000, // nop
        0xe320_f000, // nop
        0xee19_2f5d, // mrc p15, #0, r2, c9, c13, #2
    ];
    let guest = Guest::new(words).run();
    assert_eq!(guest.r(2) - guest.r(1), 3);
}

#[test]
fn time_follows_the_frequency() {
    let loop_of_300 = &[
        0xe3a0_1064, // mov r1, #100
        0xe320_f000, // 1: nop
        0xe251_1001, // subs r1, r1, #1
        0x1aff_fffc, // bne 1b
    ];
    let nanoseconds = |khz: u32| {
        let mut guest = Guest::new(loop_of_300);
        guest.cores[0].set_frequency(khz);
        let guest = guest.run();
        assert_eq!(guest.cores[0].cycles(), 302);
        guest.cores[0].time()
    };
    assert_eq!((nanoseconds(1_000_000), nanoseconds(200_000), nanoseconds(2_000_000)), (302, 1510, 151));
}

#[test]
fn time_that_passes_asleep_is_no_work() {
    let mut guest = Guest::new(&[
        0xe320_f000, // nop
    ]);
    guest.cores[0].advance_to(1_000);
    let guest = guest.run();
    assert_eq!((guest.cores[0].time(), guest.cores[0].cycles()), (1_002, 2));
}

#[test]
fn a_frequency_change_keeps_what_has_passed() {
    let mut guest = Guest::new(&[
        0xe3a0_1ffa, // mov r1, #1000
        0xe251_1001, // 1: subs r1, r1, #1
        0x1aff_fffd, // bne 1b
    ]);
    guest.slice(0, 100);
    let before = guest.cores[0].time();
    guest.cores[0].set_frequency(500_000);
    assert_eq!(guest.cores[0].time(), before);
    guest.slice(0, 100);
    assert!(guest.cores[0].time() >= before + 100 && guest.cores[0].time() <= before + 104);
}
