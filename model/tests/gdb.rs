//! The debugger's side of the wire: a breakpoint is met, registers are read, a step is one step.

mod common;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::ControlFlow;
use std::thread;
use std::time::Duration;

use common::program::Program;
use common::{ORIGIN, board};
use model::gdb;
use model::machine::Outcome;
use model::machine::exynos5422::Options;
use model::soc::device::Ending;

/// More than any of these runs takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// One end of GDB's remote protocol.
struct Debugger(TcpStream);

impl Debugger {
    /// Connects, and looks at the core that boots.
    fn attach(address: SocketAddr) -> Self {
        let mut debugger = Self(TcpStream::connect(address).expect("somebody listens"));
        assert!(debugger.ask("qSupported:swbreak+;vContSupported+").contains("swbreak+"));
        assert!(debugger.ask("?").starts_with('T'));
        assert_eq!(debugger.ask("Hg5"), "OK");
        debugger
    }

    /// Sends a packet and gives the answer's text.
    fn ask(&mut self, text: &str) -> String {
        let sum = text.bytes().fold(0_u8, u8::wrapping_add);
        write!(self.0, "${text}#{sum:02x}").expect("connected");
        self.answer()
    }

    fn answer(&mut self) -> String {
        let mut answer = Vec::new();
        while self.byte() != b'$' {}
        loop {
            match self.byte() {
                b'#' => break,
                byte => answer.push(byte),
            }
        }
        // The sum, and our thanks for it.
        self.byte();
        self.byte();
        self.0.write_all(b"+").expect("connected");
        expanded(&answer)
    }

    fn byte(&mut self) -> u8 {
        let mut byte = [0];
        self.0.read_exact(&mut byte).expect("connected");
        byte[0]
    }

    /// The program counter of the core that stopped.
    fn pc(&mut self) -> u32 {
        let registers = self.ask("g");
        let word = u32::from_str_radix(&registers[8 * 15..8 * 16], 16).expect("hexadecimal");
        word.swap_bytes()
    }
}

/// Undoes the protocol's run-length encoding: "*" and a character repeat what was before.
fn expanded(packed: &[u8]) -> String {
    let mut text = String::new();
    let mut bytes = packed.iter();
    while let Some(&byte) = bytes.next() {
        let last = text.chars().next_back();
        match (byte, last) {
            (b'*', Some(last)) => text.extend((29..bytes.next().copied().unwrap_or(29)).map(|_| last)),
            _ => text.push(char::from(byte)),
        }
    }
    text
}

#[test]
fn a_breakpoint_a_step_and_the_end() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("bound");
    let there = thread::spawn(move || {
        // MOV r0, #7 and a way back to it; PS_HOLD ends the run.
        let program = Program::new().word(0xe3a0_0007).word(0xea00_0000).word(0xe3a0_0008).store(0x1004_330c, 0x5200);
        let mut machine = board(&program.sleep(), &Options::default());
        gdb::serve(&mut machine, &listener, PATIENCE, &mut |_| ControlFlow::Continue(())).expect("the connection holds")
    });
    let mut debugger = Debugger::attach(address);
    assert_eq!(debugger.pc(), ORIGIN);
    assert_eq!(debugger.ask(&format!("Z0,{:x},4", ORIGIN + 4)), "OK");
    assert!(debugger.ask("vCont;c").contains("swbreak"));
    assert_eq!(debugger.pc(), ORIGIN + 4);
    assert_eq!(debugger.ask(&format!("m{:x},4", ORIGIN)), "0700a0e3");
    assert_eq!(debugger.ask(&format!("z0,{:x},4", ORIGIN + 4)), "OK");
    assert!(debugger.ask("vCont;s:5;c").starts_with('T'));
    assert_eq!(debugger.pc(), ORIGIN + 12, "the branch was taken");
    assert!(debugger.ask("vCont;c").starts_with("W00"));
    assert_eq!(there.join().expect("it ended well"), Outcome::Ended(Ending::PowerOff));
}

#[test]
fn nobody_is_waited_for_longer_than_the_limit() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let mut machine = board(&Program::new().sleep(), &Options::default());
    let outcome = gdb::serve(&mut machine, &listener, Duration::from_millis(50), &mut |_| ControlFlow::Continue(()));
    assert_eq!(outcome.expect("the port is there"), Outcome::HostLimit);
    assert_eq!(machine.now(), 0, "it never ran");
}

#[test]
fn a_guest_that_does_not_end_is_ended_by_the_limit() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("bound");
    let there = thread::spawn(move || {
        let mut machine = board(&Program::new().word(0xeaff_fffe).sleep(), &Options::default());
        let limit = Duration::from_millis(200);
        gdb::serve(&mut machine, &listener, limit, &mut |_| ControlFlow::Continue(())).expect("the connection holds")
    });
    let mut debugger = Debugger::attach(address);
    // Whoever looks at a machine that stands still may take longer.
    thread::sleep(Duration::from_millis(400));
    assert_eq!(debugger.pc(), ORIGIN);
    assert!(debugger.ask("vCont;c").starts_with("W7c"), "124, as of a time-out");
    assert_eq!(there.join().expect("it ended well"), Outcome::HostLimit);
}
