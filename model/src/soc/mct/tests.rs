use super::local::{L_ICNTB, L_INT_CSTAT, L_INT_ENB, L_TCNTB, L_TCON};
use super::status::G_WSTAT;
use super::*;
use crate::findings::FindingKind;

fn at(time: Time) -> Access {
    Access { core: 4, time, pc: 0x4200_0000, secure: false }
}

fn start(mct: &mut Mct, effects: &mut Effects) {
    mct.write(G_TCON, Size::Word, START, &at(1000), effects).expect("answers");
    assert_eq!(mct.read(G_WSTAT, Size::Word, &at(1100), effects), Ok(0), "it takes a while");
    assert_eq!(mct.read(G_WSTAT, Size::Word, &at(1400), effects), Ok(1 << 16));
    mct.write(G_WSTAT, Size::Word, 1 << 16, &at(1500), effects).expect("answers");
}

#[test]
fn the_counter_stands_still_until_it_is_started() {
    let (mut mct, mut effects) = (Mct::new(false), Effects::default());
    assert_eq!(mct.counter.count(1_000_000), 0);
    start(&mut mct, &mut effects);
    assert_eq!(mct.counter.count(1_001_000), 24_000);
    assert!(effects.findings.is_empty());
}

#[test]
fn a_dead_counter_takes_every_write_and_never_counts() {
    let (mut mct, mut effects) = (Mct::new(true), Effects::default());
    start(&mut mct, &mut effects);
    assert_eq!(mct.counter.count(1_001_000), 0);
}

#[test]
fn writing_before_the_last_write_was_acknowledged_is_a_finding() {
    let (mut mct, mut effects) = (Mct::new(false), Effects::default());
    for time in [0, 5000] {
        mct.write(G_TCON, Size::Word, START, &at(time), &mut effects).expect("answers");
    }
    assert_eq!(effects.findings[0].kind, FindingKind::WriteStatus);
}

#[test]
fn a_local_timer_interrupts_every_interval() {
    let (mut mct, mut effects) = (Mct::new(false), Effects::default());
    for (register, value) in [(L_TCNTB, 1), (L_ICNTB, 1 << 31 | 12_000), (L_INT_ENB, 1), (L_TCON, 7)] {
        mct.write(LOCAL + 0x100 + register, Size::Word, value, &at(0), &mut effects).expect("answers");
    }
    assert_eq!(mct.next_event(), Some(1_000_000));
    mct.advance(1_000_000, &mut effects);
    assert_eq!(effects.lines.last(), Some(&(153, true)));
    mct.write(LOCAL + 0x100 + L_INT_CSTAT, Size::Word, 1, &at(1_000_500), &mut effects).expect("answers");
    assert_eq!(effects.lines.last(), Some(&(153, false)));
    assert_eq!(mct.next_event(), Some(2_000_000));
}

#[test]
fn a_comparator_matches_once() {
    let (mut mct, mut effects) = (Mct::new(false), Effects::default());
    start(&mut mct, &mut effects);
    mct.write(0x200, Size::Word, 2400, &at(2000), &mut effects).expect("answers");
    mct.write(G_INT_ENB, Size::Word, 1, &at(2000), &mut effects).expect("answers");
    mct.write(G_TCON, Size::Word, START | 1, &at(2000), &mut effects).expect("answers");
    assert_eq!(mct.next_event(), Some(101_000));
    mct.advance(101_000, &mut effects);
    assert_eq!(mct.comparators(), [true, false, false, false]);
    mct.write(G_INT_CSTAT, Size::Word, 1, &at(101_500), &mut effects).expect("answers");
    assert_eq!(mct.comparators(), [false; 4]);
}
