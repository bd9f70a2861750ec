//! Errors that have an exit code of their own.

use std::fmt;
use std::process::ExitCode;

/// The signal that ends a program which writes to a pipe without a reader.
const SIGPIPE: u8 = 13;

/// Why a verb cannot do its work at all; any other error is a failure of the work (exit code 1).
#[derive(Debug)]
pub enum Failure {
    /// What was asked for does not exist (2).
    Usage(String),
    /// This machine lacks something (3); the text says what to do next.
    Missing(String),
    /// Whoever read standard output has gone (141, as shells have it for SIGPIPE): there is nothing to say to nobody.
    Unheard,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) | Self::Missing(text) => f.write_str(text),
            Self::Unheard => f.write_str("nobody reads standard output"),
        }
    }
}

impl std::error::Error for Failure {}

/// Says what is wrong, as far as that is anybody's concern, and gives the exit code that tells a script what kind of
/// error this is.
pub fn report(error: &anyhow::Error) -> ExitCode {
    if !matches!(error.downcast_ref(), Some(Failure::Unheard)) {
        eprintln!("error: {error:#}");
    }
    ExitCode::from(code(error))
}

fn code(error: &anyhow::Error) -> u8 {
    match error.downcast_ref() {
        Some(Failure::Usage(_)) => 2,
        Some(Failure::Missing(_)) => 3,
        Some(Failure::Unheard) => 128 + SIGPIPE,
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_survives_added_context() {
        let missing = anyhow::Error::new(Failure::Missing("no apt-get".into())).context("setting up");
        assert_eq!(code(&missing), 3);
        assert_eq!(code(&Failure::Usage("no such ring".into()).into()), 2);
        assert_eq!(code(&anyhow::anyhow!("it broke")), 1);
    }
}
