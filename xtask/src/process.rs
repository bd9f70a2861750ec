//! Other programs, started so that a person sees that something goes on and nothing lasts for ever.

use std::io::{BufRead, BufReader, IsTerminal, Read, stderr};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use indicatif::ProgressBar;

use crate::out;

/// How often a running program is looked at, and the spinner moves.
const GLANCE: Duration = Duration::from_millis(100);

/// How much of a failed program's last words is repeated.
const LAST_LINES: usize = 12;

/// Runs a program that is of no interest as long as it works, for `limit` at most, behind a spinner that says `title`.
///
/// # Errors
///
/// If it fails or lasts too long, with its last words from stderr.
pub fn quietly(command: &mut Command, title: &str, limit: Duration) -> Result<()> {
    let spinner = spinner(title);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("starting {}", name(command)))?;
    let pipe = child.stderr.take().context("its stderr is piped")?;
    let words = thread::spawn(move || last_lines(pipe));
    let status = wait(&mut child, limit);
    spinner.finish_and_clear();
    let status = status.with_context(|| format!("{} took more than {} s", name(command), limit.as_secs()))?;
    let words = words.join().unwrap_or_default();
    if !status.success() {
        bail!("{} failed ({status}):\n{words}", name(command));
    }
    Ok(())
}

/// Runs a program and gives what it wrote to stdout; `None` if it cannot be started or fails.
pub fn answer(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Runs a program whose stdout passes through and is read along, line by line.
///
/// # Errors
///
/// If it cannot be started or waited for.
pub fn read_along(command: &mut Command, mut on_line: impl FnMut(&str)) -> Result<ExitStatus> {
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("starting {}", name(command)))?;
    let stdout = child.stdout.take().context("its stdout is piped")?;
    for line in BufReader::new(stdout).split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        out::line(&line)?;
        on_line(&line);
    }
    Ok(child.wait()?)
}

/// A spinner on a terminal, a plain line elsewhere.
fn spinner(title: &str) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message(title.to_owned());
    spinner.enable_steady_tick(GLANCE);
    if !stderr().is_terminal() {
        eprintln!("{title} ...");
    }
    spinner
}

/// `None` if the child had to be killed because its time was up.
fn wait(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let deadline = Instant::now() + limit;
    while Instant::now() < deadline {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        thread::sleep(GLANCE);
    }
    // Both fail only for a child that ended by itself just now.
    let _killed = child.kill();
    let _reaped = child.wait();
    None
}

fn last_lines(mut pipe: impl Read) -> String {
    let mut bytes = Vec::new();
    // A broken pipe ends the text; what came before it is what there is to show.
    let _end = pipe.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
}

/// The program and its first words, enough to know which call it was.
fn name(command: &Command) -> String {
    let program = command.get_program();
    let words = std::iter::once(program).chain(command.get_args().take(4));
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_secs(10);

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_failure_repeats_the_last_words() {
        let error = quietly(&mut shell("echo no room >&2; exit 4"), "failing", SOON);
        assert!(error.expect_err("it exits with 4").to_string().contains("no room"));
    }

    #[test]
    fn what_lasts_too_long_is_ended() {
        let error = quietly(&mut shell("exec sleep 60"), "sleeping", Duration::from_millis(200));
        assert!(error.expect_err("it sleeps on").to_string().contains("took more than"));
    }

    #[test]
    fn an_answer_is_trimmed_and_a_failure_is_none() {
        assert_eq!(answer(&mut shell("echo yes")), Some("yes".to_owned()));
        assert_eq!(answer(&mut shell("echo yes; exit 1")), None);
        assert_eq!(answer(&mut Command::new("no-such-program")), None);
    }

    #[test]
    fn lines_are_read_along() {
        let mut lines = Vec::new();
        let status = read_along(&mut shell("echo a; echo b"), |line| lines.push(line.to_owned()));
        assert!(status.expect("sh starts").success());
        assert_eq!(lines, ["a", "b"]);
    }
}
