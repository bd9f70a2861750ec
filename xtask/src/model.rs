//! Running the real board's image on the model of its chip.

use std::fs;
use std::io::{IsTerminal, stdin};
use std::net::{Ipv4Addr, TcpListener};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;
use model::findings::{FindingKind, Findings};
use model::gdb;
use model::load::Image;
use model::machine::exynos5422::{self, BootLoader, Entry, Fault};
use model::machine::{Limits, Machine, Outcome, Show, Typing};

use crate::keyboard::Keyboard;
use crate::out;

/// Where a flat binary goes; ELFs and uImages say it themselves.
const LOAD_ADDRESS: u32 = 0x4200_0000;
/// A run has an end, as long as the boot arguments do not ask for the shell that a board would have.
pub const UNLESS_SAID: &str = "after=halt";
/// Exit code of a run in which the guest was content and the hardware would not have been.
const FOUND: u8 = 1;

/// What the model takes besides the image.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[group(skip)]
pub struct Options {
    /// odroid-xu4: print work, time, energy and temperatures at the end
    #[arg(long)]
    stats: bool,
    /// odroid-xu4: print each access to a device
    #[arg(long)]
    trace: bool,
    /// odroid-xu4: wait on this port for gdb before the first instruction, at most as long as --timeout
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    gdb: Option<u16>,
    /// odroid-xu4: how the kernel is entered: hyp, svc or go
    #[arg(long, value_name = "MODE", default_value = "hyp", hide_default_value = true)]
    entry: Entry,
    /// odroid-xu4: a kind of finding that does not fail the run; may be repeated
    #[arg(long, value_name = "FINDING")]
    allow: Vec<FindingKind>,
    /// odroid-xu4: something that is broken; may be repeated: missing=CORE or silent=CORE (0-3 the A15s, 5-7 the A7s),
    /// counter, interconnect, coherency, pmic, voltage, pll=a15, pll=a7, register=ADDRESS, sensors=CELSIUS,
    /// sensor=NUMBER
    #[arg(long, value_name = "FAULT")]
    fault: Vec<Fault>,
    /// odroid-xu4: which U-Boot hands over, mainline or vendor2012: they leave different voltages
    #[arg(long, value_name = "NAME", default_value = "mainline", hide_default_value = true)]
    boot_loader: BootLoader,
}

#[cfg(test)]
impl Options {
    /// One of them, for tests of where they make sense.
    pub fn with_stats() -> Self {
        Self { stats: true, ..Self::default() }
    }
}

/// Runs the image at `path` and shows its output, which `hear` gets too; the exit code is the guest's, or 1 if
/// something was found.
///
/// # Errors
///
/// If the image cannot be read or does not fit.
pub fn run(
    path: &Path,
    bootargs: &str,
    limit: Duration,
    options: &Options,
    hear: &mut dyn FnMut(&[u8]),
) -> Result<ExitCode> {
    let mut heard = Ok(());
    let mut show = |bytes: &[u8]| {
        hear(bytes);
        heard = out::bytes(bytes);
        if heard.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let bytes = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    let image = Image::any(&bytes, LOAD_ADDRESS)?;
    let board = exynos5422::Options {
        entry: options.entry,
        bootargs: format!("{UNLESS_SAID} {bootargs}"),
        boot_loader: options.boot_loader,
        allowed: options.allow.clone(),
        faults: options.fault.iter().copied().collect(),
        trace: options.trace,
        ..exynos5422::Options::default()
    };
    let mut machine = exynos5422::machine(&image, &board)?;
    eprintln!(
        "odroid-xu4 on the model of its chip, 8 cores. Times follow from a cost model; every run prints the same."
    );
    let begun = Instant::now();
    let limits = Limits { host: limit, ..Limits::default() };
    let outcome = match options.gdb {
        Some(port) => debug(&mut machine, port, path, limit, &mut show)?,
        None => {
            let (_silent, mut typing) = typing();
            machine.run_while(&limits, &mut typing, &mut show)
        }
    };
    heard?;
    let took = begun.elapsed().as_secs_f64();
    if options.stats {
        eprint!("{}", exynos5422::report(&machine));
    }
    let instructions = machine.instructions();
    let speed = instructions as f64 / 1e6 / took;
    eprintln!("{instructions} instructions in {took:.1} s, {speed:.0} million a second");
    tell(&machine.findings);
    eprintln!("odroid-xu4 {}", describe(outcome));
    let code = u8::try_from(outcome.code()).unwrap_or(1);
    let found = machine.findings.failures() > 0;
    Ok(ExitCode::from(if code == 0 && found { FOUND } else { code }))
}

fn debug(
    machine: &mut Machine<exynos5422::Chip>,
    port: u16,
    image: &Path,
    limit: Duration,
    show: &mut Show<'_>,
) -> Result<Outcome> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).with_context(|| format!("port {port}"))?;
    eprintln!("Waiting: gdb-multiarch {} -ex \"target remote :{port}\"", image.display());
    Ok(gdb::serve(machine, &listener, limit, show)?)
}

/// How long a program that pipes its input in may be silent before it counts as one that waits for answers.
const PAUSE: Duration = Duration::from_millis(50);

/// The keyboard, or what another program types.
fn typing() -> (Keyboard, Typing) {
    let (sender, receiver) = mpsc::channel();
    let keyboard = Keyboard::listen(move |bytes| sender.send(bytes.to_vec()).is_ok());
    (keyboard, if stdin().is_terminal() { Typing::live(receiver) } else { Typing::piped(receiver, PAUSE) })
}

fn tell(findings: &Findings) {
    for (finding, count) in findings.iter() {
        let allowed = if findings.allows(finding.kind) { " (allowed)" } else { "" };
        eprintln!("FINDING {count} x {finding}{allowed}");
        finding.trace.iter().filter(|_| allowed.is_empty()).for_each(|place| eprintln!("    {place}"));
    }
    match findings.failures() {
        0 => eprintln!("0 findings"),
        failures => {
            eprintln!("{failures} findings: the board would not have let this pass; --allow NAME allows a kind")
        }
    }
}

fn describe(outcome: Outcome) -> String {
    match outcome {
        Outcome::Ended(ending) => format!("ended: {ending:?}"),
        Outcome::Asleep => "ended: all cores sleep, and nothing will wake them".into(),
        Outcome::Unheard => "was stopped: nobody reads its output".into(),
        Outcome::TimeLimit | Outcome::HostLimit | Outcome::Break(_) => "was stopped; --timeout allows more".into(),
    }
}
