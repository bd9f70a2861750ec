//! Two cores: exclusives, events, and what one does to the other's translations and code.

use model::bus::Misuse;
use model::cpu::Exit;

use crate::guest::{CODE, DATA, Guest, SECOND_TABLE, TABLE};

/// Core 1 reserves the word, core 0 does something, core 1 stores: its r2 is the status.
fn contended(first: &[u32]) -> Guest {
    let second = &[
        0xe19a_0f9f, // ldrex r0, [r10]
        0xe320_f002, // wfe
        0xe280_0001, // add r0, r0, #1
        0xe18a_2f90, // strex r2, r0, [r10]
    ];
    let mut guest = Guest::new(first).beside(second);
    assert_eq!(guest.slice(1, 100), Exit::Waiting);
    guest.finish(0);
    guest.bus.events = u32::MAX;
    guest.finish(1);
    guest
}

#[test]
fn a_store_by_another_core_breaks_the_reservation() {
    // The store comes after one that opened the fast way to the line.
    let mut guest = contended(&[
        0xe3a0_0005, // mov r0, #5
        0xe58a_0004, // str r0, [r10, #4]
        0xe58a_0000, // str r0, [r10]
    ]);
    assert_eq!((guest.cores[1].r[2], guest.word(DATA)), (1, 5));
}

#[test]
fn other_lines_and_loads_do_not() {
    let mut guest = contended(&[
        0xe3a0_0005, // mov r0, #5
        0xe58a_0040, // str r0, [r10, #64]
        0xe59a_1000, // ldr r1, [r10]
        0xe19a_2f9f, // ldrex r2, [r10]
        0xf57f_f01f, // clrex
    ]);
    assert_eq!((guest.cores[1].r[2], guest.word(DATA)), (0, 1));
}

#[test]
fn a_fast_store_is_noticed_as_well() {
    let second = &[
        0xe19a_0f9f, // ldrex r0, [r10]
        0xe320_f002, // wfe
        0xe18a_2f90, // strex r2, r0, [r10]
    ];
    // Core 0 makes the line its own first, then core 1 reserves it.
    let mut guest = Guest::new(&[
        0xe3a0_0005, // mov r0, #5
        0xe58a_0000, // str r0, [r10]
        0xe320_f002, // wfe
        0xe58a_0000, // str r0, [r10]
    ])
    .beside(second);
    assert_eq!(guest.slice(0, 100), Exit::Waiting);
    assert_eq!(guest.slice(1, 100), Exit::Waiting);
    guest.bus.events = u32::MAX;
    guest.finish(0);
    guest.finish(1);
    assert_eq!(guest.cores[1].r[2], 1);
}

#[test]
fn an_exclusive_store_needs_a_reservation() {
    let words = &[
        0xe18a_1f90, // strex r1, r0, [r10]
        0xe19a_0f9f, // ldrex r0, [r10]
        0xe18a_2f90, // strex r2, r0, [r10]
        0xe18a_3f90, // strex r3, r0, [r10]
        0xe19a_0f9f, // ldrex r0, [r10]
        0xf57f_f01f, // clrex
        0xe18a_4f90, // strex r4, r0, [r10]
        0xe3a0_6007, // mov r6, #7
        0xe3a0_7008, // mov r7, #8
        0xe1ba_8f9f, // ldrexd r8, r9, [r10]
        0xe1aa_5f96, // strexd r5, r6, r7, [r10]
    ];
    let mut guest = Guest::new(words).run();
    assert_eq!([1, 2, 3, 4, 5].map(|n| guest.r(n)), [1, 0, 1, 1, 0]);
    assert_eq!((guest.word(DATA), guest.word(DATA + 4)), (7, 8));
}

#[test]
fn an_event_is_kept_until_it_is_waited_for() {
    let mut guest = Guest::new(&[
        0xe320_f004, // sev
    ])
    .beside(&[
        0xe320_f002, // wfe
        0xe3a0_0001, // mov r0, #1
        0xe320_f002, // wfe
        0xe3a0_0002, // mov r0, #2
    ]);
    guest.finish(0);
    // The first WFE finds the event, the second one does not.
    assert_eq!(guest.slice(1, 100), Exit::Waiting);
    assert_eq!(guest.cores[1].r[0], 1);
    guest.bus.events = u32::MAX;
    guest.finish(1);
    assert_eq!(guest.cores[1].r[0], 2);
}

/// Core 1 reads an address, core 0 maps it elsewhere and invalidates with `maintenance`, core 1 reads again.
fn remapped(maintenance: u32) -> u32 {
    let mut first = vec![
        0xe300_0000, // movw r0, #0
        0xe340_0009, // movt r0, #9
        0xe303_1c3e, // movw r1, #0x3c3e
        0xe340_1030, // movt r1, #0x30
        0xe580_1000, // str r1, [r0]
        0xf57f_f04f, // dsb
        0xe3a0_2601, // mov r2, #0x00100000
    ];
    first.extend([maintenance, 0xf57f_f04f]);
    let mut guest = Guest::new(&first).beside(&[
        0xe3a0_0601, // mov r0, #0x00100000
        0xe590_1000, // ldr r1, [r0]
        0xe320_f002, // wfe
        0xe590_1000, // ldr r1, [r0]
    ]);
    guest.put(TABLE + 4, &[SECOND_TABLE | 1]);
    guest.put(SECOND_TABLE, &[0x0020_0c3e]);
    guest.put(0x0020_0000, &[1]);
    guest.put(0x0020_0c00, &[1]);
    guest.put(0x0030_3000, &[2]);
    assert_eq!(guest.slice(1, 100), Exit::Waiting);
    guest.finish(0);
    guest.bus.events = u32::MAX;
    guest.finish(1);
    guest.cores[1].r[1]
}

#[test]
fn translations_are_kept_until_they_are_invalidated_for_all() {
    // TLBIMVA reaches the own core, TLBIMVAIS all.
    assert_eq!(remapped(0xee08_2f37), 1);
    assert_eq!(remapped(0xee08_2f33), 2);
}

/// Writes `mov r0, #7; bx lr` over other code that has run before, with or without the right maintenance.
fn rewritten(maintenance: &[u32]) -> Guest {
    let mut words = vec![
        0xe3a0_4805, // mov r4, #0x00050000
        0xe12f_ff34, // blx r4
        0xe300_1007, // movw r1, #7
        0xe34e_13a0, // movt r1, #0xe3a0
        0xe584_1000, // str r1, [r4]
    ];
    words.extend(maintenance);
    words.extend(&[
        0xe12f_ff34, // blx r4
    ]);
    let mut guest = Guest::new(&words);
    guest.put(
        0x0005_0000,
        &[
            0xe3a0_0001, // mov r0, #1
            0xe12f_ff1e, // bx lr
        ],
    );
    guest.run()
}

#[test]
fn new_code_needs_maintenance() {
    let clean = &[
        0xee07_4f3b, // mcr p15, #0, r4, c7, c11, #1
        0xf57f_f04f, // dsb
    ];
    let whole = &[
        0xee07_4f3b, // mcr p15, #0, r4, c7, c11, #1
        0xf57f_f04f, // dsb
        0xee07_4f35, // mcr p15, #0, r4, c7, c5, #1
        0xf57f_f04f, // dsb
        0xf57f_f06f, // isb
    ];
    for (maintenance, misuses) in
        [(&[][..], vec![Misuse::CodeNotCleaned]), (clean, vec![Misuse::CodeNotInvalidated]), (whole, vec![])]
    {
        let guest = rewritten(maintenance);
        assert_eq!((guest.r(0), guest.misuses()), (7, misuses));
    }
}

#[test]
fn code_that_another_core_writes_is_seen() {
    let second = &[
        0xe3a0_4805, // mov r4, #0x00050000
        0xe12f_ff34, // blx r4
        0xe320_f002, // wfe
        0xe12f_ff34, // blx r4
    ];
    let first = &[
        0xe3a0_4805, // mov r4, #0x00050000
        0xe300_1007, // movw r1, #7
        0xe34e_13a0, // movt r1, #0xe3a0
        0xe584_1000, // str r1, [r4]
        0xee07_4f3b, // mcr p15, #0, r4, c7, c11, #1
        0xf57f_f04f, // dsb
        0xee07_4f35, // mcr p15, #0, r4, c7, c5, #1
        0xf57f_f04f, // dsb
    ];
    let mut guest = Guest::new(first).beside(second);
    guest.put(
        0x0005_0000,
        &[
            0xe3a0_0001, // mov r0, #1
            0xe12f_ff1e, // bx lr
        ],
    );
    assert_eq!(guest.slice(1, 100), Exit::Waiting);
    assert_eq!(guest.cores[1].r[0], 1);
    guest.finish(0);
    guest.bus.events = u32::MAX;
    guest.finish(1);
    assert_eq!((guest.cores[1].r[0], guest.misuses()), (7, vec![]));
    assert_eq!(guest.cores[0].pc, CODE + 4 * 9);
}
