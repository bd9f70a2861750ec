//! What nobody should type, and where nobody should write to: one clear line, an exit code that is not 0, and nothing
//! half-written.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use serialport::{SerialPort, TTYPort};
use tempfile::TempDir;

/// Something that is simulated at once.
const SHORT: [&str; 4] = ["sim", "looper:n=1,work=1ms", "--policy", "pull"];

/// Two events and all that a trace needs.
const LOG: &str = "EVENT cpu=1 t_us=10 event=switch task=3\nEVENT cpu=1 t_us=30 event=idle\n";

fn xtask(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(words).stdin(Stdio::null());
    command
}

fn output(words: &[&str]) -> Output {
    xtask(words).output().expect("it starts")
}

/// What it said on stderr, which is one line, and its exit code.
fn refused(output: &Output) -> (String, Option<i32>) {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(said.trim_end().lines().count(), 1, "one line: {said}");
    assert!(said.starts_with("error: "), "{said}");
    (said, output.status.code())
}

fn text(path: &Path) -> &str {
    path.to_str().expect("plain names")
}

/// A folder with a log in it.
fn folder() -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    fs::write(&log, LOG).expect("there is room");
    let log = text(&log).to_owned();
    (folder, log)
}

/// Verbs that print something at once.
fn talkative(log: &str) -> Vec<Vec<String>> {
    let words: [&[&str]; 4] = [&SHORT, &["trace", log], &["sim", "--check", log], &["--help"]];
    words.iter().map(|words| words.iter().map(|word| (*word).to_owned()).collect()).collect()
}

#[test]
fn a_full_disk_is_said() {
    let (_folder, log) = folder();
    for words in talkative(&log) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let full = File::options().write(true).open("/dev/full").expect("every Linux has it");
        let output = xtask(&words).stdout(full).output().expect("it starts");
        let (said, code) = refused(&output);
        assert!(said.contains("standard output") && said.contains("space"), "{words:?}: {said}");
        assert_eq!(code, Some(1), "{words:?}");
    }
}

#[test]
fn a_reader_who_has_gone_is_no_error() {
    let (_folder, log) = folder();
    for words in talkative(&log) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = xtask(&words).stdout(writer).output().expect("it starts");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words:?}");
        assert_eq!(output.status.code(), Some(141), "{words:?}");
    }
}

#[test]
fn what_is_read_is_not_written() {
    let (folder, log) = folder();
    let name = |name: &str| text(&folder.path().join(name)).to_owned();
    fs::hard_link(&log, name("hard")).expect("linked");
    std::os::unix::fs::symlink(&log, name("soft")).expect("linked");
    for out in ["log", "hard", "soft", "./log"] {
        let (said, code) = refused(&output(&["trace", &log, "-o", &name(out)]));
        assert!(said.contains("another file") && code == Some(2), "{out}: {said}");
        assert_eq!(fs::read_to_string(&log).expect("it is there"), LOG);
    }
    let (said, _) = refused(&output(&["console", &log, "--log", &log]));
    assert!(said.contains("another file"), "{said}");
    let scenario = name("pull.trace.json");
    fs::write(&scenario, "{}").expect("there is room");
    let (said, _) = refused(&output(&["sim", &scenario, "--out", text(folder.path())]));
    assert!(said.contains("another file"), "{said}");
}

#[test]
fn files_of_others_are_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let theirs = folder.path().join("README.md");
    fs::write(&theirs, "# My own notes\n").expect("there is room");
    let (said, code) = refused(&output(&["image", "--out", text(folder.path())]));
    assert!(said.contains("somebody else's") && code == Some(2), "{said}");
    assert_eq!(fs::read_to_string(&theirs).expect("it is there"), "# My own notes\n");
}

#[test]
fn boot_arguments_that_would_be_cut_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let card = folder.path().join("card");
    let long = format!("bench={}", "x".repeat(2_000));
    let most = |words: &[&str]| {
        let (said, code) = refused(&output(words));
        assert_eq!(code, Some(2), "{said}");
        said.split_once("expected at most ").and_then(|(_, rest)| rest.split_once(',')).map(|(most, _)| most.to_owned())
    };
    assert_eq!(most(&["image", "--out", text(&card), "--bootargs", &long]).as_deref(), Some("493"));
    assert!(!card.exists(), "nothing is half-written");
    assert_eq!(most(&["run", "--bootargs", &long]).as_deref(), Some("501"));
    assert_eq!(most(&["run", "qemu-virt", "--bootargs", &long]).as_deref(), Some("512"));
    assert_eq!(most(&["bench", "qemu-virt", "--set", &long]).as_deref(), Some("512"));
}

#[test]
fn numbers_out_of_range_are_refused() {
    for (words, what) in [
        (&["console", "/dev/null", "--baud", "0"][..], "50..=4000000"),
        (&["run", "--timeout", "0"], "1..=86400"),
        (&["run", "--gdb", "0"], "1..=65535"),
        (&["run", "--fault", "missing=4"], "cannot be broken"),
    ] {
        let output = output(words);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(what), "{words:?}: {said}");
        assert_eq!(output.status.code(), Some(2), "{words:?}");
    }
}

#[test]
fn what_cannot_be_done_is_refused_before_anything_is_made() {
    let folder = tempfile::tempdir().expect("a folder");
    let new = text(&folder.path().join("new")).to_owned();
    for (words, what) in [
        (&["sim", "looper:n=1,work=1ms", "--out", "/dev/null"][..], "is no folder"),
        (&["bench", "--out", "/dev/null"], "is no folder"),
        (&["image", "--out", "/dev/null"], "is no folder"),
        (&["sim", "looper:n=1,work=1ms", "--policy", "gear,gear", "--out", &new], "\"gear\" twice"),
        (&["sim", "looper:n=1,work=1ms", "--policy", "nosuch", "--out", &new], "expected a policy"),
        (&["sim", "nosuch", "--out", &new], "neither a file"),
        (&["bench", "--set", "nosuch", "--out", &new], "expected one of looper"),
        (&["bench", "qemu-virt", "--set", "selftest", "--out", &new], "expected benchmarks"),
        (&["flash", "/"], "this machine lives there"),
        (&["trace", "/dev/null", "-o", &new], "found none"),
        (&["image", "qemu-virt", "--out", &new], "no card"),
        (&["image", "--out", &new, "--bootargs", "a;b"], "would not survive"),
    ] {
        let (said, _) = refused(&output(words));
        assert!(said.contains(what), "{words:?}: {said}");
        assert!(!Path::new(&new).exists(), "{words:?}");
    }
}

/// A terminal as a person has it, and its name.
fn terminal() -> (TTYPort, String) {
    let (person, line) = TTYPort::pair().expect("pseudo-terminals");
    let name = line.name().expect("it has a name");
    assert!(stty(&name, "sane").is_some());
    (person, name)
}

fn stty(terminal: &str, what: &str) -> Option<String> {
    let output = Command::new("stty").args(["-F", terminal, what]).output().expect("coreutils");
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn echoes(terminal: &str) -> bool {
    stty(terminal, "-a").expect("it is one").split([' ', '\n']).any(|word| word == "echo")
}

fn comes(what: impl Fn() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(20) {
        if what() {
            return true;
        }
        thread::sleep(Duration::from_millis(20));
    }
    false
}

/// Starts the console, which has no room for its log, between a person's terminal and a board; ends it by `how`.
fn console_until(how: impl FnOnce(&mut TTYPort, &mut TTYPort)) -> Option<i32> {
    let (mut person, terminal) = terminal();
    let (mut board, line) = TTYPort::pair().expect("pseudo-terminals");
    let open = || File::options().read(true).write(true).open(&terminal).expect("it is there");
    let tty = line.name().expect("it has a name");
    drop(line);
    assert!(echoes(&terminal));
    let words = ["console", &tty, "--log", "/dev/full"];
    let mut child = xtask(&words).stdin(open()).stdout(open()).stderr(Stdio::null()).spawn().expect("xtask");
    assert!(comes(|| !echoes(&terminal)), "what is typed is echoed by the board, and by nobody else");
    how(&mut person, &mut board);
    let code = child.wait().expect("it ends").code();
    assert!(echoes(&terminal), "the terminal is as it was");
    code
}

#[test]
fn a_terminal_is_silent_while_a_board_echoes_and_as_it_was_afterwards() {
    assert_eq!(console_until(|_, board| board.write_all(b"hello").expect("there is room")), Some(1));
    let typed = console_until(|person, board| {
        person.write_all(b"x\r").expect("there is room");
        let mut bytes = [0; 2];
        board.set_timeout(Duration::from_secs(20)).expect("it can wait");
        board.read_exact(&mut bytes).expect("it is passed on");
        assert_eq!(&bytes, b"x\r");
        person.write_all(b"\x03").expect("there is room");
    });
    assert_eq!(typed, Some(130), "Ctrl-C ends it");
}

#[test]
fn what_would_be_simulated_for_hours_is_refused() {
    for scenario in
        ["periodic:period=1us", "looper:work=1000000s", "soak:time=1000000s", "schbench:rate=1000000,time=1000s"]
    {
        let (said, code) = refused(&output(&["sim", scenario]));
        assert!(said.contains("expected at most 100 million") && code == Some(2), "{scenario}: {said}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("still.json");
    fs::write(&file, "{ \"global\": { \"duration\": 1 },\n\"tasks\": { \"a\": {\n\"loop\": -1, \"run\": 0 } } }")
        .expect("room");
    let (said, code) = refused(&output(&["sim", text(&file)]));
    assert!(said.contains("still.json:3: expected steps in a loop that take time") && code == Some(2), "{said}");
}
