//! Debian's and Ubuntu's packages.

use std::env;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::failure::Failure;
use crate::process::{answer, quietly};

/// Package lists over a slow line.
const UPDATE: Duration = Duration::from_secs(300);

/// A compiler over a slow line.
const INSTALL: Duration = Duration::from_secs(1800);

/// Installs `packages`, having said so and what for.
///
/// # Errors
///
/// [`Failure::Missing`] with the command to type if this machine has no apt-get, no rights, or no such package.
pub fn install(packages: &[&str], purpose: &str) -> Result<()> {
    let list = packages.join(" ");
    eprintln!("Installing {purpose} with apt-get: {list}");
    if packages.iter().any(|package| known(package).is_none()) {
        update()?;
    }
    let mut words = vec!["install", "--yes", "--no-install-recommends"];
    words.extend(packages);
    let title = format!("apt-get install {list}");
    let first = apt_get(&words).and_then(|mut call| quietly(&mut call, &title, INSTALL));
    // Lists that are older than the archive name packages that are gone.
    let second = first.or_else(|_| {
        update()?;
        quietly(&mut apt_get(&words)?, &title, INSTALL)
    });
    second.map_err(|error| missing(&list, &error))
}

/// The version of `package` that apt-get would install.
///
/// # Errors
///
/// [`Failure::Missing`] if there is none, also after an update of the lists.
pub fn candidate(package: &str) -> Result<String> {
    if let Some(version) = known(package) {
        return Ok(version);
    }
    update().map_err(|error| missing(package, &error))?;
    let Some(version) = known(package) else { bail!("this distribution has no package {package}") };
    Ok(version)
}

fn missing(list: &str, error: &anyhow::Error) -> anyhow::Error {
    Failure::Missing(format!("{list} could not be installed; do it by hand and try again\n{error:#}")).into()
}

fn known(package: &str) -> Option<String> {
    answer(Command::new("apt-cache").args(["policy", package])).and_then(|text| candidate_in(&text))
}

/// Reads `apt-cache policy`: nothing at all for an unknown package, "(none)" for one that is only mentioned.
fn candidate_in(policy: &str) -> Option<String> {
    let candidate = policy.lines().find_map(|line| line.trim().strip_prefix("Candidate: "))?;
    (candidate != "(none)").then(|| candidate.to_owned())
}

fn update() -> Result<()> {
    quietly(&mut apt_get(&["update"])?, "apt-get update", UPDATE)
}

fn apt_get(words: &[&str]) -> Result<Command> {
    if !in_path("apt-get") {
        bail!("there is no apt-get on this machine");
    }
    // The process's own folder belongs to its effective user.
    let root = fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
    let mut command = Command::new(if root { "apt-get" } else { "sudo" });
    if !root {
        if !in_path("sudo") {
            bail!("apt-get needs root's rights, and there is no sudo");
        }
        // Asked for here, on the terminal, since the call itself runs behind a spinner.
        if !Command::new("sudo").arg("--validate").status()?.success() {
            bail!("apt-get needs root's rights, and sudo refuses them");
        }
        command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]);
    }
    command.args(words).env("DEBIAN_FRONTEND", "noninteractive");
    Ok(command)
}

fn in_path(name: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_candidate_is_read_from_the_policy() {
        let policy = "rustc-web:\n  Installed: (none)\n  Candidate: 1.96.0+dfsg1-1~deb12u2\n  Version table:";
        assert_eq!(candidate_in(policy), Some("1.96.0+dfsg1-1~deb12u2".to_owned()));
    }

    #[test]
    fn a_package_that_is_only_mentioned_has_no_candidate() {
        assert_eq!(candidate_in("rustc:\n  Installed: (none)\n  Candidate: (none)\n"), None);
        assert_eq!(candidate_in(""), None);
    }
}
