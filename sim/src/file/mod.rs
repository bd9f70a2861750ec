//! Scenarios from files: TOML of our own, and the JSON of rt-app.
//!
//! A file is read whole before anything is made of it. What is wrong with it is said with its name, the line and what
//! was expected.

mod ordered;
mod rt_app;
mod toml;

use std::fmt;
use std::fs;
use std::path::Path;

use crate::bench;
use crate::scenario::Scenario;

pub use rt_app::read_rt_app;

/// A line, from 1 or 0 for none, and what was expected there.
type Wrong = (usize, String);

/// What is wrong with a scenario, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The file.
    pub file: String,
    /// The line, from 1; 0 if it is no particular one.
    pub line: usize,
    /// What was expected and what was found.
    pub what: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(formatter, "{}: {}", self.file, self.what),
            line => write!(formatter, "{}:{line}: {}", self.file, self.what),
        }
    }
}

impl std::error::Error for Mistake {}

/// A scenario with the setups that it asks to be compared, by name.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The scenario.
    pub scenario: Scenario,
    /// The setups; empty if the file names none.
    pub compare: Vec<String>,
}

/// Reads `what`: a file of scenarios (`.toml`, `.json`), the name of one of the corpus below `corpus`, or a benchmark
/// as in the boot arguments of the kernel, such as `looper:n=8,work=28s`.
///
/// # Errors
/// What is wrong with it, and where.
pub fn load(what: &str, corpus: &Path) -> Result<Loaded, Mistake> {
    let path = Path::new(what);
    let known =
        [corpus.join("scenarios").join(format!("{what}.toml")), corpus.join("rt-app").join(format!("{what}.json"))];
    let path = if path.is_file() { path } else { known.iter().find(|path| path.is_file()).map_or(path, |path| path) };
    let read = if path.is_file() { read(path) } else { made(what) };
    let read = read.and_then(|loaded| match loaded.scenario.limit_events() {
        Ok(()) => Ok(loaded),
        Err(what) => Err((0, what)),
    });
    read.map_err(|(line, what)| Mistake { file: path.display().to_string(), line, what })
}

/// A benchmark.
fn made(what: &str) -> Result<Loaded, Wrong> {
    let unknown = || format!("neither a file, nor a scenario of the corpus, nor a benchmark ({})", bench::NAMES);
    let scenario = bench::parse(what).unwrap_or_else(|| Err(unknown())).map_err(|wrong| (0, wrong))?;
    Ok(Loaded { scenario, compare: Vec::new() })
}

fn read(path: &Path) -> Result<Loaded, Wrong> {
    let text = fs::read_to_string(path).map_err(|error| (0, error.to_string()))?;
    let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => toml::read(&name, &text),
        Some("json") => read_rt_app(&name, &text).map(|scenario| Loaded { scenario, compare: Vec::new() }),
        _ => Err((0, "expected a file that ends in .toml or .json".to_owned())),
    }
}

/// The line of a byte, from 1.
fn line_of(text: &str, byte: usize) -> usize {
    1 + text.bytes().take(byte).filter(|&byte| byte == b'\n').count()
}
