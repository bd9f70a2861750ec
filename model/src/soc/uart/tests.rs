use super::*;

fn at(time: Time) -> Access {
    Access { core: 4, time, pc: 0, secure: false }
}

fn uart() -> (Uart, Effects) {
    (Uart::new(16, 85, 53_200_000, false), Effects::default())
}

#[test]
fn the_divisor_is_the_one_of_the_sheet() {
    let (uart, _) = uart();
    assert_eq!((uart.registers.get(UBRDIV), uart.registers.get(UFRACVAL)), (27, 13));
    assert_eq!(uart.character(), 86_654);
}

#[test]
fn bytes_leave_one_by_one() {
    let (mut uart, mut effects) = uart();
    uart.write(UTXH, Size::Byte, b'a'.into(), &at(0), &mut effects).expect("answers");
    uart.write(UTXH, Size::Byte, b'b'.into(), &at(0), &mut effects).expect("answers");
    uart.advance(86_654, &mut effects);
    assert_eq!(effects.output, b"a");
    uart.advance(2 * 86_654, &mut effects);
    assert_eq!(effects.output, b"ab");
    assert_eq!(uart.next_event(), None);
}

#[test]
fn the_seventeenth_byte_is_a_finding() {
    let (mut uart, mut effects) = uart();
    for _ in 0..16 {
        uart.write(UTXH, Size::Byte, b'x'.into(), &at(0), &mut effects).expect("answers");
    }
    assert_eq!(uart.read(UFSTAT, Size::Word, &at(0), &mut effects).map(|status| status >> 24), Ok(1));
    assert!(effects.findings.is_empty());
    uart.write(UTXH, Size::Byte, b'x'.into(), &at(0), &mut effects).expect("answers");
    assert_eq!(effects.findings[0].kind, FindingKind::UartOverrun);
}

#[test]
fn what_is_typed_interrupts_until_it_is_read() {
    let (mut uart, mut effects) = uart();
    uart.write(UINTM, Size::Word, 0xe, &at(0), &mut effects).expect("answers");
    uart.receive(b"k", 0, &mut effects);
    uart.advance(86_654, &mut effects);
    assert_eq!(effects.lines.last(), Some(&(85, true)));
    assert_eq!(uart.read(URXH, Size::Word, &at(0), &mut effects), Ok(b'k'.into()));
    uart.write(UINTP, Size::Word, 1, &at(0), &mut effects).expect("answers");
    assert_eq!(effects.lines.last(), Some(&(85, false)));
}

/// Reads all that is there, at `time`.
fn read_all(uart: &mut Uart, time: Time, effects: &mut Effects) -> Vec<u8> {
    let mut bytes = Vec::new();
    while uart.read(UTRSTAT, Size::Word, &at(time), effects).expect("answers") & 1 != 0 {
        bytes.push(uart.read(URXH, Size::Word, &at(time), effects).expect("answers") as u8);
    }
    bytes
}

#[test]
fn bytes_arrive_one_by_one() {
    let (mut uart, mut effects) = uart();
    uart.receive(b"ab", 1_000, &mut effects);
    assert_eq!(uart.next_event(), Some(87_654));
    assert_eq!(read_all(&mut uart, 87_653, &mut effects), b"");
    assert_eq!(read_all(&mut uart, 87_654, &mut effects), b"a");
    assert_eq!(uart.next_event(), Some(2 * 86_654 + 1_000));
    assert_eq!(read_all(&mut uart, 1_000_000, &mut effects), b"b");
    assert_eq!(uart.next_event(), None);
}

#[test]
fn what_does_not_fit_waits_outside_and_nothing_is_lost() {
    let (mut uart, mut effects) = uart();
    let typed: Vec<u8> = (0..100).collect();
    uart.receive(&typed, 0, &mut effects);
    // Nobody reads for long: 16 bytes have come, the next one has not begun.
    uart.advance(1_000_000_000, &mut effects);
    assert_eq!(uart.read(UFSTAT, Size::Word, &at(1_000_000_000), &mut effects), Ok(16 | 1 << 8));
    assert_eq!(uart.next_event(), None);
    let mut read = read_all(&mut uart, 1_000_000_000, &mut effects);
    assert_eq!(read.len(), 16);
    while let Some(time) = uart.next_event() {
        read.extend(read_all(&mut uart, time, &mut effects));
    }
    assert_eq!(read, typed);
    assert_eq!(uart.read(UERSTAT, Size::Word, &at(0), &mut effects), Ok(0));
}

#[test]
fn a_byte_that_finds_the_fifo_full_is_lost_and_an_error() {
    let (mut uart, mut effects) = uart();
    uart.receive(b"abc", 0, &mut effects);
    uart.advance(86_654, &mut effects);
    // The second byte is on its way while the FIFO is switched off: there is one place, and it is taken.
    uart.write(UFCON, Size::Word, 0x110, &at(90_000), &mut effects).expect("answers");
    uart.advance(2 * 86_654, &mut effects);
    let now = at(2 * 86_654);
    assert_eq!(uart.read(UINTSP, Size::Word, &now, &mut effects).map(|pending| pending & ERROR), Ok(ERROR));
    assert_eq!(uart.read(UERSTAT, Size::Word, &now, &mut effects), Ok(OVERRUN));
    assert_eq!(uart.read(UERSTAT, Size::Word, &now, &mut effects), Ok(0));
    assert_eq!(read_all(&mut uart, now.time, &mut effects), b"a");
    assert_eq!(read_all(&mut uart, 1_000_000, &mut effects), b"c");
}
