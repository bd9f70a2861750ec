//! A program that goes through the system level - modes, banked registers, translation and its faults, exceptions,
//! maintenance, exclusives, the floating-point unit, an interrupt in a wait - and notes what it sees, on QEMU's `virt`
//! and on the model's: both must note the same. Skipped with a message where QEMU is not installed.

mod program;

use std::process::{Command, Stdio};

use model::load::Image;
use model::machine::virt::{self, Options};
use model::machine::{Limits, Outcome, Typing};
use model::soc::device::Ending;

/// Words that the program notes.
const NOTES: usize = 116;

fn image() -> Vec<u8> {
    program::words().flat_map(|word| word.to_le_bytes()).collect()
}

fn on_model(cores: usize) -> Vec<u8> {
    let image = Image::flat(&image(), virt::IMAGE_ADDRESS);
    let mut machine = virt::machine(&image, &Options { cores, ..Options::default() }).expect("it fits");
    let mut output = Vec::new();
    let limits = Limits { model: 1_000_000_000, ..Limits::default() };
    let outcome = machine.run(&limits, &mut Typing::nothing(), &mut |bytes| output.extend(bytes));
    assert_eq!(outcome, Outcome::Ended(Ending::Exit(0)));
    let found: Vec<String> = machine.findings.iter().map(|(finding, _)| finding.to_string()).collect();
    assert_eq!(found, Vec::<String>::new());
    output
}

fn on_qemu() -> Option<Vec<u8>> {
    const QEMU: &str = "qemu-system-arm";
    if !Command::new(QEMU).arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success()) {
        return None;
    }
    let path = std::env::temp_dir().join(format!("system-check-{}.bin", std::process::id()));
    std::fs::write(&path, image()).expect("the temporary folder is writable");
    let machine = ["-M", "virt,gic-version=2", "-cpu", "cortex-a15", "-m", "512", "-nic", "none", "-semihosting"];
    let console = ["-display", "none", "-serial", "stdio", "-monitor", "none", "-kernel"];
    let output = Command::new(QEMU).args(machine).args(console).arg(&path).stdin(Stdio::null()).output();
    std::fs::remove_file(&path).expect("the file is there");
    let output = output.expect("QEMU starts");
    assert!(output.status.success(), "QEMU: {}", String::from_utf8_lossy(&output.stderr));
    Some(output.stdout)
}

fn words(bytes: &[u8]) -> Vec<String> {
    bytes.chunks(4).map(|word| format!("{:08x}", u32::from_le_bytes(word.try_into().expect("four bytes")))).collect()
}

#[test]
fn the_model_and_qemu_see_the_same() {
    let Some(theirs) = on_qemu() else {
        eprintln!("skipped: qemu-system-arm is not installed");
        return;
    };
    let ours = on_model(1);
    assert_eq!(words(&ours), words(&theirs));
    assert_eq!(words(&ours).len(), NOTES);
}

#[test]
fn it_sees_the_same_twice() {
    assert_eq!(words(&on_model(8)), words(&on_model(8)));
}
