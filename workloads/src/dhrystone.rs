//! An integer kernel in the shape of Dhrystone 2.1 (Weicker, 1988): records linked by reference, strings compared, a
//! two-dimensional array, and short procedures that call each other. Many tasks run it at once, more than there are
//! cores.
//!
//! The mix of statements is Weicker's, the code is not: its numbers compare with each other only.

use core::hint::black_box;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use abi::crew::Crew;
use abi::{clock, println};

use crate::decimal::Decimal;
use crate::init::Outcome;
use crate::machine::Machine;
use crate::request::Request;
use crate::scene::{Labels, Scene, moves, refused};
use crate::spread::Spread;

const MAX_THREADS: usize = 32;
const DEFAULT_THREADS: u32 = 20;
const DEFAULT_LOOPS: u32 = 4_000;

const SOME: &[u8; 30] = b"DHRYSTONE PROGRAM, SOME STRING";
const FIRST: &[u8; 30] = b"DHRYSTONE PROGRAM, 1'ST STRING";
const SECOND: &[u8; 30] = b"DHRYSTONE PROGRAM, 2'ND STRING";

static LOOPS: AtomicU32 = AtomicU32::new(0);
static START: AtomicU64 = AtomicU64::new(0);
static ENDS: Spread = Spread::new();
static FIRST_END: AtomicU64 = AtomicU64::new(0);
static MOVES: AtomicU32 = AtomicU32::new(0);

/// Runs the benchmark: arguments `threads` and `loops` (of each).
pub fn run(request: &Request<'_>, machine: &Machine) -> Outcome {
    request.expect_only(&["threads", "loops"]);
    match measure(request, machine) {
        Ok(outcome) => outcome,
        Err(error) => refused("dhrystone", error),
    }
}

fn measure(request: &Request<'_>, machine: &Machine) -> abi::Result<Outcome> {
    let threads = request.number("threads", 1..=MAX_THREADS as u32).unwrap_or(DEFAULT_THREADS);
    let loops = request.number("loops", 1..=1_000_000_000).unwrap_or(DEFAULT_LOOPS);
    LOOPS.store(loops, Ordering::Relaxed);
    MOVES.store(0, Ordering::Relaxed);
    FIRST_END.store(u64::MAX, Ordering::Relaxed);
    ENDS.clear();
    let scene = Scene::begin()?;
    START.store(clock::now(), Ordering::Relaxed);
    let mut crew = Crew::<MAX_THREADS>::new();
    for index in 0..threads {
        crew.start(machine.0.online, thread, index as usize)?;
    }
    let unwell = crew.wait()?;
    let drawn = scene.end()?;
    let rounds = u64::from(threads) * u64::from(loops);
    println!(
        "BENCH name=dhrystone {} threads={threads} loops={loops} first_end_ms={} last_end_ms={} rounds_per_s={} moves={} {drawn}",
        Labels(machine),
        Decimal::milliseconds(FIRST_END.load(Ordering::Relaxed)),
        Decimal::milliseconds(ENDS.most()),
        rounds * 1_000_000_000 / drawn.elapsed.max(1),
        MOVES.load(Ordering::Relaxed),
    );
    Ok(if unwell == 0 { Outcome::Passed } else { Outcome::Failed })
}

fn thread(_: usize) {
    let loops = LOOPS.load(Ordering::Relaxed);
    let end = Globals::new().rounds(loops);
    if !end.is_right(loops) {
        abi::task::exit(1);
    }
    let took = clock::now() - START.load(Ordering::Relaxed);
    ENDS.add(took);
    FIRST_END.fetch_min(took, Ordering::Relaxed);
    MOVES.fetch_add(moves(), Ordering::Relaxed);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Identity {
    One,
    Two,
    Three,
}

#[derive(Clone, Copy)]
struct Record {
    kind: Identity,
    component: i32,
    text: [u8; 30],
}

/// The variables that all procedures share. The field is smaller than the original one, as stacks are small here.
struct Globals {
    integer: i32,
    flag: bool,
    letters: [u8; 2],
    row: [i32; 50],
    field: [[i32; 20]; 30],
    records: [Record; 2],
    last: [i32; 3],
}

impl Globals {
    fn new() -> Globals {
        let record = Record { kind: Identity::One, component: 40, text: *SOME };
        let mut field = [[0; 20]; 30];
        field[8][7] = 10;
        Globals {
            integer: 0,
            flag: false,
            letters: [b'A', b'B'],
            row: [0; 50],
            field,
            records: [record; 2],
            last: [0; 3],
        }
    }

    fn rounds(mut self, loops: u32) -> Globals {
        for _ in 0..loops {
            self.round();
        }
        self
    }

    fn round(&mut self) {
        self.letters[0] = b'A';
        self.flag = self.letters[0] == b'A' || self.flag;
        self.letters[1] = b'B';
        let (mut one, two, mut three) = (2, 3, 0);
        let text = black_box(*SECOND);
        self.flag = !greater(black_box(FIRST), &text);
        while one < two {
            three = 5 * one - two;
            three = seven(one, two).max(three);
            one += 1;
        }
        self.eight(one, three);
        self.exchange();
        let mut index = b'A';
        while index <= self.letters[1] {
            if same_letter(index, b'C') {
                self.integer += 1;
            }
            index += 1;
        }
        let product = two * one;
        let quotient = product / black_box(three);
        self.last = [quotient.max(1), 7 * (product - three) - quotient, three];
    }

    /// Fills a few places of both arrays.
    fn eight(&mut self, first: i32, second: i32) {
        let at = (first + 5) as usize;
        self.row[at] = second;
        self.row[at + 1] = self.row[at];
        self.row[at + 30] = at as i32;
        for column in at..=at + 1 {
            self.field[at][column] = at as i32;
        }
        self.field[at][at - 1] += 1;
        self.field[at + 20][at] = self.row[at];
        self.integer = 5;
    }

    /// Copies one record over the other and changes it.
    fn exchange(&mut self) {
        let [from, to] = &mut self.records;
        *to = black_box(*from);
        to.component = 5;
        to.kind = match from.kind {
            Identity::One if to.component > 0 => Identity::Two,
            Identity::One | Identity::Two => Identity::Three,
            Identity::Three => Identity::One,
        };
        if to.kind == Identity::Two {
            to.component = seven(from.component, 10) - self.integer;
        }
    }

    /// Whether all variables have the values that they must have after so many rounds.
    fn is_right(&self, loops: u32) -> bool {
        self.integer == 5
            && self.flag
            && self.letters == [b'A', b'B']
            && self.row[8] == 7
            && self.field[8][7] == 10 + loops as i32
            && self.records[1].kind == Identity::Two
            && self.records[1].component == 47
            && self.records[1].text == *SOME
            && self.last[2] == 7
    }
}

#[inline(never)]
fn seven(first: i32, second: i32) -> i32 {
    first + 2 + second
}

#[inline(never)]
fn same_letter(first: u8, second: u8) -> bool {
    first == second
}

#[inline(never)]
fn greater(first: &[u8; 30], second: &[u8; 30]) -> bool {
    !same_letter(first[2], second[3]) && first > second
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_as_it_should_however_long_it_runs() {
        for loops in [1, 2, 1_000] {
            assert!(Globals::new().rounds(loops).is_right(loops), "{loops} rounds");
        }
        assert!(!Globals::new().rounds(3).is_right(4));
    }
}
