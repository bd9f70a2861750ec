//! The Rust toolchains on this machine: what they have, how to get more, how to call them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::apt;
use crate::process::{answer, quietly};
use crate::way::{Host, TARGET, Way};

/// Enough for a slow line; a rustup that cannot reach its server gives up sooner.
const DOWNLOAD: Duration = Duration::from_secs(180);

/// The oldest compiler that builds the images, as `rust-version` in Cargo.toml.
const OLDEST: (u32, u32) = (1, 93);

/// Debian's packages for its newest compiler, kept for building browsers.
const DEBIAN_PACKAGES: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];
const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_CLIPPY: &str = "/usr/bin/cargo-clippy";

/// This machine.
pub struct Here;

impl Host for Here {
    fn has(&self, way: Way) -> bool {
        match way {
            Way::Prebuilt => has_prebuilt_core(),
            Way::Source => sysroot("rustc").is_some_and(|sysroot| has_source(&sysroot)),
            Way::Debian => has_debian(),
        }
    }

    fn get(&self, way: Way) -> Result<()> {
        match way {
            Way::Prebuilt => rustup(&["target", "add", TARGET]),
            Way::Source => rustup(&["component", "add", "rust-src"]),
            Way::Debian => get_debian(),
        }
    }
}

fn rustup(words: &[&str]) -> Result<()> {
    let title = format!("Trying rustup {}", words.join(" "));
    quietly(Command::new("rustup").args(words), &title, DOWNLOAD)
}

/// Adds rustup's formatter and linter where a minimal installation lacks them.
///
/// # Errors
///
/// If rustup is missing or cannot download them.
pub fn get_checkers() -> Result<()> {
    rustup(&["component", "add", "rustfmt", "clippy"])
}

/// Whether `cargo fmt` and `cargo clippy` work.
pub fn has_checkers() -> bool {
    let works = |verb| answer(Command::new("cargo").args([verb, "--version"])).is_some();
    works("fmt") && works("clippy")
}

fn sysroot(rustc: &str) -> Option<PathBuf> {
    answer(Command::new(rustc).args(["--print", "sysroot"])).map(PathBuf::from)
}

fn has_prebuilt_core() -> bool {
    let asked = ["--print", "target-libdir", "--target", TARGET];
    let Some(folder) = answer(Command::new("rustc").args(asked)) else { return false };
    let Ok(files) = Path::new(&folder).read_dir() else { return false };
    files.flatten().any(|file| file.file_name().to_string_lossy().starts_with("libcore-"))
}

fn has_source(sysroot: &Path) -> bool {
    sysroot.join("lib/rustlib/src/rust/library/core/src/lib.rs").exists()
}

fn has_debian() -> bool {
    let version = answer(Command::new(DEBIAN_RUSTC).arg("--version"));
    let new_enough = version.and_then(|text| release(&text)).is_some_and(|release| release >= OLDEST);
    let sourced = sysroot(DEBIAN_RUSTC).is_some_and(|sysroot| has_source(&sysroot));
    new_enough && sourced && Path::new(DEBIAN_CARGO).exists() && lld().is_some()
}

fn get_debian() -> Result<()> {
    let candidate = apt::candidate(DEBIAN_PACKAGES[0])?;
    let offered = release(&candidate);
    ensure!(offered.is_some_and(|release| release >= OLDEST), "rustc-web is {candidate}, 1.93 or newer is needed");
    apt::install(&DEBIAN_PACKAGES, "a Rust compiler with the sources of core")?;
    lld().map(drop).context("rustup's toolchain has no rust-lld to link with")
}

/// Rustup's linker, which Debian's compiler does without.
fn lld() -> Option<PathBuf> {
    let asked = answer(Command::new("rustc").args(["--print", "target-libdir"]))?;
    let lld = Path::new(&asked).parent()?.join("bin/rust-lld");
    lld.exists().then_some(lld)
}

/// Major and minor of the first word that looks like a release: "rustc 1.96.0 (...)", "1.96.0+dfsg1-1".
fn release(text: &str) -> Option<(u32, u32)> {
    text.split_whitespace().find_map(|word| {
        let mut parts = word.split('.').map(str::parse);
        Some((parts.next()?.ok()?, parts.next()?.ok()?))
    })
}

/// A cargo call for the ARM target: `verb` is `build` or `clippy`.
///
/// # Errors
///
/// If Debian's compiler has lost its linker or its linter.
pub fn arm_cargo(way: Way, verb: &str) -> Result<Command> {
    let mut command = if way == Way::Debian { debian_cargo(verb)? } else { Command::new("cargo") };
    command.arg(verb).args(["--target", TARGET, "--profile", "image"]);
    if way != Way::Prebuilt {
        // The flag is unstable; the variable allows it for this call alone.
        command.arg("-Zbuild-std=core").env("RUSTC_BOOTSTRAP", "1");
    }
    Ok(command)
}

fn debian_cargo(verb: &str) -> Result<Command> {
    let program = if verb == "clippy" { DEBIAN_CLIPPY } else { DEBIAN_CARGO };
    let mut command = Command::new(program);
    command.env("CARGO", DEBIAN_CARGO).env("RUSTC", DEBIAN_RUSTC);
    // Set by rustup's cargo for its own compiler's libraries.
    command.env_remove("LD_LIBRARY_PATH").env_remove("RUSTUP_TOOLCHAIN");
    let lld = lld().context("rustup's toolchain has no rust-lld to link with")?;
    command.env("CARGO_TARGET_ARMV7A_NONE_EABIHF_LINKER", lld);
    Ok(command)
}

/// Whether the linter of this way's compiler is there: only that one can read the `core` it builds.
pub fn has_arm_clippy(way: Way) -> bool {
    match way {
        Way::Debian => Path::new(DEBIAN_CLIPPY).exists(),
        Way::Prebuilt | Way::Source => answer(Command::new("cargo").args(["clippy", "--version"])).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_read_from_compilers_and_packages() {
        assert_eq!(release("rustc 1.96.0 (ac68faa20 2026-05-25) (built from a source tarball)"), Some((1, 96)));
        assert_eq!(release("1.85.0+dfsg3-1~deb12u3"), Some((1, 85)));
        assert_eq!(release("(none)"), None);
    }

    #[test]
    fn only_a_call_that_builds_core_is_allowed_unstable_flags() {
        let unstable = |way| {
            let command = arm_cargo(way, "build").expect("rustup's cargo needs no look-up");
            command.get_envs().any(|(key, _)| key == "RUSTC_BOOTSTRAP")
        };
        assert!(!unstable(Way::Prebuilt));
        assert!(unstable(Way::Source));
    }
}
