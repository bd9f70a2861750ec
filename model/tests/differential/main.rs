//! Random instructions on the model's core and on `qemu-arm` in user mode: registers, flags, FPSCR and memory must come
//! out the same, without exception. Skipped with a message where `qemu-arm` is not installed.

mod generate;
mod program;
mod random;
mod run;

use generate::Kind;
use program::{Program, RESULT_WORDS, names};

/// Instructions between two looks at the registers.
const LENGTH: usize = 8;
/// Such sequences in one program.
const SEQUENCES: usize = 1000;

/// Runs `rounds` programs of one kind on both and compares.
fn compare(kind: Kind, rounds: u64) {
    if !run::qemu_is_there() {
        eprintln!("skipped: qemu-arm (Debian: qemu-user) is not installed");
        return;
    }
    for seed in 0..rounds {
        let program = Program::random(kind, seed, SEQUENCES, LENGTH);
        let ours = run::on_model(&program);
        let theirs = run::on_qemu(&program);
        assert_eq!(ours.len(), theirs.len(), "both wrote all results");
        let differences = report(&program, &ours, &theirs);
        assert!(differences.is_empty(), "{kind:?}, seed {seed}:\n{}", differences.join("\n"));
    }
}

/// Describes the first sequences that came out differently.
fn report(program: &Program, ours: &[u32], theirs: &[u32]) -> Vec<String> {
    let pairs = ours.chunks(RESULT_WORDS).zip(theirs.chunks(RESULT_WORDS)).enumerate();
    let mut lines = Vec::new();
    for (sequence, (a, b)) in pairs.filter(|(_, (a, b))| a != b).take(5) {
        let words: Vec<String> = program.body(sequence).iter().map(|word| format!("{word:08x}")).collect();
        lines.push(format!("sequence {sequence}: {}", words.join(" ")));
        for (name, (x, y)) in names().zip(a.iter().zip(b)).filter(|(_, (x, y))| x != y) {
            lines.push(format!("  {name}: model {x:08x}, qemu {y:08x}"));
        }
    }
    lines
}

#[test]
fn data_processing() {
    compare(Kind::Data, 5);
}

#[test]
fn multiplication_and_division() {
    compare(Kind::Multiply, 3);
}

#[test]
fn media() {
    compare(Kind::Media, 4);
}

#[test]
fn loads_and_stores() {
    compare(Kind::Memory, 4);
}

#[test]
fn floating_point() {
    compare(Kind::Float, 6);
}

#[test]
fn everything_mixed() {
    compare(Kind::Any, 4);
}
