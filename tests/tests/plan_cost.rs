//! What a plan for 24 tasks costs on an ARM core, counted: program `plan-cost` in QEMU, where one instruction is one nanosecond.
//!
//! It runs only when asked for (`cargo xtask test --ring qemu`), which builds the program and names it in `GEARSHIFT_PLAN_COST`.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

/// The planner is to stay below 50 µs of a core that does 1.2 instructions a nanosecond.
const MOST_INSTRUCTIONS: u32 = 60_000;
/// A plan is made on the stack of whoever runs the slow loop.
const MOST_STACK: u32 = 4_096;

fn run(program: PathBuf) -> Result<String> {
    let qemu = qemu::find().context("qemu-system-arm is not installed")?;
    let mut machine = Command::new(qemu)
        .args(["-M", "virt", "-cpu", "cortex-a15", "-m", "64M", "-icount", "shift=0", "-nic", "none"])
        .args(["-display", "none", "-monitor", "none", "-serial", "none"])
        .args(["-semihosting-config", "enable=on,target=native", "-kernel"])
        .arg(program)
        .env("QEMU_AUDIO_DRV", "none")
        // Semihosting writes to the error stream.
        .stderr(Stdio::piped())
        .spawn()?;
    let mut stream = machine.stderr.take().context("it was asked for")?;
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        stream.read_to_string(&mut text).map(|_| text)
    });
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = machine.try_wait()? {
            break status;
        }
        if begun.elapsed() > Duration::from_secs(60) {
            machine.kill()?;
            bail!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let text = reader.join().expect("reading does not panic")?;
    ensure!(status.success(), "it ended with {status}:\n{text}");
    Ok(text)
}

#[test]
fn a_plan_for_24_tasks_stays_within_its_budget() -> Result<()> {
    let program = std::env::var_os("GEARSHIFT_PLAN_COST").context("run by `cargo xtask test --ring qemu`")?;
    let text = run(program.into())?;
    println!("{text}");
    let plans = text.lines().filter(|line| line.starts_with("PLAN class=")).count();
    ensure!(plans == 7 * 3 * 4 * 2, "every price list, idle power and set of tasks, whole and cut: {plans} plans");
    let sum = text.lines().find(|line| line.starts_with("PLAN tasks=24")).context("it sums up")?;
    let number = |key: &str| -> Result<u32> {
        let word = sum.split_whitespace().find_map(|word| word.strip_prefix(key)).context("it is there")?;
        Ok(word.parse()?)
    };
    let (instructions, stack) = (number("most_insn=")?, number("stack_bytes=")?);
    ensure!(instructions <= MOST_INSTRUCTIONS, "{instructions} instructions");
    ensure!(stack <= MOST_STACK, "{stack} bytes of stack");
    Ok(())
}
