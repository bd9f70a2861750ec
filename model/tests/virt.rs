//! The image that QEMU's `virt` boots, on the model's machine of that name: the same self-test passes.
//!
//! `cargo xtask test --ring model` builds the image and says where it is.

use std::env;
use std::fs;
use std::time::Duration;

use model::load::Image;
use model::machine::virt::{self, Options};
use model::machine::{Limits, Outcome, Typing};
use model::soc::device::Ending;

/// Long enough for every run but one that never ends, in the host's time.
const PATIENCE: Duration = Duration::from_secs(240);

fn self_test(hyp: bool) {
    let path = env::var_os("GEARSHIFT_IMAGE_QEMU_VIRT").expect("`cargo xtask test --ring model` says where it is");
    let image = Image::elf(&fs::read(path).expect("the image can be read")).expect("it is an ELF");
    let options = Options { hyp, bootargs: "bench=selftest pace=off".into(), ..Options::default() };
    let mut machine = virt::machine(&image, &options).expect("it fits");
    let mut bytes = Vec::new();
    let limits = Limits { host: PATIENCE, ..Limits::default() };
    let outcome = machine.run(&limits, &mut Typing::nothing(), &mut |more| bytes.extend_from_slice(more));
    let text = String::from_utf8_lossy(&bytes);
    assert_eq!(outcome, Outcome::Ended(Ending::Exit(0)), "{text}");
    let found: Vec<String> = machine.findings.iter().map(|(finding, _)| finding.to_string()).collect();
    assert_eq!(found, Vec::<String>::new(), "{text}");
    let lines = |start: &str, end: &str| text.lines().filter(|l| l.starts_with(start) && l.contains(end)).count();
    assert_eq!(lines("CPU ", "state=online"), 8, "{text}");
    assert_eq!(lines("DONE ", " 0 failed"), 1, "{text}");
    assert_eq!(lines("TEST ", "… "), lines("TEST ", "… ok") + lines("TEST ", "… skipped"), "{text}");
    assert!(lines("TEST ", "… ok") > 40, "{text}");
}

#[test]
fn eight_cores_pass_the_self_test_entered_in_svc() {
    self_test(false);
}

#[test]
fn and_entered_in_hyp() {
    self_test(true);
}
