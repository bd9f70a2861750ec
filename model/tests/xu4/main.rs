//! The image of the real board, unmodified, from U-Boot's hand-over to its last line.
//!
//! `cargo xtask test --ring model` builds the image and says where it is.

mod board;
mod climate;
mod faults;
mod learned;
mod missing;

use board::{entered, run, run_for};
use model::machine::exynos5422::{BootLoader, Entry, Options};

#[test]
fn eight_cores_come_up_and_pass_the_self_test_in_hyp() {
    let run = run("bench=selftest", Options { instant_uart: true, ..entered(Entry::Hyp) });
    run.assert_self_test("hyp");
    assert_eq!(run.cpus("online"), 8, "{}", run.text);
}

#[test]
fn and_in_svc() {
    // The lowest clocks, for a change, and a serial line that takes its time.
    let run = run("bench=selftest governor=powersave", entered(Entry::Svc));
    run.assert_self_test("svc");
    assert_eq!(run.cpus("online"), 8, "{}", run.text);
}

#[test]
fn and_by_go_without_boot_arguments() {
    // Without arguments all benchmarks follow; that they begin is enough here.
    let run = run_for(400_000_000, "", entered(Entry::Go));
    assert_eq!(run.findings, Vec::<String>::new(), "{}", run.text);
    assert_eq!(run.cpus("online"), 8, "{}", run.text);
}

#[test]
fn and_by_go_with_arguments() {
    let options = Options { instant_uart: true, ..entered(Entry::Go) };
    let run = run("bench=selftest policy=pull governor=powersave", options);
    run.assert_self_test("go");
    assert!(run.lines("BOOT")[0].contains(" policy=pull "), "{}", run.text);
}

#[test]
fn and_after_the_boot_loader_of_2012() {
    let options = Options { boot_loader: BootLoader::Vendor2012, ..Options::default() };
    run("bench=looper:n=2,work=2ms", options).assert_well("2012");
}

#[test]
fn whatever_numbers_the_interrupt_controller_gives_them_they_run() {
    let options = Options { gic_interfaces: [4, 5, 6, 7, 0, 1, 2, 3], ..Options::default() };
    run("bench=looper:n=8,work=2ms", options).assert_well("other numbers");
}

#[test]
fn twice_the_same_bytes() {
    let once = || run("bench=looper:n=8,work=5ms policy=pull", Options::default());
    let (first, second) = (once(), once());
    assert_eq!(first.text, second.text);
    assert_eq!(first.instructions, second.instructions);
}
