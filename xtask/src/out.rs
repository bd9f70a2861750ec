//! What a verb says on standard output. A disk may be full, and a reader may have gone: neither is a reason to panic.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write, stdout};

use anyhow::{Context, Result};

use crate::failure::Failure;

/// Says a line.
///
/// # Errors
///
/// [`Failure::Unheard`] if nobody reads any more; or what the system says.
pub fn line(text: impl Display) -> Result<()> {
    bytes(format!("{text}\n").as_bytes())
}

/// Says what may be no line yet, or many.
///
/// # Errors
///
/// As [`line`].
pub fn bytes(bytes: &[u8]) -> Result<()> {
    let mut out = stdout();
    // What is only buffered would be lost without a word.
    written(out.write_all(bytes).and_then(|()| out.flush()))
}

/// What a write to standard output came to.
///
/// # Errors
///
/// As [`line`].
pub fn written(result: io::Result<()>) -> Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::Unheard.into()),
        other => other.context("writing to standard output"),
    }
}
