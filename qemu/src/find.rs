//! Where QEMU is and which one it is.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// QEMU's release, in the order of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// 7 in 7.2.22.
    pub major: u32,
    /// 2 in 7.2.22.
    pub minor: u32,
}

impl Version {
    /// The oldest release that the tests have seen.
    pub const OLDEST_TESTED: Self = Self { major: 7, minor: 2 };

    /// Reads the first line of `qemu-system-arm --version`: "QEMU emulator version 7.2.22 (Debian ...)".
    fn parse(banner: &str) -> Option<Self> {
        let number = banner.split_whitespace().skip_while(|word| *word != "version").nth(1)?;
        let mut parts = number.split('.').map(str::parse);
        Some(Self { major: parts.next()?.ok()?, minor: parts.next()?.ok()? })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The first `qemu-system-arm` in `PATH`.
#[must_use]
pub fn find() -> Option<PathBuf> {
    in_path("qemu-system-arm")
}

/// The first file called `name` in `PATH`.
pub(crate) fn in_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    in_folders(&path, name)
}

fn in_folders(path: &OsStr, name: &str) -> Option<PathBuf> {
    env::split_paths(path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Asks a QEMU for its version.
///
/// # Errors
///
/// If it cannot be started or does not answer as QEMU does.
pub fn version(qemu: &Path) -> Result<Version> {
    let called = || format!("{} --version", qemu.display());
    let output = Command::new(qemu).arg("--version").output().with_context(called)?;
    ensure!(output.status.success(), "{} failed: {}", called(), output.status);
    let banner = String::from_utf8_lossy(&output.stdout);
    Version::parse(&banner).with_context(|| format!("{} said \"{}\"", called(), banner.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_distributions_are_read() {
        let debian = "QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)\nCopyright (c) 2003-2022";
        assert_eq!(Version::parse(debian), Some(Version { major: 7, minor: 2 }));
        assert_eq!(Version::parse("QEMU emulator version 10.0.2"), Some(Version { major: 10, minor: 0 }));
        assert_eq!(Version::parse("something else"), None);
    }

    #[test]
    fn versions_compare_by_number() {
        assert!(Version { major: 10, minor: 0 } > Version::OLDEST_TESTED);
    }

    #[test]
    fn a_name_that_is_nowhere_is_not_found() {
        assert_eq!(in_folders(OsStr::new("/nonexistent:/dev"), "qemu-system-arm"), None);
    }
}
