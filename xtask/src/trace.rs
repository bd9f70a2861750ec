//! `trace`: what a kernel recorded, for ui.perfetto.dev and chrome://tracing.

use std::fmt::Display;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::{files, out};

/// What `trace` takes.
#[derive(Args)]
pub struct Options {
    /// Output of a run with trace=on; - for standard input
    log: PathBuf,
    /// Where the JSON goes; without it, beside the log with the ending .trace.json
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Converts the events of a log.
///
/// # Errors
///
/// If the log cannot be read, has no events or one that is no event, or the file cannot be written.
pub fn run(options: &Options) -> Result<ExitCode> {
    let piped = options.log.as_os_str() == "-";
    let json = match &options.out {
        Some(json) => json.clone(),
        None if piped => PathBuf::from("recorded.trace.json"),
        None => options.log.with_extension("trace.json"),
    };
    if !piped {
        files::apart(&options.log, &json)?;
    }
    let text = read(&options.log, piped).with_context(|| format!("reading {}", options.log.display()))?;
    let count = write(&text, &json).with_context(|| options.log.display().to_string())?;
    out::line(format_args!("{count} events in {}: open it in ui.perfetto.dev", json.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// A serial line may have lost or broken bytes, which is no reason to lose the rest.
fn read(log: &Path, piped: bool) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    if piped {
        std::io::stdin().read_to_end(&mut bytes)?;
    } else {
        bytes = fs::read(log)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes the events among the lines of `text` to `out`, and says how many they are. Lines that a serial line has
/// broken are left out, and counted.
///
/// # Errors
///
/// If there are none, none can be read, or the file cannot be written; nothing is written then.
pub fn write(text: &str, out: &Path) -> Result<usize> {
    let events = text.lines().filter(|line| line.trim_start().starts_with("EVENT "));
    let (whole, broken): (Vec<&str>, Vec<&str>) = events.partition(|line| sim::check::read_trace(line).is_ok());
    match (whole.first(), broken.first()) {
        (None, None) => bail!("expected lines that begin with EVENT, found none; boot with trace=on"),
        (None, Some(line)) => bail!("expected events, found \"{}\"", line.trim()),
        (Some(_), Some(line)) => {
            eprintln!("{} lines left out that are no events, the first \"{}\"", broken.len(), line.trim())
        }
        (Some(_), None) => {}
    }
    let trace = sim::check::read_trace(&whole.join("\n")).map_err(anyhow::Error::msg)?;
    let json = sim::report::recorded(&trace, |cpu| name(text, &cpu))?;
    fs::write(out, json).with_context(|| format!("writing {}", out.display()))?;
    Ok(trace.len())
}

/// A CPU is called by its kind if the log has its CPU line.
fn name(text: &str, cpu: &impl Display) -> String {
    let id = format!("id={cpu}");
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix("CPU "));
    let mut words = lines.filter(|line| line.split(' ').any(|word| word == id)).flat_map(str::split_whitespace);
    match words.find_map(|word| word.strip_prefix("class=")) {
        Some(class) => format!("CPU {cpu} {class}"),
        None => format!("CPU {cpu}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "CPU id=1 mpidr=0x001 class=big capacity=1024 state=online\r
EVENT cpu=1 t_us=10 event=switch task=3\r
EVENT cpu=1 t_us=30 event=migrate task=3 from=1 to=2 why=misfit\r
EVENT cpu=2 t_us=31 event=switch task=3\r
EVENT cpu=2 t_us=50 event=idle\r
";

    fn written(text: &str) -> Result<String> {
        let folder = tempfile::tempdir()?;
        let out = folder.path().join("a.json");
        let written = write(text, &out);
        assert_eq!(written.is_ok(), out.exists(), "all of it or nothing");
        written?;
        Ok(fs::read_to_string(out)?)
    }

    #[test]
    fn runs_and_moves_are_drawn() {
        let json = written(LOG).expect("it has events");
        for part in ["CPU 1 big", "CPU 2", "\"dur\":19.0", "misfit: 3 from 1"] {
            assert!(json.contains(part), "{part} in {json}");
        }
    }

    #[test]
    fn what_is_no_trace_is_refused() {
        let error = |text| format!("{:#}", written(text).expect_err("no trace"));
        assert!(error("BOOT version=1").contains("trace=on"));
        assert!(error("EVENT cpu=1 t_us=10 event=flies task=3").contains("flies"));
    }

    #[test]
    fn a_broken_line_does_not_lose_the_others() {
        let json = written(&format!("{LOG}EVENT cpu=1 t_u#s=3\r\n")).expect("it has events");
        assert!(json.contains("misfit: 3 from 1"), "{json}");
    }
}
