//! Short descriptors.

use crate::guest::{Guest, SECOND_TABLE, TABLE};

const SECTION: u32 = 0x0010_0000;
const NORMAL: u32 = 0b1100;
/// LDR r0, [r4]; STR r0, [r4]; the same as a user.
const READ: &[u32] = &[
    0xe594_0000, // ldr r0, [r4]
];
const WRITE: &[u32] = &[
    0xe584_0000, // str r0, [r4]
];
const READ_AS_USER: &[u32] = &[
    0xe4b4_0000, // ldrt r0, [r4]
];
const WRITE_AS_USER: &[u32] = &[
    0xe4a4_0000, // strt r0, [r4]
];
const EXECUTE: &[u32] = &[
    0xe12f_ff14, // bx r4
];

/// Fault status of an access to the second megabyte under descriptors, 0 if it works.
fn access(words: &[u32], first: u32, second: Option<u32>, prepare: impl Fn(&mut Guest)) -> u32 {
    let mut guest = Guest::new(words);
    guest.put(TABLE + 4, &[first]);
    guest.put(SECTION, &[crate::guest::END]);
    if let Some(second) = second {
        guest.put(SECOND_TABLE, &[second; 16]);
    }
    guest.cores[0].r[4] = SECTION;
    prepare(&mut guest);
    let guest = guest.run();
    let cp15 = &guest.cores[0].cp15;
    match guest.exceptions() {
        [_, _, _, 1, ..] => cp15.ifsr,
        [_, _, _, _, 1, ..] => cp15.dfsr,
        _ => 0,
    }
}

fn section(words: &[u32], bits: u32) -> u32 {
    access(words, SECTION | NORMAL | 0b10 | bits, None, |_| ())
}

fn page(words: &[u32], bits: u32) -> u32 {
    access(words, SECOND_TABLE | 1, Some(SECTION | NORMAL | bits), |_| ())
}

#[test]
fn rights_of_sections() {
    const WRITES: u32 = 0x800;
    for (ap, rights) in [(0, 0b0000), (1, 0b0011), (2, 0b0111), (3, 0b1111), (5, 0b0001), (6, 0b0101), (7, 0b0101)] {
        let bits = (ap & 3) << 10 | (ap >> 2) << 15;
        let fault = |bit: u32, status: u32| if rights >> bit & 1 != 0 { 0 } else { status };
        assert_eq!(section(READ, bits), fault(0, 0xd), "AP {ap}");
        assert_eq!(section(WRITE, bits), fault(1, 0xd | WRITES), "AP {ap}");
        assert_eq!(section(READ_AS_USER, bits), fault(2, 0xd), "AP {ap}");
        assert_eq!(section(WRITE_AS_USER, bits), fault(3, 0xd | WRITES), "AP {ap}");
    }
}

#[test]
fn rights_of_pages() {
    assert_eq!(page(READ, 0b11 << 4 | 2), 0);
    assert_eq!(page(WRITE, 0b01 << 4 | 1 << 9 | 2), 0x80f);
    assert_eq!(page(READ_AS_USER, 0b01 << 4 | 2), 0xf);
    // A large page, and none.
    assert_eq!(page(READ, 0b11 << 4 | 1), 0);
    assert_eq!(page(READ, 0), 7);
    assert_eq!(section(READ, 0b11 << 10), 0);
    assert_eq!(access(READ, 0, None, |_| ()), 5);
}

#[test]
fn execution_needs_leave() {
    assert_eq!(section(EXECUTE, 0b11 << 10), 0);
    assert_eq!(section(EXECUTE, 0b11 << 10 | 1 << 4), 0xd);
    assert_eq!(page(EXECUTE, 0b11 << 4 | 2), 0);
    assert_eq!(page(EXECUTE, 0b11 << 4 | 3), 0xf);
    // PXN keeps the kernel from it only.
    assert_eq!(access(EXECUTE, SECOND_TABLE | 1 | 1 << 2, Some(SECTION | NORMAL | 0b11 << 4 | 2), |_| ()), 0xf);
}

#[test]
fn domains_come_first() {
    let first = SECTION | NORMAL | 0b10 | 3 << 5;
    let with = |domains: u32| access(WRITE, first, None, |guest| guest.cores[0].cp15.dacr = domains | 1);
    // None, client without rights, manager.
    assert_eq!((with(0), with(1 << 6), with(3 << 6)), (0x839, 0x83d, 0));
}

#[test]
fn an_access_flag_is_part_of_the_rights() {
    let flagged = |ap: u32| {
        let first = SECTION | NORMAL | 0b10 | ap << 10;
        access(READ, first, None, |guest| guest.cores[0].cp15.sctlr |= 1 << 29)
    };
    assert_eq!((flagged(0), flagged(1)), (3, 0));
}

#[test]
fn the_upper_table_is_for_the_upper_addresses() {
    let words = &[
        0xe3a0_4102, // mov r4, #0x80000000
        0xe594_0000, // ldr r0, [r4]
        0xe3a0_4601, // mov r4, #0x00100000
        0xe594_0000, // ldr r0, [r4]
    ];
    let mut guest = Guest::new(words);
    // TTBCR.N = 1: addresses from 2 GiB on are translated by TTBR1, whose table has them at their full index.
    guest.cores[0].cp15.ttbcr = 1;
    guest.cores[0].cp15.ttbr1 = 0xa_0000;
    guest.put(0xa_0000 + 0x2000, &[0x8000_0c16]);
    let guest = guest.run();
    assert_eq!(guest.exceptions(), [0; 8]);
    assert_eq!(guest.bus.platform.accesses.len(), 1);
}

#[test]
fn a_probe_tells_what_an_access_would_meet() {
    let words = &[
        0xe3a0_4601, // mov r4, #0x00100000
        0xee07_4f18, // mcr p15, #0, r4, c7, c8, #0
        0xee17_0f14, // mrc p15, #0, r0, c7, c4, #0
        0xe3a0_4101, // mov r4, #0x40000000
        0xee07_4f18, // mcr p15, #0, r4, c7, c8, #0
        0xee17_1f14, // mrc p15, #0, r1, c7, c4, #0
    ];
    let guest = Guest::new(words).run();
    assert_eq!((guest.r(0) & !0xfff, guest.r(1) & 0x7f), (SECTION, 5 << 1 | 1));
}
