//! Boots an image on one of the machines: `cargo run --release -p model --example boot -- virt IMAGE [BOOTARGS]`.

use std::error::Error;
use std::io::Write;
use std::time::{Duration, Instant};

use model::load::Image;
use model::machine::{Limits, Machine, Soc, Typing, exynos5422, virt};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [machine, path, rest @ ..] = arguments.as_slice() else {
        return Err("usage: boot virt|exynos5422 IMAGE [BOOTARGS ...]".into());
    };
    let bytes = std::fs::read(path)?;
    let bootargs = rest.join(" ");
    match machine.as_str() {
        "virt" => {
            let image = Image::any(&bytes, virt::IMAGE_ADDRESS)?;
            run(virt::machine(&image, &virt::Options { bootargs, ..Default::default() })?);
        }
        "exynos5422" => {
            let image = Image::any(&bytes, 0x4200_0000)?;
            run(exynos5422::machine(&image, &exynos5422::Options { bootargs, ..Default::default() })?);
        }
        other => return Err(format!("there is no machine {other:?}").into()),
    }
    Ok(())
}

fn run<P: Soc>(mut machine: Machine<P>) {
    let limits = Limits { host: Duration::from_secs(60), ..Limits::default() };
    let begun = Instant::now();
    let mut show = |bytes: &[u8]| {
        let mut out = std::io::stdout();
        let _ = out.write_all(bytes).and_then(|()| out.flush());
    };
    let outcome = machine.run(&limits, &mut Typing::nothing(), &mut show);
    let seconds = begun.elapsed().as_secs_f64();
    let instructions = machine.instructions();
    eprintln!(
        "{outcome:?} after {:.3} s of model time, {instructions} instructions, {:.0} million a second",
        machine.now() as f64 / 1e9,
        instructions as f64 / 1e6 / seconds
    );
    for core in &machine.cores {
        let function = machine.symbols.describe(core.pc).unwrap_or_default();
        eprintln!("core {} {:?} pc {:#010x} {function} cpsr {:#x}", core.index, core.activity, core.pc, core.cpsr());
    }
    for (finding, count) in machine.findings.iter() {
        eprintln!("{count} x {finding}");
    }
}
